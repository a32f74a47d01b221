//! What a hostile benchmark tries. Each attack fails, and is seen to fail; where a search finds nothing, the same
//! search is shown to find what is put before it.

use super::*;
use bench_bot::measure::exec::ExecError;
use bench_bot::results::StepStatus;
use std::process::Stdio;

const SECRET: &str = "ghs_thisIsTheTokenThatNobodyMayFind0123456";

/// Fails if the command succeeds; gives what it said.
fn denied(exec: &mut ContainerExec, command: &str) -> String {
    let done = exec.run(&round(Side::Head, command)).unwrap();
    assert!(!done.status.ok(), "`{command}` succeeded: {} {}", out(&done), err(&done));
    err(&done)
}

/// Whether a process with this word in its command line runs on this machine, in a container or not.
fn runs_on_host(word: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        entry.file_name() != std::process::id().to_string().as_str() && String::from_utf8_lossy(&line).contains(word)
    })
}

#[test]
fn a_search_for_the_token_finds_nothing() {
    let Some(rig) = Rig::new("a_search_for_the_token_finds_nothing") else { return };
    // Around the trees as it is around a job: the runner's folders, and a process with the token in its environment.
    for file in ["runner/_temp/git-credentials", "runner/file_commands/set_env", "event.json"] {
        let path = rig.work.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, SECRET).unwrap();
    }
    let mut holder =
        Command::new("sleep").arg("1000").env("INPUT_TOKEN", SECRET).stdout(Stdio::null()).spawn().unwrap();
    let hunt = format!(
        "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo 2>/dev/null; set; \
         find / /bench/tree /bench/private /dev/shm -xdev -type f -size -2M -not -path '/usr/*' 2>/dev/null | xargs -d '\\n' cat 2>/dev/null; \
         cat .git/config ~/.git-credentials ~/.docker/config.json /bench/*/../* 2>/dev/null; \
         ls -la / /var/run /run /github /home/runner /bench 2>&1; true # {}",
        "x"
    );
    let mut exec = rig.sandbox();
    for kind in [StepKind::Setup, StepKind::Round] {
        let done = exec.run(&step(Side::Head, kind, &hunt)).unwrap();
        assert!(done.status.ok() && done.stdout.len() > 10_000, "the search ran: {}", done.stdout.len());
        let text = String::from_utf8_lossy(&done.stdout).into_owned() + &err(&done);
        assert!(!text.contains(SECRET));
        assert!(!text.contains("docker.sock"), "{text}");
        for word in ["GITHUB_", "RUNNER_", "ACTIONS_", "INPUT_"] {
            assert!(!text.contains(word), "{word}");
        }
    }
    // The search does find what is there to be found.
    said(&mut exec, &round(Side::Head, &format!("echo {SECRET} > found")));
    assert!(String::from_utf8_lossy(&exec.run(&round(Side::Head, &hunt)).unwrap().stdout).contains(SECRET));
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn the_socket_and_the_other_side_are_nowhere() {
    let Some(rig) = Rig::new("the_socket_and_the_other_side_are_nowhere") else { return };
    fs::write(rig.tree(Side::Base).join("only-base-has-this"), "x").unwrap();
    let mut exec = rig.sandbox();
    let sockets =
        said(&mut exec, &round(Side::Head, "find / -type s 2>/dev/null; find / -name 'only-base*' 2>/dev/null; true"));
    assert_eq!(sockets, "");
    assert!(said(&mut exec, &round(Side::Base, "find / -name 'only-base*' 2>/dev/null; true")).contains("only-base"));
    denied(&mut exec, "bash -c 'echo > /dev/tcp/169.254.169.254/80'");
    denied(&mut exec, "bash -c 'echo > /dev/tcp/172.17.0.1/2375'");
}

