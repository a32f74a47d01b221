//! One run's settings, from the first reading until everything is as it was.

use super::apply::{self, Applied, NotRestored};
use super::cpu::{self, Selection, Topology};
use super::guardian::Guardian;
use super::journal::{self, Claim, Entry, Journal, JournalPlace, Lock, Owner};
use super::knob::{self, Knob, Setting, Want};
use super::machine::hypervisor;
use super::process::{self, ProcessSettings};
use super::tree::{Roots, Store};
use super::{HostError, outcome};
use crate::config::{Cpus, Host, Tuning};
use crate::results::{KnobOutcome, KnobStatus};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

/// The settings of a run. Dropping it restores them, and when the process dies its guardian does.
#[derive(Debug)]
pub struct Session {
    roots: Roots,
    place: JournalPlace,
    owner: Owner,
    /// As found, before anything was written.
    settings: Vec<Setting>,
    quiet_perf: bool,
    topology: Topology,
    outcomes: Vec<KnobOutcome>,
    notes: Vec<String>,
    /// The settings in force.
    current: Host,
    /// What cannot be put back from an earlier run; kept in the journal.
    leftover: Vec<Entry>,
    lock: Option<Lock>,
    guardian: Option<Guardian>,
    /// What was written and how it read back, of the settings in force.
    expected: BTreeMap<String, String>,
    /// Files that we have written, or that moved when we wrote others.
    moved: BTreeSet<String>,
    /// What somebody else changed: by setting, what was set and what was found.
    drift: BTreeMap<&'static str, (String, String)>,
    /// Affinity and priority by what was asked, each tried once.
    processes: Vec<Tried>,
    /// Of sides with settings of their own, by whose they are: what became of those that differ.
    sides: BTreeMap<String, Vec<KnobOutcome>>,
}

/// Affinity and priority that were tried.
#[derive(Debug)]
struct Tried {
    cpus: Cpus,
    nice: Option<i8>,
    selection: Result<Selection, String>,
    settings: ProcessSettings,
    outcomes: Vec<KnobOutcome>,
}

/// What one side's rounds run under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideSettings {
    /// What became of each setting.
    pub outcomes: Vec<KnobOutcome>,
    /// What the command's process sets for itself.
    pub process: ProcessSettings,
}

impl Session {
    /// Reads everything, restores what an earlier run left behind, and sets what `host` asks for.
    ///
    /// # Errors
    /// With `tuning: require`, when a setting is refused or absent; everything is put back before.
    pub fn begin(host: &Host, roots: Roots, place: JournalPlace) -> Result<Self, HostError> {
        Self::start(host, roots, place, false)
    }

    /// The same; `holds`: for `host tune`, until `host restore`.
    pub(crate) fn start(host: &Host, roots: Roots, place: JournalPlace, holds: bool) -> Result<Self, HostError> {
        let mut session = Self {
            settings: knob::survey(&roots),
            quiet_perf: host.tuning != Tuning::Off && bare_metal(&roots),
            topology: Topology::read(&roots),
            owner: Owner::current(holds),
            roots,
            place,
            outcomes: Vec::new(),
            notes: Vec::new(),
            current: nothing(),
            leftover: Vec::new(),
            lock: None,
            guardian: None,
            expected: BTreeMap::new(),
            moved: BTreeSet::new(),
            drift: BTreeMap::new(),
            processes: Vec::new(),
            sides: BTreeMap::new(),
        };
        session.take_over(host.tuning != Tuning::Off);
        session.outcomes = session.apply_side(host)?.outcomes;
        if session.guardian.is_none() {
            // Nothing was written, so nobody needs to wait for us.
            session.lock = None;
        }
        Ok(session)
    }

