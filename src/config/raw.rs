//! The configuration file as it is written: every key optional, values not yet checked.
//!
//! The JSON Schema in `docs/schema/` is made of these types; their doc comments are what an editor shows.

use super::policy::{CommentMode, CommentOn, Correction, FailOn, ForkApproval, Layout, PrimaryTime, SuitesFrom};
use super::value::{Frequency, OneOrMany, Ratio, Switch, Time};
use super::{Isolation, Tuning};
use crate::side::Side;
use crate::unit::Direction;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// The configuration of bench-bot: `.github/bench-bot.yml`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping with keys such as `suites`")]
#[cfg_attr(test, schemars(title = "bench-bot"))]
pub(super) struct RawConfig {
    /// The bench commands. Left out, bench-bot finds out how the repository benchmarks.
    pub(super) suites: Option<Vec<RawSuite>>,
    /// Rounds a side, multiples of 2. Default: `{screen: 8, confirm: 16}`.
    pub(super) rounds: Option<RawRounds>,
    /// Time for all rounds of all suites, without setup. Default: `10m`.
    pub(super) budget: Option<Time>,
    /// Limit of the whole job; measuring ends at a block border. Default: `60m`.
    pub(super) max_time: Option<Time>,
    /// Where commands run. Default: `auto`, which is a container inside Actions and the host elsewhere.
    pub(super) isolation: Option<Isolation>,
    /// Settings of the host.
    pub(super) host: Option<RawHost>,
    /// How base and head are compared.
    pub(super) compare: Option<RawCompare>,
    /// How the result is shown.
    pub(super) report: Option<RawReport>,
    /// Who may use `/bench`, and what its arguments may ask for.
    pub(super) command: Option<RawCommand>,
    /// Whose suites are executed: those of the target branch, or of head if it comes from the same repository.
    /// Default: `base`.
    pub(super) suites_from: Option<SuitesFrom>,
}

/// One bench command.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping with keys such as `run`")]
pub(super) struct RawSuite {
    /// Name, unique in the file. Default: the last part of `directory`, or `bench`.
    pub(super) name: Option<String>,
    /// Folder relative to each side's tree. Default: the tree itself.
    pub(super) directory: Option<String>,
    /// Runs once a side, before any round, with a network: fetch and build here.
    pub(super) setup: Option<String>,
    /// One execution is one round. Left out, bench-bot finds the command in `directory`.
    pub(super) run: Option<String>,
    /// Format of the output. Default: `auto`.
    pub(super) format: Option<String>,
    /// File (or folder) that holds the output, relative to `directory`. Default: standard output.
    pub(super) output: Option<String>,
    /// Environment of every command of the suite.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, super::value::AnyScalar>>"))]
    pub(super) env: Option<BTreeMap<String, String>>,
    /// Limit of one round. Default: `5m`.
    pub(super) timeout: Option<Time>,
    /// Files that must exist after setup, relative to `directory`; a missing one fails the side.
    pub(super) require: Option<OneOrMany<String>>,
    /// Image of the sandbox. Default: the official one of the detected toolchain.
    pub(super) image: Option<String>,
    /// Dockerfile in the base side's tree that makes the image, instead of `image`.
    pub(super) dockerfile: Option<String>,
    /// Whether rounds have a network. Default: `false`.
    pub(super) network: Option<bool>,
    /// Runs once as root, with a network, in a throw-away container without a tree; the result is both sides' image.
    pub(super) prepare: Option<String>,
    /// Submodules, LFS, further repositories.
    pub(super) checkout: Option<RawCheckout>,
    /// Rows (regular expression over the name) that must not move.
    pub(super) controls: Option<String>,
    /// Rows to keep (regular expression over the name).
    pub(super) filter: Option<String>,
    /// A command that prints the names of the suite's benchmarks, one a line.
    pub(super) list: Option<String>,
    /// Values that are put into the command in place of `{name}`, every combination once.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, OneOrMany<super::value::AnyScalar>>>"))]
    pub(super) parameters: Option<BTreeMap<String, OneOrMany<String>>>,
    /// Files whose size is measured, by metric name.
    pub(super) metrics: Option<BTreeMap<String, String>>,
    /// Files taken from one side and put into the other before its setup.
    pub(super) overlay: Option<RawOverlay>,
    /// A parameter inside names, for the sweep picture.
    pub(super) sweep: Option<RawSweep>,
    /// Functions whose machine code is compared.
    pub(super) inspect: Option<RawInspect>,
    /// What is different on the base side.
    pub(super) base: Option<RawSide>,
    /// What is different on the head side.
    pub(super) head: Option<RawSide>,
}

