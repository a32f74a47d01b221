//! `host show`, `host tune` and `host restore`.

use super::*;
use bench_bot::host::{restore, show, tune};
use nix::sys::signal::{Signal, kill};

fn keeper(place: &Place) -> u32 {
    let text = fs::read_to_string(place.dir.path().join("journal/journal.json")).unwrap();
    let journal: serde_json::Value = serde_json::from_str(&text).unwrap();
    journal["owner"]["pid"].as_u64().unwrap() as u32
}

#[test]
fn show_tells_what_there_is_and_changes_nothing() {
    let _alone = crate::alone();
    let place = Place::new();
    let intel = Fake::intel();
    let before = intel.files();
    let text = show(&intel.roots(), &place.journal());
    for line in [
        "cpu                  Intel(R) Core(TM) i7-8665U CPU @ 1.90GHz",
        "cpus                 8, 4 cores",
        "frequency            8 CPUs at 1900 MHz",
        "benchmark's cpus     3,7 (a whole core, not CPU 0's)",
        "governor             powersave (policy0 and 7 more)",
        "boost                on",
        "max frequency        4800 MHz (policy0 and 7 more)",
    ] {
        assert!(text.lines().any(|one| one == line), "no line {line:?} in\n{text}");
    }
    assert_eq!(intel.files(), before);
    let text = show(&Fake::acpi().roots(), &place.journal());
    assert!(text.contains("governor             ondemand (policy7)\n"), "{text}");
    let text = show(&Fake::vm().roots(), &place.journal());
    assert!(text.contains("steal time           not observable\n"), "{text}");
    // A setting that is not there is said, and so is what a command's process could have.
    for name in ["governor", "energy preference", "boost", "max frequency", "min frequency"] {
        assert!(text.contains(&format!("{name:<20} absent: this machine has no such setting\n")), "{name} in\n{text}");
    }
    assert!(text.lines().any(|line| line.starts_with("cpu affinity ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("nice  ")), "{text}");
    assert!(text.contains("benchmark's cpus     1 (no whole core but CPU 0's is free, so CPU 1 alone)\n"), "{text}");
}

#[test]
fn tune_holds_until_restore() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    let before = fake.files();
    let text = tune(&settings(), &fake.roots(), &place.journal()).unwrap();
    assert!(text.contains("governor             applied (powersave → performance)\n"), "{text}");
    let pid = keeper(&place);
    assert!(text.contains(&format!("Kept by process {pid} until `bench-bot host restore`.")), "{text}");
    assert_eq!((&*fake.read(GOVERNOR), &*fake.read(NO_TURBO)), ("performance", "1"));
    let shown = show(&fake.roots(), &place.journal());
    assert!(shown.ends_with(&format!("Settings are held by process {pid}.\n")), "{shown}");
    let again = tune(&settings(), &fake.roots(), &place.journal()).unwrap_err();
    assert!(again.to_string().contains(&format!("process {pid} holds them")), "{again}");
    // A run under it finds what it wants, and leaves it.
    let session = begin(&fake, &place, &Host { max_khz: Some(2_000_000), ..settings() });
    assert_eq!(status(session.outcomes(), "governor"), KnobStatus::Already("performance".into()));
    assert_eq!(status(session.outcomes(), "max frequency"), denied(&format!("held by `host tune`, process {pid}")));
    drop(session);
    let text = restore(&fake.roots(), &place.journal()).unwrap();
    assert_eq!(text, format!("Process {pid} put back what it had changed.\n"));
    assert_eq!(fake.files(), before);
    assert!(place.is_clean());
    let text = restore(&fake.roots(), &place.journal()).unwrap();
    assert_eq!(text, "Nothing is changed, nothing to put back.\n");
}

#[test]
fn a_killed_keeper_is_replaced_by_its_guardian_and_both_by_restore() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::amd(), Place::new());
    let before = fake.files();
    let journal = place.journal().dir;
    tune(&settings(), &fake.roots(), &place.journal()).unwrap();
    let process = |pid: u32| nix::unistd::Pid::from_raw(pid as i32);
    let guardian = guardian_of(&journal).unwrap();
    kill(process(keeper(&place)), Signal::SIGKILL).unwrap();
    wait_for(guardian);
    assert_eq!(fake.files(), before);
    tune(&settings(), &fake.roots(), &place.journal()).unwrap();
    let (owner, guardian) = (keeper(&place), guardian_of(&journal).unwrap());
    for pid in [guardian, owner] {
        kill(process(pid), Signal::SIGKILL).unwrap();
        wait_for(pid);
    }
    assert_ne!(fake.files(), before);
    assert!(show(&fake.roots(), &place.journal()).ends_with(&format!("left changed by dead process {owner}.\n")));
    let text = restore(&fake.roots(), &place.journal()).unwrap();
    assert_eq!(text, format!("Put back the settings that process {owner} had left changed.\n"));
    assert_eq!(fake.files(), before);
}

#[test]
fn restore_does_not_disturb_a_run_at_work() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::amd(), Place::new());
    let mut helper = Helper::start(&fake, &place, &settings());
    let error = restore(&fake.roots(), &place.journal()).unwrap_err().to_string();
    assert!(error.contains(&format!("process {} is measuring now", helper.child.id())), "{error}");
    assert_eq!(fake.read(GOVERNOR), "performance");
    helper.client.unwrap().finish().unwrap();
    helper.child.wait().unwrap();
}

#[test]
fn tune_without_a_change_leaves_nobody_behind() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::vm(), Place::new());
    let text = tune(&settings(), &fake.roots(), &place.journal()).unwrap();
    assert!(text.contains("Nothing had to be changed."), "{text}");
    assert!(place.is_clean());
    let required = Host { tuning: REQUIRE, ..settings() };
    let error = tune(&required, &fake.roots(), &place.journal()).unwrap_err().to_string();
    assert!(error.contains("governor is absent, boost is absent"), "{error}");
    let off = Host { tuning: Tuning::Off, ..settings() };
    assert!(tune(&off, &fake.roots(), &place.journal()).unwrap().contains("nothing was changed"));
}

#[test]
fn restore_names_what_it_cannot_put_back() {
    let _alone = crate::alone();
    let (fake, place) = (Fake::intel(), Place::new());
    tune(&settings(), &fake.roots(), &place.journal()).unwrap();
    fs::remove_file(fake.path(NO_TURBO)).unwrap();
    fs::create_dir(fake.path(NO_TURBO)).unwrap();
    let error = restore(&fake.roots(), &place.journal()).unwrap_err().to_string();
    assert_eq!(error, format!("/{NO_TURBO} could not be put back (EISDIR); it was 0."));
    assert_eq!(fake.read(GOVERNOR), "powersave", "the rest is put back");
    assert!(!place.is_clean(), "for another attempt");
}
