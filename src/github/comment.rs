//! One comment for each report on a pull request: created once, edited after, never an older report over a newer one.
//!
//! The way is always the same: list every comment, look at ours, do one thing, and look again if it is not certain that
//! the thing was done. So a lost answer, a second writer and a deleted comment need no rules of their own.

mod marker;

pub use marker::{Marker, Meta, State};

use super::graphql::Classifier;
use super::retry::Attempts;
use super::{Comment, ErrorKind, GitHubError, Repository, Result};
use crate::config::CommentMode;
use std::collections::BTreeSet;
use std::time::Duration;

/// The account behind the token that GitHub gives to a job.
pub const ACTIONS_LOGIN: &str = "github-actions[bot]";

/// Looks at the list at most this often: each look follows something that another writer did meanwhile.
const MAX_LOOKS: usize = 12;

/// Duplicates that one run hides. GitHub asks for a second between two writes.
const MAX_HIDDEN: usize = 20;
const BETWEEN_WRITES: Duration = Duration::from_secs(1);

/// What to say and where.
#[derive(Debug, Clone)]
pub struct Sticky<'a> {
    /// The pull request.
    pub pull_request: u64,
    /// Which comment of ours.
    pub marker: Marker,
    /// What it shows.
    pub meta: Meta,
    /// Edit, or delete and post anew when the run has ended.
    pub mode: CommentMode,
    /// Whether to create a comment where there is none.
    pub create: bool,
    /// The login that we comment as; `None`: `github-actions[bot]`, and whatever GitHub says is the token's own.
    pub bot_login: Option<&'a str>,
}

/// What became of the comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What was done.
    pub action: Action,
    /// Web address of the comment, if there is one.
    pub url: Option<String>,
    /// Its number.
    pub id: Option<u64>,
    /// Which of the smaller forms was posted; 0 is the full one.
    pub level: usize,
    /// What went wrong on the way without stopping it, in words.
    pub warnings: Vec<String>,
}

/// What was done to the comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A new one.
    Created,
    /// An edit of the one that was there.
    Updated,
    /// Nothing: it says the same already.
    Unchanged,
    /// Nothing: it shows a newer run.
    LeftNewer,
    /// Nothing: there was none, and none was wanted.
    NotWanted,
    /// A new one in place of the old one.
    Recreated,
}

/// Brings the comment to what `bodies` says. `bodies(0)` is the full text, `bodies(1)` the next smaller form and so on;
/// `None` when there is none smaller. Marker and metadata are added here.
///
/// # Errors
/// When GitHub refuses, cannot be reached, or even the smallest form is too long.
pub fn upsert(
    repository: &Repository<'_>,
    sticky: &Sticky<'_>,
    mut bodies: impl FnMut(usize) -> Option<String>,
) -> Result<Outcome> {
    let Some(first) = bodies(0) else {
        return Err(GitHubError::local("there is no text for the comment".to_owned()));
    };
    Writer {
        repository,
        sticky,
        bodies: &mut bodies,
        level: 0,
        text: sticky.marker.wrap(&sticky.meta, &first),
        meta: sticky.meta.clone(),
        body: first,
        attempts: Attempts::new(repository.client().limits()),
        not_ours: BTreeSet::new(),
        replaced: BTreeSet::new(),
        posted: false,
        warnings: Vec::new(),
    }
    .write()
}

/// Every comment of ours with `marker` on a pull request, oldest first: for whoever needs to know the last run.
///
/// # Errors
/// When GitHub refuses or cannot be reached.
pub fn find(
    repository: &Repository<'_>,
    number: u64,
    marker: &Marker,
    bot_login: Option<&str>,
) -> Result<Vec<Comment>> {
    let mut warnings = Vec::new();
    let ours = mine(repository, number, marker, bot_login, &mut warnings)?;
    warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    Ok(ours)
}

struct Writer<'a> {
    repository: &'a Repository<'a>,
    sticky: &'a Sticky<'a>,
    bodies: &'a mut dyn FnMut(usize) -> Option<String>,
    level: usize,
    text: String,
    meta: Meta,
    body: String,
    attempts: Attempts<'a>,
    /// Comments that look like ours and may not be edited or are gone.
    not_ours: BTreeSet<u64>,
    /// Comments that a new one took the place of.
    replaced: BTreeSet<u64>,
    /// A POST was sent, whatever became of it.
    posted: bool,
    warnings: Vec<String>,
}

/// What an attempt led to.
enum Step {
    Finished(Outcome),
    LookAgain,
}

