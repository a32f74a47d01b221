use super::*;
use crate::render::samples;

fn page_of(report: &Report) -> String {
    html(report, &CommentOptions::default()).unwrap()
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    for (name, report) in samples::all() {
        let page = page_of(&report);
        for attribute in ["src=", "@import", "url(", "<link", "<iframe", "<object"] {
            let hits: Vec<_> = page.match_indices(attribute).collect();
            let allowed = if name == "hostile" {
                page.matches("&lt;img src=x").count() * usize::from(attribute == "src=")
            } else {
                0
            };
            assert!(hits.len() <= allowed + page.matches("\\u003cimg src=x").count(), "{name}: {attribute}");
        }
    }
}

#[test]
fn the_policy_names_what_is_in_the_page() {
    let page = page_of(&samples::unchanged());
    let script = page.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    for (kind, content) in [("script-src", script), ("style-src", style)] {
        assert!(page.contains(&format!("{kind} '{}'", hash(content))), "{kind}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains(" style=\""), "an inline style would be refused");
}

#[test]
fn the_band_is_where_a_change_is_called_one() {
    let width = |report: &Report| -> f64 {
        let page = page_of(report);
        let band = page.split_once("class=\"band\"").unwrap().0.rsplit_once("width=\"").unwrap().1;
        band.split_once('"').unwrap().0.parse().unwrap()
    };
    let noisy = samples::noisy();
    let mut quiet = noisy.clone();
    for limits in quiet.suites.iter_mut().flat_map(|suite| &mut suite.rows).flat_map(|row| &mut row.limits) {
        limits.change = limits.threshold;
    }
    assert!(page_of(&quiet).contains("The band is the threshold of 2%."));
    let said = "where a change is called one: at twice the threshold of 2%, since the machine was noisy";
    assert!(page_of(&noisy).contains(&format!("The band is {said}.")));
    assert!(width(&noisy) > 1.4 * width(&quiet), "{} {}", width(&noisy), width(&quiet));
    assert!(crate::render::terminal::terminal(&noisy, 120, false).contains(&format!("┊ {said}")));
}

#[test]
fn hostile_text_stays_text() {
    let report = samples::hostile("</script><script>alert(1)</script><img src=x onerror=alert(1)>\" onmouseover=\"x");
    let page = page_of(&report);
    assert_eq!(page.matches("<script").count(), 2);
    let (before, rest) = page.split_once("id=\"data\">").unwrap();
    let (json, after) = rest.split_once("</script>").unwrap();
    assert!(!page.contains("<img") && !before.contains("\" onmouseover") && !after.contains("onmouseover"));
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data.as_array().unwrap().len(), report.suites[0].rows.len());
}

#[test]
fn every_row_and_every_sample_is_there() {
    let report = samples::many(240);
    let page = page_of(&report);
    assert_eq!(page.matches("<tr class=\"row ").count(), 240);
    let json = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    let stage = &report.suites[0].rows[7].samples[1];
    assert_eq!(data[7]["stages"][1]["name"], "confirm");
    assert_eq!(data[7]["stages"][1]["head"].as_array().unwrap().len(), stage.values.head.len());
    assert_eq!(data[7]["stages"][1]["head_at"][0].as_f64(), stage.at.head.first().copied());
}

#[test]
fn ten_thousand_rows_are_one_page() {
    let page = page_of(&samples::many(10_000));
    assert_eq!(page.matches("<tr class=\"row ").count(), 10_000);
}
