//! The whole pipeline on a throw-away repository against a stand-in of GitHub.
//!
//! Real git, real processes, real HTTP; only GitHub is ours. A pull request makes a benchmark slower, is measured, is
//! mended with a second push, is measured again: the first comment is edited. The token goes to the stages that talk
//! to the stand-in, never to the one that runs the benchmark.

mod repository;

use crate::actions::Runner;
use crate::cli::args::{DemoArgs, MeasureArgs, OutputArgs};
use crate::cli::pipeline;
use crate::github::Client;
use crate::render::escape;
use crate::standin::{Options, Standin};
use anyhow::{Context, Result, ensure};
use repository::Demo;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const REPOSITORY: &str = "acme/primes";
const PULL_REQUEST: u64 = 7;

/// Runs the demo.
///
/// # Errors
/// When git is missing, no port can be had, a signal arrives, or the pipeline does not do what it should.
pub fn run(args: &DemoArgs) -> Result<u8> {
    let scratch = tempfile::Builder::new().prefix("bench-bot-demo-").tempdir().context("making a folder")?;
    let out = match &args.output {
        Some(path) => path.clone(),
        None => std::env::temp_dir().join(format!("bench-bot-demo-output-{}", std::process::id())),
    };
    std::fs::create_dir_all(&out).with_context(|| format!("making {}", out.display()))?;
    let standin = Standin::start(Options::default()).context("starting the stand-in of GitHub")?;
    let demo = Demo::create(&scratch.path().join("clone"))?;
    demo.introduce(&standin, REPOSITORY, PULL_REQUEST);
    crate::cli::say::out!(
        "A throw-away repository with pull request #{PULL_REQUEST}, and a stand-in of GitHub at {}.",
        standin.url()
    );

    crate::cli::say::out!("\n=== First push: \"{}\"\n", demo.subjects[0]);
    let slow = push(&demo, 0, &standin, scratch.path(), &out)?;
    ensure!(slow.comments == 1, "the first run left {} comments, and one was expected", slow.comments);
    crate::cli::say::out!("{}", slow.body);

    crate::cli::say::out!("\n=== Second push: \"{}\"\n", demo.subjects[1]);
    let fast = push(&demo, 1, &standin, scratch.path(), &out)?;
    ensure!(fast.comments == 1, "the second run left {} comments, and one was expected", fast.comments);
    ensure!(fast.id == slow.id, "the second run made a comment of its own");
    crate::cli::say::out!("{}", fast.body);

    let problems = standin.problems();
    ensure!(problems.is_empty(), "the stand-in of GitHub complains: {}", problems.join("; "));
    crate::cli::say::out!("\nOne comment, {}, created by the first run and edited by the second:", fast.id);
    for write in standin.writes().iter().filter(|write| write.contains("comments")) {
        crate::cli::say::out!("  {write}");
    }
    crate::cli::say::out!("\nPreviews of the comment: {}", out.join("comment-1.html").display());
    crate::cli::say::out!("                         {}", out.join("comment-2.html").display());
    crate::cli::say::out!("Full reports:            {}", out.join("report-1.html").display());
    crate::cli::say::out!("                         {}", out.join("report-2.html").display());
    Ok(0)
}

/// What a push led to.
struct Seen {
    comments: usize,
    id: u64,
    body: String,
}

/// One push, one run: gate with the token, measure without, report with it.
fn push(demo: &Demo, number: usize, standin: &Standin, scratch: &Path, out: &Path) -> Result<Seen> {
    demo.push(standin, REPOSITORY, PULL_REQUEST, number);
    let folder = scratch.join(format!("job-{number}"));
    std::fs::create_dir_all(&folder)?;
    let runner = runner(demo, number, standin, &folder)?;
    let client = Client::new(runner.api_url(), Some(standin.token()))?.with_graphql(&standin.graphql_url())?;
    let Some(request) = pipeline::gate(&runner, &client)? else {
        anyhow::bail!("the gate found nothing to do");
    };
    client.disconnect();
    let results = folder.join("results.json");
    pipeline::measure(
        request.clone(),
        &MeasureArgs { output: Some(results.clone()), repository: Some(demo.path.clone()), ..MeasureArgs::default() },
        &Runner::from_variables([]),
    )?;
    let files = OutputArgs {
        html: Some(out.join(format!("report-{}.html", number + 1))),
        json: Some(out.join(format!("report-{}.json", number + 1))),
        files_only: true,
        ..OutputArgs::default()
    };
    pipeline::report(&runner, &client, &request, &[results], &files)?;
    let seen = standin.with(|state| {
        let repo = &state.repositories[REPOSITORY];
        let last = repo.comments.last();
        last.map(|note| Seen { comments: repo.comments.len(), id: note.id, body: note.body.clone() })
    });
    let seen = seen.context("the run left no comment")?;
    preview(&out.join(format!("comment-{}.html", number + 1)), &seen.body)?;
    Ok(seen)
}

/// The variables that GitHub's runner would set for the event.
fn runner(demo: &Demo, number: usize, standin: &Standin, folder: &Path) -> Result<Runner> {
    let event = folder.join("event.json");
    let payload = demo.event(REPOSITORY, PULL_REQUEST, number);
    std::fs::write(&event, serde_json::to_vec(&payload)?)?;
    let text = |path: PathBuf| path.into_os_string();
    let variables: [(&str, OsString); 11] = [
        ("GITHUB_EVENT_NAME", "pull_request".into()),
        ("GITHUB_EVENT_PATH", text(event)),
        ("GITHUB_REPOSITORY", REPOSITORY.into()),
        ("GITHUB_API_URL", standin.url().into()),
        ("GITHUB_GRAPHQL_URL", standin.graphql_url().into()),
        ("GITHUB_SERVER_URL", "https://github.example".into()),
        ("GITHUB_RUN_ID", (100 + number).to_string().into()),
        ("GITHUB_RUN_ATTEMPT", "1".into()),
        ("GITHUB_OUTPUT", text(folder.join("output"))),
        ("GITHUB_STEP_SUMMARY", text(folder.join("summary.md"))),
        ("GITHUB_WORKSPACE", text(folder.to_owned())),
    ];
    for file in ["output", "summary.md"] {
        std::fs::write(folder.join(file), "")?;
    }
    Ok(Runner::from_variables(variables.map(|(name, value)| (name.into(), value))))
}

/// A page that shows the comment about as GitHub does.
fn preview(path: &Path, body: &str) -> Result<()> {
    use pulldown_cmark::{Options, Parser, html};
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    let mut inner = String::new();
    html::push_html(&mut inner, Parser::new_ext(body, options));
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style></head>\
         <body><main>{inner}</main></body></html>\n",
        escape::html("bench-bot: preview of the comment")
    );
    std::fs::write(path, page).with_context(|| format!("writing {}", path.display()))
}

const STYLE: &str = "body{font:14px/1.5 -apple-system,'Segoe UI','Noto Sans',Helvetica,Arial,sans-serif;margin:0;\
background:Canvas;color:CanvasText;color-scheme:light dark}main{max-width:52rem;margin:2rem auto;padding:1rem 1.5rem;\
border:1px solid #8888;border-radius:6px;overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0}\
th,td{border:1px solid #8886;padding:.35rem .8rem}code,pre{font:85%/1.45 ui-monospace,'SF Mono',Menlo,Consolas,monospace;\
background:#8882;border-radius:4px}code{padding:.15em .4em}pre{padding:1rem;overflow-x:auto}pre code{padding:0;\
background:none}details{margin:.5rem 0}summary{cursor:pointer}";
