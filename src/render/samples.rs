//! Reports as they occur, for tests: samples are drawn from a seed, figures follow from them.

mod cases;

pub(crate) use cases::*;

use crate::config::Correction;
use crate::format::BenchmarkId;
use crate::report::{
    Counts, Delta, Design, Environment, Family, Geomean, Limits, Noise, Overall, PKind, PValue, Policy, Report,
    Revision, Row, RunInfo, StageSamples, SuiteReport, Summary, Undecided, Verdict,
};
use crate::results::{KnobOutcome, KnobStatus, Machine, StageKind, StepOutcome};
use crate::side::PerSide;
use crate::unit::Direction;
use std::collections::BTreeMap;

/// A source of numbers that is the same everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Between 0 and 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Roughly normal, with standard deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// What a row is to be.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    pub(crate) package: &'static str,
    pub(crate) name: String,
    pub(crate) procs: Option<u32>,
    pub(crate) unit: &'static str,
    pub(crate) base: f64,
    pub(crate) change: f64,
    pub(crate) noise: f64,
    pub(crate) verdict: Verdict,
}

pub(crate) fn spec(
    name: impl Into<String>,
    unit: &'static str,
    base: f64,
    change: f64,
    noise: f64,
    verdict: Verdict,
) -> Spec {
    Spec { package: "", name: name.into(), procs: Some(4), unit, base, change, noise, verdict }
}

impl Spec {
    pub(crate) fn package(self, package: &'static str) -> Self {
        Self { package, ..self }
    }

    pub(crate) fn procs(self, procs: Option<u32>) -> Self {
        Self { procs, ..self }
    }
}

