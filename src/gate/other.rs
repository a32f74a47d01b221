//! Events without a comment: pushes, merge queues, forms, and the end of another workflow.

use super::arguments::{self, Selection};
use super::command::Arguments;
use super::pin::{self, Base};
use super::policy::Policy;
use super::pull::Ask;
use super::refusal::Refusal;
use super::{Allowed, Decision, Form, Gate, GateError, access, nothing};
use crate::actions::event::{MergeGroupEvent, PushEvent, WorkflowDispatchEvent, WorkflowRunEvent};
use crate::config::refname;
use crate::github::PullRequest;
use crate::request::Commit;

impl Gate<'_> {
    /// `push`: what was pushed against what was there before.
    pub(super) fn push(&self, event: &PushEvent) -> Result<Decision, GateError> {
        if event.deleted {
            return Ok(nothing("a branch was deleted"));
        }
        if event.has_no_base() {
            return Ok(nothing("a new branch was pushed: there is nothing before it to compare with"));
        }
        let name = event.reference.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/");
        let head = pin::given(self.repository, &event.after, name)?;
        let base = pin::given(self.repository, &event.before, &format!("{name} before the push"))?;
        // Whoever may push to a branch may also decide how it is measured.
        let policy = Policy::read(self.repository, head.clone(), self.inputs.config_path())?;
        self.plain("push", head, Base { commit: base, behind: None, explicit: true }, policy, false)
    }

    /// `merge_group`: what would be merged against what it would be merged into.
    pub(super) fn merge_group(&self, event: &MergeGroupEvent) -> Result<Decision, GateError> {
        if event.action != "checks_requested" {
            return Ok(nothing("the merge group is gone"));
        }
        let group = &event.merge_group;
        let target = group.base_ref.trim_start_matches("refs/heads/");
        let head = pin::given(self.repository, &group.head_sha, group.head_ref.trim_start_matches("refs/heads/"))?;
        let base = pin::given(self.repository, &group.base_sha, target)?;
        let policy = self.policy(target)?;
        self.plain("merge_group", head, Base { commit: base, behind: None, explicit: true }, policy, false)
    }

    /// `workflow_dispatch`: a pull request, or two refs.
    pub(super) fn workflow_dispatch(&self, event: &WorkflowDispatchEvent) -> Result<Decision, GateError> {
        let inputs = self.inputs.clone().or_form(&event.inputs)?;
        let gate = Gate { inputs, ..*self };
        // An App can start the workflow only with a permission of its own, and is no collaborator.
        if event.sender.kind != "Bot" {
            let policy = gate.policy(&event.repository.default_branch)?;
            let needed = policy.config.command.permission.max(crate::config::Permission::Write);
            access::check_permission(gate.repository, &event.sender, needed)?;
        }
        let (run, attempt, _) = gate.this_run();
        if let Some(number) = gate.inputs.pull_request {
            if gate.inputs.head.is_some() {
                let reason = "a pull request has its own head: leave `head` or `pr` empty".to_owned();
                let value = gate.inputs.head.clone().unwrap_or_default();
                return Err(GateError::Input { name: "head", value, reason });
            }
            let pull = gate.repository.pull_request(number)?;
            if !pull.is_open() {
                return Ok(nothing("the pull request is closed"));
            }
            let policy = gate.policy(&pull.base.reference)?;
            let ask =
                Ask { event: "workflow_dispatch", arguments: Arguments::default(), comment: None, run: (run, attempt) };
            return gate.for_pull_request(&pull, policy, ask);
        }
        gate.dispatch_refs(event)
    }

    fn dispatch_refs(&self, event: &WorkflowDispatchEvent) -> Result<Decision, GateError> {
        let default = &event.repository.default_branch;
        let chosen = event.reference.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/");
        let (head, fork) = self.any_commit(self.inputs.head.as_deref().unwrap_or(chosen))?;
        if self.form == Form::OneJob {
            access::check_one_job("workflow_dispatch", fork, self.is_self_hosted())?;
        }
        let policy = self.policy(default)?;
        let wanted = self.inputs.base.as_ref().unwrap_or(&policy.config.compare.base);
        let base = match wanted.as_str() {
            "merge-base" | "target" => pin::base(self.repository, wanted, &policy.tip, &head)?,
            named => Base { commit: self.any_commit(named)?.0, behind: None, explicit: true },
        };
        self.plain("workflow_dispatch", head, base, policy, fork)
    }

    /// A commit that somebody who may push named. One that is on no branch of ours may be a fork's: the second value.
    fn any_commit(&self, name: &str) -> Result<(Commit, bool), GateError> {
        match pin::named_commit(self.repository, name, &[]) {
            Ok(commit) => Ok((commit, false)),
            Err(GateError::Refused(Refusal::Unreachable { sha, .. })) => {
                Ok((pin::given(self.repository, &sha, name)?, true))
            }
            Err(error) => Err(error),
        }
    }

    /// `workflow_run`: another workflow has measured a pull request. Which one is told by the event, never by what that
    /// workflow left behind.
    pub(super) fn workflow_run(&self, event: &WorkflowRunEvent) -> Result<Decision, GateError> {
        let run = &event.workflow_run;
        if event.action != "completed" {
            return Ok(nothing("the other workflow has not ended"));
        }
        if run.event != "pull_request" {
            return Ok(nothing(format!(
                "the other workflow ran for {}, not for a pull request",
                super::quote::code(&run.event)
            )));
        }
        if self.form != Form::Report {
            return Err(Refusal::OneJob(
                "on `workflow_run` nothing is measured: the workflow that measures is another one, see \
                 docs/examples/fork-report.yml"
                    .to_owned(),
            )
            .into());
        }
        let Some(pull) = self.pull_request_of(event)? else {
            return Ok(nothing("no open pull request has the commit that was measured as its head"));
        };
        let policy = self.policy(&pull.base.reference)?;
        let arguments = Arguments::default();
        let ask = Ask { event: &run.event, arguments, comment: None, run: (run.id, run.run_attempt) };
        self.for_pull_request(&pull, policy, ask)
    }

    /// The one open pull request whose head is what the run measured.
    fn pull_request_of(&self, event: &WorkflowRunEvent) -> Result<Option<PullRequest>, GateError> {
        let run = &event.workflow_run;
        if !refname::is_full_sha(&run.head_sha) {
            return Err(GateError::Event(format!("{:?} is no commit id", run.head_sha)));
        }
        let (Some(branch), Some(repository)) = (&run.head_branch, &run.head_repository) else { return Ok(None) };
        let Some((owner, _)) = repository.full_name.split_once('/') else { return Ok(None) };
        let found = self.repository.pull_requests_from(owner, branch)?;
        let ours: Vec<PullRequest> = found
            .into_iter()
            .filter(|pull| {
                pull.head.sha == run.head_sha && pull.head.repo.as_ref().is_some_and(|head| head.id == repository.id)
            })
            .collect();
        match <[PullRequest; 1]>::try_from(ours) {
            Ok([pull]) => Ok(Some(pull)),
            Err(several) if several.is_empty() => Ok(None),
            Err(several) => {
                let numbers = several.iter().map(|pull| format!("#{}", pull.number)).collect::<Vec<_>>().join(", ");
                Err(GateError::Event(format!("{numbers} have the same head: it cannot be told which one was measured")))
            }
        }
    }

    /// The request for two commits without a pull request.
    fn plain(&self, event: &str, head: Commit, base: Base, policy: Policy, fork: bool) -> Result<Decision, GateError> {
        let Policy { mut config, source, .. } = policy;
        let Selection { suites, filter, notes } =
            arguments::apply(&mut config, &self.inputs, &Arguments::default()).map_err(Refusal::Command)?;
        self.check_different(&base.commit, &head, &config)?;
        let (run, attempt, _) = self.this_run();
        let ask = Ask { event, arguments: Arguments::default(), comment: None, run: (run, attempt) };
        let origin = self.origin(&ask, None, fork);
        let request = self.request(base, head, origin, (config, source), (suites, filter, notes));
        Ok(Decision::Run(Box::new(Allowed { request, warnings: Vec::new() })))
    }
}
