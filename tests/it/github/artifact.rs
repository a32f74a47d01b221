//! Results that another job kept.

use super::{HEAD, REPO, Rig};
use bench_bot::github::artifact::{ArtifactError, MAX_ARCHIVE, RESULTS};
use bench_bot::github::{Artifact, ErrorKind, Repository};
use bench_bot::standin::state::{Kept, Run};
use bench_bot::standin::{Fault, READ_ONLY_TOKEN, Server};
use std::io::{Cursor, Write};

const RUN: u64 = 55;

/// A zip archive with one file.
fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

/// The digest as the service computes it: over the bytes of the archive.
fn digest(bytes: &[u8]) -> String {
    use sha2::Digest;
    let hash: String = sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hash}")
}

pub(super) fn keep(rig: &Rig, name: &str, archive: Vec<u8>) -> u64 {
    rig.github.with(|state| {
        let id = state.number();
        let repo = state.repositories.get_mut(REPO).unwrap();
        repo.runs.entry(RUN).or_insert_with(|| Run {
            event: "pull_request".to_owned(),
            status: "completed".to_owned(),
            conclusion: Some("success".to_owned()),
            head_branch: "change-7".to_owned(),
            head_sha: HEAD.to_owned(),
        });
        let digest = Some(digest(&archive));
        repo.artifacts.push(Kept { id, name: name.to_owned(), run: RUN, archive, expired: false, digest });
        id
    })
}

pub(super) fn only(repository: &Repository<'_>) -> Artifact {
    let mut found = Repository::newest(repository.artifacts(RUN, None).unwrap(), "bench-bot");
    assert_eq!(found.len(), 1);
    found.remove(0)
}

pub(super) fn results(content: &[u8]) -> Vec<u8> {
    archive(RESULTS, content)
}

#[test]
fn the_results_of_a_run_are_downloaded() {
    let rig = Rig::with_token(READ_ONLY_TOKEN);
    keep(&rig, "bench-bot-result", results(b"{\"schema\":1}"));
    let repository = rig.client.repository(REPO).unwrap();
    let artifact = only(&repository);
    assert_eq!(artifact.workflow_run.as_ref().unwrap().head_sha, HEAD);
    assert_eq!(repository.artifact_file(&artifact, RESULTS).unwrap(), b"{\"schema\":1}");
    rig.github.assert_clean();
}

#[test]
fn shards_are_found_by_their_prefix_over_all_pages_and_the_newest_of_each() {
    let rig = Rig::new();
    for shard in 0..130 {
        keep(&rig, &format!("bench-bot-result-{shard}"), results(b"old"));
    }
    keep(&rig, "coverage", results(b"x"));
    let newer = keep(&rig, "bench-bot-result-3", results(b"newer attempt"));
    let repository = rig.client.repository(REPO).unwrap();
    let found = Repository::newest(repository.artifacts(RUN, None).unwrap(), "bench-bot-result");
    assert_eq!(found.len(), 130);
    assert!(found.iter().any(|artifact| artifact.id == newer));
    let by_name = repository.artifacts(RUN, Some("coverage")).unwrap();
    assert_eq!(by_name.len(), 1);
    rig.github.assert_clean();
}

#[test]
fn a_run_that_kept_nothing_has_no_artifacts() {
    let rig = Rig::new();
    keep(&rig, "bench-bot-result", results(b"x"));
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().artifacts.clear());
    let repository = rig.client.repository(REPO).unwrap();
    assert!(repository.artifacts(RUN, None).unwrap().is_empty());
    assert_eq!(repository.artifacts(1, None).unwrap_err().kind, ErrorKind::NotFound);
    rig.github.assert_clean();
}

