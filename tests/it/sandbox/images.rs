//! Images: by policy, by toolchain, prepared, built; and suites with different ones.

use super::*;
use bench_bot::config::Template;

#[test]
fn prepare_runs_once_as_root_with_a_network_and_without_a_tree() {
    let Some(rig) = Rig::new("prepare_runs_once_as_root_with_a_network_and_without_a_tree") else { return };
    let mut one = suite("s");
    one.prepare = Some(
        "id -u > /opt/prepared; ls /bench >> /opt/prepared 2>&1 || echo no tree >> /opt/prepared; \
         ls /sys/class/net | tr '\\n' ' ' >> /opt/prepared; touch /opt/$(hostname)-$$-$(date +%N)"
            .to_owned(),
    );
    let mut two = suite("two");
    two.prepare.clone_from(&one.prepare);
    let mut exec = rig.begin(&[one, two]).unwrap();
    let (_, sides) = exec.images().next().unwrap();
    assert!(sides.base.prepared && sides.base.reference == IMAGE);
    assert_eq!(sides.base, sides.head);
    let mut seen = Vec::new();
    for side in Side::BOTH {
        for name in ["s", "two"] {
            let mut look = round(side, "cat /opt/prepared; ls /opt");
            look.suite = name.to_owned();
            seen.push(said(&mut exec, &look));
        }
    }
    assert!(seen[0].starts_with("0\n") && seen[0].contains("no tree\neth0 lo "), "{}", seen[0]);
    assert!(seen.iter().all(|text| *text == seen[0]), "one preparation for all: {seen:?}");
    assert_eq!(containers().len(), 3, "one container a side, and the lock");
    drop(exec);
    assert_eq!(docker(&["images", "-q", "--filter", "label=bench-bot.run"]), "", "the prepared image is gone");
}

#[test]
fn a_preparation_that_fails_says_so_and_leaves_nothing() {
    let Some(rig) = Rig::new("a_preparation_that_fails_says_so_and_leaves_nothing") else { return };
    let mut one = suite("s");
    one.prepare = Some("echo looking for libfoo; exit 7".to_owned());
    let error = rig.begin(&[one]).unwrap_err();
    assert!(matches!(&error, SandboxError::Prepare { code: 7, .. }), "{error:?}");
    assert!(error.to_string().contains("looking for libfoo"));
}

#[test]
fn a_dockerfile_of_the_trusted_side_makes_the_image() {
    let Some(rig) = Rig::new("a_dockerfile_of_the_trusted_side_makes_the_image") else { return };
    // What head (or base's old commit) has at that path does not matter.
    for side in Side::BOTH {
        fs::create_dir(rig.tree(side).join("ci")).unwrap();
        fs::write(rig.tree(side).join("ci/Dockerfile"), "FROM scratch\n").unwrap();
    }
    let hostile = "ENTRYPOINT [\"/bin/false\"]\nCMD [\"/bin/false\"]\nUSER nobody\nHEALTHCHECK CMD false\nEXPOSE 80\n\
                   ENV LD_PRELOAD=/evil.so BASH_ENV=/evil GOLANG_VERSION=9\nWORKDIR /nowhere\n";
    let text = format!("FROM {IMAGE}\nRUN echo built > /opt/built\n{hostile}");
    let file = Template { path: "ci/Dockerfile".to_owned(), text };
    let mut one = suite("s");
    for side in Side::BOTH {
        one.sides.get_mut(side).image = None;
        one.sides.get_mut(side).dockerfile = Some(file.clone());
    }
    let mut exec = rig.begin(std::slice::from_ref(&one)).unwrap();
    for side in Side::BOTH {
        let look = "cat /opt/built; echo ${LD_PRELOAD-none} ${BASH_ENV-none} $GOLANG_VERSION; id -u; pwd";
        assert_eq!(said(&mut exec, &round(side, look)), "built\nnone none 9\n1001\n/bench/tree\n");
    }
    drop(exec);
    let broken = Template { text: format!("FROM {IMAGE}\nRUN echo no such package; exit 4\n"), ..file };
    one.sides.base.dockerfile = Some(broken);
    let error = rig.begin(&[one]).unwrap_err();
    let text = format!("{:#}", anyhow::Error::from(error));
    assert!(text.contains("ci/Dockerfile") && text.contains("no such package"), "{text}");
}

#[test]
fn the_image_is_chosen_by_base_and_never_by_head() {
    let Some(rig) = Rig::new("the_image_is_chosen_by_base_and_never_by_head") else { return };
    docker(&["tag", IMAGE, "golang:1.26"]);
    fs::write(rig.tree(Side::Base).join("go.mod"), "module m\ngo 1.26\n").unwrap();
    fs::write(rig.tree(Side::Head).join("go.mod"), "module m\ngo 9.9\n").unwrap();
    let mut one = suite("s");
    for side in Side::BOTH {
        let side = one.sides.get_mut(side);
        side.image = None;
        side.run = "go test -bench=.".to_owned();
    }
    // Not even by a command of its own.
    one.sides.head.run = "cargo bench".to_owned();
    let exec = rig.begin(&[one]).unwrap();
    let (_, sides) = exec.images().next().unwrap();
    assert_eq!(
        (sides.base.reference.as_str(), sides.base.why.as_str()),
        ("docker.io/library/golang:1.26", "by go.mod of base")
    );
    assert_eq!(sides.base, sides.head);
    assert_eq!(exec.digests().base, exec.digests().head);
}

#[test]
fn suites_with_different_images_have_containers_of_their_own_over_one_tree() {
    let Some(rig) = Rig::new("suites_with_different_images_have_containers_of_their_own_over_one_tree") else { return };
    docker(&["tag", IMAGE, "bench-test/plain:1"]);
    let mut other = suite("other");
    other.prepare = Some("touch /opt/other".to_owned());
    let mut exec = rig.begin(&[suite("s"), other]).unwrap();
    assert_eq!(containers().len(), 5, "two a side, and the lock");
    for side in Side::BOTH {
        said(&mut exec, &round(side, "[ ! -e /opt/other ] && echo made > made"));
        let mut look = round(side, "cat made /opt/other");
        look.suite = "other".to_owned();
        assert_eq!(said(&mut exec, &look), "made\n");
    }
    let running = containers().iter().filter(|line| !line.contains("Paused")).count();
    assert_eq!(running, 2, "the one that ran last, and the lock: {:?}", containers());
}

#[test]
fn an_image_that_cannot_be_had_is_named() {
    let Some(rig) = Rig::new("an_image_that_cannot_be_had_is_named") else { return };
    let mut one = suite("s");
    for side in Side::BOTH {
        one.sides.get_mut(side).image = Some("localhost:1/nowhere/image:1".to_owned());
    }
    let error = rig.begin(&[one]).unwrap_err();
    assert!(matches!(error, SandboxError::Image { .. }) && error.to_string().contains("localhost:1/nowhere/image:1"));
}
