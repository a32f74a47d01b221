//! Settings of a side before each of its rounds, and a witness of every round: what the process runner calls.

use super::cpulist;
use super::process::{AFFINITY, ProcessSettings};
use super::witness::{PROBE, RoundProbe, Usage, Watch, lost_time};
use super::{Roots, Session};
use crate::config::{Config, Cpus, Host, SuiteSide, Tuning};
use crate::measure::exec::{Step, StepKind};
use crate::measure::process::{Placement, RoundHook};
use crate::results::{KnobOutcome, KnobStatus, RoundWitness};
use crate::side::{PerSide, Side};
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Sets and watches for the process runner.
pub struct Observer {
    session: Rc<RefCell<Session>>,
    /// Hosts of sides, by suite, where one of them has its own.
    hosts: BTreeMap<String, PerSide<Host>>,
    common: Host,
    /// Suites whose commands have one busy thread on both sides: they get one CPU of the core.
    single: BTreeSet<String>,
    watch: Watch,
    probe: Option<RoundProbe>,
    lost: Option<f64>,
    setter: Option<Setter>,
    /// Whether the priority is tried by whoever starts the command, and not here.
    trusting: bool,
}

/// Makes settings of one side in force, and tells what became of them.
type Setter = Box<dyn FnMut(&Host) -> Result<Vec<KnobOutcome>>>;

impl Observer {
    /// An observer for `config`, with the settings that `session` made.
    #[must_use]
    pub fn new(session: Rc<RefCell<Session>>, config: &Config, roots: &Roots, steal_observable: bool) -> Self {
        let settings = session.borrow().process_settings();
        let cpus = settings.cpus.unwrap_or_default();
        let housekeeping = session.borrow().selection().map(|found| found.housekeeping.clone()).unwrap_or_default();
        let hosts = config
            .suites
            .iter()
            .filter(|suite| Side::BOTH.into_iter().any(|side| suite.sides.get(side).host.is_some()))
            .map(|suite| {
                let host = |side| suite.sides.get(side).host.as_ref().unwrap_or(&config.host).clone();
                (suite.name.clone(), PerSide::from_fn(host))
            })
            .collect();
        Self {
            session,
            hosts,
            common: config.host.clone(),
            single: config
                .suites
                .iter()
                .filter(|suite| Side::BOTH.into_iter().all(|side| one_thread(suite.sides.get(side))))
                .map(|suite| suite.name.clone())
                .collect(),
            watch: Watch { roots: roots.clone(), cpus, housekeeping, steal_observable },
            probe: None,
            lost: None,
            setter: None,
            trusting: false,
        }
    }

    /// Lets somebody else than the session set a side's settings: one who can, where the session cannot.
    pub fn set_by(&mut self, setter: impl FnMut(&Host) -> Result<Vec<KnobOutcome>> + 'static) {
        self.setter = Some(Box::new(setter));
    }

    /// Gives the priority that a side asks for as it is: it is tried where it is used, since this process may have no
    /// right to it that a side's launcher has.
    pub fn trust_priority(&mut self) {
        self.trusting = true;
    }

    /// Tries the settings of every side that requires its own, and goes back to those of the run.
    ///
    /// # Errors
    /// When one of them cannot be had: before anything runs, and not in the first round of that side.
    pub fn require(&mut self) -> Result<()> {
        let mut required = Vec::new();
        for (suite, hosts) in &self.hosts {
            let sides = Side::BOTH.into_iter().filter(|side| hosts.get(*side).tuning == Tuning::Require);
            required.extend(sides.map(|side| (format!("{side} (suite {suite})"), hosts.get(side).clone())));
        }
        for (whose, host) in &required {
            self.apply(host).with_context(|| format!("host settings of {whose}"))?;
        }
        if !required.is_empty() {
            let common = self.common.clone();
            self.apply(&common)?;
        }
        Ok(())
    }

    fn apply(&mut self, host: &Host) -> Result<Vec<KnobOutcome>> {
        match &mut self.setter {
            Some(setter) => setter(host),
            None => Ok(self.session.borrow_mut().apply_side(host)?.outcomes),
        }
    }

    /// Where commands run and at which priority, by what could be had.
    #[must_use]
    pub fn placement(&self) -> Placement {
        placement(self.session.borrow().process_settings())
    }