#[test]
fn an_expired_artifact_says_so() {
    let rig = Rig::new();
    keep(&rig, "bench-bot-result", results(b"x"));
    let repository = rig.client.repository(REPO).unwrap();
    let artifact = only(&repository);
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().artifacts[0].expired = true);
    let gone = repository.artifact_file(&artifact, RESULTS).unwrap_err();
    assert!(matches!(&gone, ArtifactError::GitHub(error) if error.kind == ErrorKind::Gone), "{gone}");
    let listed = repository.artifacts(RUN, None).unwrap().remove(0);
    assert!(matches!(repository.artifact_file(&listed, RESULTS), Err(ArtifactError::Expired { .. })));
    rig.github.assert_clean();
}

#[test]
fn an_archive_that_is_not_what_github_knows_is_refused() {
    let rig = Rig::new();
    keep(&rig, "bench-bot-result", results(b"x"));
    rig.github.with(|state| state.repositories.get_mut(REPO).unwrap().artifacts[0].digest = Some(digest(b"another")));
    let repository = rig.client.repository(REPO).unwrap();
    let error = repository.artifact_file(&only(&repository), RESULTS).unwrap_err();
    assert!(error.to_string().contains("digest"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn an_archive_that_is_too_large_is_not_downloaded_and_one_that_lies_is_not_read_to_its_end() {
    let rig = Rig::new();
    keep(&rig, "bench-bot-result", vec![0; MAX_ARCHIVE + 1]);
    let repository = rig.client.repository(REPO).unwrap();
    let honest = only(&repository);
    assert!(matches!(repository.artifact_file(&honest, RESULTS), Err(ArtifactError::Refused { .. })));
    assert!(rig.github.exchanges().iter().all(|seen| seen.server != Server::Storage));
    let lying = Artifact { size_in_bytes: 100, ..honest };
    let error = repository.artifact_file(&lying, RESULTS).unwrap_err();
    assert!(error.to_string().contains(&format!("more than {MAX_ARCHIVE} bytes")), "{error}");
    rig.github.assert_clean();
}

#[test]
fn an_address_that_has_ended_is_asked_for_again() {
    let rig = Rig::new();
    let id = keep(&rig, "bench-bot-result", results(b"x"));
    let storage = format!("/artifact/{id}");
    rig.github.fail(Fault::answer(
        "GET",
        &storage,
        403,
        "application/xml",
        "<Error><Code>AuthenticationFailed</Code></Error>",
    ));
    rig.github.fail(Fault::hang_up("GET", &storage));
    let repository = rig.client.repository(REPO).unwrap();
    assert_eq!(repository.artifact_file(&only(&repository), RESULTS).unwrap(), b"x");
    let zips = rig.github.exchanges().iter().filter(|seen| seen.path.ends_with("/zip")).count();
    assert_eq!(zips, 3, "each time a new address");
    rig.github.assert_clean();
}

#[test]
fn a_storage_that_fails_is_named_without_the_signature() {
    let rig = Rig::new();
    let id = keep(&rig, "bench-bot-result", results(b"x"));
    rig.github.fail(Fault::answer("GET", &format!("/artifact/{id}"), 500, "text/plain", "sorry").times(3));
    let repository = rig.client.repository(REPO).unwrap();
    let error = repository.artifact_file(&only(&repository), RESULTS).unwrap_err().to_string();
    assert!(error.contains("answered 500") && error.contains("bench-bot-result"), "{error}");
    assert!(!error.contains("sig=") && !error.contains("secret"), "{error}");
    rig.github.assert_clean();
}

#[test]
fn a_storage_may_redirect_once_more() {
    let rig = Rig::new();
    let first = keep(&rig, "bench-bot-result", results(b"x"));
    let moved = format!("{}/artifact/{first}", rig.github.storage_url());
    rig.github.fail(Fault::redirect("GET", &format!("/artifact/{first}"), 307, &moved));
    let repository = rig.client.repository(REPO).unwrap();
    assert_eq!(repository.artifact_file(&only(&repository), RESULTS).unwrap(), b"x");
    rig.github.assert_clean();
}