impl Writer<'_> {
    fn write(mut self) -> Result<Outcome> {
        for _ in 0..MAX_LOOKS {
            let ours = self.look()?;
            self.remember_when(&ours);
            match self.act(&ours)? {
                Step::Finished(outcome) => return Ok(outcome),
                Step::LookAgain => {}
            }
        }
        Err(GitHubError::local("other writers keep changing the comment; nothing was settled".to_owned()))
    }

    /// Takes over when the run was asked for from what the comment says of the same run: cool-downs count from then.
    fn remember_when(&mut self, ours: &[Comment]) {
        if !self.meta.at.is_empty() {
            return;
        }
        let same_run = |meta: &Meta| meta.run == self.meta.run && !meta.at.is_empty();
        if let Some(known) = ours.iter().filter_map(|comment| Meta::of(&comment.body)).find(same_run) {
            self.meta.at = known.at;
            self.text = self.sticky.marker.wrap(&self.meta, &self.body);
        }
    }

    fn look(&mut self) -> Result<Vec<Comment>> {
        let sticky = self.sticky;
        let ours = mine(self.repository, sticky.pull_request, &sticky.marker, sticky.bot_login, &mut self.warnings)?;
        Ok(ours.into_iter().filter(|comment| !self.not_ours.contains(&comment.id)).collect())
    }

    fn act(&mut self, ours: &[Comment]) -> Result<Step> {
        if let Some(arrived) = ours.iter().find(|comment| self.posted && same(&comment.body, &self.text)) {
            // The POST whose answer was lost had been carried out.
            return self.settle(ours, arrived);
        }
        let newer =
            ours.iter().find(|comment| Meta::of(&comment.body).is_some_and(|meta| meta.outranks(&self.sticky.meta)));
        match (ours.first(), newer) {
            (_, Some(newer)) => Ok(self.finish(Action::LeftNewer, Some(newer))),
            (None, None) if self.sticky.create => self.post(&[]),
            (None, None) => Ok(self.finish(Action::NotWanted, None)),
            (Some(oldest), None) if same(&oldest.body, &self.text) => self.keep(oldest, ours),
            (Some(_), None) if self.recreates() => self.post(ours),
            (Some(oldest), None) => self.patch(oldest, ours),
        }
    }

    /// A run that has ended is posted anew, once: whoever follows the pull request gets a notification.
    fn recreates(&self) -> bool {
        self.sticky.mode == CommentMode::Recreate && self.sticky.meta.state.is_final() && !self.posted
    }

    fn post(&mut self, old: &[Comment]) -> Result<Step> {
        self.replaced = old.iter().map(|comment| comment.id).collect();
        match self.repository.create_comment_once(self.sticky.pull_request, &self.text) {
            Ok(created) => {
                self.posted = true;
                // Another writer may have done the same in this very moment.
                let mut ours = match self.look() {
                    Ok(ours) => ours,
                    Err(error) => {
                        self.warnings.push(format!("whether another report came in between is not known: {error}"));
                        Vec::new()
                    }
                };
                if !ours.iter().any(|comment| comment.id == created.id) {
                    ours.push(created.clone());
                }
                self.settle(&ours, &created)
            }
            Err(error) => self.recover(error),
        }
    }

    /// Leaves one comment after `created` was posted: the oldest that is not to be replaced.
    fn settle(&mut self, ours: &[Comment], created: &Comment) -> Result<Step> {
        let (old, others): (Vec<&Comment>, Vec<&Comment>) = ours
            .iter()
            .filter(|comment| comment.id != created.id)
            .partition(|comment| self.replaced.contains(&comment.id));
        if others.iter().any(|comment| comment.id < created.id) {
            self.remove(created);
            return Ok(Step::LookAgain);
        }
        for comment in &old {
            self.remove(comment);
        }
        let action = if self.replaced.is_empty() { Action::Created } else { Action::Recreated };
        Ok(self.finish(action, Some(created)))
    }

    fn keep(&mut self, oldest: &Comment, ours: &[Comment]) -> Result<Step> {
        self.hide(ours);
        Ok(self.finish(Action::Unchanged, Some(oldest)))
    }

    fn patch(&mut self, oldest: &Comment, ours: &[Comment]) -> Result<Step> {
        match self.repository.update_comment(oldest.id, &self.text) {
            Ok(_) => {}
            Err(error) => match error.kind {
                // Deleted meanwhile, or somebody else's after all: the next look goes without it.
                ErrorKind::NotFound | ErrorKind::Gone | ErrorKind::Forbidden => {
                    self.not_ours.insert(oldest.id);
                    return Ok(Step::LookAgain);
                }
                _ => return self.shrink(error),
            },
        }
        // An older report that had looked before us may have written after us.
        match self.repository.comment(oldest.id) {
            Ok(None) => {
                self.not_ours.insert(oldest.id);
                return Ok(Step::LookAgain);
            }
            Ok(Some(now)) if Meta::of(&now.body).is_some_and(|meta| self.sticky.meta.outranks(&meta)) => {
                return Ok(Step::LookAgain);
            }
            Ok(Some(_)) => {}
            Err(error) => self.warnings.push(format!("whether another report came in between is not known: {error}")),
        }
        self.hide(ours);
        Ok(self.finish(Action::Updated, Some(oldest)))
    }

    /// After a POST that failed: wait, then look whether it was carried out after all.
    fn recover(&mut self, error: Box<GitHubError>) -> Result<Step> {
        self.posted |= error.maybe_applied;
        if error.kind == ErrorKind::BodyTooLong {
            return self.shrink(error);
        }
        let Some(wait) = self.attempts.next(&error) else { return Err(error) };
        tracing::info!("{error}; looking whether it is there in {:.0} s", wait.as_secs_f64());
        if self.repository.client().pause(wait) { Ok(Step::LookAgain) } else { Err(error.stopped()) }
    }

    /// Takes the next smaller form if the text was too long.
    fn shrink(&mut self, error: Box<GitHubError>) -> Result<Step> {
        if error.kind != ErrorKind::BodyTooLong {
            return Err(error);
        }
        let Some(body) = (self.bodies)(self.level + 1) else { return Err(error) };
        self.level += 1;
        self.text = self.sticky.marker.wrap(&self.meta, &body);
        self.body = body;
        Ok(Step::LookAgain)
    }

    /// Deletes a comment of ours, or hides it where that is refused.
    fn remove(&mut self, comment: &Comment) {
        self.not_ours.insert(comment.id);
        let Err(error) = self.repository.delete_comment(comment.id) else { return };
        let hidden = self.repository.minimize(&comment.node_id, Classifier::Outdated);
        if let Err(second) = hidden {
            self.warnings.push(format!("the comment {} stays: {error}; {second}", comment.html_url));
        }
    }

    /// Hides every comment of ours but the oldest.
    fn hide(&mut self, ours: &[Comment]) {
        let shown = ours.iter().skip(1).filter(|comment| comment.minimized.is_none()).take(MAX_HIDDEN);
        for (index, comment) in shown.enumerate() {
            if index > 0 && !self.repository.client().pause(BETWEEN_WRITES) {
                return;
            }
            if let Err(error) = self.repository.minimize(&comment.node_id, Classifier::Duplicate) {
                self.warnings.push(format!("the duplicate {} stays visible: {error}", comment.html_url));
            }
        }
    }

    fn finish(&mut self, action: Action, comment: Option<&Comment>) -> Step {
        self.warnings.dedup();
        Step::Finished(Outcome {
            action,
            url: comment.map(|comment| comment.html_url.clone()),
            id: comment.map(|comment| comment.id),
            level: self.level,
            warnings: std::mem::take(&mut self.warnings),
        })
    }
}

