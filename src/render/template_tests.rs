//! A user's template can do everything but harm.

use super::hostile_tests::problems;
use super::*;
use std::collections::BTreeSet;

const PATH: &str = ".github/bench-comment.md.tera";

fn by(template: &str, report: &Report) -> Result<String, RenderError> {
    user_template(template, PATH, report, &CommentOptions::default()).map(|rendered| rendered.body)
}

fn evil() -> Report {
    samples::hostile("@org `![x](http://evil.example)` <img src=x> | #1")
}

#[test]
fn it_prints_what_it_asks_for() {
    let template = "{{ counts.regressions }} worse\n\n{% for row in changed %}\n- {{ row.name }}: {{ row.delta }} ({{ row.word }})\n{%- endfor %}\n";
    let body = by(template, &samples::regression()).unwrap();
    assert!(body.starts_with("1 worse\n\n- `Decode/large`: +6."), "{body}");
    assert!(body.trim_end().ends_with("% (slower)"), "{body}");
}

#[test]
fn it_may_use_the_parts_of_the_default_layout() {
    let template = "# Ours\n\n{% set rows = changed %}{% include \"partials/changed.md.tera\" %}\n{% include \"partials/footer.md.tera\" %}";
    let body = by(template, &samples::mixed()).unwrap();
    assert!(body.contains("| change | benchmark |") && body.contains("🔴\u{a0}**+13.8%**\u{a0}more"), "{body}");
}

#[test]
fn an_error_names_file_and_line() {
    let cases = [
        ("ok\n\n{{ nothing }}", 3, "nothing"),
        ("{% for row in changed %}\n{{ row.nothing.more }}\n{% endfor %}", 2, "nothing"),
        ("a\n{% if %}", 2, ""),
        ("a\nb\n{{ counts.rows | nofilter }}", 3, "nofilter"),
        ("{% include \"/etc/passwd\" %}", 1, "passwd"),
    ];
    for (template, expected, word) in cases {
        match by(template, &samples::mixed()) {
            Err(RenderError::Template { path, line, message, .. }) => {
                assert_eq!(path, PATH, "{template}");
                assert_eq!(line, expected, "{template}: {message}");
                assert!(message.contains(word), "{template}: {message}");
            }
            other => panic!("{template}: {other:?}"),
        }
    }
    let error = by("x\n{{ nope }}", &samples::mixed()).unwrap_err().to_string();
    assert!(error.starts_with(".github/bench-comment.md.tera:2:"), "{error}");
}

#[test]
fn no_filter_opens_a_name() {
    let attempts = [
        "{{ NAME }}",
        "{{ NAME | safe }}",
        "{{ NAME | replace(from=\"`\", to=\"\") | safe }}",
        "{{ NAME | upper }}",
        "{{ NAME | capitalize }}",
        "{{ NAME | truncate(length=9) | safe }}",
        "{{ NAME[1:] | safe }}",
        "{{ NAME[:2] }}",
        "{{ NAME | trim | safe }}",
        "{{ NAME | split(pat=\"e\") | join(sep=\"\") | safe }}",
        "{{ (NAME ~ NAME) | safe }}",
        "{{ NAME | reverse | safe }}",
        "{% set x %}{{ NAME }}{% endset %}{{ x | safe }}",
        "**{{ NAME }}**",
        "`{{ NAME }}`",
        "<details><summary>{{ NAME }}</summary>\n\nx\n\n</details>",
        "\\{{ NAME }}",
        "``{{ NAME }}",
        "# {{ NAME }}",
        "> {{ NAME }}",
        "| a | b |\n|--|--|\n| {{ NAME }} | {{ NAME }} |",
        "```\n{{ NAME }}\n```",
        "~~~\n{{ NAME }}\n~~~",
        "    {{ NAME }}",
        "- {{ NAME }}\n- {{ NAME }}{{ NAME }}",
        "{{ NAME }}_{{ NAME }}*{{ NAME }}*",
        "${{ NAME }}$",
    ];
    let report = evil();
    for attempt in attempts {
        let template = attempt.replace("NAME", "changed[0].name");
        if let Ok(body) = by(&template, &report) {
            let ours = |problem: &String| !(attempt.starts_with('#') && problem.contains("heading"));
            let found: Vec<String> = problems(&body).into_iter().filter(ours).collect();
            assert_eq!(found, Vec::<String>::new(), "{attempt}:\n{body}");
        }
    }
}

#[test]
fn a_name_in_a_link_or_a_tag_loses_its_meaning() {
    let report = evil();
    let name = "changed[0].name";
    let body = by(&format!("[x](https://ours.example/?q={{{{ {name} }}}})"), &report).unwrap();
    assert!(body.starts_with("[x](https://ours.example/?q=%40org%20%60%21%5Bx%5D"), "{body}");
    let body = by(&format!("<a title=\"{{{{ {name} }}}}\">x</a>"), &report).unwrap();
    assert!(!body.contains("<img") && !body.contains('@'), "{body}");
    let body = by(&format!("<!-- {{{{ {name} }}}} -->\n"), &samples::hostile("--> <b>@org</b>")).unwrap();
    assert!(!body.contains("<b>") && body.matches("-->").count() == 1, "{body}");
}

