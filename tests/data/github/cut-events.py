#!/usr/bin/env python3
"""Cuts the webhook examples that README.md in this folder names down to the events that bench-bot reads.

Usage: cut-events.py index.json FOLDER

API addresses, links and empty values are dropped, nothing is renamed. Events that the examples lack are derived from one
of them; what is changed is in `derived`.
"""

import copy
import json
import pathlib
import sys


def cut(node):
    """A copy without addresses of the API and without links."""
    if isinstance(node, dict):
        return {
            key: cut(value)
            for key, value in node.items()
            if not (key == "_links" or key == "url" or (key.endswith("_url") and key not in ("html_url", "clone_url")))
        }
    return [cut(value) for value in node] if isinstance(node, list) else node


def fork(event):
    """The pull request's head is in somebody's fork."""
    head = event["pull_request"]["head"]
    head["label"] = "stranger:changes"
    head["user"] = {**head["user"], "login": "stranger", "id": 4242}
    head["repo"] = {
        **head["repo"],
        "id": 424242,
        "full_name": "stranger/Hello-World",
        "fork": True,
        "owner": {**head["repo"]["owner"], "login": "stranger", "id": 4242},
    }
    event["pull_request"]["user"] = {**event["pull_request"]["user"], "login": "stranger", "id": 4242}
    event["pull_request"]["author_association"] = "NONE"


def deleted_fork(event):
    """The fork was deleted after the pull request was opened."""
    fork(event)
    event["pull_request"]["head"]["repo"] = None


def on_pull_request(event):
    """The comment is on a pull request, by somebody who is no member, and is a command."""
    event["issue"]["pull_request"] = {"html_url": event["issue"]["html_url"], "merged_at": None}
    event["comment"]["body"] = "/bench suite=codec"
    event["comment"]["author_association"] = "NONE"


def later_push(event):
    """The branch was there before: a commit precedes the push."""
    event["before"] = "59b20b8d5c6ff8d09518216e87bc6b0e3c7e3b2a"
    event["created"] = False


def fork_run(event):
    """The run was started by a pull request from a fork, and has ended well."""
    run = event["workflow_run"]
    run["event"] = "pull_request"
    run["status"] = "completed"
    run["conclusion"] = "success"
    run["head_branch"] = "changes"
    run["pull_requests"] = []
    run["head_repository"] = {**run["repository"], "id": 424242, "full_name": "stranger/octo-repo", "fork": True}


def for_pull_request(event):
    """Somebody filled in the form: every value is a string, those left out are empty."""
    event["inputs"] = {"pr": "7", "base": "", "head": "", "suite": "codec"}


def main(source, folder):
    with open(source, encoding="utf-8") as file:
        examples = {entry["name"]: entry["examples"] for entry in json.load(file)}

    def first(name, action=None):
        return cut(next(e for e in examples[name] if action is None or e.get("action") == action))

    def derived(event, change):
        event = copy.deepcopy(event)
        change(event)
        return event

    opened = first("pull_request", "opened")
    comment = first("issue_comment", "created")
    push = cut(next(e for e in examples["push"] if e["ref"].startswith("refs/heads/") and e["created"]))
    events = {
        "pull_request.opened": opened,
        "pull_request.synchronize": first("pull_request", "synchronize"),
        "pull_request.fork": derived(opened, fork),
        "pull_request.deleted-fork": derived(opened, deleted_fork),
        "issue_comment.issue": comment,
        "issue_comment.pull_request": derived(comment, on_pull_request),
        "issue_comment.edited": derived(first("issue_comment", "edited"), on_pull_request),
        "workflow_dispatch.empty": first("workflow_dispatch"),
        "workflow_dispatch.pull_request": derived(first("workflow_dispatch"), for_pull_request),
        "workflow_run.completed": first("workflow_run", "completed"),
        "workflow_run.fork": derived(first("workflow_run", "completed"), fork_run),
        "merge_group": first("merge_group", "checks_requested"),
        "push": derived(push, later_push),
        "push.new-branch": push,
    }
    for name, event in events.items():
        text = json.dumps(event, indent=1, ensure_ascii=False) + "\n"
        pathlib.Path(folder, f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
