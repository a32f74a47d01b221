//! The JSON of GitHub's objects, every required field of them: what a client reads must not depend on gaps.

use super::state::{Account, Check, HeadRepo, Kept, Node, Note, Pull, Repo, Run, State};
use serde_json::{Value, json};

const WEB: &str = "https://github.com";
const EPOCH: &str = "2026-01-05T08:00:00Z";

/// Shapes need the API's address and the accounts.
pub(super) struct Shapes<'a> {
    pub(super) api: &'a str,
    pub(super) state: &'a State,
}

/// Base64 of a kind and a number, as GitHub's older node ids are.
pub(super) fn node_id(kind: &str, id: u64) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(format!("{:03}:{kind}{id}", kind.len()))
}

impl Shapes<'_> {
    pub(super) fn user(&self, login: &str) -> Value {
        let url = format!("{}/users/{}", self.api, login.replace('[', "%5B").replace(']', "%5D"));
        let page = match login.strip_suffix("[bot]") {
            Some(app) => format!("{WEB}/apps/{app}"),
            None => format!("{WEB}/{login}"),
        };
        let Account { id, kind } = self.state.accounts.get(login).cloned().unwrap_or(Account { id: 1, kind: "User" });
        json!({
            "login": login, "id": id, "node_id": node_id("User", id), "type": kind, "site_admin": false,
            "avatar_url": format!("{WEB}/avatars/{id}"), "gravatar_id": "",
            "url": url, "html_url": page,
            "followers_url": format!("{url}/followers"),
            "following_url": format!("{url}/following{{/other_user}}"),
            "gists_url": format!("{url}/gists{{/gist_id}}"),
            "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url": format!("{url}/subscriptions"),
            "organizations_url": format!("{url}/orgs"),
            "repos_url": format!("{url}/repos"),
            "events_url": format!("{url}/events{{/privacy}}"),
            "received_events_url": format!("{url}/received_events"),
        })
    }

    pub(super) fn repository(&self, repo: &Repo) -> Value {
        self.named_repository(&repo.full_name, repo.id, repo.private, repo.has_issues, &repo.default_branch, false)
    }

    fn named_repository(&self, name: &str, id: u64, private: bool, issues: bool, branch: &str, fork: bool) -> Value {
        let (owner, short) = name.split_once('/').unwrap_or((name, name));
        let url = format!("{}/repos/{name}", self.api);
        let mut value = json!({
            "id": id, "node_id": node_id("Repository", id), "name": short, "full_name": name, "owner": self.user(owner),
            "private": private, "fork": fork, "url": url, "html_url": format!("{WEB}/{name}"), "description": null,
            "default_branch": branch, "has_issues": issues, "has_projects": true, "has_wiki": true, "has_pages": false,
            "has_downloads": true, "has_discussions": false, "archived": false, "disabled": false, "homepage": null,
            "language": "Rust", "license": null, "mirror_url": null, "size": 108, "forks": 1, "forks_count": 1,
            "open_issues": 1, "open_issues_count": 1, "stargazers_count": 0, "watchers": 0, "watchers_count": 0,
            "network_count": 1, "subscribers_count": 1, "visibility": if private { "private" } else { "public" },
            "pushed_at": EPOCH, "created_at": EPOCH, "updated_at": EPOCH,
            "git_url": format!("git://github.com/{name}.git"), "ssh_url": format!("git@github.com:{name}.git"),
            "clone_url": format!("{WEB}/{name}.git"), "svn_url": format!("{WEB}/{name}"),
        });
        for (field, path) in REPOSITORY_URLS {
            value[*field] = json!(format!("{url}{path}"));
        }
        value
    }

    pub(super) fn comment(&self, repo: &Repo, note: &Note) -> Value {
        let url = format!("{}/repos/{}/issues/comments/{}", self.api, repo.full_name, note.id);
        let kind = if repo.pulls.contains_key(&note.on) { "pull" } else { "issues" };
        let minimized = note.minimized.as_ref().map(|reason| json!({ "reason": reason }));
        json!({
            "id": note.id, "node_id": node_id("IssueComment", note.id), "url": url,
            "html_url": format!("{WEB}/{}/{kind}/{}#issuecomment-{}", repo.full_name, note.on, note.id),
            "issue_url": format!("{}/repos/{}/issues/{}", self.api, repo.full_name, note.on),
            "user": note.author.as_ref().map(|login| self.user(login)),
            "author_association": "NONE", "body": note.body, "created_at": note.created, "updated_at": note.updated,
            "minimized": minimized, "performed_via_github_app": null,
        })
    }

    pub(super) fn reaction(&self, (id, login, content): &(u64, String, String)) -> Value {
        json!({
            "id": id, "node_id": node_id("Reaction", *id), "user": self.user(login), "content": content, "created_at": EPOCH,
        })
    }

    pub(super) fn pull(&self, repo: &Repo, pull: &Pull, complete: bool) -> Value {
        let number = pull.number;
        let id = repo.id * 1_000 + number;
        let mut value = json!({
            "id": id, "node_id": node_id("PullRequest", id), "number": number, "title": pull.title, "body": null,
            "state": if pull.open { "open" } else { "closed" }, "locked": pull.locked, "draft": pull.draft,
            "active_lock_reason": if pull.locked { json!("too heated") } else { Value::Null },
            "user": self.user(&pull.author), "author_association": "NONE", "auto_merge": null, "assignee": null,
            "assignees": [], "requested_reviewers": [], "requested_teams": [], "labels": [], "milestone": null,
            "created_at": EPOCH, "updated_at": EPOCH, "merge_commit_sha": null,
            "closed_at": if pull.open { Value::Null } else { json!(EPOCH) },
            "merged_at": if pull.merged { json!(EPOCH) } else { Value::Null },
            "head": self.head(repo, pull), "base": self.base(repo, pull),
        });
        merge(&mut value, self.pull_addresses(repo, pull));
        if complete {
            let comments = repo.comments.iter().filter(|note| note.on == number).count();
            let more = json!({
                "merged": pull.merged, "mergeable": null, "mergeable_state": "unknown", "merged_by": null,
                "comments": comments, "review_comments": 0, "maintainer_can_modify": false, "commits": 1, "additions": 1,
                "deletions": 1, "changed_files": pull.changed.len(), "rebaseable": null,
            });
            merge(&mut value, more);
        }
        value
    }

    fn pull_addresses(&self, repo: &Repo, pull: &Pull) -> Value {
        let web = format!("{WEB}/{}/pull/{}", repo.full_name, pull.number);
        let url = format!("{}/repos/{}/pulls/{}", self.api, repo.full_name, pull.number);
        let issue = format!("{}/repos/{}/issues/{}", self.api, repo.full_name, pull.number);
        let statuses = format!("{}/repos/{}/statuses/{}", self.api, repo.full_name, pull.head_sha);
        let link = |to: &str| json!({ "href": to });
        json!({
            "url": url, "html_url": web, "diff_url": format!("{web}.diff"), "patch_url": format!("{web}.patch"),
            "issue_url": issue, "commits_url": format!("{url}/commits"), "comments_url": format!("{issue}/comments"),
            "review_comments_url": format!("{url}/comments"), "review_comment_url": format!("{url}/comments{{/number}}"),
            "statuses_url": statuses,
            "_links": {
                "self": link(&url), "html": link(&web), "issue": link(&issue), "statuses": link(&statuses),
                "comments": link(&format!("{issue}/comments")), "review_comments": link(&format!("{url}/comments")),
                "review_comment": link(&format!("{url}/comments{{/number}}")), "commits": link(&format!("{url}/commits")),
            },
        })
    }

    fn base(&self, repo: &Repo, pull: &Pull) -> Value {
        let owner = repo.full_name.split('/').next().unwrap_or_default();
        json!({
            "label": format!("{owner}:{}", pull.base_ref), "ref": pull.base_ref, "sha": pull.base_sha,
            "user": self.user(owner), "repo": self.repository(repo),
        })
    }

    fn head(&self, repo: &Repo, pull: &Pull) -> Value {
        let (name, head_repo) = match &pull.head_repo {
            HeadRepo::Same => (repo.full_name.clone(), self.repository(repo)),
            HeadRepo::Fork(name) => {
                (name.clone(), self.named_repository(name, repo.id + 500_000, repo.private, true, "main", true))
            }
            HeadRepo::Deleted => ("ghost/deleted".to_owned(), Value::Null),
        };
        let owner = name.split('/').next().unwrap_or_default();
        json!({
            "label": format!("{owner}:{}", pull.head_ref), "ref": pull.head_ref, "sha": pull.head_sha,
            "user": self.user(owner), "repo": head_repo,
        })
    }

    pub(super) fn commit(&self, repo: &Repo, sha: &str, node: &Node) -> Value {
        let url = format!("{}/repos/{}/commits/{sha}", self.api, repo.full_name);
        let git = format!("{}/repos/{}/git", self.api, repo.full_name);
        let person = json!({ "name": "Octo Cat", "email": "octocat@example.org", "date": EPOCH });
        let parent =
            |sha: &String| json!({ "sha": sha, "url": format!("{}/repos/{}/commits/{sha}", self.api, repo.full_name) });
        json!({
            "sha": sha, "node_id": node_id("Commit", 1), "url": url, "html_url": format!("{WEB}/{}/commit/{sha}", repo.full_name),
            "comments_url": format!("{url}/comments"), "author": null, "committer": null,
            "parents": node.parents.iter().map(parent).collect::<Vec<_>>(),
            "commit": {
                "message": node.message, "author": person, "committer": person, "comment_count": 0,
                "url": format!("{git}/commits/{sha}"), "tree": { "sha": sha, "url": format!("{git}/trees/{sha}") },
            },
        })
    }

    pub(super) fn run(&self, repo: &Repo, id: u64, run: &Run) -> Value {
        let url = format!("{}/repos/{}/actions/runs/{id}", self.api, repo.full_name);
        let repository = self.repository(repo);
        json!({
            "id": id, "node_id": node_id("WorkflowRun", id), "name": "bench", "display_title": "bench", "event": run.event,
            "status": run.status, "conclusion": run.conclusion, "head_branch": run.head_branch, "head_sha": run.head_sha,
            "path": ".github/workflows/bench.yml", "run_number": 1, "run_attempt": 1, "workflow_id": 1,
            "workflow_url": format!("{}/repos/{}/actions/workflows/1", self.api, repo.full_name), "url": url,
            "html_url": format!("{WEB}/{}/actions/runs/{id}", repo.full_name), "created_at": EPOCH, "updated_at": EPOCH,
            "jobs_url": format!("{url}/jobs"), "logs_url": format!("{url}/logs"), "cancel_url": format!("{url}/cancel"),
            "check_suite_url": format!("{}/repos/{}/check-suites/1", self.api, repo.full_name),
            "rerun_url": format!("{url}/rerun"), "artifacts_url": format!("{url}/artifacts"), "pull_requests": [],
            "head_commit": null, "repository": repository, "head_repository": repository,
        })
    }

    pub(super) fn artifact(&self, repo: &Repo, kept: &Kept) -> Value {
        let url = format!("{}/repos/{}/actions/artifacts/{}", self.api, repo.full_name, kept.id);
        let run = repo.runs.get(&kept.run);
        json!({
            "id": kept.id, "node_id": node_id("Artifact", kept.id), "name": kept.name, "size_in_bytes": kept.archive.len(),
            "url": url, "archive_download_url": format!("{url}/zip"), "expired": kept.expired, "digest": kept.digest,
            "created_at": EPOCH, "updated_at": EPOCH, "expires_at": EPOCH,
            "workflow_run": run.map(|run| json!({
                "id": kept.run, "repository_id": repo.id, "head_repository_id": repo.id, "head_branch": run.head_branch,
                "head_sha": run.head_sha,
            })),
        })
    }

    pub(super) fn check(&self, repo: &Repo, check: &Check) -> Value {
        let url = format!("{}/repos/{}/check-runs/{}", self.api, repo.full_name, check.id);
        json!({
            "id": check.id, "node_id": node_id("CheckRun", check.id), "name": check.name, "head_sha": check.head_sha, "url": url,
            "html_url": format!("{WEB}/{}/runs/{}", repo.full_name, check.id), "details_url": null, "external_id": "",
            "status": if check.conclusion.is_some() { "completed" } else { "in_progress" }, "conclusion": check.conclusion,
            "started_at": EPOCH, "completed_at": check.conclusion.as_ref().map(|_| EPOCH), "check_suite": { "id": 1 },
            "app": null, "pull_requests": [],
            "output": {
                "title": check.title, "summary": check.summary, "text": null, "annotations_count": 0,
                "annotations_url": format!("{url}/annotations"),
            },
        })
    }
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

/// Addresses below a repository's.
const REPOSITORY_URLS: &[(&str, &str)] = &[
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
];
