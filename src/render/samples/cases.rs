//! The cases that every renderer is shown.

use super::{Dice, Spec, better, machine, report, row, spec, suite};
use crate::format::BenchmarkId;
use crate::report::{
    Delta, Design, FailedRounds, Note, Overall, PKind, PValue, Report, RoundsNeeded, Row, Undecided, Unjudged, Verdict,
    Warning, WarningLevel,
};
use crate::results::{Shard, StageKind, StepOutcome, StepStatus};
use crate::side::Side;

const UNCHANGED: Verdict = Verdict::Unchanged;
const NOISE: Verdict = Verdict::Inconclusive(Undecided::Noise);

fn codec() -> Vec<Spec> {
    let times = [
        ("Decode/small", 310e-9, 0.008),
        ("Decode/large", 1.204e-3, 0.009),
        ("Decode/canada", 44.2e-3, 0.011),
        ("Encode/small", 188e-9, 0.007),
        ("Encode/large", 802e-6, 0.008),
        ("Scan", 88e-6, 0.012),
    ];
    let mut specs: Vec<Spec> =
        times.iter().map(|(name, base, noise)| spec(*name, "sec/op", *base, 0.0, *noise, UNCHANGED)).collect();
    specs.extend(times.iter().map(|(name, base, _)| spec(*name, "B/op", (base * 1e9).round(), 0.0, 0.0, UNCHANGED)));
    specs.extend(
        times
            .iter()
            .map(|(name, base, _)| spec(*name, "allocs/op", (base * 1e7).round().max(1.0), 0.0, 0.0, UNCHANGED)),
    );
    specs.into_iter().map(|spec| spec.package("github.com/octo/codec")).collect()
}

fn set(specs: &mut [Spec], name: &str, unit: &str, change: f64, verdict: Verdict) {
    let spec = specs.iter_mut().find(|s| s.name == name && s.unit == unit).expect("a row of the sample");
    spec.change = change;
    spec.verdict = verdict;
}

fn find<'a>(report: &'a mut Report, name: &str, unit: &str) -> &'a mut Row {
    let mut rows = report.suites.iter_mut().flat_map(|suite| &mut suite.rows);
    rows.find(|row| row.benchmark.name == name && row.unit == unit).expect("a row of the sample")
}

/// Every sample with its name.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("unchanged", unchanged()),
        ("regression", regression()),
        ("mixed", mixed()),
        ("many", many(240)),
        ("failed_head", failed_head()),
        ("inconclusive", inconclusive()),
        ("sweep", sweep()),
        ("suites", suites()),
        ("shards", shards()),
        ("files", files()),
        ("nothing", nothing()),
        ("noisy", noisy()),
        ("exact", exact()),
        ("one_sided", one_sided()),
        ("one_stage", one_stage()),
        ("hostile", hostile("@org/team <img src=x onerror=alert(1)> | `![x](http://evil.example/b.png)` #1 GH-1")),
    ]
}

pub(crate) fn unchanged() -> Report {
    report(vec![suite("codec", &codec(), &mut Dice::new(1))])
}

pub(crate) fn regression() -> Report {
    let mut specs = codec();
    set(&mut specs, "Decode/large", "sec/op", 0.071, Verdict::Regression);
    report(vec![suite("codec", &specs, &mut Dice::new(2))])
}