#[test]
fn names_can_be_asked_for_without_being_opened() {
    let template = "{% for suite in suites %}{% for package in suite.packages %}{% for table in package.tables %}{% for row in table.rows %}{% if row.name is matching(pattern=\"^Decode/c\") %}{{ row.name }} {% endif %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}";
    let body = by(template, &samples::unchanged()).unwrap();
    assert_eq!(body, "`Decode/canada` `Decode/canada` `Decode/canada`\n");
    let error = by("{% if changed is matching(pattern=\"(\") %}{% endif %}", &samples::mixed()).unwrap_err();
    assert!(matches!(error, RenderError::Template { line: 1, .. }), "{error}");
}

#[test]
fn a_template_that_spins_or_floods_is_stopped() {
    let flood =
        "{% for i in range(end=100000) %}{% for k in range(end=100000) %}xxxxxxxxxxxxxxxx{% endfor %}{% endfor %}";
    assert!(matches!(by(flood, &samples::mixed()), Err(RenderError::TooLong { .. })));
    let spin = "{% for i in range(end=100000) %}{% for k in range(end=100000) %}{% endfor %}{% endfor %}done";
    let template = Template { path: PATH.into(), text: spin.into() };
    let templates = Templates::user(&template, &Arc::default()).unwrap().patient_for(layout::SHORT_PATIENCE);
    let error = templates.render(&tera::Context::new(), 1000).unwrap_err();
    assert!(error.to_string().contains("does a loop run too often"), "{error}");
    let large = by(&"x".repeat(layout::TEMPLATE_LIMIT + 1), &samples::mixed()).unwrap_err();
    assert!(large.to_string().contains("at most 65536"), "{large}");
}

#[test]
fn a_broken_template_costs_its_looks_and_not_the_result() {
    let template = Template { path: PATH.into(), text: "x\n{{ nope }}".into() };
    let options = CommentOptions { template: Some(template), ..CommentOptions::default() };
    let rendered = comment(&samples::regression(), &options).unwrap();
    assert!(matches!(&rendered.problem, Some(RenderError::Template { line: 2, .. })), "{:?}", rendered.problem);
    assert!(rendered.body.starts_with("### 🔴 1 regression among 18 rows"), "{}", rendered.body);
    assert!(rendered.body.contains("The configured template could not be used"), "{}", rendered.body);
    assert!(rendered.body.contains("bench-comment.md.tera:2"), "{}", rendered.body);
    assert_eq!(problems(&rendered.body), Vec::<String>::new());
}

#[test]
fn a_long_report_fits_by_a_template_too() {
    let template = "# {{ headline }}\n{% for suite in suites %}{% for package in suite.packages %}{% for table in package.tables %}{% for row in table.rows %}\n- {{ row.name }} {{ row.delta }}{% endfor %}{% endfor %}{% endfor %}{% endfor %}\n\n{{ left_out.rows }} left out";
    let rendered = user_template(template, PATH, &samples::many(10_000), &CommentOptions::default()).unwrap();
    assert!(rendered.body.len() <= COMMENT_LIMIT && rendered.left_out.rows > 0);
    assert!(rendered.body.ends_with(&format!("{} left out\n", rendered.left_out.rows)));
}

/// The names that `value` has, as the documentation writes them: what all rows have is under `row`, what both commits have
/// under `commit`.
fn names(value: &serde_json::Value, prefix: &str, found: &mut BTreeSet<String>) {
    const ROWS: [&str; 8] =
        ["changed", "changed_more", "suspects", "suspects_more", "broken", "one_sided", "rows", "row"];
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                let list = value.is_array() && ROWS.contains(&key.as_str());
                let commit = prefix.is_empty() && value.is_object() && matches!(key.as_str(), "base" | "head");
                found.insert(name.clone());
                names(
                    value,
                    if list {
                        "row"
                    } else if commit {
                        "commit"
                    } else {
                        &name
                    },
                    found,
                );
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| names(value, prefix, found)),
        _ => {}
    }
}

#[test]
fn the_documentation_lists_every_name_and_no_other() {
    let mut real = BTreeSet::new();
    for (_, report) in samples::all() {
        let frame = Frame { name: "bench", artifact: Some("bench"), ..Frame::default() };
        let prepared = Prepared::new(&report, &frame, Ink::tokens());
        for extras in fit::LEVELS {
            names(&serde_json::to_value(prepared.view(10_000, &extras)).unwrap(), "", &mut real);
        }
    }
    let text = include_str!("../../docs/templates.md");
    let item = regex::Regex::new(r"(?m)^- `([a-z_.]+)`").unwrap();
    let documented: BTreeSet<String> = item.captures_iter(text).map(|c| c[1].to_owned()).collect();
    let missing: Vec<_> = real.difference(&documented).collect();
    let stale: Vec<_> = documented.difference(&real).collect();
    assert!(missing.is_empty() && stale.is_empty(), "missing {missing:#?}\nstale {stale:#?}");
}

#[test]
fn the_example_of_the_documentation_works() {
    let text = include_str!("../../docs/templates.md");
    let example = text.split("```jinja\n").nth(1).unwrap().split("\n```\n").next().unwrap();
    let body = by(example, &samples::mixed()).unwrap();
    assert!(body.contains("`Decode/large`") && body.contains("+7."), "{body}");
    assert_eq!(problems(&body), Vec::<String>::new());
}
