//! Where the tools are wrong: what they print, what is right, and why.

use super::{cases, compare, data, name_of, read};

/// A case, lines of the tool's text with the right ones, and how the right ones are found.
type Fault = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const FAULTS: [Fault; 4] = [
    (
        "12-ties-unequal-n-BUG",
        &[
            ("vs base         │", "vs base           │"),
            ("│           new.txt            │", "│            new.txt             │"),
            ("-60.00% (n=2+5)", "~ (p=0.190 n=2+5)"),
        ],
        "2, 3 against 1, 1, 1, 1, 2: of the 21 ways to choose two of the seven values as old, two have a sum as large \
         or larger (2+3 twice), so p = 2·2/21. The tool doubles the lower tail at the smaller U, which is empty.",
    ),
    (
        "13-p-greater-than-1-BUG",
        &[("p=1.667", "p=1.000")],
        "1 against 1, 1, 1, 1, 2: five of the six choices are as large, all six as small: twice the smaller tail is \
         10/6, and a probability is at most 1.",
    ),
    (
        "41-noisy-log",
        &[
            ("-4.27%\n", "-4.27%               ³\n"),
            (
                "² need >= 4 samples to detect a difference at alpha level 0.05\n",
                "² need >= 4 samples to detect a difference at alpha level 0.05\n\
                 ³ benchmark set differs from baseline; geomeans may not be comparable\n",
            ),
        ],
        "The row Chatty-8 is only in the new file and in its geometric mean: 391.3n beside -4.27%.",
    ),
    (
        "42-log-line-becomes-config",
        &[
            ("              new.txt              │", "               new.txt               │"),
            ("vs base              │", "vs base                │"),
            (
                "92.50n       -9.76%\n",
                "92.50n       -9.76%               ¹\n¹ benchmark set differs from baseline; geomeans may not be comparable\n",
            ),
        ],
        "The row B-8 of the first table is only in the new file.",
    ),
];

/// Cases whose tables have another shape here, with the right text.
const TABLES: [(&str, &str, &str); 3] = [
    (
        "49-common-row-scale",
        "goos: linux
goarch: amd64
pkg: example.com/p
cpu: Test CPU @ 1.00GHz
        │    old.txt    │                    new.txt                     │
        │    sec/op     │      sec/op        vs base                     │
X-8       1.000n ± 0%     1000000.000n ± 0%  +99999900.00% (p=0.002 n=6)
Z-8       0.000m ± 0%           5.000m ± 0%              ? (p=0.002 n=6)
geomean               ¹         2.236m       ?
¹ summaries must be >0 to compute geomean
",
        "Z-8 is 0 ns/op in the old file, which is 0 sec/op: the row is compared, 0 has no geometric mean, and there is no \
         percentage of 0.",
    ),
    (
        "62-zero-value-untidied-BUG",
        "goos: linux
goarch: amd64
pkg: example.com/p
cpu: Test CPU @ 1.00GHz
    │  old.txt   │            new.txt            │
    │   sec/op   │    sec/op     vs base         │
X-8   6.500n ± ?   3.500n ± 71%  ~ (p=0.117 n=6)
",
        "0, 5, 6, 7, 8, 9 against 1 to 6: the median is 6.5, the interval [0, 9] reaches another sign than its center. \
         U = 28 of 36 with ties; 54 of the 924 divisions are as far up, p = 2·54/924.",
    ),
    (
        "60-json-input",
        "pkg: ex/a
      │   old.txt    │             new.txt             │
      │    sec/op    │    sec/op     vs base           │
Foo-8   10.00n ± ∞ ¹   11.00n ± ∞ ¹  ~ (p=1.000 n=1) ²
¹ need >= 6 samples for confidence interval at level 0.95
² need >= 4 samples to detect a difference at alpha level 0.05
",
        "The tool reads nothing from `go test -json` and prints nothing.",
    ),
];

/// Whether the tool's output on a case is wrong.
pub(super) fn concerns(case: &str) -> bool {
    FAULTS.iter().any(|(name, ..)| *name == case)
        || TABLES.iter().any(|(name, ..)| *name == case)
        // Its text is right, the names of its cells are not.
        || case == "67-csv-27-cols"
}

#[test]
fn faults_are_not_copied() {
    for (name, lines, reason) in FAULTS {
        let case = data("benchstat").join(name);
        let mut expected = read(&case.join("out.text"));
        for (wrong, right) in lines {
            assert!(expected.contains(wrong), "{name}: {wrong}");
            expected = expected.replacen(wrong, right, 1);
        }
        assert_eq!(compare(&super::arguments(&case, "benchstat")).out, expected, "{name}: {reason}");
    }
    for (name, expected, reason) in TABLES {
        let case = data("benchstat").join(name);
        assert_eq!(compare(&super::arguments(&case, "benchstat")).out, expected, "{name}: {reason}");
    }
}

#[test]
fn columns_after_z_have_two_letters() {
    let case = data("benchstat/67-csv-27-cols");
    let done = compare(&super::arguments(&case, "csv"));
    let cells: Vec<&str> = done.err.lines().map(|line| line.split(':').next().unwrap_or("")).collect();
    // The tool names the last two BB7 and BD7.
    assert_eq!(cells[cells.len() - 3..], ["Z7", "AB7", "AD7"]);
    assert_eq!(compare(&super::arguments(&case, "benchstat")).out, read(&case.join("out.text")));
    assert!(cases().iter().any(|case| name_of(case) == "67-csv-27-cols"));
}

/// Lines of the first benchstat's tables with a p that is wrong by the same fault: outliers were removed on one side, and
/// values are tied.
pub(super) fn of_v1(seed: &str) -> &'static [(&'static str, &'static str)] {
    match seed {
        // All values of one side are larger: 2 of C(11, 5) = 462 divisions, p = 0.0043.
        "go-toml-pr546" => &[("(p=0.000 n=5+6)", "(p=0.004 n=5+6)")],
        "refmt" => &[("(p=0.000 n=5+6)", "(p=0.004 n=5+6)"), ("(p=0.000 n=6+5)", "(p=0.004 n=6+5)")],
        // 61 of the 462 divisions have a U as large or larger: p = 2·61/462.
        "go-toml-tuning.nosuffix" => &[("(p=0.152 n=5+6)", "(p=0.264 n=5+6)")],
        // 44 of the 462: p = 2·44/462.
        "sha1cd" => &[("±55%      ~     (p=0.195 n=5+6)", "±55%      ~     (p=0.190 n=5+6)")],
        _ => &[],
    }
}