    /// Brings the machine to the settings of a side, and gives where its command runs if that is its own.
    fn set(&mut self, step: &Step) -> Result<Option<Placement>> {
        let single = self.single.contains(&step.suite);
        if self.hosts.is_empty() && self.single.is_empty() {
            return Ok(None);
        }
        // A suite without settings of its own must not inherit those of the suite before it.
        let own = self.hosts.get(&step.suite).map(|hosts| hosts.get(step.side));
        let host = own.unwrap_or(&self.common);
        let mut session = self.session.borrow_mut();
        let (mut settings, mut outcomes) = match &mut self.setter {
            _ if self.hosts.is_empty() => (session.process_settings(), Vec::new()),
            Some(setter) => (session.try_process(host), setter(host)?),
            None => {
                let side = session.apply_side(host)?;
                (side.process, side.outcomes)
            }
        };
        if self.trusting {
            settings.nice = host.nice;
        }
        let narrowed = single && host.cpus == Cpus::Auto && narrow(&mut settings, &mut outcomes);
        if own.is_some() || narrowed {
            session.note_side(&format!("{} of {}", step.side, step.suite), outcomes);
        }
        self.watch.cpus = settings.cpus.clone().unwrap_or_default();
        Ok((own.is_some() || narrowed).then(|| placement(settings)))
    }
}

/// Leaves a command with one busy thread one CPU of its core, so that it is not moved between the two; says so.
fn narrow(settings: &mut ProcessSettings, outcomes: &mut Vec<KnobOutcome>) -> bool {
    let one = settings.on_one_cpu();
    if one.cpus == settings.cpus {
        return false;
    }
    let text = |settings: &ProcessSettings| cpulist::format(settings.cpus.iter().flatten().copied());
    let status = KnobStatus::Applied(text(settings), text(&one));
    outcomes.push(KnobOutcome { knob: AFFINITY.to_owned(), status });
    *settings = one;
    true
}

/// Whether a command says itself that one of its threads is busy at a time.
fn one_thread(side: &SuiteSide) -> bool {
    let words = side.run.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    let said = words.clone().any(|word| matches!(word, "GOMAXPROCS=1" | "-cpu=1" | "-test.cpu=1"));
    let apart = words.clone().zip(words.skip(1)).any(|pair| matches!(pair, ("-cpu" | "-test.cpu", "1")));
    side.env.get("GOMAXPROCS").is_some_and(|value| value == "1") || said || apart
}

fn placement(settings: ProcessSettings) -> Placement {
    let cpus = settings.cpus.unwrap_or_default();
    Placement {
        cpus: cpus.into_iter().filter_map(|cpu| usize::try_from(cpu).ok()).collect(),
        nice: settings.nice.map(i32::from),
    }
}

impl RoundHook for Observer {
    fn before(&mut self, step: &Step) -> Result<Option<Placement>> {
        let placement =
            self.set(step).with_context(|| format!("host settings of {} (suite {})", step.side, step.suite))?;
        if step.kind == StepKind::Round {
            // Once a block, before its first round: the same for both sides.
            let cpu = self.watch.cpus.first().copied();
            self.lost = match step.position {
                0 => lost_time(cpu, PROBE).ok().map(|lost| lost.share),
                _ => None,
            };
        }
        self.probe = Some(RoundProbe::start(&self.watch));
        Ok(placement)
    }

    fn exited(&mut self, pid: u32) {
        if let Some(probe) = &mut self.probe {
            probe.exited(pid);
        }
    }

    fn after(&mut self, _step: &Step, own: RoundWitness) -> RoundWitness {
        let mut witness = self.probe.take().map(|probe| probe.finish(Usage::default())).unwrap_or_default();
        witness.user = own.user;
        witness.system = own.system;
        witness.max_rss = own.max_rss;
        witness.involuntary_switches = own.involuntary_switches;
        witness.major_faults = own.major_faults;
        witness.minor_faults = own.minor_faults;
        witness.cpu = witness.cpu.or(own.cpu);
        witness.cpus = witness.cpus.or(own.cpus);
        witness.lost = self.lost.take();
        witness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_one_busy_thread_gets_one_cpu_of_its_core() {
        let side = |run: &str| SuiteSide::new(run.to_owned());
        for run in ["GOMAXPROCS=1 go test -bench=. ./...", "go test -bench . -cpu=1", "go test -cpu 1 -bench ."] {
            assert!(one_thread(&side(run)), "{run}");
        }
        let mut by_variable = side("make bench");
        by_variable.env.insert("GOMAXPROCS".to_owned(), "1".to_owned());
        assert!(one_thread(&by_variable));
        for run in ["go test -bench=. ./...", "go test -cpu=1,2 -bench=.", "GOMAXPROCS=12 ./run", "-cpu 16"] {
            assert!(!one_thread(&side(run)), "{run}");
        }

        let mut settings = ProcessSettings { cpus: Some(vec![3, 7]), single: Some(7), nice: None };
        let mut outcomes = Vec::new();
        assert!(narrow(&mut settings, &mut outcomes));
        assert_eq!(settings.cpus, Some(vec![7]));
        assert_eq!(outcomes[0].status, KnobStatus::Applied("3,7".to_owned(), "7".to_owned()));
        assert!(!narrow(&mut settings, &mut outcomes), "one is one already");
        assert!(!narrow(&mut ProcessSettings::default(), &mut outcomes), "what is not pinned stays so");
    }
}
