//! `issue_comment`: somebody wrote `/bench`, or something else.

use super::access;
use super::busy::{self, Last};
use super::command::{self, Arguments, Command};
use super::policy::Policy;
use super::pull::Ask;
use super::refusal::Refusal;
use super::reply;
use super::{Decision, Gate, GateError, Nothing, nothing};
use crate::actions::event::{EventComment, IssueCommentEvent};
use crate::config::{CommentMode, Config};
use crate::github::comment::{self, Marker, Meta, State, Sticky};
use crate::github::{ErrorKind, PullRequest, User};
use crate::publish::{Notice, notice};

/// A comment with a command, by somebody who may.
struct Asked<'a> {
    comment: &'a EventComment,
    number: u64,
    /// What went wrong without stopping us.
    warnings: Vec<String>,
}

impl Gate<'_> {
    /// `issue_comment`.
    pub(super) fn issue_comment(&self, event: &IssueCommentEvent) -> Result<Decision, GateError> {
        // Whoever edits a comment is not always who wrote it, and what was looked at is not what it says then.
        if event.action != "created" {
            return Ok(nothing(format!(
                "a comment was {}: only new ones are commands",
                super::quote::code(&event.action)
            )));
        }
        if !event.issue.is_pull_request() {
            return Ok(nothing("the comment is on an issue, not on a pull request"));
        }
        if event.issue.state != "open" {
            return Ok(nothing("the pull request is closed"));
        }
        let Some(user) = event.comment.user.as_ref().filter(|user| user.kind != "Bot") else {
            return Ok(nothing("the comment is a bot's"));
        };
        let command = match command::parse(&event.comment.body) {
            Ok(None) => return Ok(nothing("the comment has no line that begins with `/bench`")),
            Ok(Some(command)) => Ok(command),
            Err(error) => Err(error),
        };
        let mut asked = Asked { comment: &event.comment, number: event.issue.number, warnings: Vec::new() };
        match self.obey(event, user, command, &mut asked) {
            Ok(Some(decision)) => Ok(decision),
            Ok(None) => Ok(Decision::Nothing(Nothing {
                because: "the command was answered in a comment".to_owned(),
                warnings: asked.warnings,
            })),
            Err(GateError::Refused(refusal)) => Ok(self.refuse(&refusal, asked)),
            Err(GateError::Config(fault)) => {
                // The one who asked is told, and the job fails: the file is wrong for everybody.
                self.refuse(&Refusal::Config(fault.clone()), asked);
                Err(GateError::Config(fault))
            }
            Err(error) => {
                self.react(&mut asked, "confused");
                Err(error)
            }
        }
    }

    /// Carries a command out; `None` if it was answered and there is nothing to measure.
    fn obey(
        &self,
        event: &IssueCommentEvent,
        user: &User,
        command: Result<Command, command::CommandError>,
        asked: &mut Asked<'_>,
    ) -> Result<Option<Decision>, GateError> {
        let policy = match self.policy(&event.repository.default_branch) {
            // A stranger must not learn what is wrong with the configuration, nor get an answer at all.
            Err(GateError::Config(fault)) => {
                access::check_permission(self.repository, user, Config::default().command.permission)?;
                return Err(fault.into());
            }
            other => other?,
        };
        access::check_permission(self.repository, user, policy.config.command.permission)?;
        match command.map_err(Refusal::Command)? {
            Command::Help => {
                self.react(asked, "eyes");
                self.answer(asked, &reply::help(&policy.config));
                Ok(None)
            }
            Command::Status => {
                self.react(asked, "eyes");
                let last = self.last(asked.number, &policy.config)?;
                let url = last.as_ref().and_then(|last| self.run_url(last.meta.run));
                self.answer(asked, &reply::status(last.as_ref().map(|last| &last.meta), url.as_deref()));
                Ok(None)
            }
            Command::Cancel => self.cancel(asked, &policy.config).map(|()| None),
            Command::Run(arguments) => self.run(*arguments, policy, asked).map(Some),
        }
    }

    fn run(&self, arguments: Arguments, policy: Policy, asked: &mut Asked<'_>) -> Result<Decision, GateError> {
        // The event does not tell the head: it is read here, once.
        let pull: PullRequest = self.repository.pull_request(asked.number)?;
        if !pull.is_open() {
            return Ok(nothing("the pull request is closed"));
        }
        access::check_head(&pull, arguments.head.as_deref(), policy.config.command.fork_approval)?;
        let last = self.last(asked.number, &policy.config)?;
        let (run, attempt, _) = self.this_run();
        busy::check(self.repository, last.as_ref(), &policy.config, (self.now, run), |run| self.run_url(run))?;
        let ask = Ask { event: "issue_comment", arguments, comment: Some(asked.comment.id), run: (run, attempt) };
        let mut decision = self.for_pull_request(&pull, policy, ask)?;
        self.react(asked, "eyes");
        if let Decision::Run(allowed) = &mut decision {
            allowed.warnings.append(&mut asked.warnings);
        }
        Ok(decision)
    }

    fn cancel(&self, asked: &mut Asked<'_>, config: &Config) -> Result<(), GateError> {
        let last = self.last(asked.number, config)?;
        let last = last.filter(|last| last.meta.state == State::Running).ok_or(Refusal::NothingRunning)?;
        let run = last.meta.run;
        let was_running = match self.repository.cancel_run(run) {
            Ok(was_running) => was_running,
            Err(error) if matches!(error.kind, ErrorKind::PermissionMissing | ErrorKind::Forbidden) => {
                asked.warnings.push(error.to_string());
                return Err(Refusal::MayNotCancel.into());
            }
            Err(error) => return Err(error.into()),
        };
        self.react(asked, "eyes");
        // The cancelled run may not come to say so itself.
        let url = self.run_url(run);
        let (base, head) = (last.meta.base.clone(), last.meta.head.clone());
        let body = notice(&Notice {
            state: State::Cancelled,
            base: &base,
            head: &head,
            run_url: url.as_deref(),
            reason: None,
        });
        let marker = Marker::report(self.report_name(config));
        let sticky = self.sticky(asked.number, marker, last.meta.with_state(State::Cancelled));
        self.upsert(asked, &sticky, &body);
        self.answer(asked, &reply::cancelled(url.as_deref(), was_running));
        Ok(())
    }

    fn last(&self, number: u64, config: &Config) -> Result<Option<Last>, GateError> {
        busy::last(self.repository, number, self.report_name(config), self.inputs.bot_login.as_deref())
    }

    /// What the workflow file calls the report, or else the configuration.
    fn report_name<'c>(&'c self, config: &'c Config) -> &'c str {
        self.inputs.name.as_ref().unwrap_or(&config.report.name)
    }

    /// Says no: a reaction, and an answer for whoever may ask.
    fn refuse(&self, refusal: &Refusal, mut asked: Asked<'_>) -> Decision {
        if refusal.is_answered() {
            self.react(&mut asked, "confused");
            self.answer(&mut asked, &reply::refused(refusal));
        } else {
            self.react(&mut asked, "-1");
        }
        Decision::Nothing(Nothing { because: refusal.to_string(), warnings: asked.warnings })
    }

    /// A reaction is a courtesy: a failure is a warning.
    fn react(&self, asked: &mut Asked<'_>, content: &str) {
        if let Err(error) = self.repository.react(asked.comment.id, content) {
            asked.warnings.push(format!("{error}. {}", error.hint()));
        }
    }

    /// The one comment for answers: a hundred wrong commands make one comment.
    fn answer(&self, asked: &mut Asked<'_>, body: &str) {
        let (run, attempt, _) = self.this_run();
        let sticky = self.sticky(asked.number, Marker::reply(), Meta::new(run, attempt, "", "", State::Done));
        self.upsert(asked, &sticky, body);
    }

    fn sticky(&self, pull_request: u64, marker: Marker, meta: Meta) -> Sticky<'_> {
        let (mode, bot_login) = (CommentMode::Update, self.inputs.bot_login.as_deref());
        Sticky { pull_request, marker, meta, mode, create: true, bot_login }
    }

    fn upsert(&self, asked: &mut Asked<'_>, sticky: &Sticky<'_>, body: &str) {
        match comment::upsert(self.repository, sticky, |level| (level == 0).then(|| body.to_owned())) {
            Ok(outcome) => asked.warnings.extend(outcome.warnings),
            Err(error) => asked.warnings.push(format!("{error}. {}", error.hint())),
        }
    }
}
