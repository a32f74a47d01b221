//! A pull request, whoever asked for it: pin, read the policy, build the request, say that it is on its way.

use super::arguments::{self, Selection};
use super::command::Arguments;
use super::pin::{self, Base};
use super::policy::Policy;
use super::refusal::{Refusal, short};
use super::{Allowed, Decision, Form, Gate, GateError, access, nothing};
use crate::actions::event::PullRequestEvent;
use crate::config::{CommentMode, Config, SuitesFrom};
use crate::github::comment::{self, Marker, Meta, State, Sticky};
use crate::github::{ErrorKind, PullRequest};
use crate::publish::{News, Notice, notice};
use crate::request::{Commit, ConfigSource, Origin, Request, SCHEMA};
use crate::side::PerSide;

/// Who asks for a pull request to be measured, and how.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    /// The event that started the run that measures.
    pub(super) event: &'a str,
    /// Arguments of a command; none for everything else.
    pub(super) arguments: Arguments,
    /// The comment that has the command.
    pub(super) comment: Option<u64>,
    /// The run that measures, and its attempt.
    pub(super) run: (u64, u64),
}

impl Gate<'_> {
    /// `pull_request`.
    pub(super) fn pull_request(&self, event: &PullRequestEvent) -> Result<Decision, GateError> {
        let pull = &event.pull_request;
        if event.action == "closed" || !pull.is_open() {
            return Ok(nothing("the pull request is closed"));
        }
        if pull.draft {
            return Ok(nothing(
                "the pull request is a draft: mark it ready for review, or write `/bench` in a comment",
            ));
        }
        let policy = self.policy(&pull.base.reference)?;
        let (run, attempt, _) = self.this_run();
        let ask = Ask { event: "pull_request", arguments: Arguments::default(), comment: None, run: (run, attempt) };
        self.for_pull_request(pull, policy, ask)
    }

    /// The policy at the tip of a branch.
    pub(super) fn policy(&self, branch: &str) -> Result<Policy, GateError> {
        let tip = pin::tip(self.repository, branch)?;
        Policy::read(self.repository, tip, self.inputs.config_path())
    }

    /// The request for a pull request. Its head is the one that `pull` has: it is not looked at again.
    pub(super) fn for_pull_request(
        &self,
        pull: &PullRequest,
        policy: Policy,
        ask: Ask<'_>,
    ) -> Result<Decision, GateError> {
        let fork = pull.is_fork();
        if self.form == Form::OneJob {
            access::check_one_job(ask.event, fork, self.is_self_hosted())?;
        }
        let head =
            pin::given(self.repository, &pull.head.sha, pull.head.label.as_deref().unwrap_or(&pull.head.reference))?;
        let mut notes = Vec::new();
        let mut policy = policy;
        self.take_suites(&mut policy, &head, fork, &mut notes)?;
        let Policy { mut config, source, tip, .. } = policy;
        let Selection { suites, filter, notes: more } =
            arguments::apply(&mut config, &self.inputs, &ask.arguments).map_err(Refusal::Command)?;
        notes.extend(more);
        let wanted = ask.arguments.base.as_ref().or(self.inputs.base.as_ref()).unwrap_or(&config.compare.base);
        // The policy may be another branch's than the one that the pull request goes to.
        let target =
            if tip.label == pull.base.reference { tip } else { pin::tip(self.repository, &pull.base.reference)? };
        let base = pin::base(self.repository, wanted, &target, &head)?;
        self.check_different(&base.commit, &head, &config)?;
        notes.extend(self.changes_of_policy(pull.number, &config));
        let origin = self.origin(&ask, Some(pull.number), fork);
        let request = self.request(base, head, origin, (config, source), (suites, filter, notes));
        let mut allowed = Allowed { request, warnings: Vec::new() };
        if self.form != Form::Report {
            self.say_running(pull, &mut allowed);
        }
        Ok(Decision::Run(Box::new(allowed)))
    }

    /// Head's own suites, where nobody has any or the policy lets it.
    fn take_suites(
        &self,
        policy: &mut Policy,
        head: &Commit,
        fork: bool,
        notes: &mut Vec<String>,
    ) -> Result<(), GateError> {
        let branch = policy.tip.label.clone();
        if !policy.exists && policy.take_suites(self.repository, head, fork)? {
            policy.source = ConfigSource::HeadFirstTime(policy.path.clone());
            notes.push(format!(
                "{branch} has no {} yet: the suites are the pull request's own, and everything else is default",
                policy.path
            ));
        } else if policy.exists
            && policy.config.command.suites_from == SuitesFrom::Head
            && !fork
            && policy.take_suites(self.repository, head, fork)?
        {
            notes.push(format!("the suites are the pull request's own (suites-from: head in {branch})"));
        }
        Ok(())
    }

    /// Two equal commits are an error, unless something else differs.
    pub(super) fn check_different(&self, base: &Commit, head: &Commit, config: &Config) -> Result<(), Refusal> {
        let differ = config.suites.iter().any(|suite| suite.sides.base != suite.sides.head);
        if base.sha == head.sha && !differ && !self.inputs.calibration {
            return Err(Refusal::SameCommit(head.sha.clone()));
        }
        Ok(())
    }

    /// Notes on files of the policy that the pull request changes: its own versions had no effect.
    fn changes_of_policy(&self, number: u64, config: &Config) -> Vec<String> {
        let path = self.inputs.config_path();
        let template = config.report.template.as_ref().map(|template| template.path.as_str());
        match self.repository.changed_files(number) {
            Ok(files) => {
                let ours = |file: &&String| file.as_str() == path || Some(file.as_str()) == template;
                let note = |file: &String| {
                    format!("the pull request changes {file}; what the target branch has of it was used")
                };
                files.iter().filter(ours).map(note).collect()
            }
            Err(error) => {
                tracing::warn!("{error}");
                vec![format!("whether the pull request changes {path} is not known: its files cannot be listed")]
            }
        }
    }

    pub(super) fn origin(&self, ask: &Ask<'_>, pull_request: Option<u64>, fork: bool) -> Origin {
        Origin {
            repository: self.repository.name().to_owned(),
            event: ask.event.to_owned(),
            pull_request,
            fork,
            comment: ask.comment,
            run: ask.run.0,
            attempt: ask.run.1,
            server: self.runner.server_url().to_owned(),
        }
    }

    pub(super) fn request(
        &self,
        base: Base,
        head: Commit,
        origin: Origin,
        (config, config_source): (Config, ConfigSource),
        (suites, filter, notes): (Vec<String>, String, Vec<String>),
    ) -> Request {
        Request {
            schema: SCHEMA,
            commits: PerSide { base: base.commit, head },
            base_behind: base.behind,
            base_explicit: base.explicit,
            origin: Some(origin),
            config,
            config_source,
            suites,
            filter,
            shard: None,
            seed: None,
            calibration: self.inputs.calibration,
            notes,
        }
    }

    /// The comment says that a run is on its way. GitHub may refuse: the run goes on without.
    fn say_running(&self, pull: &PullRequest, allowed: &mut Allowed) {
        let (run, attempt, url) = self.this_run();
        let Allowed { request, warnings } = allowed;
        if pull.locked {
            warnings.push("The conversation is locked: the report will be in the step summary.".to_owned());
            return;
        }
        let (base, head) = (&request.commits.base.sha, &request.commits.head.sha);
        let asked = request.origin.as_ref().is_some_and(|origin| origin.comment.is_some());
        let news = News::of_state(State::Running);
        let mut meta = Meta::new(run, attempt, base, head, State::Running);
        meta.at = self.now.to_string();
        let sticky = Sticky {
            pull_request: pull.number,
            marker: Marker::report(&request.config.report.name),
            meta,
            mode: CommentMode::Update,
            // Whoever asked wants an answer; a push wants one if every push is to have one.
            create: asked || news.wants_comment(request.config.report.comment_on),
            bot_login: self.inputs.bot_login.as_deref(),
        };
        let body = notice(&Notice { state: State::Running, base, head, run_url: url.as_deref(), reason: None });
        match comment::upsert(self.repository, &sticky, |level| (level == 0).then(|| body.clone())) {
            Ok(outcome) => warnings.extend(outcome.warnings),
            // A fork's pull request has a token that can only read, and the report will say so if it matters.
            Err(error) if error.kind == ErrorKind::PermissionMissing => tracing::info!("{error}"),
            Err(error) => warnings.push(format!("{error}. {}", error.hint())),
        }
        tracing::info!("measuring {} against {}", short(head), short(base));
    }
}
