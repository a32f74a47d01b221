use super::*;
use crate::host::fake::{BOOT, Fake};

const GOVERNOR: &str = "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";

fn journal(fake: &Fake, boot: &str, path: &str) -> Journal {
    let entry = Entry { path: path.into(), prior: "powersave".into(), target: Some("performance".into()) };
    // No process has this id: the kernel's largest is 4194304.
    let owner = Owner { pid: 4_194_305, started: 1, holds: false };
    Journal::new("1-1-0".into(), owner, boot.into(), fake.roots(), vec![entry])
}

fn place(fake: &Fake) -> JournalPlace {
    let place = JournalPlace::at(fake.path("journal"));
    place.open().unwrap();
    place
}

#[test]
fn a_journal_of_this_boot_is_restored_and_gone() {
    let (fake, place) = (Fake::intel(), Fake::vm());
    let place = self::place(&place);
    let before = fake.files();
    fake.write(GOVERNOR, "performance");
    journal(&fake, BOOT, GOVERNOR).save(&place.dir).unwrap();
    let leftover = recover(&place, &fake.roots()).unwrap();
    assert_eq!(leftover.notes, ["Put back the settings that process 4194305 had left changed."]);
    assert_eq!(fake.files(), before);
    assert_eq!(Journal::load(&place.dir).unwrap(), None);
}

#[test]
fn a_journal_of_another_boot_is_dropped_without_a_write() {
    let fake = Fake::intel();
    let place = place(&fake);
    fake.write(GOVERNOR, "performance");
    journal(&fake, "another", GOVERNOR).save(&place.dir).unwrap();
    let leftover = recover(&place, &fake.roots()).unwrap();
    assert!(leftover.notes[0].contains("started anew"), "{:?}", leftover.notes);
    assert_eq!((&*fake.read(GOVERNOR), Journal::load(&place.dir).unwrap()), ("performance", None));
}

#[test]
fn a_forged_journal_writes_nothing_and_is_kept_aside() {
    let fake = Fake::intel();
    let place = place(&fake);
    fake.write("etc/shadow", "root");
    for (path, prior) in [("etc/shadow", "powersave"), (GOVERNOR, "x\ny")] {
        let mut forged = journal(&fake, BOOT, path);
        forged.entries[0].prior = prior.to_owned();
        forged.save(&place.dir).unwrap();
        let leftover = recover(&place, &fake.roots()).unwrap();
        assert!(leftover.notes[0].contains("cannot be used"), "{:?}", leftover.notes);
        assert_eq!((&*fake.read("etc/shadow"), &*fake.read(GOVERNOR)), ("root", "powersave"));
        assert!(place.dir.join("journal.unreadable").exists());
    }
}

#[test]
fn what_cannot_be_put_back_stays_in_the_journal_and_is_named() {
    let fake = Fake::intel();
    let place = place(&fake);
    journal(&fake, BOOT, GOVERNOR).save(&place.dir).unwrap();
    // A folder in the place of the file: neither to be read nor written, also by root.
    fs::remove_file(fake.path(GOVERNOR)).unwrap();
    fs::create_dir(fake.path(GOVERNOR)).unwrap();
    let leftover = recover(&place, &fake.roots()).unwrap();
    assert_eq!(leftover.notes, [format!("/{GOVERNOR} could not be put back (EISDIR); it was powersave.")]);
    assert_eq!(leftover.entries.len(), 1);
    assert!(Journal::load(&place.dir).unwrap().is_some());
}

#[test]
fn a_folder_that_others_can_write_to_is_no_place_for_a_journal() {
    use std::os::unix::fs::PermissionsExt;
    let fake = Fake::vm();
    let place = place(&fake);
    fs::set_permissions(&place.dir, fs::Permissions::from_mode(0o777)).unwrap();
    let error = claim(&place, &Owner::current(false)).unwrap_err();
    assert!(no_place(&place, &error).contains("only this user"), "{error}");
    let link = JournalPlace::at(fake.path("link"));
    std::os::unix::fs::symlink(&place.dir, &link.dir).unwrap();
    assert!(link.open().is_err());
}

#[test]
fn the_living_holder_of_the_lock_is_named() {
    let fake = Fake::vm();
    let place = place(&fake);
    let me = Owner::current(true);
    assert!(me.alive());
    let Claim::Ours(lock) = claim(&place, &me).unwrap() else { panic!("nobody has it") };
    let Claim::Held(holder) = claim(&place, &Owner::current(false)).unwrap() else { panic!("it is taken") };
    assert_eq!(holder, me);
    drop(lock);
    assert!(matches!(claim(&place, &me).unwrap(), Claim::Ours(_)));
}
