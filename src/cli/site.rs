//! Where a run works: a private folder, a repository of ours, two checkouts.

use crate::detect;
use crate::git::{CheckoutOptions, Checkouts, Repository, Workspace};
use crate::request::Request;
use crate::side::{PerSide, Side};
use anyhow::{Context, Result};
use std::path::Path;

/// Two checkouts and what made them. Dropping it removes everything.
pub(crate) struct Site {
    pub(crate) repository: Repository,
    pub(crate) checkouts: Checkouts,
    /// Hash of the policy as it was asked for, before detection completed it.
    pub(crate) config_hash: String,
    // Last: the folder goes when nothing uses it any more.
    pub(crate) workspace: Workspace,
}

impl Site {
    /// Checks out both commits of `request`, puts overlays in place, and fills in what the configuration leaves to
    /// detection.
    ///
    /// # Errors
    /// When a commit is missing, a tree is refused, or nothing is found to run.
    pub(crate) fn open(workspace: Workspace, repository: Repository, request: &mut Request) -> Result<Self> {
        let server = request.origin.as_ref().map_or("", |origin| origin.server.as_str());
        let options = CheckoutOptions::of(&request.config.suites, server);
        let pinned = request.commits.clone();
        let commits = pinned.as_ref().map(|commit| commit.sha.as_str());
        let checkouts = repository.checkouts(&workspace, commits, &options)?;
        let config_hash = request.config_hash();
        complete(request, &checkouts)?;
        let alone = request.config.suites.len() == 1;
        for suite in &request.config.suites {
            let Some(overlay) = &suite.overlay else { continue };
            let written =
                repository.overlay(&checkouts, commits, overlay).with_context(|| format!("suite {}", suite.name))?;
            request.notes.push(format!(
                "suite {}: {} from {} {} put into {} before its setup{}{}",
                suite.name,
                written.join(", "),
                overlay.from,
                if written.len() == 1 { "was" } else { "were" },
                overlay.to,
                if alone { "" } else { "; all suites of that side share it" },
                if overlay.to == Side::Base { "; base's numbers depend on the pull request by that" } else { "" },
            ));
        }
        request.notes.extend(checkouts.warnings.iter().cloned());
        Ok(Self { repository, checkouts, config_hash, workspace })
    }

    /// The folder for whatever a run writes beside its checkouts.
    pub(crate) fn folder(&self) -> &Path {
        self.workspace.path()
    }
}

/// Detects what the configuration leaves open, and says so in the request.
fn complete(request: &mut Request, checkouts: &Checkouts) -> Result<()> {
    let open = request.config.suites.is_empty()
        || request
            .config
            .suites
            .iter()
            .any(|suite| Side::BOTH.iter().any(|side| suite.sides.get(*side).run.is_empty()));
    if !open {
        return Ok(());
    }
    let file = match &request.config_source {
        crate::request::ConfigSource::File(path) => Some(path.clone()),
        _ => None,
    };
    let mut source = crate::config::Source { file, ..crate::config::Source::default() };
    let trees = PerSide { base: &*checkouts.folders.base.tree, head: &*checkouts.folders.head.tree };
    detect::complete(&mut request.config, &mut source, trees)?;
    request.suites = crate::gate::resolve_suites(&request.suites, &request.config)?;
    if let Some(sentence) = source.detected {
        request.notes.push(sentence.clone());
        if !matches!(request.config_source, crate::request::ConfigSource::File(_)) {
            request.config_source = crate::request::ConfigSource::Detected(sentence);
        }
    }
    Ok(())
}