pub(crate) fn better(unit: &str) -> Option<Direction> {
    match unit {
        "sec/op" | "B/op" | "allocs/op" => Some(Direction::Lower),
        "B/s" | "ops/s" => Some(Direction::Higher),
        _ => None,
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let (lo, hi) = if n >= 6 { (Some(sorted[n / 5]), Some(sorted[n - 1 - n / 5])) } else { (None, None) };
    Some(Summary { center: median(values), lo, hi, n: u32::try_from(n).expect("few") })
}

fn stage(kind: Option<StageKind>, rounds: usize, spec: &Spec, start: f64, dice: &mut Dice) -> StageSamples {
    let draw = |center: f64, dice: &mut Dice| center * (dice.normal() * spec.noise).exp();
    let values = PerSide {
        base: (0..rounds).map(|_| draw(spec.base, dice)).collect::<Vec<_>>(),
        head: (0..rounds).map(|_| draw(spec.base * (1.0 + spec.change), dice)).collect::<Vec<_>>(),
    };
    let mut at = PerSide::<Vec<f64>>::default();
    for round in 0..rounds * 2 {
        let first = (round / 2 + round % 2 + round / 5) % 2 == 0;
        let side =
            if (first && at.base.len() < rounds) || at.head.len() >= rounds { &mut at.base } else { &mut at.head };
        side.push(start + round as f64 * 3.1);
    }
    let effect = median(&values.head) / median(&values.base) - 1.0;
    let z = (effect / spec.noise.max(1e-9)).abs() * (rounds as f64 / 2.0).sqrt();
    let p =
        (2.0 * (-z * z / 2.0).exp() / (1.0 + z)).clamp(2.0 / 6f64.powi(i32::try_from(rounds / 2).expect("few")), 1.0);
    StageSamples { stage: kind, values, at, p: Some(p), effect: Some(effect) }
}

/// A row of `spec`, measured in two stages if the screen looked as if it had changed.
pub(crate) fn row(spec: &Spec, dice: &mut Dice) -> Row {
    let mut samples = vec![stage(Some(StageKind::Screen), 8, spec, 0.0, dice)];
    let confirmed = matches!(
        spec.verdict,
        Verdict::Regression | Verdict::Improvement | Verdict::Inconclusive(Undecided::NotConfirmed)
    );
    if confirmed {
        samples.push(stage(Some(StageKind::Confirm), 16, spec, 60.0, dice));
    }
    let shown = samples.last().expect("one stage at least").clone();
    let exact = spec.noise == 0.0;
    let half = 2.0 * spec.noise * (2.0 / shown.values.base.len() as f64).sqrt();
    let effect = shown.effect.unwrap_or_default();
    let delta = Delta {
        ratio: (spec.base != 0.0).then_some(if exact { spec.change } else { effect }),
        absolute: spec.base * spec.change,
        lo: (!exact).then_some((effect.ln_1p() - half).exp_m1()),
        hi: (!exact).then_some((effect.ln_1p() + half).exp_m1()),
        level: if exact { 0.0 } else { 0.95 },
    };
    let kind = if confirmed { PKind::Adjusted } else { PKind::Screen };
    Row {
        benchmark: BenchmarkId { package: spec.package.into(), name: spec.name.clone(), procs: spec.procs },
        base_benchmark: None,
        unit: spec.unit.into(),
        better: better(spec.unit),
        exact,
        derived: spec.unit == "B/s",
        base: summary(&shown.values.base),
        head: summary(&shown.values.head),
        delta: Some(delta),
        limits: (!exact).then_some(Limits { threshold: 0.02, change: 0.02 }),
        p: shown.p.filter(|_| !exact).map(|value| PValue { value, kind }),
        stage: shown.stage,
        verdict: spec.verdict.clone(),
        notes: Vec::new(),
        detectable: (!exact).then_some((1.1 * spec.noise).exp_m1().max(0.02)),
        rounds_needed: None,
        noise: (!exact).then_some(0.95 * spec.noise),
        samples,
    }
}

pub(crate) fn suite(name: &str, specs: &[Spec], dice: &mut Dice) -> SuiteReport {
    let rows: Vec<Row> = specs.iter().map(|spec| row(spec, dice)).collect();
    let mut suite = SuiteReport {
        name: name.into(),
        run: PerSide::from_fn(|_| "go test -run='^$' -bench=. -benchmem ./...".to_owned()),
        setup: PerSide::from_fn(|_| StepOutcome { seconds: 12.5, ..StepOutcome::default() }),
        failed_rounds: PerSide::default(),
        geomeans: Vec::new(),
        rows,
        filtered_out: 0,
        blocks: crate::report::BlockCounts { run: 4, invalid: 0, kept: 0 },
        sweep: None,
        inspection: crate::inspect::Inspection::default(),
    };
    suite.geomeans = geomeans(&suite.rows);
    suite
}

fn geomeans(rows: &[Row]) -> Vec<Geomean> {
    let mut units: Vec<&str> = Vec::new();
    for row in rows {
        if !units.contains(&row.unit.as_str()) {
            units.push(&row.unit);
        }
    }
    let mean = |values: Vec<f64>| (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp();
    let of = |unit: &&str| {
        let pairs: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.unit == **unit)
            .filter_map(|row| Some((row.base.as_ref()?.center, row.head.as_ref()?.center)))
            .filter(|(base, head)| *base > 0.0 && *head > 0.0)
            .collect();
        let all = rows.iter().filter(|row| row.unit == **unit).count();
        let (base, head) = (mean(pairs.iter().map(|p| p.0).collect()), mean(pairs.iter().map(|p| p.1).collect()));
        let left = u32::try_from(all - pairs.len()).expect("few");
        (!pairs.is_empty()).then(|| Geomean {
            unit: (*unit).to_owned(),
            rows: u32::try_from(pairs.len()).expect("few"),
            base,
            head,
            ratio: head / base - 1.0,
            interval: (pairs.len() > 1).then_some((head / base - 1.0 - 0.004, head / base - 1.0 + 0.004)),
            left_out: if left > 0 { BTreeMap::from([("only on one side".to_owned(), left)]) } else { BTreeMap::new() },
        })
    };
    units.iter().filter_map(of).collect()
}

pub(crate) fn machine() -> Environment {
    let knob = |knob: &str, status: KnobStatus| KnobOutcome { knob: knob.into(), status };
    let figures = |base: [f64; 3], head: [f64; 3]| PerSide { base: Some(base), head: Some(head) };
    let series = |level: f64| (0..16).map(|i| (f64::from(i) * 6.2, level + 0.2 * f64::from(i % 5))).collect::<Vec<_>>();
    Environment {
        shard: None,
        machine: Machine {
            cpu: "AMD EPYC 7763 64-Core Processor".into(),
            cpus: 4,
            cores: Some(2),
            memory: Some(16_765_440_000),
            kernel: "6.11.0-1018-azure".into(),
            os: "Ubuntu 24.04.3 LTS".into(),
            virtualization: Some("hyperv".into()),
            container: true,
            images: None,
            governor: None,
            boost: None,
            steal_observable: false,
            details: BTreeMap::from([("aslr".into(), "2".into()), ("thp".into(), "madvise".into())]),
        },
        tuning: vec![
            knob("cpu affinity", KnobStatus::Applied("0-3".into(), "2".into())),
            knob("nice", KnobStatus::Applied("0".into(), "-20".into())),
            knob("governor", KnobStatus::Absent),
            knob("boost", KnobStatus::Absent),
            knob("irq affinity", KnobStatus::Denied("EIO".into())),
        ],
        tools: BTreeMap::from([("go".into(), "go1.26.8 linux/amd64".into())]),
        witness: BTreeMap::from([
            ("load".into(), figures([0.9, 1.2, 1.7], [0.9, 1.1, 1.8])),
            ("user".into(), figures([2.91, 2.97, 3.2], [2.9, 2.98, 3.3])),
            ("steal".into(), PerSide { base: None, head: None }),
        ]),
        timeline: BTreeMap::from([("load".into(), PerSide { base: series(0.9), head: series(1.0) })]),
        started: "2026-11-30T10:02:11Z".into(),
        finished: "2026-11-30T10:09:40Z".into(),
    }
}

fn count(rows: impl Iterator<Item = Verdict>) -> Counts {
    let mut counts = Counts::default();
    for verdict in rows {
        *match verdict {
            Verdict::Regression | Verdict::Slower => &mut counts.regressions,
            Verdict::Improvement | Verdict::Faster => &mut counts.improvements,
            Verdict::Unchanged => &mut counts.unchanged,
            Verdict::Inconclusive(_) => &mut counts.inconclusive,
            Verdict::New => &mut counts.new,
            Verdict::Removed => &mut counts.removed,
            Verdict::Failed(..) | Verdict::Flaky(..) | Verdict::TimedOut(_) => &mut counts.failed,
            Verdict::Skipped(..) | Verdict::Unjudged(_) => &mut counts.unjudged,
        } += 1;
    }
    counts
}

/// A whole report over `suites`: verdict, counts and family follow from the rows.
pub(crate) fn report(suites: Vec<SuiteReport>) -> Report {
    let rows = || suites.iter().flat_map(|suite| &suite.rows);
    let counts = count(rows().map(|row| row.verdict.clone()));
    let verdict = match (counts.regressions, counts.improvements) {
        (0, 0) if counts.unchanged + counts.inconclusive == 0 => Overall::Failed,
        (0, 0) if counts.inconclusive == 0 => Overall::Unchanged,
        (0, 0) => Overall::Inconclusive,
        (_, 0) => Overall::Regression,
        (0, _) => Overall::Improvement,
        (_, _) => Overall::Mixed,
    };
    let noises: Vec<f64> = rows().filter_map(|row| row.noise).collect();
    let worst = rows().max_by(|a, b| a.noise.unwrap_or(0.0).total_cmp(&b.noise.unwrap_or(0.0)));
    let size = rows().filter(|row| row.samples.len() > 1 && !row.exact).count();
    let noise = worst.filter(|_| !noises.is_empty()).map(|row| Noise {
        median: median(&noises),
        worst: row.noise.unwrap_or(0.0),
        worst_row: row.benchmark.clone(),
        detectable: Some((1.1 * median(&noises)).max(0.02)),
    });
    Report {
        schema: crate::report::SCHEMA,
        tool: "bench-bot 0.1.0".into(),
        verdict,
        counts,
        design: Design::Staged { screen: 8, confirm: 16, seed: "51f3a0c49d2e7b8856aa01c3f4e9d2b7".into() },
        revisions: PerSide {
            base: Revision {
                sha: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d".into(),
                label: "main".into(),
                subject: "Merge pull request from a-user/topic".into(),
            },
            head: Revision {
                sha: "5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80".into(),
                label: "faster-scan".into(),
                subject: "Scan without copying".into(),
            },
        },
        base_behind: Some(3),
        policy: Policy { alpha: 0.05, threshold: 0.02, confidence: 0.95, correction: Correction::Holm },
        family: Family {
            size: u32::try_from(size).expect("few"),
            testable: u32::try_from(noises.len()).expect("few"),
            smallest_p: Some(1.2e-6),
            rounds_needed: None,
        },
        noise,
        suites,
        environments: vec![machine()],
        warnings: Vec::new(),
        reproduce: Some("bench-bot run --base 1a2b3c4 --head 5d6e7f8 --seed 51f3a0c49d2e7b8856aa01c3f4e9d2b7".into()),
        run: Some(RunInfo {
            repository: "octo/codec".into(),
            server: "https://github.com".into(),
            id: 19_283_746_501,
            attempt: 1,
            pull_request: Some(42),
            head_moved_to: None,
        }),
    }
}
