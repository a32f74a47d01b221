//! Settings of a side before each of its rounds, and a witness of every round: what the process runner calls.

use super::process::ProcessSettings;
use super::witness::{PROBE, RoundProbe, Usage, Watch, lost_time};
use super::{Roots, Session};
use crate::config::{Config, Host};
use crate::measure::exec::{Step, StepKind};
use crate::measure::process::{Placement, RoundHook};
use crate::results::{KnobOutcome, RoundWitness};
use crate::side::{PerSide, Side};
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Sets and watches for the process runner.
pub struct Observer {
    session: Rc<RefCell<Session>>,
    /// Hosts of sides, by suite, where one of them has its own.
    hosts: BTreeMap<String, PerSide<Host>>,
    common: Host,
    /// The CPUs of everything that has no other.
    cpus: Vec<u32>,
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
            watch: Watch { roots: roots.clone(), cpus: cpus.clone(), housekeeping, steal_observable },
            cpus,
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

    /// Where commands run and at which priority, by what could be had.
    #[must_use]
    pub fn placement(&self) -> Placement {
        placement(self.session.borrow().process_settings())
    }

    /// Brings the machine to the settings of a side, and gives where its command runs if that is its own.
    fn set(&mut self, step: &Step) -> Result<Option<Placement>> {
        if self.hosts.is_empty() {
            return Ok(None);
        }
        // A suite without settings of its own must not inherit those of the suite before it.
        let own = self.hosts.get(&step.suite).map(|hosts| hosts.get(step.side));
        let host = own.unwrap_or(&self.common);
        let mut session = self.session.borrow_mut();
        let (mut settings, outcomes) = match &mut self.setter {
            Some(setter) => (session.try_process(host), setter(host)?),
            None => {
                let side = session.apply_side(host)?;
                (side.process, side.outcomes)
            }
        };
        if self.trusting {
            settings.nice = host.nice;
        }
        if own.is_some() {
            session.note_side(&format!("{} of {}", step.side, step.suite), outcomes);
        }
        self.watch.cpus = settings.cpus.clone().unwrap_or_default();
        Ok(own.map(|_| placement(settings)))
    }
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
            let cpu = self.cpus.first().copied();
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
