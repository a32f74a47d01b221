//! The control group that this process is in: how much CPU it may have, and how often it was stopped for it.

use super::tree::Roots;

/// The folders of the control group's CPU controller and of every group above it, nearest first, as far as they are
/// visible.
fn folders(roots: &Roots) -> Vec<String> {
    let Some(text) = roots.text("proc/self/cgroup") else { return Vec::new() };
    let mut found = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let tops: Vec<String> = match (id, controllers) {
            // The unified hierarchy; beside version 1 it is one folder below.
            ("0", "") => vec!["sys/fs/cgroup".to_owned(), "sys/fs/cgroup/unified".to_owned()],
            _ if controllers.split(',').any(|one| one == "cpu") => {
                vec![format!("sys/fs/cgroup/{controllers}"), "sys/fs/cgroup/cpu".to_owned()]
            }
            _ => continue,
        };
        let above = std::iter::successors(Some(path), |path| {
            let (above, name) = path.rsplit_once('/')?;
            (!name.is_empty()).then_some(above)
        });
        let paths: Vec<&str> = above.map(|path| path.trim_end_matches('/')).collect();
        for top in tops {
            found.extend(paths.iter().map(|path| format!("{top}{path}")));
        }
    }
    found
}

/// The smallest CPU quota of the group and those above it, in CPUs; `None` without a quota or where none can be read.
#[must_use]
pub fn quota(roots: &Roots) -> Option<f64> {
    let of = |folder: String| {
        let (quota, period) = match roots.text(&format!("{folder}/cpu.max")) {
            Some(text) => {
                let (quota, period) = text.split_once(' ')?;
                (quota.parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?)
            }
            None => (
                roots.number::<f64>(&format!("{folder}/cpu.cfs_quota_us"))?,
                roots.number::<f64>(&format!("{folder}/cpu.cfs_period_us"))?,
            ),
        };
        (quota > 0.0 && period > 0.0).then(|| quota / period)
    };
    folders(roots).into_iter().filter_map(of).min_by(f64::total_cmp)
}

/// How often the group, or one above it, was stopped for having used up its quota, since it exists; `None` where it
/// cannot be read.
#[must_use]
pub fn throttled(roots: &Roots) -> Option<u64> {
    let of = |folder: String| {
        let text = roots.text(&format!("{folder}/cpu.stat"))?;
        text.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse::<u64>().ok()
    };
    let counts: Vec<u64> = folders(roots).into_iter().filter_map(of).collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}
