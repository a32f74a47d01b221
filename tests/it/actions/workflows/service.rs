//! What GitHub keeps beside the runs: who holds a concurrency group, and what the reviewers of an environment said.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Shared by all runs of a repository.
#[derive(Clone, Default)]
pub(super) struct Service {
    /// The run that is under way in a group.
    held: Rc<RefCell<BTreeMap<String, u64>>>,
    /// Groups that a later run took from an earlier one.
    cancelled: Rc<RefCell<BTreeSet<(String, u64)>>>,
    /// Environments whose reviewers say no.
    pub(super) rejects: Rc<RefCell<BTreeSet<String>>>,
    /// Jobs that reviewers were asked about: run and environment.
    pub(super) asked: Rc<RefCell<Vec<(u64, String)>>>,
}

impl Service {
    /// A run enters a group. One that is in it already is cancelled, or the new one would have to wait.
    pub(super) fn enter(&self, group: &str, run: u64, cancel_in_progress: bool) {
        let before = self.held.borrow_mut().insert(group.to_owned(), run);
        if let Some(before) = before.filter(|before| *before != run) {
            assert!(cancel_in_progress, "run {run} would wait for {before} in {group}");
            self.cancelled.borrow_mut().insert((group.to_owned(), before));
        }
    }

    /// Whether a later run took the group; otherwise the run leaves it.
    pub(super) fn leave(&self, group: &str, run: u64) -> bool {
        if self.cancelled.borrow_mut().remove(&(group.to_owned(), run)) {
            return true;
        }
        self.held.borrow_mut().remove(group);
        false
    }
}