    /// Gets the right to write and restores what was left behind, if either can matter here.
    fn take_over(&mut self, asked: bool) {
        let writable = asked && self.settings.iter().any(|setting| setting.refused.is_none());
        if !writable && !self.place.dir.exists() {
            return;
        }
        if let Err(why) = self.claim() {
            self.refuse_all(&why);
            return;
        }
        match journal::recover(&self.place, &self.roots) {
            Err(error) => self.refuse_all(&journal::no_place(&self.place, &error)),
            Ok(leftover) => {
                self.notes.extend(leftover.notes);
                self.leftover = leftover.entries;
                self.settings = knob::survey(&self.roots);
                for setting in &mut self.settings {
                    if let Some(entry) = self.leftover.iter().find(|entry| entry.path == setting.file) {
                        setting.prior.clone_from(&entry.prior);
                    }
                }
            }
        }
    }

    fn claim(&mut self) -> Result<(), String> {
        match journal::claim(&self.place, &self.owner) {
            Ok(Claim::Ours(lock)) => self.lock = Some(lock),
            Ok(Claim::Held(owner)) if owner.holds => {
                return Err(format!("held by `host tune`, process {}", owner.pid));
            }
            Ok(Claim::Held(owner)) => return Err(format!("held by another run, process {}", owner.pid)),
            Err(error) => return Err(journal::no_place(&self.place, &error)),
        }
        Ok(())
    }

    fn refuse_all(&mut self, why: &str) {
        for setting in self.settings.iter_mut().filter(|setting| setting.refused.is_none()) {
            setting.refused = Some(why.to_owned());
        }
    }

    /// What became of each setting.
    #[must_use]
    pub fn outcomes(&self) -> &[KnobOutcome] {
        &self.outcomes
    }

    /// What a reader must know, in words: settings of an earlier run that were put back, or could not be; CPUs that were
    /// asked for and cannot be had.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What the bench command's process sets for itself, under the settings in force.
    #[must_use]
    pub fn process_settings(&self) -> ProcessSettings {
        self.tried(&self.current).map(|tried| tried.settings.clone()).unwrap_or_default()
    }

    /// The CPUs that the settings in force give to the bench command, and why.
    ///
    /// # Errors
    /// What is wrong with an explicit list.
    pub fn selection(&self) -> Result<&Selection, &str> {
        match self.tried(&self.current).map(|tried| &tried.selection) {
            Some(Ok(selection)) => Ok(selection),
            Some(Err(why)) => Err(why),
            None => Err("nothing was tried"),
        }
    }

    /// The guardian's process, which whoever ends left-over children must spare.
    #[must_use]
    pub fn guardian_pid(&self) -> Option<u32> {
        self.guardian.as_ref().map(Guardian::pid)
    }

    fn tried(&self, host: &Host) -> Option<&Tried> {
        self.processes.iter().find(|tried| tried.cpus == host.cpus && tried.nice == host.nice)
    }

    /// Brings the settings in force to those of one side, before a round of that side, and reads them back. What `host`
    /// leaves open is as it was found. Writes nothing that has its value already.
    ///
    /// # Errors
    /// With `tuning: require` in `host`, when a setting is refused or absent; everything is put back before.
    pub fn apply_side(&mut self, host: &Host) -> Result<SideSettings, HostError> {
        let off = host.tuning == Tuning::Off;
        let wanted = if off { nothing() } else { host.clone() };
        self.note_drift();
        self.reset_unless_asked(&wanted);
        let wants = knob::wants(&wanted, &self.settings, self.quiet_perf);
        if self.guardian.is_none()
            && self.needs_writing(&wants)
            && let Err(why) = self.arm(&wants)
        {
            self.refuse_all(&why);
        }
        let applied = apply::apply(&self.roots, &self.settings, &wants);
        self.moved.extend(applied.expected.keys().cloned().chain(applied.disturbed.iter().cloned()));
        self.expected.clone_from(&applied.expected);
        self.current = wanted;
        let outcomes = self.report(&applied, off);
        if host.tuning == Tuning::Require {
            let missing: Vec<KnobOutcome> = outcomes.iter().filter(|one| is_missing(one)).cloned().collect();
            if !missing.is_empty() {
                self.put_back();
                return Err(HostError::Required(missing));
            }
        }
        Ok(SideSettings { process: self.process_settings(), outcomes })
    }

    /// Undoes everything if something is in force that is not asked for any more.
    fn reset_unless_asked(&mut self, wanted: &Host) {
        let asked = ASKED.iter().any(|(_, asks)| asks(&self.current) && !asks(wanted));
        if asked && self.guardian.is_some() {
            apply::restore(&self.roots, &self.ours());
            self.expected.clear();
        }
    }