/// What is different on one side of a suite; everything else is as the suite says. `env` is added to the suite's.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping with keys such as `env`")]
pub(super) struct RawSide {
    /// Folder relative to the side's tree.
    pub(super) directory: Option<String>,
    /// Runs once, before any round.
    pub(super) setup: Option<String>,
    /// One execution is one round.
    pub(super) run: Option<String>,
    /// Format of the output.
    pub(super) format: Option<String>,
    /// File (or folder) that holds the output, relative to `directory`.
    pub(super) output: Option<String>,
    /// Environment, added to the suite's.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, super::value::AnyScalar>>"))]
    pub(super) env: Option<BTreeMap<String, String>>,
    /// Limit of one round.
    pub(super) timeout: Option<Time>,
    /// Files that must exist after setup, relative to `directory`.
    pub(super) require: Option<OneOrMany<String>>,
    /// Image of the sandbox.
    pub(super) image: Option<String>,
    /// Dockerfile in the base side's tree that makes the image.
    pub(super) dockerfile: Option<String>,
    /// Whether rounds have a network.
    pub(super) network: Option<bool>,
    /// Host settings of this side, set and read back before each of its rounds.
    pub(super) host: Option<RawHost>,
}

/// Submodules, LFS, further repositories.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping such as `{submodules: true}`")]
pub(super) struct RawCheckout {
    /// Check out submodules, recursively. Default: `false`.
    pub(super) submodules: Option<bool>,
    /// Fetch LFS content. Default: `false`.
    pub(super) lfs: Option<bool>,
    /// Further repositories, each at a path in the tree.
    pub(super) extra: Option<Vec<RawExtra>>,
}

/// A further repository in each side's tree.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a mapping such as `{repo: org/data, ref: v2, path: data}`"
)]
pub(super) struct RawExtra {
    /// `owner/name` on the same server, or an https URL.
    pub(super) repo: String,
    /// Branch, tag or commit.
    #[serde(rename = "ref")]
    pub(super) reference: String,
    /// Where it is put, relative to the tree.
    pub(super) path: String,
}

/// Files taken from one side and put into the other.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a mapping such as `{from: head, paths: [bench_test.go], to: base}`"
)]
pub(super) struct RawOverlay {
    /// Where the files come from.
    pub(super) from: Side,
    /// Paths relative to the suite's `directory`; with a leading `/`, from the top of the tree.
    pub(super) paths: OneOrMany<String>,
    /// Where they are put.
    pub(super) to: Side,
}

/// A parameter inside names.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a mapping such as `{capture: \"Chan(\\\\d+)$\", name: buffer}`"
)]
pub(super) struct RawSweep {
    /// Regular expression whose first group is the value.
    pub(super) capture: String,
    /// Name of the parameter.
    pub(super) name: String,
}

/// Functions whose machine code is compared.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping such as `{functions: [main.work]}`")]
pub(super) struct RawInspect {
    /// Their names, as the linker knows them.
    pub(super) functions: OneOrMany<String>,
}

/// Rounds a side: two stages, or one.
#[derive(Debug)]
pub(super) enum RawRounds {
    /// One stage of this many rounds.
    Number(u32),
    /// By stage.
    Stages(RawStages),
}

impl<'de> Deserialize<'de> for RawRounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrStages;
        impl<'de> Visitor<'de> for NumberOrStages {
            type Value = RawRounds;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number such as `20`, or a mapping such as `{screen: 8, confirm: 16}`")
            }
            // What is far out of range is refused with all else that is.
            fn visit_u64<E: Error>(self, number: u64) -> Result<RawRounds, E> {
                Ok(RawRounds::Number(u32::try_from(number).unwrap_or(u32::MAX)))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<RawRounds, E> {
                self.visit_u64(number.try_into().unwrap_or(0))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawRounds, A::Error> {
                RawStages::deserialize(MapAccessDeserializer::new(map)).map(RawRounds::Stages)
            }
        }
        deserializer.deserialize_any(NumberOrStages)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for RawRounds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RawRounds".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let number = schemars::json_schema!({
            "description": "One stage of this many rounds.",
            "type": "integer",
            "minimum": 2,
            "maximum": super::MAX_ROUNDS,
            "multipleOf": 2
        });
        let stages = generator.subschema_for::<RawStages>();
        schemars::json_schema!({ "description": "Rounds a side: two stages, or one.", "oneOf": [number, stages] })
    }
}

/// Rounds a side of each stage, or of the only one.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawStages {
    /// First stage, over every row. Default: 8.
    pub(super) screen: Option<u32>,
    /// Second stage: fresh rounds for suspects. Default: 16.
    pub(super) confirm: Option<u32>,
    /// One stage of this many rounds, instead of the two.
    pub(super) fixed: Option<u32>,
}

