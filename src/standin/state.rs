//! What the stand-in knows: repositories, pull requests, comments, runs. Tests set it up and look at it directly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The account behind the token that a job gets.
pub const BOT: &str = "github-actions[bot]";

/// Everything.
#[derive(Debug, Clone)]
pub struct State {
    /// Repositories, by `owner/name`.
    pub repositories: BTreeMap<String, Repo>,
    /// Accounts, by login.
    pub accounts: BTreeMap<String, Account>,
    /// What each token may do.
    pub tokens: BTreeMap<String, Token>,
    next: u64,
    clock: i64,
}

/// An account.
#[derive(Debug, Clone)]
pub struct Account {
    /// Number.
    pub id: u64,
    /// `User` or `Bot`.
    pub kind: &'static str,
}

/// A token.
#[derive(Debug, Clone)]
pub struct Token {
    /// Whose it is.
    pub login: String,
    /// Whether it is a person's rather than a job's.
    pub personal: bool,
    /// What it may write: `issues`, `pull_requests`, `checks`, `statuses`, `actions`.
    pub writes: BTreeSet<&'static str>,
}

/// A repository.
#[derive(Debug, Clone)]
pub struct Repo {
    /// Number.
    pub id: u64,
    /// `owner/name`.
    pub full_name: String,
    /// Names that it had before: requests to them are redirected.
    pub former_names: Vec<String>,
    /// Whether it is private.
    pub private: bool,
    /// Whether issues are enabled.
    pub has_issues: bool,
    /// Default branch.
    pub default_branch: String,
    /// Pull requests, by number.
    pub pulls: BTreeMap<u64, Pull>,
    /// Comments on issues and pull requests, oldest first.
    pub comments: Vec<Note>,
    /// What accounts may do: `admin`, `maintain`, `write`, `triage`, `read`, or a custom role.
    pub roles: BTreeMap<String, String>,
    /// Commits, by id.
    pub commits: BTreeMap<String, Node>,
    /// Branches and tags, such as `heads/main`, and the commit that they name.
    pub refs: BTreeMap<String, String>,
    /// Files, by commit and path.
    pub files: BTreeMap<(String, String), Vec<u8>>,
    /// Runs of workflows, by number.
    pub runs: BTreeMap<u64, Run>,
    /// Artifacts, oldest first.
    pub artifacts: Vec<Kept>,
    /// Check runs, oldest first.
    pub checks: Vec<Check>,
    /// Statuses, oldest first.
    pub statuses: Vec<Status>,
}

/// A pull request.
#[derive(Debug, Clone)]
pub struct Pull {
    /// Number.
    pub number: u64,
    /// Whether it is open.
    pub open: bool,
    /// Whether it was merged.
    pub merged: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// Title.
    pub title: String,
    /// Login of the author.
    pub author: String,
    /// Branch that it goes to.
    pub base_ref: String,
    /// Tip of that branch.
    pub base_sha: String,
    /// Branch that it comes from.
    pub head_ref: String,
    /// What it proposes.
    pub head_sha: String,
    /// Repository of that branch.
    pub head_repo: HeadRepo,
    /// Heads to come: each time somebody reads the pull request, the next one is pushed right after.
    pub pushes: VecDeque<String>,
    /// Paths that it touches.
    pub changed: Vec<String>,
}

/// Where a pull request comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadRepo {
    /// The repository itself.
    Same,
    /// A fork: `owner/name`.
    Fork(String),
    /// A fork that was deleted.
    Deleted,
}

/// A comment.
#[derive(Debug, Clone)]
pub struct Note {
    /// Number.
    pub id: u64,
    /// Number of the issue or pull request.
    pub on: u64,
    /// Login of the author; `None` for an account that was deleted.
    pub author: Option<String>,
    /// Text.
    pub body: String,
    /// Why it is hidden, if it is.
    pub minimized: Option<String>,
    /// When it was made, RFC 3339.
    pub created: String,
    /// When it was edited, RFC 3339.
    pub updated: String,
    /// Reactions: number, login, content.
    pub reactions: Vec<(u64, String, String)>,
    /// Edits to come: each time the comment is edited, another writer puts in the next of these right after.
    pub overwrites: VecDeque<String>,
}

/// A commit.
#[derive(Debug, Clone)]
pub struct Node {
    /// Message.
    pub message: String,
    /// Parents.
    pub parents: Vec<String>,
}

/// A run of a workflow.
#[derive(Debug, Clone)]
pub struct Run {
    /// Event that started it.
    pub event: String,
    /// `in_progress`, `completed` …
    pub status: String,
    /// `success`, `cancelled` …
    pub conclusion: Option<String>,
    /// Branch.
    pub head_branch: String,
    /// Commit.
    pub head_sha: String,
}

/// An artifact.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Number.
    pub id: u64,
    /// Name.
    pub name: String,
    /// The run that made it.
    pub run: u64,
    /// The zip archive.
    pub archive: Vec<u8>,
    /// Whether it can no longer be had.
    pub expired: bool,
    /// `sha256:…`, as the service has it.
    pub digest: Option<String>,
}

/// A check run.
#[derive(Debug, Clone)]
pub struct Check {
    /// Number.
    pub id: u64,
    /// Name.
    pub name: String,
    /// Commit.
    pub head_sha: String,
    /// `success`, `failure`, `neutral` …; `None` while it is in progress.
    pub conclusion: Option<String>,
    /// Title.
    pub title: String,
    /// Markdown.
    pub summary: String,
}

/// A status of a commit.
#[derive(Debug, Clone)]
pub struct Status {
    /// Commit.
    pub sha: String,
    /// Context.
    pub context: String,
    /// State.
    pub state: String,
}