    fn needs_writing(&self, wants: &[Want]) -> bool {
        self.settings.iter().zip(wants).any(|(setting, want)| match want {
            Want::Value(value) => {
                setting.refused.is_none() && self.roots.read(&setting.file).is_ok_and(|now| now != *value)
            }
            _ => false,
        })
    }

    /// Guardian and journal, in this order, before the first write.
    fn arm(&mut self, wants: &[Want]) -> Result<(), String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(boot) = journal::boot_id(&self.roots) else {
            return Err("no journal: the kernel's boot id cannot be read".to_owned());
        };
        if self.lock.is_none() {
            self.claim()?;
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let session = format!("{}-{}-{number}", self.owner.pid, self.owner.started);
        let known = |entry: &&Entry| !self.settings.iter().any(|setting| setting.file == entry.path);
        let writable = self.settings.iter().zip(wants).filter(|(setting, _)| setting.refused.is_none());
        let entries = writable.map(|(setting, want)| Entry {
            path: setting.file.clone(),
            prior: setting.prior.clone(),
            target: if let Want::Value(value) = want { Some(value.clone()) } else { None },
        });
        let entries = entries.chain(self.leftover.iter().filter(known).cloned()).collect();
        let guardian = Guardian::start(&self.place, &session).map_err(|error| format!("no guardian: {error}"))?;
        let journal = Journal::new(session, self.owner.clone(), boot, self.roots.clone(), entries);
        if let Err(error) = journal.save(&self.place.dir) {
            // Nothing was written yet, so the guardian has nothing to do either way.
            let _ = guardian.dismiss();
            return Err(journal::no_place(&self.place, &error));
        }
        self.guardian = Some(guardian);
        Ok(())
    }

    /// What a command under `host` sets for itself; tried once.
    pub(crate) fn try_process(&mut self, host: &Host) -> ProcessSettings {
        if self.tried(host).is_none() {
            let selection = cpu::select(&host.cpus, &self.topology, &self.roots);
            let (settings, outcomes) = process::probe(host, &selection);
            // Somebody chose these CPUs: that commands run anywhere is more than a line in a table.
            if let (Cpus::List(_), Some(KnobStatus::Denied(why))) =
                (&host.cpus, outcomes.iter().find(|one| one.knob == process::AFFINITY).map(|one| &one.status))
            {
                self.notes.push(format!("bench commands are not pinned to the CPUs that were asked for: {why}"));
            }
            self.processes.push(Tried { cpus: host.cpus.clone(), nice: host.nice, selection, settings, outcomes });
        }
        self.tried(host).map(|tried| tried.settings.clone()).unwrap_or_default()
    }

    /// Keeps what became of the settings of `whose` side, for the report: those of its first round that differ from what
    /// is said of the run.
    pub(crate) fn note_side(&mut self, whose: &str, outcomes: Vec<KnobOutcome>) {
        if self.sides.contains_key(whose) {
            return;
        }
        let own = outcomes.into_iter().filter(|one| !self.outcomes.contains(one)).collect();
        self.sides.insert(whose.to_owned(), own);
    }

    /// The full list of outcomes: also what is absent and what was not asked for.
    fn report(&mut self, applied: &Applied, off: bool) -> Vec<KnobOutcome> {
        let host = self.current.clone();
        self.try_process(&host);
        let skipped = |why: &str| KnobStatus::Skipped(if off { "tuning is off" } else { why }.to_owned());
        let mut outcomes = self.tried(&host).map(|tried| tried.outcomes.clone()).unwrap_or_default();
        if off {
            outcomes.iter_mut().for_each(|one| one.status = skipped(""));
        }
        let done = |name: &str| applied.outcomes.iter().find(|one| one.knob == name).map(|one| one.status.clone());
        for (name, asks) in ASKED {
            let status = done(name).unwrap_or_else(|| match asks(&host) {
                true => KnobStatus::Absent,
                false => skipped("not asked for"),
            });
            outcomes.push(outcome(name, status));
        }
        for name in [Knob::PerfShare.name(), Knob::PerfRate.name()] {
            let status = done(name).unwrap_or_else(|| match self.quiet_perf {
                true => KnobStatus::Absent,
                false => skipped("only on bare metal"),
            });
            outcomes.push(outcome(name, status));
        }
        outcomes
    }

