use super::*;
use crate::host::fake::Fake;

fn auto(topology: &Topology) -> Selection {
    choose(topology, |candidates| candidates.len() - 1)
}

fn topology(cores: &[&[u32]], allowed: &str) -> Topology {
    let siblings = cores.iter().flat_map(|core| core.iter().map(|cpu| (*cpu, core.iter().copied().collect())));
    Topology { siblings: siblings.collect(), allowed: cpulist::parse(allowed).unwrap(), ..Topology::default() }
}

#[test]
fn a_whole_core_is_taken_that_is_not_the_boot_cpus() {
    let chosen = auto(&Topology::read(&Fake::intel().roots()));
    assert_eq!((chosen.cpus, chosen.single), (Some(vec![3, 7]), Some(7)));
    assert_eq!(chosen.housekeeping, [0, 1, 2, 4, 5, 6]);
}

#[test]
fn the_core_with_the_fewest_interrupts_wins_and_of_equal_ones_the_last() {
    let fake = Fake::intel();
    let topology = Topology::read(&fake.roots());
    let cores = topology.candidates(&topology.allowed);
    assert_eq!(cores, [BTreeSet::from([1, 5]), BTreeSet::from([2, 6]), BTreeSet::from([3, 7])]);
    assert_eq!(quietest(&cores, &fake.roots()), 2, "equal counts");
    let text = "      CPU0 CPU1 CPU2 CPU3\n 24:  5 7 1 0  IO-APIC 24-edge  eth 3\nNMI: 1 1 1 1 Non-maskable\nERR: 9";
    assert_eq!(parse_interrupts(text), BTreeMap::from([(0, 6), (1, 8), (2, 2), (3, 1)]));
}

#[test]
fn half_a_core_is_not_taken_while_there_is_a_whole_one() {
    let chosen = auto(&topology(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]], "0,2,3,5-7"));
    assert_eq!(chosen.cpus, Some(vec![3, 7]));
    // CPU 2's sibling is in the mask, CPU 1 is not.
    let chosen = choose(&topology(&[&[0, 4], &[1, 5], &[2, 6]], "0,2,5,6"), |_| panic!("there is one"));
    assert_eq!(chosen.cpus, Some(vec![2, 6]));
}

#[test]
fn with_one_core_left_the_other_thread_is_taken_and_nothing_else_may_run_there() {
    let chosen = auto(&Topology::read(&Fake::vm().roots()));
    assert_eq!((chosen.cpus, chosen.single, chosen.housekeeping), (Some(vec![1]), Some(1), vec![]));
    let two_cores = auto(&topology(&[&[0], &[1]], "0-1"));
    assert_eq!((two_cores.cpus, two_cores.housekeeping), (Some(vec![1]), vec![0]));
    let only = auto(&topology(&[&[0]], "0"));
    assert_eq!((only.cpus, &*only.reason), (Some(vec![0]), "CPU 0 is the only one"));
    let elsewhere = auto(&topology(&[&[0, 2], &[1, 3]], "0,3"));
    assert_eq!(elsewhere.cpus, Some(vec![3]), "half a core is better than CPU 0's");
}

#[test]
fn small_cores_are_left_alone() {
    let chosen = auto(&Topology::read(&Fake::arm().roots()));
    assert_eq!(chosen.cpus, Some(vec![7]));
    let fake = Fake::intel();
    fake.write("sys/devices/cpu_atom/cpus", "2-3,6-7");
    assert_eq!(auto(&Topology::read(&fake.roots())).cpus, Some(vec![1, 5]));
}

#[test]
fn isolated_cpus_are_used_one_at_a_time_since_nothing_balances_them() {
    let fake = Fake::intel();
    fake.write("sys/devices/system/cpu/isolated", "2,6");
    fake.write("proc/self/status", "Cpus_allowed_list:\t0-1,3-5,7");
    let topology = Topology::read(&fake.roots());
    let chosen = auto(&topology);
    assert_eq!((chosen.cpus, chosen.housekeeping), (Some(vec![2]), vec![0, 1, 3, 4, 5, 7]));
    let named = select(&Cpus::List("6".into()), &topology, &fake.roots()).unwrap();
    assert_eq!(named.cpus, Some(vec![6]));
}

#[test]
fn a_list_is_taken_as_it_is_or_refused_with_what_is_wrong() {
    let fake = Fake::vm();
    let topology = Topology::read(&fake.roots());
    let refused = |list: &str| select(&Cpus::List(list.into()), &topology, &fake.roots()).unwrap_err();
    assert_eq!(refused("1-3"), "host.cpus: 2-3 may not be used here, only 0-1");
    assert!(refused("one").contains("`one` is not a CPU"), "{}", refused("one"));
    assert_eq!(refused(","), "host.cpus: the list is empty");
    assert_eq!(select(&Cpus::All, &topology, &fake.roots()).unwrap().cpus, None);
}

#[test]
fn without_sysfs_every_allowed_cpu_is_a_core() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("proc/self")).unwrap();
    std::fs::write(dir.path().join("proc/self/status"), "Cpus_allowed_list:\t0-2\n").unwrap();
    assert_eq!(auto(&Topology::read(&Roots::under(dir.path()))).cpus, Some(vec![2]));
    let nothing = auto(&Topology::default());
    assert_eq!((nothing.cpus, &*nothing.reason), (None, "the allowed CPUs cannot be read"));
}