/// Regressions, improvements, a suspect that was let go, and undecided rows: what a real pull request looks like.
pub(crate) fn mixed() -> Report {
    let mut specs = codec();
    set(&mut specs, "Decode/large", "sec/op", 0.071, Verdict::Regression);
    set(&mut specs, "Decode/canada", "sec/op", -0.124, Verdict::Improvement);
    set(&mut specs, "Decode/canada", "allocs/op", -0.535, Verdict::Improvement);
    set(&mut specs, "Encode/large", "B/op", 0.138, Verdict::Regression);
    set(&mut specs, "Encode/small", "sec/op", 0.006, Verdict::Inconclusive(Undecided::NotConfirmed));
    set(&mut specs, "Scan", "sec/op", 0.023, NOISE);
    let rates: Vec<Spec> = [("Decode/large", 1.9e8, -0.066), ("Decode/canada", 5.1e7, 0.141)]
        .iter()
        .map(|(name, base, change)| spec(*name, "B/s", *base, *change, 0.01, Verdict::Unjudged(Unjudged::Derived)))
        .map(|spec| spec.package("github.com/octo/codec"))
        .collect();
    specs.extend(rates);
    let mut report = report(vec![suite("codec", &specs, &mut Dice::new(3))]);
    let scan = find(&mut report, "Scan", "sec/op");
    scan.rounds_needed = Some(RoundsNeeded::About(40));
    find(&mut report, "Encode/small", "sec/op").rounds_needed = Some(RoundsNeeded::About(34));
    find(&mut report, "Decode/small", "sec/op").notes.push(Note::SignificantBelowThreshold);
    find(&mut report, "Decode/large", "sec/op").notes.push(Note::SourceDiffers("codec/decode_test.go".into()));
    report
}

/// Many rows in many packages, a few of them changed.
pub(crate) fn many(rows: usize) -> Report {
    let packages: [&'static str; 4] = [
        "github.com/octo/codec",
        "github.com/octo/codec/internal/scan",
        "github.com/octo/codec/json",
        "github.com/octo/codec/toml",
    ];
    let mut dice = Dice::new(4);
    let specs: Vec<Spec> = (0..rows)
        .map(|i| {
            let (change, verdict) = match i % 60 {
                7 => (0.05 + i as f64 / 4000.0, Verdict::Regression),
                23 => (-0.08, Verdict::Improvement),
                31 => (0.02, NOISE),
                _ => (0.0, UNCHANGED),
            };
            let base = 1e-7 * (1.0 + dice.uniform() * 1e4);
            let name = format!("{}/case={}", ["Parse", "Print", "Walk"][i % 3], i / 3);
            spec(name, "sec/op", base, change, 0.009, verdict).package(packages[i * 4 / rows])
        })
        .collect();
    report(vec![suite("codec", &specs, &mut dice)])
}

pub(crate) fn failed_head() -> Report {
    let mut specs = codec();
    specs.truncate(4);
    let mut report = report(vec![suite("codec", &specs, &mut Dice::new(5))]);
    let compiler = "# github.com/octo/codec\n./decode.go:112:17: undefined: bytes.CutLast\n./decode.go:118:9: cannot use \
                    r (variable of type rune) as byte value in return statement\n```\nFAIL\tgithub.com/octo/codec [build failed]\n";
    let suite = &mut report.suites[0];
    suite.setup.head = StepOutcome { status: StepStatus::Exit(2), seconds: 8.3, tail: compiler.into() };
    for row in &mut suite.rows {
        row.head = None;
        row.delta = None;
        row.p = None;
        row.detectable = None;
        row.noise = None;
        row.verdict = Verdict::Failed(Side::Head, "setup failed".into());
    }
    suite.geomeans.clear();
    report.verdict = Overall::Failed;
    report.counts = crate::report::Counts { failed: 4, ..crate::report::Counts::default() };
    report.noise = None;
    report
}

pub(crate) fn inconclusive() -> Report {
    let mut specs = codec();
    set(&mut specs, "Scan", "sec/op", 0.023, NOISE);
    set(&mut specs, "Decode/canada", "sec/op", 0.011, NOISE);
    set(&mut specs, "Encode/small", "sec/op", -0.03, Verdict::Inconclusive(Undecided::NotConfirmed));
    set(&mut specs, "Encode/large", "sec/op", 0.017, Verdict::Inconclusive(Undecided::BelowThreshold));
    for spec in specs.iter_mut().filter(|spec| spec.noise > 0.0) {
        spec.noise *= 4.0;
    }
    let mut report = report(vec![suite("codec", &specs, &mut Dice::new(6))]);
    find(&mut report, "Scan", "sec/op").rounds_needed = Some(RoundsNeeded::About(40));
    find(&mut report, "Decode/canada", "sec/op").rounds_needed = Some(RoundsNeeded::MoreThan200);
    find(&mut report, "Encode/small", "sec/op").rounds_needed = Some(RoundsNeeded::About(68));
    report
}