    fn note_drift(&mut self) {
        for (file, set, found) in apply::drifted(&self.roots, &self.expected) {
            if let Some(knob) = Knob::of(&file) {
                self.drift.entry(knob.name()).or_insert_with(|| (knob.show(&set), knob.show(&found)));
            }
        }
    }

    /// The entries to put back. A setting that we neither wrote nor moved, and that is different now, was changed by
    /// somebody else, and is theirs.
    fn ours(&self) -> Vec<(&str, &str)> {
        let settings = self.settings.iter().filter(|setting| setting.refused.is_none());
        let ours = settings.filter(|setting| {
            self.moved.contains(&setting.file) || self.roots.read(&setting.file).is_ok_and(|now| now == setting.prior)
        });
        let ours = ours.map(|setting| (setting.file.as_str(), setting.prior.as_str()));
        ours.chain(self.leftover.iter().map(|entry| (entry.path.as_str(), entry.prior.as_str()))).collect()
    }

    fn put_back(&mut self) -> Vec<NotRestored> {
        let Some(guardian) = self.guardian.take() else { return Vec::new() };
        let failed = apply::restore(&self.roots, &self.ours());
        self.expected.clear();
        // With something left to do, the journal stays for the next start, and the guardian, which now sees the end of
        // its pipe, tries as soon as the lock is free.
        if failed.is_empty() && Journal::remove(&self.place.dir).is_ok() {
            let _ = guardian.dismiss();
        }
        self.lock = None;
        failed
    }

    /// Puts everything back and tells how it ended: the outcomes, with what somebody else changed meanwhile, and what
    /// could not be put back.
    #[must_use]
    pub fn finish(mut self) -> Vec<KnobOutcome> {
        self.note_drift();
        let failed = self.put_back();
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for (name, (set, found)) in std::mem::take(&mut self.drift) {
            if let Some(one) = outcomes.iter_mut().find(|one| one.knob == name) {
                one.status = KnobStatus::Drifted(set, found);
            }
        }
        for (whose, own) in std::mem::take(&mut self.sides) {
            outcomes.extend(own.into_iter().map(|one| outcome(&format!("{} ({whose})", one.knob), one.status)));
        }
        outcomes.extend(failed.iter().map(|one| outcome("restore", KnobStatus::Denied(journal::not_restored(one)))));
        outcomes
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.put_back();
    }
}

/// Whether this is no virtual machine. A helper sees only the folders that it writes to, but the CPU is the same.
fn bare_metal(roots: &Roots) -> bool {
    let seen =
        if roots.exists("proc/cpuinfo") { hypervisor::detect(roots) } else { hypervisor::detect(&Roots::live()) };
    seen.as_deref() == Some("")
}

type Asks = fn(&Host) -> bool;

/// Settings that the configuration can ask for, in the order of the report.
const ASKED: [(&str, Asks); 5] = [
    ("governor", |host| host.governor.is_some()),
    ("boost", |host| host.boost.is_some()),
    ("energy preference", |host| host.epp.is_some()),
    ("min frequency", |host| host.min_khz.is_some()),
    ("max frequency", |host| host.max_khz.is_some()),
];

/// Nothing is asked for.
const fn nothing() -> Host {
    Host {
        tuning: Tuning::BestEffort,
        cpus: Cpus::All,
        nice: None,
        governor: None,
        boost: None,
        epp: None,
        min_khz: None,
        max_khz: None,
    }
}

/// Whether a setting was asked for and is not in force. The perf limits are nobody's wish but ours.
fn is_missing(one: &KnobOutcome) -> bool {
    let ours = [Knob::PerfShare.name(), Knob::PerfRate.name()].contains(&one.knob.as_str());
    !ours && matches!(one.status, KnobStatus::Denied(_) | KnobStatus::Absent)
}