/// Settings of the host.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping such as `{tuning: best-effort}`")]
pub(super) struct RawHost {
    /// Whether settings are tried, and whether a refusal stops the run. Default: `best-effort`.
    pub(super) tuning: Option<Tuning>,
    /// CPUs of the bench command: `auto`, `all`, or a list such as `2-3,6`. Default: `auto`.
    #[cfg_attr(test, schemars(with = "Option<super::value::AnyScalar>"))]
    pub(super) cpus: Option<String>,
    /// Priority, from -20 (highest) to 19. Default: -20.
    pub(super) nice: Option<i8>,
    /// Frequency governor. Default: `performance`.
    pub(super) governor: Option<String>,
    /// Boost. Default: `off`.
    pub(super) boost: Option<Switch>,
    /// Energy performance preference.
    pub(super) epp: Option<String>,
    /// Lowest frequency.
    pub(super) min_frequency: Option<Frequency>,
    /// Highest frequency.
    pub(super) max_frequency: Option<Frequency>,
}

/// How base and head are compared.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping with keys such as `threshold`")]
pub(super) struct RawCompare {
    /// Which commit is base: `merge-base`, `target` (the tip of the target branch), or a ref. Default: `merge-base`.
    pub(super) base: Option<String>,
    /// Error rate of a whole report, between 0 and 1. Default: 0.05.
    pub(super) alpha: Option<f64>,
    /// Smallest relative change that counts. Default: `2%`.
    pub(super) threshold: Option<Ratio>,
    /// Correction for many rows. Default: `holm`.
    pub(super) correction: Option<Correction>,
    /// What is said of single units, by unit.
    pub(super) units: Option<BTreeMap<String, RawUnit>>,
    /// Names changed before pairing, in order.
    pub(super) rename: Option<Vec<RawRename>>,
    /// Where a benchmark has wall and CPU time: which one is judged. Default: `wall`.
    pub(super) primary: Option<PrimaryTime>,
}

/// What is said of one unit.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping such as `{better: higher}`")]
pub(super) struct RawUnit {
    /// Which way is better.
    pub(super) better: Option<Direction>,
    /// Smallest relative change that counts.
    pub(super) threshold: Option<Ratio>,
    /// Smallest absolute change that counts, in the unit, for rows that have no ratio.
    pub(super) absolute: Option<f64>,
    /// Whether values are exact: any difference is one.
    pub(super) exact: Option<bool>,
}

/// A renamed benchmark.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a mapping such as `{from: \"^Old/(.*)\", to: \"New/$1\"}`"
)]
pub(super) struct RawRename {
    /// Regular expression over the name.
    pub(super) from: String,
    /// Replacement, with `$1`.
    pub(super) to: String,
}

/// How the result is shown.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping with keys such as `layout`")]
pub(super) struct RawReport {
    /// Layout of the comment. Default: `default`.
    pub(super) layout: Option<Layout>,
    /// A template of your own, relative to the tree.
    pub(super) template: Option<String>,
    /// What makes the check fail. Default: `never`.
    pub(super) fail_on: Option<OneOrMany<FailOn>>,
    /// Edit the comment, or delete it and post it anew, which notifies. Default: `update`.
    pub(super) comment_mode: Option<CommentMode>,
    /// When there is a comment. Default: `always`.
    pub(super) comment_on: Option<CommentOn>,
    /// One comment for each name. Default: `bench`.
    pub(super) name: Option<String>,
}

/// Who may use `/bench`, and what its arguments may ask for.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a mapping such as `{permission: write}`")]
pub(super) struct RawCommand {
    /// The permission on the repository that it takes. Default: `write`.
    pub(super) permission: Option<RawPermission>,
    /// Shortest time between two runs on one pull request. Default: `5m`.
    pub(super) cooldown: Option<Time>,
    /// What approves the code of a fork: the comment, or a comment that names the commit (`head=`).
    /// Default: `comment`.
    pub(super) fork_approval: Option<ForkApproval>,
    /// Most rounds a side that `rounds=` may ask for. Default: 100.
    pub(super) max_rounds: Option<u32>,
    /// Longest budget that `budget=` may ask for. Default: `max-time`.
    pub(super) max_budget: Option<Time>,
}

/// A permission on the repository that can be asked for: everybody has the lowest one, so it is not among them.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawPermission {
    /// May read: in a public repository that is everybody.
    Read,
    /// May triage.
    Triage,
    /// May push.
    Write,
    /// May maintain.
    Maintain,
    /// May administer.
    Admin,
}
