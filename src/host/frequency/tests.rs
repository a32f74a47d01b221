use super::*;
use crate::host::fake::Fake;

#[test]
fn every_cpu_of_the_large_machine_is_in_the_table() {
    let fake = Fake::acpi();
    let before = frequencies(&fake.roots());
    assert_eq!(before.mhz.len(), 32);
    assert_eq!(before.range(), Some([2200.0, 2762.5, 3325.0]));
    for cpu in 0..32 {
        fake.write(&format!("{CPU}/cpu{cpu}/cpufreq/scaling_cur_freq"), "3400000");
    }
    let during = frequencies(&fake.roots());
    assert_eq!(during.summary(), "32 CPUs at 3400 MHz");
    let table = table(&before, &during, &Frequencies::default());
    assert_eq!(table.lines().count(), 33);
    assert_eq!(table.lines().nth(16).unwrap(), "  15  3325.000  3400.000         -");
    fake.write(&format!("{CPU}/cpu4/cpufreq/scaling_cur_freq"), "3300000");
    assert_eq!(frequencies(&fake.roots()).summary(), "32 CPUs, 3300 to 3400 MHz, median 3400 MHz (CPU 4 differ)");
}

#[test]
fn a_cpu_that_counts_its_cycles_is_observed_without_cpufreq() {
    assert_eq!(frequencies(&Fake::vm().roots()).mhz, BTreeMap::from([(0, 3243.425), (1, 3243.425)]));
}

#[test]
fn a_figure_from_the_start_of_the_kernel_is_not_an_observation() {
    let fake = Fake::vm();
    fake.write("proc/cpuinfo", &fake.read("proc/cpuinfo").replace(" aperfmperf", ""));
    let nothing = frequencies(&fake.roots());
    assert_eq!((nothing.summary(), nothing.outliers()), ("not observable".to_owned(), vec![]));
}