/// The glob benchmarks of 2014: three families over a buffer size at one, two and four processors.
pub(crate) fn glob() -> Vec<Spec> {
    let lines = include_str!("../../../tests/data/render/glob.txt").lines();
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let name = words[0].strip_prefix("Benchmark").expect("a benchmark");
            let (name, procs) = name.split_once('-').map_or((name, None), |(name, procs)| (name, procs.parse().ok()));
            let nanos: f64 = words[2].parse().expect("a number");
            spec(name, "sec/op", nanos * 1e-9, 0.0, 1e-6, UNCHANGED).procs(procs)
        })
        .collect()
}

pub(crate) fn sweep() -> Report {
    let mut specs = glob();
    for spec in &mut specs {
        spec.noise = 0.006;
        let size = spec.name.trim_start_matches("Chan").parse::<u32>();
        if size.is_ok_and(|size| size > 4) {
            spec.change = -0.18;
            spec.verdict = Verdict::Improvement;
        }
    }
    let mut report = report(vec![suite("glob", &specs, &mut Dice::new(7))]);
    report.suites[0].sweep = Some(crate::config::Sweep { capture: r"[a-z](\d+)$".into(), name: "buffer".into() });
    report
}

pub(crate) fn suites() -> Report {
    let mut specs = codec();
    set(&mut specs, "Scan", "sec/op", -0.094, Verdict::Improvement);
    let criterion: Vec<Spec> = ["fib 20", "fib 30", "parse/utf8"]
        .iter()
        .map(|name| spec(*name, "sec/op", 2.2e-6, 0.0, 0.01, UNCHANGED).procs(None))
        .collect();
    let mut dice = Dice::new(8);
    let mut rust = suite("rust bindings", &criterion, &mut dice);
    rust.run.base = "cargo bench --bench parse".into();
    rust.run.head = "cargo bench --bench parse --features simd".into();
    rust.filtered_out = 12;
    rust.blocks.invalid = 1;
    report(vec![suite("codec", &specs, &mut dice), rust])
}

pub(crate) fn shards() -> Report {
    let mut report = many(40);
    report.environments = (1..=3)
        .map(|index| {
            let mut environment = machine();
            environment.shard = Some(Shard { index, count: 3 });
            environment
        })
        .collect();
    report.environments[1].machine.cpu = "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz".into();
    report.warnings.push(Warning {
        level: WarningLevel::Warning,
        code: "different-machines".into(),
        message: "The shards ran on different machines. Base and head of a row are from one machine".into(),
        place: "shard 2 of 3".into(),
    });
    report
}

/// Two plain files, as `compare` gets them.
pub(crate) fn files() -> Report {
    let mut specs = codec();
    set(&mut specs, "Decode/large", "sec/op", 0.071, Verdict::Slower);
    set(&mut specs, "Scan", "sec/op", -0.12, Verdict::Faster);
    set(&mut specs, "Encode/small", "sec/op", 0.02, NOISE);
    let mut report = report(vec![suite("", &specs, &mut Dice::new(9))]);
    report.design = Design::Files;
    report.verdict = Overall::Mixed;
    report.family = crate::report::Family { size: 6, testable: 6, smallest_p: Some(1.1e-5), rounds_needed: None };
    report.run = None;
    report.reproduce = None;
    report.environments.clear();
    report.noise = None;
    report.base_behind = None;
    for (revision, label) in [(&mut report.revisions.base, "old.txt"), (&mut report.revisions.head, "new.txt")] {
        *revision = crate::report::Revision { label: label.into(), ..crate::report::Revision::default() };
    }
    for row in report.suites.iter_mut().flat_map(|suite| &mut suite.rows) {
        row.stage = None;
        row.samples.truncate(1);
        row.samples.iter_mut().for_each(|stage| stage.stage = None);
        row.p = row.p.map(|p| PValue { kind: PKind::Adjusted, ..p });
    }
    report
}

