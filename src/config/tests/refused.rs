use super::bad;

/// Text, and the message that it must give: the place, the key, and the way out.
const REFUSED: &[(&str, &str)] = &[
    // Keys.
    ("suite: []", "b.yml:1:1: suite: unknown key; did you mean `suites`?"),
    ("suites:\n  - runn: x", "b.yml:2:5: suites[0].runn: unknown key; did you mean `run`?"),
    ("max_time: 5m", "b.yml:1:1: max_time: unknown key; did you mean `max-time`?"),
    ("budget: 5m\nthreshold: 2%", "b.yml:2:1: threshold: unknown key here; it belongs at `compare.threshold`"),
    ("suites: [{run: x, rounds: 8}]", "b.yml:1:19: suites[0].rounds: unknown key here; it belongs at `rounds`"),
    ("rounds: {color: 8}", "b.yml:1:10: rounds.color: unknown key; expected one of screen, confirm, fixed"),
    (
        "suites: [{run: x, head: {filter: y}}]",
        "b.yml:1:26: suites[0].head.filter: is the same for both sides; a value for one side is not yet possible",
    ),
    ("budget: 5m\nbudget: 6m", "b.yml:2:1: budget: is there twice"),
    ("suites:\n- run: x\n  env:\n    A: 1\n    A: 2", "b.yml:5:5: suites[0].env.A: is there twice"),
    // Types.
    ("suites: x", "b.yml:1:9: suites: invalid type: string \"x\", expected a list"),
    ("suites: [x]", "b.yml:1:10: suites[0]: invalid type: string \"x\", expected a mapping with keys such as `run`"),
    ("suites: [{run: [a]}]", "b.yml:1:16: suites[0].run: invalid type: list, expected a string"),
    (
        "rounds: 8+16",
        "b.yml:1:9: rounds: invalid type: string \"8+16\", expected a number such as `20`, or a mapping such as `{screen: 8, confirm: 16}`",
    ),
    ("rounds: {fixed: many}", "b.yml:1:17: rounds.fixed: invalid type: string \"many\", expected a whole number"),
    ("rounds: {fixed: -2}", "b.yml:1:17: rounds.fixed: invalid type: integer `-2`, expected a whole number"),
    (
        "suites: [{run: x, network: maybe}]",
        "b.yml:1:28: suites[0].network: invalid type: string \"maybe\", expected `true` or `false`",
    ),
    ("- a", "b.yml:1:1: invalid type: list, expected a mapping with keys such as `suites`"),
    (
        "suites: [{checkout: {extra: [{repo: a/b, path: c}]}}]",
        "b.yml:1:30: suites[0].checkout.extra[0]: missing key `ref`",
    ),
    // Values that read like others.
    ("budget: 0", "b.yml:1:9: budget: `0` is no time: write one such as `10m`"),
    ("budget: 0s", "b.yml:1:9: budget: must be longer than zero"),
    ("suites: [{name: -x, run: y}]", "b.yml:1:17: suites[0].name: `-x` cannot be a name: it begins with `-`"),
    // Nothing.
    ("suites:", "b.yml:1:8: suites: has no value; give it one or remove the key"),
    ("suites: [{run: x, setup: ~}]", "b.yml:1:26: suites[0].setup: has no value; give it one or remove the key"),
    ("suites: []", "b.yml:1:9: suites: is an empty list; remove the key and bench-bot finds the command"),
    ("suites: [{run: ''}]", "b.yml:1:16: suites[0].run: is an empty command"),
    ("suites: [{run: ' \n '}]", "b.yml:1:16: suites[0].run: is an empty command"),
    ("suites: [{run: x, output: .}]", "b.yml:1:27: suites[0].output: names no file"),
    (
        "suites: [{run: x, metrics: {i: 'perf:cycles'}}]",
        "b.yml:1:32: suites[0].metrics.i: `perf:cycles` counts nothing; write `perf:instructions`, or `./perf:cycles` for a \
         file of that name",
    ),
    (
        "suites: [{run: x, metrics: {i: valgrind}}]",
        "b.yml:1:32: suites[0].metrics.i: `valgrind` counts nothing; write `valgrind:instructions`, or `./valgrind` for a \
         file of that name",
    ),
    // Rounds.
    ("rounds: 0", "b.yml:1:9: rounds: must be at least 2: a block has two rounds of each side"),
    ("rounds: -4", "b.yml:1:9: rounds: must be at least 2: a block has two rounds of each side"),
    ("budget: 5m\nrounds: 7", "b.yml:2:9: rounds: must be even, such as 8"),
    ("rounds: 102", "b.yml:1:9: rounds: must be at most 100"),
    ("rounds: 99999999999", "b.yml:1:9: rounds: must be at most 100"),
    ("rounds: {fixed: 0}", "b.yml:1:17: rounds.fixed: must be at least 2: a block has two rounds of each side"),
    ("rounds: {fixed: 7}", "b.yml:1:17: rounds.fixed: must be even, such as 8"),
    ("rounds: {fixed: 102}", "b.yml:1:17: rounds.fixed: must be at most 100"),
    ("rounds: {fixed: 4294967295}", "b.yml:1:17: rounds.fixed: must be at most 100"),
    ("rounds: {screen: 5}", "b.yml:1:18: rounds.screen: must be even, such as 6"),
    ("rounds: {screen: 0}", "b.yml:1:18: rounds.screen: must be at least 2: a block has two rounds of each side"),
    ("rounds: {confirm: 7}", "b.yml:1:19: rounds.confirm: must be even, such as 8"),
    (
        "rounds: {screen: 40, confirm: 80}",
        "b.yml:1:9: rounds: `screen` and `confirm` are 120 rounds together; at most 100",
    ),
    (
        "rounds: {fixed: 8, screen: 8}",
        "b.yml:1:1: rounds: `fixed` is one stage; it cannot stand beside `screen` or `confirm`",
    ),
    // Times.
    ("budget: 10", "b.yml:1:9: budget: `10` has no unit: write `10s` or `10m`"),
    ("budget: soon", "b.yml:1:9: budget: expected a duration such as `90s`, `10m` or `1h30m`"),
    ("budget: 0m", "b.yml:1:9: budget: must be longer than zero"),
    (
        "budget: 2h",
        "b.yml:1:9: budget: is longer than `max-time`, which is 60m if it is not set: the job would end before it",
    ),
    ("max-time: 200h", "b.yml:1:11: max-time: must be at most 120h"),
    // Words.
    ("isolation: contianer", "b.yml:1:12: isolation: unknown value `contianer`; did you mean `container`?"),
    ("isolation: vm", "b.yml:1:12: isolation: unknown value `vm`; expected one of auto, container, host"),
    ("isolation: [host]", "b.yml:1:12: isolation: invalid type: list, expected one word"),
    (
        "report: {layout: benchstat-v3}",
        "b.yml:1:18: report.layout: unknown value `benchstat-v3`; did you mean `benchstat-v1`?",
    ),
    (
        "report: {fail-on: [regresion]}",
        "b.yml:1:20: report.fail-on[0]: unknown value `regresion`; did you mean `regression`?",
    ),
    (
        "report: {fail-on: always}",
        "b.yml:1:19: report.fail-on: unknown value `always`; expected one of never, failure, regression, inconclusive",
    ),
    ("report: {fail-on: [never, failure]}", "b.yml:1:19: report.fail-on: `never` cannot stand beside others"),
    ("report: {fail-on: []}", "b.yml:1:19: report.fail-on: is an empty list; write `never`"),
    (
        "report: {name: 'a --> b'}",
        "b.yml:1:16: report.name: expected 1 to 60 letters, digits, spaces or any of . _ - /",
    ),
    ("report: {name: a--b}", "b.yml:1:16: report.name: expected 1 to 60 letters, digits, spaces or any of . _ - /"),
    (
        "suites: [{run: x, format: pytest-bench}]",
        "b.yml:1:27: suites[0].format: unknown format `pytest-bench`; did you mean `pytest-benchmark`?",
    ),
    (
        "suites: [{run: x, format: gobench}]",
        "b.yml:1:27: suites[0].format: unknown format `gobench`; did you mean `go`?",
    ),
    (
        "command: {permission: none}",
        "b.yml:1:23: command.permission: unknown value `none`; expected one of read, triage, write, maintain, admin",
    ),
    ("command: {max-rounds: 400}", "b.yml:1:23: command.max-rounds: must be from 2 to 100"),
    // Numbers.
    ("compare: {alpha: 0}", "b.yml:1:18: compare.alpha: must lie between 0 and 1, such as 0.05"),
    ("compare: {alpha: 1}", "b.yml:1:18: compare.alpha: must lie between 0 and 1, such as 0.05"),
    ("compare: {alpha: .nan}", "b.yml:1:18: compare.alpha: must lie between 0 and 1, such as 0.05"),
    ("compare: {alpha: 5%}", "b.yml:1:18: compare.alpha: invalid type: string \"5%\", expected a number"),
    ("compare: {threshold: 2}", "b.yml:1:22: compare.threshold: `2` would be 200 %: write `2%`, or a ratio below 1"),
    ("compare: {threshold: -2%}", "b.yml:1:22: compare.threshold: expected a relative size such as `2%` or `0.02`"),
    ("compare: {threshold: 5000%}", "b.yml:1:22: compare.threshold: must be at most 1000%"),
    (
        "compare: {units: {a: {absolute: -1}}}",
        "b.yml:1:33: compare.units.a.absolute: must be a number from 0, in the unit",
    ),
    (
        "compare: {base: -x}",
        "b.yml:1:17: compare.base: expected `merge-base`, `target`, or a branch, tag or commit: a ref does not start with `-`",
    ),
    ("host: {nice: 20}", "b.yml:1:14: host.nice: must be from -20 (highest priority) to 19"),
    (
        "host: {nice: 2000}",
        "b.yml:1:14: host.nice: invalid value: integer `2000`, expected a whole number from -128 to 127",
    ),
    ("host: {cpus: 3-2}", "b.yml:1:14: host.cpus: expected `auto`, `all`, or a list such as `2-3,6`"),
    ("host: {governor: 'x; rm'}", "b.yml:1:18: host.governor: expected one lower-case word, such as `performance`"),
    ("host: {boost: 1}", "b.yml:1:15: host.boost: expected `on` or `off`"),
    ("host: {min-frequency: 2GHz, max-frequency: 1GHz}", "b.yml:1:23: host.min-frequency: is above `max-frequency`"),
    (
        "compare: {units: {ns/op: {exact: true}, sec/op: {exact: true}}}",
        "b.yml:1:41: compare.units.sec/op: is there twice: it is another name of `sec/op`",
    ),
    // Regular expressions.
    ("suites: [{run: x, filter: '('}]", "b.yml:1:27: suites[0].filter: not a regular expression: unclosed group"),
    (
        "suites: [{run: x, controls: 'a{999999}'}]",
        "b.yml:1:29: suites[0].controls: not a regular expression: Compiled regex exceeds size limit of 1048576 bytes.",
    ),
    (
        "compare: {rename: [{from: '*', to: x}]}",
        "b.yml:1:27: compare.rename[0].from: not a regular expression: repetition operator missing expression",
    ),
    (
        "suites: [{run: x, sweep: {capture: 'Chan\\d+', name: n}}]",
        "b.yml:1:36: suites[0].sweep.capture: needs a group around the value, such as `Chan(\\d+)$`",
    ),
    // Names and paths.
    (
        "suites: [{name: a, run: x}, {name: a, run: y}]",
        "b.yml:1:36: suites[1].name: `a` is also the name of suites[0]; give each its own",
    ),
    ("suites: [{run: x}, {run: y}]", "b.yml:1:20: suites[1]: `bench` is also the name of suites[0]; give each its own"),
    ("suites: [{name: a=b, run: x}]", "b.yml:1:17: suites[0].name: `a=b` cannot be a name: it holds `=`"),
    (
        "suites: [{name: \"a\\u202eb\", run: x}]",
        "b.yml:1:17: suites[0].name: `a\u{fffd}b` cannot be a name: it holds the character U+202E, which cannot be seen",
    ),
    (
        "suites: [{directory: /etc, run: x}]",
        "b.yml:1:22: suites[0].directory: must be relative to the tree: no `/` or `~` in front",
    ),
    ("suites: [{directory: a/../../b, run: x}]", "b.yml:1:22: suites[0].directory: must stay inside the tree: no `..`"),
    ("suites: [{run: x, output: .git/config}]", "b.yml:1:27: suites[0].output: must not lead into `.git`"),
    (
        "suites: [{run: x, require: [ok, ../no]}]",
        "b.yml:1:33: suites[0].require[1]: must stay inside the tree: no `..`",
    ),
    (
        "suites: [{run: x, head: {output: /tmp/x}}]",
        "b.yml:1:34: suites[0].head.output: must be relative to the tree: no `/` or `~` in front",
    ),
    (
        "report: {template: /etc/passwd}",
        "b.yml:1:20: report.template: must be relative to the tree: no `/` or `~` in front",
    ),
    (
        "suites: [{run: x, image: '--privileged'}]",
        "b.yml:1:26: suites[0].image: expected the reference of an image, such as `golang:1.26`",
    ),
    ("suites: [{run: x, image: a, dockerfile: b}]", "b.yml:1:41: suites[0].dockerfile: cannot stand beside `image`"),
    (
        "suites: [{run: x, env: {'A=B': x}}]",
        "b.yml:1:25: suites[0].env.A=B: is not the name of a variable: letters, digits and `_`, no digit in front",
    ),
    (
        "suites: [{run: x, env: {BENCH_BOT_FILTER: x}}]",
        "b.yml:1:25: suites[0].env.BENCH_BOT_FILTER: names that start with BENCH_BOT_ are set by bench-bot itself",
    ),
    (
        "suites: [{run: x, checkout: {extra: [{repo: 'ext::sh', ref: a, path: b}]}}]",
        "b.yml:1:45: suites[0].checkout.extra[0].repo: expected `owner/name` or an https URL without a user",
    ),
    (
        "suites: [{run: x, checkout: {extra: [{repo: 'https://u:p@h/x', ref: a, path: b}]}}]",
        "b.yml:1:45: suites[0].checkout.extra[0].repo: expected `owner/name` or an https URL without a user",
    ),
    (
        "suites: [{run: x, checkout: {extra: [{repo: a/b, ref: --upload-pack=x, path: b}]}}]",
        "b.yml:1:55: suites[0].checkout.extra[0].ref: expected a branch, tag or commit: a ref does not start with `-`",
    ),
    (
        "suites: [{run: x, overlay: {from: head, to: head, paths: [a]}}]",
        "b.yml:1:45: suites[0].overlay.to: must be the other side than `from`",
    ),
    (
        "suites: [{run: x, overlay: {from: head, to: base, paths: [a]}, base: {directory: old}}]",
        "b.yml:1:59: suites[0].overlay.paths[0]: the sides have different directories: write `/a`, from the top of the tree",
    ),
    (
        "suites: [{run: x, parameters: {n: [1]}}]",
        "b.yml:1:32: suites[0].parameters.n: `run` does not use it: write {n} where the value goes",
    ),
    ("suites: [{run: 'x {n}', parameters: {n: [1, 2, 1]}}]", "b.yml:1:48: suites[0].parameters.n[2]: `1` stands twice"),
    ("suites: [{run: 'x {n}', parameters: {n: []}}]", "b.yml:1:41: suites[0].parameters.n: has no values"),
    (
        "suites: [{run: x, inspect: {functions: ['-x']}}]",
        "b.yml:1:41: suites[0].inspect.functions[0]: expected the name of a function, such as `main.work`",
    ),
    // YAML.
    (
        "suites: [",
        "b.yml:2:1: not valid YAML: did not find expected node content at line 2 column 1, while parsing a flow node",
    ),
    ("a: &x [*x]", "b.yml:1:4: not valid YAML: recursion limit exceeded at line 1 column 4"),
    ("budget: !time 5m", "b.yml:1:9: budget: YAML tags (`!word`) have no meaning here"),
    (
        "budget: 5m\n---\nbudget: 6m",
        "b.yml: not valid YAML: deserializing from YAML containing more than one document is not supported",
    ),
    ("? [a]\n: b", "b.yml:1:3: not valid YAML: invalid type: sequence, expected one word as key at line 1 column 3"),
];

#[test]
fn what_is_impossible_is_refused_with_its_place_and_the_way_out() {
    let mut wrong = Vec::new();
    for (text, expected) in REFUSED {
        let found = bad(text);
        if found != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