/// Our comments with `marker`, oldest first: the text begins with it, and the author is us. Anybody can quote a marker.
fn mine(
    repository: &Repository<'_>,
    number: u64,
    marker: &Marker,
    bot_login: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Comment>> {
    let mut marked = repository.comments(number)?;
    marked.retain(|comment| marker.opens(&comment.body));
    marked.sort_by_key(|comment| comment.id);
    let by = |comment: &Comment, login: &str| {
        comment.user.as_ref().is_some_and(|user| user.login.eq_ignore_ascii_case(login))
    };
    if let Some(login) = bot_login {
        marked.retain(|comment| by(comment, login));
        return Ok(marked);
    }
    let ours =
        |comment: &Comment| by(comment, ACTIONS_LOGIN) && comment.user.as_ref().is_some_and(|user| user.kind == "Bot");
    let unclear: Vec<&str> =
        marked.iter().filter(|comment| !ours(comment)).map(|comment| comment.node_id.as_str()).collect();
    // With the token of a person or of another App the author is somebody else; only GitHub knows whether that is us.
    let written = if unclear.is_empty() { Ok(BTreeSet::new()) } else { repository.written_by_us(&unclear) };
    let written = written.unwrap_or_else(|error| {
        warnings.push(format!(
            "a comment begins with bench-bot's marker and it cannot be told whether it is bench-bot's own ({error}); \
             name the account in the input `bot-login`"
        ));
        BTreeSet::new()
    });
    marked.retain(|comment| ours(comment) || written.contains(&comment.node_id));
    Ok(marked)
}

/// Whether two texts are the same to GitHub, which may change line ends and trailing blanks.
fn same(left: &str, right: &str) -> bool {
    let lines =
        |text: &str| -> Vec<String> { text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect() };
    lines(left) == lines(right)
}
