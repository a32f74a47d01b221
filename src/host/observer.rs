//! Settings of a side before each of its rounds, and a witness of every round: what the process runner calls.

use super::witness::{PROBE, RoundProbe, Usage, Watch, lost_time};
use super::{Roots, Session};
use crate::config::{Config, Host};
use crate::measure::exec::{Step, StepKind};
use crate::measure::process::{Placement, RoundHook};
use crate::results::RoundWitness;
use crate::side::{PerSide, Side};
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Sets and watches for the process runner.
pub struct Observer {
    session: Rc<RefCell<Session>>,
    /// Hosts of sides that have one of their own, by suite.
    hosts: BTreeMap<String, PerSide<Option<Host>>>,
    common: Host,
    watch: Watch,
    probe: Option<RoundProbe>,
    lost: Option<f64>,
    setter: Option<Setter>,
}

/// Makes settings of one side in force.
type Setter = Box<dyn FnMut(&Host) -> Result<()>>;

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
            .map(|suite| (suite.name.clone(), suite.sides.as_ref().map(|side| side.host.clone())))
            .collect();
        Self {
            session,
            hosts,
            common: config.host.clone(),
            watch: Watch { roots: roots.clone(), cpus, housekeeping, steal_observable },
            probe: None,
            lost: None,
            setter: None,
        }
    }

    /// Lets somebody else than the session set a side's settings: one who can, where the session cannot.
    pub fn set_by(&mut self, setter: impl FnMut(&Host) -> Result<()> + 'static) {
        self.setter = Some(Box::new(setter));
    }

    /// Where commands run and at which priority, by what could be had.
    #[must_use]
    pub fn placement(&self) -> Placement {
        let settings = self.session.borrow().process_settings();
        Placement {
            cpus: settings.cpus.unwrap_or_default().into_iter().filter_map(|cpu| usize::try_from(cpu).ok()).collect(),
            nice: settings.nice.map(i32::from),
        }
    }
}

impl RoundHook for Observer {
    fn before(&mut self, step: &Step) -> Result<()> {
        if let Some(hosts) = self.hosts.get(&step.suite) {
            let host = hosts.get(step.side).as_ref().unwrap_or(&self.common);
            let set = match &mut self.setter {
                Some(setter) => setter(host),
                None => self.session.borrow_mut().apply_side(host).map(drop).map_err(anyhow::Error::from),
            };
            set.with_context(|| format!("host settings of {} (suite {})", step.side, step.suite))?;
        }
        if step.kind == StepKind::Round {
            // Once a block, before its first round: the same for both sides.
            let cpu = self.watch.cpus.first().copied();
            self.lost = match step.position {
                0 => lost_time(cpu, PROBE).ok().map(|lost| lost.share),
                _ => None,
            };
        }
        self.probe = Some(RoundProbe::start(&self.watch));
        Ok(())
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
        witness.cpu = witness.cpu.or(own.cpu);
        witness.cpus = witness.cpus.or(own.cpus);
        witness.lost = self.lost.take();
        witness
    }
}