pub(crate) fn nothing() -> Report {
    let mut report = report(vec![suite("codec", &[], &mut Dice::new(10))]);
    report.verdict = Overall::Failed;
    report.family = crate::report::Family::default();
    report.suites[0].failed_rounds.base = Some(FailedRounds {
        differ: false,
        failed: 9,
        of: 9,
        first: StepOutcome {
            status: StepStatus::TimedOut(300.0),
            seconds: 300.0,
            tail: "goos: linux\ngoarch: amd64\npkg: github.com/octo/codec\n".into(),
        },
        warmup: false,
    });
    report
}

pub(crate) fn noisy() -> Report {
    let mut report = inconclusive();
    for row in report.suites.iter_mut().flat_map(|suite| &mut suite.rows) {
        if let Verdict::Inconclusive(why) = &mut row.verdict {
            *why = Undecided::NoisyMachine;
        }
        if let Some(limits) = &mut row.limits {
            limits.change = limits.threshold * (2.0 + limits.threshold);
        }
    }
    report.suites[0].blocks = crate::report::BlockCounts { run: 5, invalid: 1, kept: 3 };
    report.warnings = vec![
        Warning {
            level: WarningLevel::Headline,
            code: "noisy-machine".into(),
            message: "Noisy machine: 3 of 4 blocks were disturbed and kept. A change needs twice the threshold here"
                .into(),
            place: String::new(),
        },
        Warning {
            level: WarningLevel::Warning,
            code: "load".into(),
            message: "Load was 6.3 on 4 processors at the start".into(),
            place: "round 3, head".into(),
        },
        Warning {
            level: WarningLevel::Note,
            code: "unparsed-line".into(),
            message: "1 line of output was no result: expected a number of iterations".into(),
            place: "codec, head, round 2, line 14".into(),
        },
    ];
    report
}

/// Rows that the exact rule judges, from zero and to zero among them.
pub(crate) fn exact() -> Report {
    let mut dice = Dice::new(11);
    let mut specs = vec![
        spec("Hash/native", "allocs/op", 2.0, -1.0, 0.0, Verdict::Improvement),
        spec("Hash/native", "B/op", 208.0, -1.0, 0.0, Verdict::Improvement),
        spec("Hash/generic", "allocs/op", 54.0, -44.0 / 54.0, 0.0, Verdict::Improvement),
        spec("Sum", "allocs/op", 4.0, 0.0, 0.0, UNCHANGED),
    ];
    specs.push(spec("Append", "allocs/op", 0.0, 0.0, 0.0, Verdict::Regression));
    let mut report = report(vec![suite("sha1", &specs, &mut dice)]);
    let append = find(&mut report, "Append", "allocs/op");
    append.head = append.base.clone().map(|mut head| {
        (head.center, head.lo, head.hi) = (1.0, Some(1.0), Some(1.0));
        head
    });
    append.delta = Some(Delta { ratio: None, absolute: 1.0, lo: None, hi: None, level: 0.0 });
    append.notes.push(Note::Zero);
    report
}

pub(crate) fn one_sided() -> Report {
    let mut specs = codec();
    specs.truncate(6);
    let mut report = report(vec![suite("codec", &specs, &mut Dice::new(12))]);
    let mut set = |name: &str, verdict: Verdict| {
        let row = find(&mut report, name, "sec/op");
        match verdict {
            Verdict::New | Verdict::Skipped(Side::Base, _) => row.base = None,
            Verdict::Removed => row.head = None,
            _ => {}
        }
        (row.delta, row.p, row.detectable) = (None, None, None);
        row.verdict = verdict;
    };
    set("Decode/small", Verdict::New);
    set("Encode/small", Verdict::Removed);
    set("Scan", Verdict::Skipped(Side::Base, "no dataset: testdata/big.json.gz".into()));
    set("Decode/canada", Verdict::Flaky(Side::Head, 3, 8));
    set(
        "Encode/large",
        Verdict::Failed(Side::Head, "panic: runtime error: index out of range [3] with length 3".into()),
    );
    let counts = super::count(report.suites.iter().flat_map(|suite| &suite.rows).map(|row| row.verdict.clone()));
    report.counts = counts;
    report
}

