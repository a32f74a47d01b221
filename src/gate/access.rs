//! Who may run what, and beside what. Whatever cannot be found out is a "no".

use super::refusal::{Refusal, permission};
use crate::config::{ForkApproval, Permission};
use crate::github::{PullRequest, Repository, RepositoryPermission, User};

/// Checks that `user` has at least `needed` on the repository. The association that an event claims is not looked at: it
/// is wrong both ways.
///
/// # Errors
/// When they have not, or GitHub does not say so beyond doubt.
pub fn check_permission(repository: &Repository<'_>, user: &User, needed: Permission) -> Result<(), Refusal> {
    let refuse = |reason: String| Err(Refusal::NotPermitted { login: user.login.clone(), reason });
    let answer = match repository.permission(&user.login) {
        Ok(Some(answer)) => answer,
        Ok(None) => return refuse(format!("it takes `{}`, and they are no collaborator", permission(needed))),
        Err(error) => return refuse(format!("whether they may cannot be found out: {error}")),
    };
    // A login can change hands between the comment and now; the number cannot.
    if answer.user.as_ref().is_none_or(|found| found.id != user.id || user.id == 0) {
        return refuse("the account that commented is not the one that has this name now".to_owned());
    }
    match rank(&answer) {
        Some(has) if has >= needed && has > Permission::None => Ok(()),
        Some(has) => refuse(format!("it takes `{}`, and they have `{}`", permission(needed), permission(has))),
        None => refuse("GitHub names a permission that is not known".to_owned()),
    }
}

/// The permission that an answer stands for; a custom role counts as what the older word says.
fn rank(answer: &RepositoryPermission) -> Option<Permission> {
    let exact = match answer.role_name.as_str() {
        "admin" => Some(Permission::Admin),
        "maintain" => Some(Permission::Maintain),
        "write" => Some(Permission::Write),
        "triage" => Some(Permission::Triage),
        "read" => Some(Permission::Read),
        "none" => Some(Permission::None),
        _ => None,
    };
    exact.or(match answer.permission.as_str() {
        "admin" => Some(Permission::Admin),
        "write" => Some(Permission::Write),
        "read" => Some(Permission::Read),
        "none" => Some(Permission::None),
        _ => None,
    })
}

/// Checks what approves the code of a fork, and that `head=` is the pull request's head.
///
/// # Errors
/// When the head is another one by now, or a fork's commit has to be named and is not.
pub fn check_head(pull: &PullRequest, named: Option<&str>, approval: ForkApproval) -> Result<(), Refusal> {
    let head = &pull.head.sha;
    match named {
        Some(named) if !head.starts_with(named) => {
            Err(Refusal::HeadMoved { asked: named.to_owned(), now: head.clone() })
        }
        None if pull.is_fork() && approval == ForkApproval::Sha => Err(Refusal::ForkNotAllowed { head: head.clone() }),
        _ => Ok(()),
    }
}

/// Checks that one job may both hold the event's token and run this code. A fork's code may do so only where GitHub
/// gives the event a token that cannot write, and never on a machine that outlives the job.
///
/// # Errors
/// When another workflow file is needed; no input overrides that.
pub fn check_one_job(event: &str, fork: bool, self_hosted: bool) -> Result<(), Refusal> {
    let example = "docs/examples/comment.yml, where the job that runs the code has no token";
    let refuse = |why: String| Err(Refusal::OneJob(why));
    if fork && self_hosted {
        return refuse(format!("the code of a fork does not run in one job on a self-hosted runner: use {example}"));
    }
    if fork && event != "pull_request" {
        return refuse(format!(
            "on `{event}` the job has a token that can write, so a fork's code does not run in it: use {example}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(role: &str, word: &str) -> RepositoryPermission {
        RepositoryPermission { permission: word.to_owned(), role_name: role.to_owned(), user: None }
    }

    #[test]
    fn the_exact_role_counts_and_a_custom_one_is_what_the_older_word_says() {
        use Permission::{Admin, Maintain, None as Nothing, Read, Triage, Write};
        for (role, word, expected) in [
            ("admin", "admin", Some(Admin)),
            ("maintain", "write", Some(Maintain)),
            ("write", "write", Some(Write)),
            ("triage", "read", Some(Triage)),
            ("read", "read", Some(Read)),
            ("none", "none", Some(Nothing)),
            ("security-team", "write", Some(Write)),
            ("", "admin", Some(Admin)),
            ("owner", "owner", None),
            ("", "", None),
        ] {
            assert_eq!(rank(&answer(role, word)), expected, "{role} {word}");
        }
    }

    #[test]
    fn one_job_runs_a_forks_code_only_beside_a_token_that_cannot_write() {
        for event in ["pull_request", "issue_comment", "workflow_dispatch", "workflow_run"] {
            assert_eq!(check_one_job(event, false, true), Ok(()), "{event}");
            assert_eq!(check_one_job(event, true, false).is_ok(), event == "pull_request", "{event}");
            assert!(check_one_job(event, true, true).is_err(), "{event}");
        }
    }
}
