//! Every role against every level that can be asked for, and every way not to find out.

use super::*;
use bench_bot::standin::Fault;

const LEVELS: [&str; 5] = ["read", "triage", "write", "maintain", "admin"];

#[test]
fn a_role_is_enough_or_it_is_not() {
    for (needed, level) in LEVELS.iter().enumerate() {
        let world = World::configured(&format!("command: {{permission: {level}, cooldown: 0s}}"));
        for (has, role) in LEVELS.iter().enumerate() {
            world.repo(|repo| {
                repo.roles.insert("reader".to_owned(), (*role).to_owned());
                repo.comments.clear();
            });
            let decision = world.decide(&world.says("reader", "/bench")).unwrap();
            assert_eq!(matches!(decision, Decision::Run(_)), has >= needed, "{role} for {level}");
        }
        // A custom role counts as what the older word says of it, which the stand-in makes `read`.
        world.repo(|repo| {
            repo.roles.insert("reader".to_owned(), "security-team".to_owned());
            repo.comments.clear();
        });
        let decision = world.decide(&world.says("reader", "/bench")).unwrap();
        assert_eq!(matches!(decision, Decision::Run(_)), needed == 0, "custom role for {level}");
    }
}

#[test]
fn whoever_has_no_role_may_nothing() {
    let world = World::configured("command: {permission: read}");
    world.repo(|repo| {
        repo.private = true;
    });
    assert!(world.nothing(&world.says("stranger", "/bench")).contains("they have `none`"));
}

#[test]
fn what_cannot_be_found_out_is_a_no() {
    let path = "/repos/org/app/collaborators/maintainer/permission";
    let answer = |body: Value| Fault::answer("GET", path, 200, "application/json", &body.to_string());
    let nobody = json!({"permission": "admin", "role_name": "admin", "user": null});
    let other =
        json!({"permission": "admin", "role_name": "admin", "user": {"login": "maintainer", "id": 1, "type": "User"}});
    let cases = [
        ("403", Fault::refuse("GET", path, 403, "Resource not accessible by integration")),
        ("404", Fault::refuse("GET", path, 404, "Not Found")),
        ("401", Fault::refuse("GET", path, 401, "Bad credentials")),
        ("500", Fault::refuse("GET", path, 500, "Server Error").times(9)),
        ("no JSON", Fault::web_page("GET", path).times(9)),
        ("empty", answer(json!({})).times(9)),
        ("no account", answer(nobody)),
        ("another account", answer(other)),
    ];
    for (name, fault) in cases {
        let world = World::new();
        let comment = world.says("maintainer", "/bench");
        world.github.fail(fault);
        let because = world.nothing(&comment);
        assert!(because.starts_with("`maintainer` may not run benchmarks here: "), "{name}: {because}");
        assert_eq!(world.reactions(), ["-1"], "{name}");
        assert_eq!(world.bot_says(), Vec::<String>::new(), "{name}");
    }
    // A role that nobody knows, with an account that is right.
    let world = World::new();
    let comment = world.says("maintainer", "/bench");
    let id = world.github.with(|state| state.account("maintainer").id);
    let user = json!({"login": "maintainer", "id": id, "type": "User"});
    world.github.fail(answer(json!({"permission": "owner", "role_name": "owner", "user": user})));
    let because = world.nothing(&comment);
    assert!(because.ends_with("GitHub names a permission that is not known"), "{because}");
}