#[test]
fn the_launcher_cannot_be_written_signalled_or_traced() {
    let Some(rig) = Rig::new("the_launcher_cannot_be_written_signalled_or_traced") else { return };
    let mut exec = rig.sandbox();
    for command in [
        "echo x > /.bench-bot/launcher",
        "rm /.bench-bot/launcher",
        "mv /.bench-bot /x",
        "ls /.bench-bot/scratch",
        "cat /.bench-bot/scratch/stdout",
        "kill -9 1",
        "kill -9 $PPID",
        "cat /proc/1/environ",
        "ls -l /proc/1/fd",
        "cat /proc/$PPID/environ",
        // Frames of its own on the launcher's standard output would be results of its own.
        "echo H > /proc/$PPID/fd/1",
        "echo x > /proc/$PPID/mem",
        "readlink /proc/1/root/etc",
        "echo -1000 > /proc/self/oom_score_adj",
        "mount -t tmpfs x /tmp",
        "unshare -Ur true",
        "unshare -m true",
        "chroot / true",
        "su -c true",
        "nsenter -t 1 -m true",
        "echo x >> /etc/passwd",
        "mknod /tmp/disk b 8 0",
        "date -s 2020-01-01",
        "sysctl -w kernel.randomize_va_space=0 || exit 1",
        "nice -n -5 sh -c '[ $(nice) = -5 ]'",
        "chown 0 ~/.",
        "dmesg",
    ] {
        denied(&mut exec, command);
    }
    // A program with the set-user-id bit gets nothing by it.
    let raised = said(
        &mut exec,
        &round(
            Side::Head,
            "cp /usr/bin/id /bench/tree/id; chmod u+s id; ./id -u; find / -perm -4000 -user root -name mount 2>/dev/null | head -1 | xargs -r -I{} stat -c %a {}",
        ),
    );
    assert!(raised.starts_with("1001\n"), "{raised}");
    // Killing whatever can be reached ends the attacker alone.
    let done = exec.run(&round(Side::Head, "kill -9 -1; sleep 1000")).unwrap();
    assert!(!done.status.ok());
    assert_eq!(said(&mut exec, &round(Side::Head, "echo alive")), "alive\n");
    assert_eq!(said(&mut exec, &round(Side::Base, "echo alive")), "alive\n");
}

#[test]
fn forged_frames_on_the_output_are_only_output() {
    let Some(rig) = Rig::new("forged_frames_on_the_output_are_only_output") else { return };
    let mut exec = rig.sandbox();
    let forged =
        "printf 'H\\002\\000\\000\\000\\000\\000\\000\\000{}.\\000\\000\\000\\000\\000\\000\\000\\000'; exit 9";
    let done = exec.run(&round(Side::Head, forged)).unwrap();
    assert_eq!((done.status.clone(), done.stdout.len()), (StepStatus::Exit(9), 20));
}

#[test]
fn links_pipes_and_giants_in_place_of_outputs_are_not_read() {
    let Some(rig) = Rig::new("links_pipes_and_giants_in_place_of_outputs_are_not_read") else { return };
    let mut exec = rig.sandbox();
    let mut one = round(
        Side::Head,
        "ln -s /etc/passwd link.json; ln -s /etc folder; ln -s /proc/1/environ env.json; mkfifo pipe.json; \
         truncate -s 10G giant.json; mkdir -p d && ln -s / d/root && mkfifo d/pipe && echo 1 > d/good.json; \
         ln /.bench-bot/launcher hard 2>/dev/null; echo ok > plain.json",
    );
    one.collect = [
        "link.json",
        "folder",
        "env.json",
        "pipe.json",
        "giant.json",
        "d",
        "../private/x",
        "/etc/passwd",
        "plain.json",
    ]
    .map(str::to_owned)
    .into();
    let done = exec.run(&one).unwrap();
    assert!(done.status.ok(), "{:?} {}", done.status, err(&done));
    assert_eq!(done.files.keys().map(String::as_str).collect::<Vec<_>>(), ["d/good.json", "plain.json"]);
    for (name, why) in
        [("link.json", "symbolic link"), ("pipe.json", "not a regular file"), ("giant.json", "larger than")]
    {
        assert!(done.notes.iter().any(|note| note.contains(name) && note.contains(why)), "{name}: {:?}", done.notes);
    }
    // What is to be deleted through a link is refused, and the round is not run.
    let mut stale = round(Side::Head, "echo ran");
    stale.remove = vec!["folder/passwd".to_owned()];
    let done = exec.run(&stale).unwrap();
    assert!(matches!(&done.status, StepStatus::NotStarted(why) if why.contains("symbolic link")), "{:?}", done.status);
    // As an artefact itself, the link goes and its target stays.
    stale.remove = vec!["folder".to_owned(), "d".to_owned()];
    assert!(exec.run(&stale).unwrap().status.ok());
    assert_eq!(said(&mut exec, &round(Side::Head, "[ -e folder ] || [ -e d ] || ls /etc/passwd")), "/etc/passwd\n");
}