impl Default for State {
    fn default() -> Self {
        let accounts = BTreeMap::from([(BOT.to_owned(), Account { id: 41_898_282, kind: "Bot" })]);
        let writes = BTreeSet::from(["actions", "checks", "issues", "pull_requests", "statuses"]);
        let token = |login: &str, personal, writes| Token { login: login.to_owned(), personal, writes };
        let tokens = BTreeMap::from([
            (super::TOKEN.to_owned(), token(BOT, false, writes.clone())),
            (super::READ_ONLY_TOKEN.to_owned(), token(BOT, false, BTreeSet::new())),
            (super::PERSONAL_TOKEN.to_owned(), token("octocat", true, writes)),
        ]);
        Self { repositories: BTreeMap::new(), accounts, tokens, next: 1_000, clock: 0 }
    }
}

impl State {
    /// A number that nothing has yet, larger than all before.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The time, a second later with every call: the clock of tests.
    pub fn time(&mut self) -> String {
        const START: i64 = 1_767_600_000;
        self.clock += 1;
        jiff::Timestamp::from_second(START + self.clock).map(|time| time.to_string()).unwrap_or_default()
    }

    /// A public repository with one commit on its branch `main`; its name is `owner/name`.
    pub fn add_repository(&mut self, full_name: &str) -> &mut Repo {
        let id = self.number();
        let first = format!("{id:040x}");
        let repo = Repo {
            id,
            full_name: full_name.to_owned(),
            former_names: Vec::new(),
            private: false,
            has_issues: true,
            default_branch: "main".to_owned(),
            pulls: BTreeMap::new(),
            comments: Vec::new(),
            roles: BTreeMap::new(),
            commits: BTreeMap::from([(first.clone(), Node { message: "Begin".to_owned(), parents: Vec::new() })]),
            refs: BTreeMap::from([("heads/main".to_owned(), first)]),
            files: BTreeMap::new(),
            runs: BTreeMap::new(),
            artifacts: Vec::new(),
            checks: Vec::new(),
            statuses: Vec::new(),
        };
        self.repositories.entry(full_name.to_owned()).insert_entry(repo).into_mut()
    }

    /// A comment by `author` on issue or pull request `on`; its number.
    ///
    /// # Panics
    /// When there is no such repository: the test is wrong.
    pub fn add_comment(&mut self, full_name: &str, on: u64, author: &str, body: &str) -> u64 {
        let (id, created) = (self.number(), self.time());
        self.account(author);
        let note = Note {
            id,
            on,
            author: Some(author.to_owned()),
            body: body.to_owned(),
            minimized: None,
            updated: created.clone(),
            created,
            reactions: Vec::new(),
            overwrites: VecDeque::new(),
        };
        self.repositories.get_mut(full_name).expect("the test made this repository").comments.push(note);
        id
    }

    /// An account, made if it is not there: a bot if its login ends with `[bot]`.
    pub fn account(&mut self, login: &str) -> &Account {
        if !self.accounts.contains_key(login) {
            let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
            let id = self.number();
            self.accounts.insert(login.to_owned(), Account { id, kind });
        }
        &self.accounts[login]
    }
}

impl Repo {
    /// An open pull request from a branch of the repository itself; both commits are made if they are not there.
    pub fn add_pull(&mut self, number: u64, base_sha: &str, head_sha: &str) -> &mut Pull {
        self.add_commit(base_sha, "Base", &[]);
        self.add_commit(head_sha, "Head", &[base_sha]);
        self.refs.insert(format!("pull/{number}/head"), head_sha.to_owned());
        let pull = Pull {
            number,
            open: true,
            merged: false,
            draft: false,
            locked: false,
            title: format!("Change {number}"),
            author: "octocat".to_owned(),
            base_ref: self.default_branch.clone(),
            base_sha: base_sha.to_owned(),
            head_ref: format!("change-{number}"),
            head_sha: head_sha.to_owned(),
            head_repo: HeadRepo::Same,
            pushes: VecDeque::new(),
            changed: vec!["src/lib.rs".to_owned()],
        };
        self.pulls.entry(number).insert_entry(pull).into_mut()
    }

    /// A commit, unless it is there.
    pub fn add_commit(&mut self, sha: &str, message: &str, parents: &[&str]) {
        let parents = parents.iter().map(|&parent| parent.to_owned()).collect();
        self.commits.entry(sha.to_owned()).or_insert(Node { message: message.to_owned(), parents });
    }

    /// The commit that a branch, a tag, or at least seven digits of a commit id name.
    #[must_use]
    pub fn resolve(&self, reference: &str) -> Option<String> {
        let named = ["heads/", "tags/", ""].iter().find_map(|prefix| self.refs.get(&format!("{prefix}{reference}")));
        let begins = |sha: &&String| reference.len() >= 7 && sha.starts_with(reference);
        named.or_else(|| self.commits.keys().find(begins)).cloned()
    }

    /// A commit and everything before it.
    #[must_use]
    pub fn history(&self, sha: &str) -> BTreeSet<String> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![sha.to_owned()]);
        while let Some(sha) = open.pop() {
            if let (Some(node), true) = (self.commits.get(&sha), seen.insert(sha.clone())) {
                open.extend(node.parents.iter().cloned());
            }
        }
        seen
    }

    /// What people see on an issue or pull request: comments that are not hidden.
    #[must_use]
    pub fn visible(&self, number: u64) -> Vec<&Note> {
        self.comments.iter().filter(|note| note.on == number && note.minimized.is_none()).collect()
    }
}
