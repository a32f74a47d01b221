#!/usr/bin/env python3
"""Cuts GitHub's OpenAPI description down to the operations that bench-bot uses.

Usage: prune-openapi.py api.github.com.json openapi.json

The source is `generated/api.github.com.json` of the npm package that README.md in this folder names. Prose and examples
are dropped; every schema that a kept operation refers to is kept unchanged.
"""

import json
import sys

REPO = "/repos/{owner}/{repo}"
OPERATIONS = {
    REPO: ["get"],
    REPO + "/actions/artifacts/{artifact_id}/{archive_format}": ["get"],
    REPO + "/actions/runs/{run_id}": ["get"],
    REPO + "/actions/runs/{run_id}/artifacts": ["get"],
    REPO + "/actions/runs/{run_id}/cancel": ["post"],
    REPO + "/check-runs": ["post"],
    REPO + "/check-runs/{check_run_id}": ["patch"],
    REPO + "/collaborators/{username}/permission": ["get"],
    REPO + "/commits/{commit_sha}/pulls": ["get"],
    REPO + "/commits/{ref}": ["get"],
    REPO + "/compare/{basehead}": ["get"],
    REPO + "/contents/{path}": ["get"],
    REPO + "/issues/comments/{comment_id}": ["get", "patch", "delete"],
    REPO + "/issues/comments/{comment_id}/reactions": ["post"],
    REPO + "/issues/comments/{comment_id}/reactions/{reaction_id}": ["delete"],
    REPO + "/issues/{issue_number}/comments": ["get", "post"],
    REPO + "/pulls": ["get"],
    REPO + "/pulls/{pull_number}": ["get"],
    REPO + "/pulls/{pull_number}/files": ["get"],
    REPO + "/statuses/{sha}": ["post"],
}
PROSE = {"description", "summary", "example", "examples", "externalDocs", "tags"}


def bare(node, names=False):
    """A copy without prose. Inside `properties` and other maps of names nothing is prose."""
    if isinstance(node, dict):
        return {
            key: bare(value, key in {"properties", "schemas", "responses", "parameters", "headers", "content"})
            for key, value in node.items()
            if names or not (key in PROSE or key.startswith("x-"))
        }
    return [bare(value) for value in node] if isinstance(node, list) else node


def references(node):
    """Every `$ref` below a node."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def main(source, target):
    with open(source, encoding="utf-8") as file:
        description = json.load(file)
    paths = {
        path: {method: bare(description["paths"][path][method]) for method in methods}
        for path, methods in OPERATIONS.items()
    }
    components, stack = {}, [paths]
    while stack:
        for reference in references(stack.pop()):
            kind, name = reference.split("/", 3)[2:]
            if name not in components.setdefault(kind, {}):
                components[kind][name] = bare(description["components"][kind][name])
                stack.append(components[kind][name])
    cut = {
        "openapi": description["openapi"],
        "info": {key: description["info"][key] for key in ("title", "version", "license")},
        "paths": paths,
        "components": components,
    }
    with open(target, "w", encoding="utf-8") as file:
        json.dump(cut, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