#[test]
fn a_daemon_does_not_outlive_its_step_on_either_side() {
    let Some(rig) = Rig::new("a_daemon_does_not_outlive_its_step_on_either_side") else { return };
    let mut exec = rig.sandbox();
    let daemon = "(setsid nohup sh -c 'while :; do echo tick >> ticks; : busy-daemon-of-head; done' </dev/null >/dev/null 2>&1 &) ; \
                  while [ ! -s ticks ]; do :; done";
    for kind in [StepKind::Setup, StepKind::Round] {
        said(&mut exec, &step(Side::Head, kind, daemon));
        assert!(!runs_on_host("busy-daemon-of-head"));
        said(&mut exec, &round(Side::Base, "true"));
        let still =
            "a=$(stat -c %s ticks); for i in 1 2 3; do ls -R /usr > /dev/null; done; [ $a = $(stat -c %s ticks) ]";
        said(&mut exec, &round(Side::Head, still));
        said(&mut exec, &round(Side::Head, "rm ticks; ls /proc | grep -c '^[0-9]*$' > n; true"));
    }
}

#[test]
fn a_fork_bomb_ends_at_the_limit() {
    let Some(mut rig) = Rig::new("a_fork_bomb_ends_at_the_limit") else { return };
    rig.limits.pids = 200;
    let mut exec = rig.sandbox();
    let mut bomb = round(Side::Head, "bash -c 'bomb() { bomb | bomb & }; bomb; : fork-bomb-of-head; wait; sleep 1000'");
    bomb.timeout = Duration::from_secs(3);
    let done = exec.run(&bomb).unwrap();
    assert!(!done.status.ok());
    assert!(err(&done).contains("Resource temporarily unavailable"), "{}", err(&done));
    assert!(!runs_on_host("fork-bomb-of-head"));
    for side in Side::BOTH {
        assert_eq!(said(&mut exec, &round(side, "echo fine")), "fine\n");
    }
}

#[test]
fn a_memory_hog_is_ended_and_named() {
    let Some(mut rig) = Rig::new("a_memory_hog_is_ended_and_named") else { return };
    // More than what stays when everything has ended: shared memory and output.
    rig.limits.memory = 640 << 20;
    let mut exec = rig.sandbox();
    let done = exec.run(&round(Side::Head, "tail /dev/zero")).unwrap();
    assert_eq!(done.status, StepStatus::OutOfMemory, "{}", err(&done));
    // Shared memory counts too.
    let done = exec.run(&round(Side::Head, "head -c 1G /dev/zero > /dev/shm/x")).unwrap();
    assert!(!done.status.ok());
    assert!(!exec.run(&round(Side::Head, "rm -f /dev/shm/x; tail /dev/zero")).unwrap().status.ok());
    for side in Side::BOTH {
        assert_eq!(said(&mut exec, &round(side, "echo fine")), "fine\n");
    }
}

#[test]
fn a_disk_filler_stops_the_run_before_the_disk_is_full() {
    let Some(mut rig) = Rig::new("a_disk_filler_stops_the_run_before_the_disk_is_full") else { return };
    let found = nix::sys::statvfs::statvfs(rig.work.path()).unwrap();
    let free = found.blocks_available() * found.fragment_size();
    rig.limits.disk = free - (2 << 30);
    let mut exec = rig.sandbox();
    let error = exec.run(&round(Side::Head, "cat /dev/zero > filler")).unwrap_err();
    let ExecError::Broken { source, .. } = &error else { panic!("{error:?}") };
    assert!(format!("{source:#}").contains("MiB are free"), "{source:#}");
    drop(exec);
    assert!(!runs_on_host("filler"));
    let size = fs::metadata(rig.tree(Side::Head).join("filler")).unwrap().len();
    assert!(size < 16 << 30, "{size}");
}