/// One stage that is too short for its number of rows.
pub(crate) fn one_stage() -> Report {
    let mut report = unchanged();
    report.design = Design::Fixed { rounds: 4, seed: "00ff".into() };
    report.family = crate::report::Family { size: 18, testable: 18, smallest_p: Some(0.056), rounds_needed: Some(8) };
    for row in report.suites.iter_mut().flat_map(|suite| &mut suite.rows) {
        row.stage = Some(StageKind::Fixed);
        for samples in &mut row.samples {
            samples.stage = Some(StageKind::Fixed);
            samples.values = samples.values.clone().map(|values| values[..4].to_vec());
            samples.at = samples.at.clone().map(|at| at[..4].to_vec());
        }
        for summary in row.base.iter_mut().chain(&mut row.head) {
            summary.n = 4;
        }
    }
    for row in report.suites.iter_mut().flat_map(|suite| &mut suite.rows).filter(|row| !row.exact) {
        row.verdict = Verdict::Inconclusive(Undecided::TooFewRounds);
        row.p = row.p.map(|p| PValue { kind: PKind::Adjusted, value: 1.0_f64.min(p.value * 18.0) });
    }
    report.verdict = Overall::Inconclusive;
    report.counts = super::count(report.suites.iter().flat_map(|suite| &suite.rows).map(|row| row.verdict.clone()));
    report
}

/// `text` wherever text comes from outside.
pub(crate) fn hostile(text: &str) -> Report {
    let own = || text.to_owned();
    let mut dice = Dice::new(13);
    let mut report = mixed();
    report.suites[0].name = own();
    report.suites[0].run.head = own();
    report.suites[0].setup.base = StepOutcome { status: StepStatus::NotStarted(own()), seconds: 1.0, tail: own() };
    report.suites[0].failed_rounds.head = Some(FailedRounds {
        differ: false,
        failed: 1,
        of: 8,
        first: StepOutcome { status: StepStatus::Missing(own()), seconds: 0.0, tail: own() },
        warmup: false,
    });
    for row in &mut report.suites[0].rows {
        row.benchmark = BenchmarkId { package: own(), name: own(), procs: row.benchmark.procs };
        row.base_benchmark = Some(BenchmarkId { package: own(), name: own(), procs: Some(1) });
        row.notes = vec![
            Note::PackageDiffers(own()),
            Note::ConfigDiffers(own()),
            Note::SourceDiffers(own()),
            Note::Text(own()),
        ];
    }
    let states = [
        Verdict::Failed(Side::Head, own()),
        Verdict::Skipped(Side::Base, own()),
        Verdict::New,
        Verdict::Flaky(Side::Base, 1, 8),
        Verdict::TimedOut(Side::Head),
    ];
    for verdict in states {
        let mut extra = row(&spec(text, "sec/op", 1.0, 0.0, 0.01, verdict), &mut dice);
        extra.unit = own();
        extra.better = better("sec/op");
        report.suites[0].rows.push(extra);
    }
    for mean in &mut report.suites[0].geomeans {
        mean.left_out.insert(own(), 1);
    }
    report.suites[0].sweep = Some(crate::config::Sweep { capture: own(), name: own() });
    for revision in [&mut report.revisions.base, &mut report.revisions.head] {
        (revision.label, revision.subject) = (own(), own());
    }
    for level in [WarningLevel::Note, WarningLevel::Warning, WarningLevel::Headline] {
        report.warnings.push(Warning { level, code: own(), message: own(), place: own() });
    }
    if let Some(noise) = &mut report.noise {
        noise.worst_row.name = own();
    }
    report.reproduce = Some(own());
    report.tool = own();
    let environment = &mut report.environments[0];
    (environment.machine.cpu, environment.machine.kernel, environment.machine.os) = (own(), own(), own());
    environment.machine.virtualization = Some(own());
    environment.machine.details.insert(own(), own());
    environment.tools.insert(own(), own());
    environment.tuning[0].knob = own();
    environment.tuning[1].status = crate::results::KnobStatus::Denied(own());
    environment.witness.insert(own(), crate::side::PerSide { base: Some([1.0, 2.0, 3.0]), head: None });
    report
}
