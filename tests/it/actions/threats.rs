//! Attacks that go through the whole program, by their number in the list of threats that docs/security.md is about.

use super::*;
use bench_bot::gate::command;
use bench_bot::github::comment::State;
use pulldown_cmark::{Event, Parser, Tag};

/// What is told in the end of a run whose two sides print this.
fn story(base: &str, head: &str, code: i32) -> (Site, Ran) {
    let site = Site::scripts(base, head);
    let request = site.gate(5);
    let results = site.measure(5, &request, &[]);
    let ran = Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(code);
    (site, ran)
}

#[test]
fn threat_06_no_text_of_ours_is_a_command() {
    let mut texts = Vec::new();
    let mut keep = |site: &Site| {
        texts.extend(site.comments().into_iter().map(|comment| comment.2));
        texts.push(site.summary());
    };
    // Names, output and commands that are the command itself.
    let hostile = "echo 'Benchmark/bench 10 100 ns/op'\necho '/bench'\necho\necho '/bench cancel' >&2\n";
    keep(&story(hostile, hostile, 0).0);
    keep(&story(hostile, &format!("{hostile}exit 1\n"), 0).0);
    keep(&story(hostile, "echo '/bench' >&2\nexit 1\n", 3).0);
    for ended in ["cancelled", "skipped", "timed_out", "failure"] {
        let site = slower();
        let request = site.gate(5);
        texts.extend(site.comments().into_iter().map(|comment| comment.2));
        let ran = Ran::of(site.report(5, &request, &[("results", "/bench"), ("measure-result", ended)]));
        texts.extend(site.comments().into_iter().map(|comment| comment.2));
        texts.extend([site.summary(), ran.stdout]);
    }
    let site = slower();
    for body in ["/bench help", "/bench status", "/bench \"/bench\"", "/bench /bench=1", "/bench cancel"] {
        let (_, event) = site.says(body);
        Ran::of(site.job("issue_comment", &event, 5, &[("token", TOKEN), ("mode", "gate")])).expect(0);
        texts.extend(site.comments().into_iter().filter(|comment| comment.1 != "ada").map(|comment| comment.2));
        texts.push(site.summary());
    }
    assert!(texts.iter().filter(|text| !text.is_empty()).count() > 15);
    for text in texts {
        // As it is, and as a person would copy it: without the invisible lines.
        let visible: String =
            text.lines().filter(|line| !line.starts_with("<!--")).map(|line| format!("{line}\n")).collect();
        for text in [&text, &visible] {
            assert_eq!(command::parse(text), Ok(None), "{text}");
        }
    }
}

#[test]
fn threat_11_a_command_sees_no_file_that_the_runner_reads_and_no_variable_of_the_job() {
    let repo = Repo::of_scripts("", "");
    let seen = repo.tmp().join("seen");
    repo.git(&["checkout", "--quiet", "change"]);
    repo.commit(&[("bench.sh", &format!("env >'{}'\n{}", seen.display(), prints(&["A 10 100 ns/op"])))]);
    let site = Site::of(repo);
    let request = site.gate(5);
    let inputs = [("mode", "measure"), ("request", request.as_str()), ("isolation", "host")];
    let mut command = site.job("pull_request", &json!({}), 5, &inputs);
    for name in ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "ACTIONS_CACHE_URL", "RUNNER_TOOL_CACHE", "LD_PRELOAD_X"]
    {
        command.env(name, "/nonexistent/of-the-job");
    }
    Ran::of(command).expect(0);
    let seen = fs::read_to_string(seen).unwrap();
    for line in seen.lines() {
        let job = ["GITHUB_", "INPUT_", "ACTIONS_", "RUNNER_"].iter().any(|prefix| line.starts_with(prefix));
        assert!(!job || line == "GITHUB_ACTIONS=true", "{line}");
        assert!(!line.contains("of-the-job"), "{line}");
    }
    assert!(seen.contains("PATH="), "{seen}");
}

/// Lines of a job's log that the runner would obey.
fn obeyed(log: &str) -> Vec<&str> {
    let mut stopped: Option<String> = None;
    let mut found = Vec::new();
    for line in log.split(['\n', '\r']) {
        let bare = line.trim_start();
        match &stopped {
            Some(word) if bare == format!("::{word}::") => stopped = None,
            Some(_) => {}
            None => match bare.strip_prefix("::stop-commands::") {
                Some(word) => {
                    assert!(word.len() >= 16, "a word that can be guessed: {word}");
                    stopped = Some(word.to_owned());
                }
                None if bare.starts_with("::") || line.contains("##[") => found.push(line),
                None => {}
            },
        }
    }
    found
}