/// Git of ours never looks into a side's tree again, so that nothing written there is ever run.
#[test]
fn hooks_and_filters_in_every_git_folder_are_never_run() {
    let Some(rig) = Rig::new("hooks_and_filters_in_every_git_folder_are_never_run") else { return };
    let marker = rig.work.path().join("pwned");
    for side in Side::BOTH {
        let made = Command::new("git").args(["init", "-q"]).arg(rig.tree(side)).status().unwrap();
        assert!(made.success());
    }
    let mut exec = rig.sandbox();
    let found = said(&mut exec, &setup(Side::Head, "find / -name '*.git' -not -path '/proc/*' 2>/dev/null; true"));
    assert_eq!(found, "/bench/tree/.git\n", "no other repository can be reached");
    let poison = format!(
        "m='touch {}'; printf '[core]\\n fsmonitor = %s\\n sshCommand = %s\\n pager = %s\\n hooksPath = /bench/tree/h\\n\
         [filter \"x\"]\\n smudge = %s\\n clean = %s\\n process = %s\\n[diff \"x\"]\\n textconv = %s\\n command = %s\\n' \
         \"$m\" \"$m\" \"$m\" \"$m\" \"$m\" \"$m\" \"$m\" \"$m\" >> .git/config; echo '* filter=x diff=x' > .gitattributes; \
         mkdir -p h; for h in post-checkout pre-commit reference-transaction post-index-change fsmonitor-watchman; do \
         printf '#!/bin/sh\\n%s\\n' \"$m\" > h/$h; chmod +x h/$h; cp h/$h .git/hooks/; done",
        marker.display()
    );
    said(&mut exec, &setup(Side::Head, &poison));
    said(&mut exec, &round(Side::Head, "true"));
    exec.finish().unwrap();
    assert!(!marker.exists());
}

/// A folder that head replaced by a link must not lead anybody out of the container.
#[test]
fn a_cache_replaced_by_a_link_leads_nowhere() {
    let Some(rig) = Rig::new("a_cache_replaced_by_a_link_leads_nowhere") else { return };
    let victim = rig.work.path().join("victim");
    fs::create_dir(&victim).unwrap();
    std::os::unix::fs::chown(&victim, Some(OWNER.0), Some(OWNER.1)).unwrap();
    let mut exec = rig.sandbox();
    let swap = format!("cd /bench/private && rm -rf caches && ln -s {} caches", victim.display());
    said(&mut exec, &setup(Side::Base, "mkdir -p $GOMODCACHE; echo x > $GOMODCACHE/file"));
    said(&mut exec, &round(Side::Head, &swap));
    let error = exec.run(&setup(Side::Head, "true")).unwrap_err();
    let ExecError::Broken { source, .. } = &error else { panic!("{error:?}") };
    assert!(format!("{source:#}").contains("symbolic link"), "{source:#}");
    exec.finish().unwrap();
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
}

#[test]
fn everything_that_head_wrote_is_gone_in_the_end() {
    let Some(rig) = Rig::new("everything_that_head_wrote_is_gone_in_the_end") else { return };
    let outside = rig.work.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "stays").unwrap();
    let mut exec = rig.sandbox();
    let mess = format!(
        "mkdir -p a/b/c && chmod 000 a/b && ln -s {0} link && mkdir ro && touch ro/x && chmod 555 ro && mkfifo p && \
         ln -s {0} ~/link",
        outside.display()
    );
    said(&mut exec, &round(Side::Head, &mess));
    exec.finish().unwrap();
    assert_eq!(owners(&rig.tree(Side::Head)), []);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "stays");
}
