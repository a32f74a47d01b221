//! Whose a container is, so that what a dead run left behind can be told from what a living one uses.

use super::engine::{Engine, own_container};
use std::collections::HashMap;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// The label of the run.
pub(super) const RUN: &str = "bench-bot.run";
const OWNER: &str = "bench-bot.owner";
const STARTED: &str = "bench-bot.started";

/// A run of this process.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    /// Unique, also among attempts and jobs of one workflow run on one host.
    pub(super) run: String,
    owner: String,
    started: u64,
}

impl Identity {
    /// `run` is for people; something random makes it unique.
    pub(super) fn new(run: &str) -> Self {
        let run: String = run.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let unique = format!("{:x}{:x}", std::process::id(), started.as_nanos());
        let owner = match own_container() {
            Some(id) => format!("container:{id}"),
            None => process(std::process::id()).map(|text| format!("process:{text}")).unwrap_or_default(),
        };
        Self { run: format!("{run}-{unique}"), owner, started: started.as_secs() }
    }

    pub(super) fn labels(&self) -> HashMap<String, String> {
        let started = self.started.to_string();
        [(RUN, &self.run), (OWNER, &self.owner), (STARTED, &started)]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }

    /// A name for a container of this run.
    pub(super) fn name(&self, what: &str) -> String {
        format!("bench-bot-{}-{what}", self.run)
    }
}

/// Whether whoever made something with these labels is gone for certain.
pub(super) fn is_orphan(labels: &HashMap<String, String>, engine: &Engine) -> bool {
    let Some(owner) = labels.get(OWNER) else { return false };
    if let Some(id) = owner.strip_prefix("container:") {
        return engine.alive(id).is_ok_and(|alive| !alive);
    }
    owner.strip_prefix("process:").is_some_and(|text| {
        let Some((world, pid)) = text.rsplit_once(':').and_then(|(rest, _)| rest.rsplit_once(':')) else {
            return false;
        };
        let Some(own) = process(std::process::id()) else { return false };
        let (boot, here) = (text.split(':').next(), own.rsplitn(3, ':').nth(2).unwrap_or_default());
        if boot != own.split(':').next() {
            return true;
        }
        // A process of another namespace cannot be looked for from here.
        world == here && pid.parse().ok().and_then(process).as_deref() != Some(text)
    })
}

/// A process for good: boot, namespace, number, start.
fn process(pid: u32) -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let namespace = namespace.to_str()?.trim_start_matches("pid:").trim_matches(['[', ']']).to_owned();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let started = fields.nth(18)?;
    Some(format!("{}:{namespace}:{pid}:{started}", boot.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn runs_have_names_of_their_own_that_an_engine_accepts() {
        let (one, two) = (Identity::new("42/1; rm"), Identity::new("42/1; rm"));
        assert_ne!(one.run, two.run);
        assert!(one.name("base").bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{}", one.name("base"));
    }

    #[test]
    fn a_process_is_told_from_another_with_its_number() {
        let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let text = process(child.id()).unwrap();
        assert_eq!(process(child.id()).as_ref(), Some(&text));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(process(child.id()), None);
    }
}