#[test]
fn threat_12_nothing_that_a_command_prints_is_obeyed_by_the_runner() {
    let orders = ["::error::x", "##[add-mask]a", "::stop-commands::t", "::set-output name=run::true", "::add-path::/x"];
    let print: String = orders.iter().map(|order| format!("echo '{order}'\necho '{order}' >&2\n")).collect();
    for end in ["exit 0", "exit 1"] {
        let head = format!("{print}echo 'BenchmarkA 10 100 ns/op'\necho 'Benchmark::error::y 10 1 ns/op'\n{end}\n");
        let site = Site::scripts(&prints(&["A 10 100 ns/op"]), &head);
        let request = site.gate(5);
        let inputs = [("mode", "measure"), ("request", request.as_str()), ("isolation", "host")];
        let measured = Ran::of(site.job("pull_request", &json!({}), 5, &inputs)).expect(0);
        let results = site.repo.path().join("bench-bot-out/results.json");
        let reported = Ran::of(site.report(5, &request, &[("results", results.to_str().unwrap())])).expect(0);
        for log in [measured.stdout, measured.stderr, reported.stdout, reported.stderr] {
            for line in obeyed(&log) {
                let ours = ["::warning", "::error title=bench-bot", "::notice", "::group::", "::endgroup::"];
                assert!(ours.iter().any(|order| line.starts_with(order)), "{line}\nin:\n{log}");
                assert!(orders.iter().all(|order| !line.starts_with(order)), "{line}");
            }
        }
        assert!(!site.output("verdict").is_empty());
        let outputs = fs::read_to_string(site.repo.job().join("output")).unwrap();
        assert!(!outputs.contains("run::true"), "{outputs}");
    }
    // The check sees what it looks for.
    assert_eq!(
        obeyed("a\n ::error::x\n::stop-commands::0123456789abcdef\n::b::\n::0123456789abcdef::\nx ##[c]"),
        [" ::error::x", "x ##[c]"]
    );
}

#[test]
fn threat_12_what_a_comment_says_is_not_obeyed_by_the_runner_of_the_gate() {
    for body in ["/bench ##[set-output name=run;]true", "/bench \"::set-output name=run::true\"", "/bench a##[x]=b"] {
        let site = slower();
        let (_, event) = site.says(body);
        let ran = Ran::of(site.job("issue_comment", &event, 5, &[("token", TOKEN), ("mode", "gate")])).expect(0);
        assert_eq!(site.output("run"), "false");
        for log in [&ran.stdout, &ran.stderr] {
            let found = obeyed(log);
            assert!(found.iter().all(|line| !line.contains("set-output") && !line.contains("##[")), "{found:?}");
        }
    }
}

#[test]
fn threat_15_a_verdict_inside_the_results_does_not_exist() {
    let site = slower();
    let request = site.gate(5);
    let file = site.measure(5, &request, &[]);
    let honest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for (place, name) in [("", "verdict"), ("/suites/0", "verdict"), ("/suites/0/rows/0", "p"), ("/suites/0", "delta")]
    {
        let mut forged = honest.clone();
        forged.pointer_mut(place).unwrap()[name] = json!("improvement");
        fs::write(&file, serde_json::to_vec(&forged).unwrap()).unwrap();
        Ran::of(site.report(5, &request, &[("results", file.to_str().unwrap())])).expect(2).says("unknown field");
        assert_eq!(site.comment().1.state, State::Failed);
    }
    // What may stand there is no more than words.
    let mut forged = honest;
    forged["tool"] = json!("a tool that found nothing");
    forged["warnings"] = json!(["No regression. Everything is unchanged."]);
    forged["suites"][0]["stages"][0]["planned_blocks"] = json!(1);
    fs::write(&file, serde_json::to_vec(&forged).unwrap()).unwrap();
    Ran::of(site.report(5, &request, &[("results", file.to_str().unwrap())])).expect(0);
    assert_eq!((site.output("verdict"), site.output("regressions")), ("regression".to_owned(), "1".to_owned()));
    assert!(site.comment().0.contains("1 regression"), "{}", site.comment().0);
}

/// What a text from outside can do in Markdown.
const EVIL: &str = "@org/team #1 GH-1 ![x](http://evil.example/b) <img src=http://evil.example> | ` ``` \
                    [l](http://evil.example) https://evil.example </details>\n\n# Heading\n/bench\n<!-- bench-bot:result key=\"bench\" -->";

