//! What a container may do: the whole configuration, in one place.

use super::identity::Identity;
use super::launcher::{BINARY, SCRATCH, SCRATCH_BYTES, SUBCOMMAND};
use super::{Limits, PRIVATE, TREE};
use bollard::models::{
    ContainerCreateBody, HealthConfig, HostConfig, HostConfigCgroupnsModeEnum, HostConfigLogConfig, Mount, MountType,
    ResourcesUlimits,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Signal, user and priority are the launcher's to use; it drops all of them before a command starts.
const KEPT: [&str; 5] = ["SYS_NICE", "SETUID", "SETGID", "SETPCAP", "KILL"];
/// What installing packages as root needs, and no more.
const INSTALLING: [&str; 7] = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETFCAP", "SETGID", "SETUID"];

/// A folder or file of the host in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bind {
    /// Where it is on the engine's host.
    pub(super) source: PathBuf,
    /// Where it is in the container.
    pub(super) target: String,
    pub(super) read_only: bool,
}

impl Bind {
    pub(super) fn new(source: impl Into<PathBuf>, target: impl Into<String>) -> Self {
        Self { source: source.into(), target: target.into(), read_only: false }
    }

    pub(super) fn read_only(source: impl Into<PathBuf>, target: impl Into<String>) -> Self {
        Self { read_only: true, ..Self::new(source, target) }
    }

    /// As a mount, whose source must exist; a "bind" would make a new folder of root's for one that does not.
    fn mount(&self) -> Mount {
        Mount {
            typ: Some(MountType::BIND),
            source: Some(self.source.to_string_lossy().into_owned()),
            target: Some(self.target.clone()),
            read_only: Some(self.read_only),
            ..Mount::default()
        }
    }
}

/// What every container of ours has in common: nothing of the image's own start, no network, no capability, no log.
fn plain(image: &str, identity: &Identity, program: &[&str], binds: &[Bind]) -> ContainerCreateBody {
    let host = HostConfig {
        network_mode: Some("none".to_owned()),
        cap_drop: Some(vec!["ALL".to_owned()]),
        cap_add: Some(Vec::new()),
        // Default seccomp and AppArmor profiles stay: naming no other keeps them.
        security_opt: Some(vec!["no-new-privileges:true".to_owned()]),
        privileged: Some(false),
        pid_mode: Some(String::new()),
        ipc_mode: Some("private".to_owned()),
        cgroupns_mode: Some(HostConfigCgroupnsModeEnum::PRIVATE),
        devices: Some(Vec::new()),
        log_config: Some(HostConfigLogConfig { typ: Some("none".to_owned()), config: None }),
        mounts: Some(binds.iter().map(Bind::mount).collect()),
        publish_all_ports: Some(false),
        auto_remove: Some(true),
        ..HostConfig::default()
    };
    ContainerCreateBody {
        image: Some(image.to_owned()),
        labels: Some(identity.labels()),
        user: Some("0:0".to_owned()),
        entrypoint: Some(program.iter().map(|&part| part.to_owned()).collect()),
        cmd: Some(Vec::new()),
        working_dir: Some("/".to_owned()),
        healthcheck: Some(HealthConfig { test: Some(vec!["NONE".to_owned()]), ..HealthConfig::default() }),
        hostname: Some("bench".to_owned()),
        tty: Some(false),
        open_stdin: Some(true),
        stdin_once: Some(true),
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        host_config: Some(host),
        ..ContainerCreateBody::default()
    }
}

/// Changes what the engine enforces on a container.
fn with(mut body: ContainerCreateBody, change: impl FnOnce(&mut HostConfig)) -> ContainerCreateBody {
    change(body.host_config.get_or_insert_default());
    body
}

/// Amounts that no container of foreign code may exceed. Files beyond the disk are the run's own watch's.
fn limit(host: &mut HostConfig, limits: &Limits) {
    let same = |name: &str, number: i64| ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(number),
        hard: Some(number),
    };
    let memory = i64::try_from(limits.memory).unwrap_or(i64::MAX);
    host.pids_limit = Some(limits.pids);
    host.memory = Some(memory);
    // Equal: no swap, which would be measured.
    host.memory_swap = Some(memory);
    host.shm_size = i64::try_from(limits.shm).ok();
    host.ulimits = Some(vec![same("nofile", limits.files), same("core", 0)]);
}

/// One side's container: our launcher as process 1, the side's tree and private folder, and a little memory for output.
pub(super) fn side(
    image: &str,
    identity: &Identity,
    launcher: &Path,
    folders: (&Path, &Path),
    owner: (u32, u32),
    limits: &Limits,
) -> ContainerCreateBody {
    let (uid, gid) = (owner.0.to_string(), owner.1.to_string());
    let binds = [Bind::new(folders.0, TREE), Bind::new(folders.1, PRIVATE), Bind::read_only(launcher, BINARY)];
    let body = plain(image, identity, &[BINARY, SUBCOMMAND, "init", &uid, &gid], &binds);
    with(body, |host| {
        host.network_mode = Some(limits.network.clone());
        host.cap_add = Some(KEPT.map(str::to_owned).into());
        let options = format!("rw,noexec,nosuid,nodev,mode=0700,size={SCRATCH_BYTES}");
        host.tmpfs = Some(HashMap::from([(SCRATCH.to_owned(), options)]));
        limit(host, limits);
    })
}

/// A container of our own code that holds something as long as we live.
pub(super) fn hold(image: &str, identity: &Identity, launcher: &Path) -> ContainerCreateBody {
    plain(image, identity, &[BINARY, SUBCOMMAND, "hold"], &[Bind::read_only(launcher, BINARY)])
}

/// A container that works on folders of sides as the suite's user, with our own code.
pub(super) fn hands(
    image: &str,
    identity: &Identity,
    launcher: &Path,
    binds: &[Bind],
    limits: &Limits,
) -> ContainerCreateBody {
    let binds: Vec<Bind> = binds.iter().cloned().chain([Bind::read_only(launcher, BINARY)]).collect();
    with(plain(image, identity, &[BINARY, SUBCOMMAND, "hold"], &binds), |host| limit(host, limits))
}

/// The throw-away container of `prepare:`: root, a network, no tree.
pub(super) fn preparing(image: &str, identity: &Identity, command: &str, limits: &Limits) -> ContainerCreateBody {
    let mut body = with(plain(image, identity, &["/bin/sh", "-c", command], &[]), |host| {
        host.network_mode = Some(limits.network.clone());
        host.cap_add = Some(INSTALLING.map(str::to_owned).into());
        // It is committed after its end.
        host.auto_remove = Some(false);
        limit(host, limits);
    });
    body.open_stdin = Some(false);
    body.stdin_once = Some(false);
    body.attach_stdin = Some(false);
    body
}

/// The helper that sets the host's settings: our own image, the files that it sets, and its journal.
pub(super) fn helper(
    image: &str,
    identity: &Identity,
    program: &[&str],
    binds: &[Bind],
    journal: (&str, &str),
) -> ContainerCreateBody {
    with(plain(image, identity, program, binds), |host| {
        host.mounts.get_or_insert_default().push(Mount {
            typ: Some(MountType::VOLUME),
            source: Some(journal.0.to_owned()),
            target: Some(journal.1.to_owned()),
            ..Mount::default()
        });
    })
}