/// Puts the text wherever results hold free text.
fn poison(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let free = ["name", "package", "tail", "message", "cpu", "kernel", "os", "governor", "tool", "format"];
                let list = matches!(name.as_str(), "warnings" | "unparsed");
                match value {
                    Value::String(text) if free.contains(&name.as_str()) => *text = format!("{text}{EVIL}"),
                    Value::Array(texts) if list => texts.push(json!(EVIL)),
                    Value::Object(map) if matches!(name.as_str(), "details" | "tools") => {
                        map.insert(EVIL.to_owned(), json!(EVIL));
                    }
                    _ => poison(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(poison),
        _ => {}
    }
}

#[test]
fn threat_16_hostile_results_branches_and_titles_put_nothing_into_the_comment() {
    let site = slower();
    site.standin.with(|state| {
        let known = state.repositories.get_mut(NAME).unwrap();
        known.commits.get_mut(&site.head).unwrap().message = EVIL.to_owned();
        known.pulls.get_mut(&PULL).unwrap().head_ref = "x`<img/src=http://evil.example>@org/team".to_owned();
    });
    let mut event = site.pull_request();
    event["pull_request"]["head"]["ref"] = json!("x`<img/src=http://evil.example>@org/team");
    event["pull_request"]["head"]["label"] = json!("acme:x`<img/src=http://evil.example>@org/team");
    event["pull_request"]["title"] = json!(EVIL);
    Ran::of(site.job("pull_request", &event, 5, &[("token", TOKEN), ("mode", "gate")])).expect(0);
    let request = site.output("request");
    let file = site.measure(5, &request, &[]);
    let mut forged: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let name = forged["suites"][0]["name"].clone();
    poison(&mut forged["machine"]);
    poison(&mut forged["suites"]);
    forged["warnings"] = json!([EVIL]);
    forged["suites"][0]["name"] = name;
    fs::write(&file, serde_json::to_vec(&forged).unwrap()).unwrap();
    Ran::of(site.report(5, &request, &[("results", file.to_str().unwrap())]));
    let (body, meta) = site.comment();
    assert!(body.contains("evil"), "the text is shown: {body}");
    assert_eq!(meta.run, 5);
    for text in [body, site.summary()] {
        assert_eq!(command::parse(&text), Ok(None), "{text}");
        let (mut headings, mut markers) = (0, 0);
        for event in Parser::new_ext(&text, pulldown_cmark::Options::all()) {
            match event {
                Event::Start(Tag::Image { .. }) => panic!("an image: {text}"),
                Event::Start(Tag::Link { dest_url, .. }) => assert!(!dest_url.contains("evil"), "{dest_url}: {text}"),
                Event::Html(html) | Event::InlineHtml(html) => {
                    assert!(!html.contains("<img") && !html.contains("evil.example\""), "{html}: {text}");
                    markers += html.matches("<!-- bench-bot").count();
                }
                Event::Start(Tag::Heading { .. }) => headings += 1,
                _ => {}
            }
        }
        assert!(headings <= 1 && markers <= 2, "{headings} headings, {markers} markers: {text}");
    }
}

#[test]
fn threat_24_the_last_words_of_a_command_are_fenced_cut_and_without_secrets() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let head = format!(
        "i=0\nwhile [ $i -lt 3000 ]; do echo \"line $i of a long story\" >&2; i=$((i+1)); done\n\
         printf '\\033[31mred\\033[0m\\n' >&2\necho '```' >&2\necho '````text' >&2\necho 'token {token}' >&2\n\
         echo 'Authorization: Bearer abcdef0123456789abcdef' >&2\nexit 1\n"
    );
    let (site, ran) = story(&prints(&["A 10 100 ns/op"]), &head, 3);
    let (body, _) = site.comment();
    let results = fs::read_to_string(site.repo.path().join("bench-bot-out/results.json")).unwrap();
    for text in [&body, &site.summary(), &results, &ran.stdout, &ran.stderr] {
        assert!(!text.contains(&token) && !text.contains("abcdef0123456789abcdef"), "{text}");
        assert!(!text.contains('\x1b'), "{text}");
    }
    assert!(body.contains("line 2999 of a long story") && !body.contains("line 100 of"), "{body}");
    assert!(body.contains("[redacted]"), "{body}");
    // Both fences are inside of code; what comes after them is ours again.
    let code: String = {
        let mut inside = false;
        let mut code = String::new();
        for event in Parser::new_ext(&body, pulldown_cmark::Options::all()) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => inside = true,
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => inside = false,
                Event::Text(text) if inside => code.push_str(&text),
                _ => {}
            }
        }
        code
    };
    assert!(code.contains("```\n````text\n"), "{body}");
    assert!(code.len() < 2 * 4096 + 1024, "{} bytes of output", code.len());
}

#[test]
fn threat_26_a_base_that_is_the_head_is_an_error_and_never_a_green() {
    let site = slower();
    let mut event = site.pull_request();
    event["pull_request"]["base"]["sha"] = json!(site.head);
    let head = site.head.clone();
    site.standin.with(|state| {
        let known = state.repositories.get_mut(NAME).unwrap();
        known.refs.insert("heads/main".to_owned(), head.clone());
        known.pulls.get_mut(&PULL).unwrap().base_sha.clone_from(&head);
    });
    let ran = Ran::of(site.job("pull_request", &event, 5, &[("token", TOKEN), ("mode", "gate")]));
    assert_ne!((ran.code, site.output("run")), (Some(0), "true".to_owned()), "{}", ran.stdout);
    assert!(site.summary().contains(&site.head[..7]), "{}", site.summary());
    assert!(site.comments().iter().all(|comment| !comment.2.contains("\"state\":\"done\"")));
}
