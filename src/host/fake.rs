//! Whole trees of `/sys`, `/proc` and `/etc` as real machines have them, for tests of the library and of the program.

use super::Roots;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// The boot id of every tree.
pub(crate) const BOOT: &str = "7d0c7d5e-2d0f-4f0b-9c53-0b1f6f1f2a11";
const CPU: &str = "sys/devices/system/cpu";

/// A tree in a temporary folder.
#[derive(Debug)]
pub(crate) struct Fake {
    dir: TempDir,
}

impl Fake {
    /// What every machine has: `cpus` logical CPUs, whose siblings `core` gives, all allowed.
    fn bare(cpus: u32, core: impl Fn(u32) -> String) -> Self {
        let fake = Self { dir: tempfile::tempdir().expect("a temporary folder") };
        let all = format!("0-{}", cpus - 1);
        for leaf in ["online", "present", "possible"] {
            fake.write(&format!("{CPU}/{leaf}"), &all);
        }
        fake.write(&format!("{CPU}/isolated"), "");
        for cpu in 0..cpus {
            fake.write(&format!("{CPU}/cpu{cpu}/topology/core_cpus_list"), &core(cpu));
            fake.write(&format!("{CPU}/cpu{cpu}/topology/thread_siblings_list"), &core(cpu));
        }
        fake.write("proc/sys/kernel/random/boot_id", BOOT);
        fake.write("proc/sys/kernel/osrelease", "6.12.48+deb13-amd64");
        fake.write("proc/sys/kernel/randomize_va_space", "2");
        fake.write("proc/sys/kernel/perf_cpu_time_max_percent", "25");
        fake.write("proc/sys/kernel/perf_event_max_sample_rate", "100000");
        fake.write("proc/self/status", &format!("Name:\tbench-bot\nCpus_allowed:\tff\nCpus_allowed_list:\t{all}"));
        fake.write("proc/self/cgroup", "0::/system.slice/runner.service");
        fake.write("proc/1/cgroup", "0::/init.scope");
        fake.write("proc/meminfo", "MemTotal:       16384256 kB\nMemFree:         1000 kB");
        fake.write("proc/loadavg", "0.42 0.30 0.20 1/234 5678");
        fake.write("proc/pressure/cpu", "some avg10=1.50 avg60=0.90 avg300=0.10 total=4711");
        fake.write("proc/vmstat", "nr_free_pages 1\npswpin 12\npswpout 3");
        fake.write("proc/swaps", "Filename Type Size Used Priority");
        fake.write("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nNAME=\"Debian GNU/Linux\"");
        fake.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
        fake.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
        fake.write("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm");
        let mut stat = String::from("cpu  1 2 3 4 5 6 7 80 9 10\n");
        let mut interrupts = String::from("          ");
        for cpu in 0..cpus {
            let _ = writeln!(stat, "cpu{cpu} 1 2 3 4 5 6 7 {} 9 10", 10 * cpu);
            let _ = write!(interrupts, " CPU{cpu}");
        }
        fake.write("proc/stat", &stat);
        fake.write("proc/interrupts", &(interrupts + "\nERR: 0\nMIS: 0"));
        fake
    }

    /// `/proc/cpuinfo` of an x86 CPU; `mhz` by CPU.
    fn x86(&self, cpus: u32, vendor: &str, model: &str, flags: &str, mhz: impl Fn(u32) -> f64) {
        let mut text = String::new();
        for cpu in 0..cpus {
            let _ = writeln!(
                text,
                "processor\t: {cpu}\nvendor_id\t: {vendor}\nmodel name\t: {model}\ncpu MHz\t\t: {:.3}\nphysical id\t: 0\n\
                 core id\t\t: {}\nflags\t\t: fpu tsc {flags}\n",
                mhz(cpu),
                cpu % cpus.div_ceil(2)
            );
        }
        self.write("proc/cpuinfo", &text);
    }

    fn policy(&self, policy: u32, driver: &str, governor: &str, governors: &str, khz: [u32; 3]) {
        let folder = format!("{CPU}/cpufreq/policy{policy}");
        let [min, max, now] = khz.map(|khz| khz.to_string());
        for (leaf, text) in [
            ("scaling_driver", driver),
            ("scaling_governor", governor),
            ("scaling_available_governors", governors),
            ("scaling_min_freq", &min),
            ("scaling_max_freq", &max),
            ("cpuinfo_min_freq", &min),
            ("cpuinfo_max_freq", &max),
        ] {
            self.write(&format!("{folder}/{leaf}"), text);
        }
        self.write(&format!("{CPU}/cpu{policy}/cpufreq/scaling_cur_freq"), &now);
    }

    /// Bare metal, four cores with two threads (0 and 4 are one core), intel_pstate with hardware P-states.
    pub(crate) fn intel() -> Self {
        let fake = Self::bare(8, |cpu| format!("{},{}", cpu % 4, cpu % 4 + 4));
        fake.x86(8, "GenuineIntel", "Intel(R) Core(TM) i7-8665U CPU @ 1.90GHz", "aperfmperf hwp", |_| 1900.0);
        for cpu in 0..8 {
            fake.policy(cpu, "intel_pstate", "powersave", "performance powersave", [400_000, 4_800_000, 1_900_000]);
            let folder = format!("{CPU}/cpufreq/policy{cpu}");
            fake.write(&format!("{folder}/energy_performance_preference"), "balance_performance");
            fake.write(
                &format!("{folder}/energy_performance_available_preferences"),
                "default performance balance_performance balance_power power",
            );
            fake.write(&format!("{CPU}/cpu{cpu}/power/energy_perf_bias"), "6");
            fake.write(&format!("{CPU}/cpu{cpu}/thermal_throttle/core_throttle_count"), "0");
            fake.write(&format!("{CPU}/cpu{cpu}/thermal_throttle/package_throttle_count"), "2");
        }
        fake.write(&format!("{CPU}/intel_pstate/no_turbo"), "0");
        fake.write(&format!("{CPU}/intel_pstate/status"), "active");
        fake.write(&format!("{CPU}/smt/control"), "on");
        fake.write("sys/class/dmi/id/sys_vendor", "Dell Inc.");
        fake.write("sys/class/dmi/id/product_name", "Latitude 7400");
        fake
    }

    /// Bare metal, two cores with two threads, amd-pstate with a boost file for each policy beside the one for all.
    pub(crate) fn amd() -> Self {
        let fake = Self::bare(4, |cpu| format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1));
        fake.x86(4, "AuthenticAMD", "AMD Ryzen 7 5800X 8-Core Processor", "aperfmperf cppc", |_| 3800.0);
        for cpu in 0..4 {
            fake.policy(cpu, "amd-pstate-epp", "powersave", "performance powersave", [550_000, 4_850_000, 3_800_000]);
            let folder = format!("{CPU}/cpufreq/policy{cpu}");
            fake.write(&format!("{folder}/boost"), "1");
            fake.write(&format!("{folder}/energy_performance_preference"), "balance_performance");
        }
        fake.write(&format!("{CPU}/cpufreq/boost"), "1");
        fake.write(&format!("{CPU}/amd_pstate/status"), "active");
        fake.write(&format!("{CPU}/smt/control"), "on");
        fake
    }

    /// Bare metal, 32 CPUs, acpi-cpufreq at changing frequencies: the machine of a note on tuning that shows
    /// `schedutil` and boost against `performance` without boost, with the MHz of every CPU.
    pub(crate) fn acpi() -> Self {
        let fake = Self::bare(32, |cpu| format!("{},{}", cpu % 16, cpu % 16 + 16));
        let mhz = |cpu: u32| 2200.0 + 75.0 * f64::from(cpu % 16);
        fake.x86(32, "AuthenticAMD", "AMD EPYC 7302P 16-Core Processor", "aperfmperf cpb", mhz);
        for cpu in 0..32 {
            let now = (mhz(cpu) * 1000.0) as u32;
            let governors = "conservative ondemand userspace powersave performance schedutil";
            // One policy was changed by hand before: what is put back is what each one had.
            let governor = if cpu == 7 { "ondemand" } else { "schedutil" };
            fake.policy(cpu, "acpi-cpufreq", governor, governors, [1_500_000, 3_000_000, now]);
        }
        fake.write(&format!("{CPU}/cpufreq/boost"), "1");
        fake
    }

    /// Bare metal ARM with four small and four large cores, one policy for each kind, no boost.
    pub(crate) fn arm() -> Self {
        let fake = Self::bare(8, |cpu| cpu.to_string());
        let mut info = String::new();
        for cpu in 0..8 {
            let (part, capacity) = if cpu < 4 { ("0xd05", "446") } else { ("0xd0b", "1024") };
            let _ = writeln!(
                info,
                "processor\t: {cpu}\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd crc32\nCPU implementer\t: 0x41\n\
                 CPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: {part}\nCPU revision\t: 0\n"
            );
            fake.write(&format!("{CPU}/cpu{cpu}/cpu_capacity"), capacity);
        }
        fake.write("proc/cpuinfo", &info);
        for policy in [0, 4] {
            fake.policy(policy, "cpufreq-dt", "schedutil", "performance schedutil", [408_000, 2_256_000, 1_008_000]);
        }
        fake
    }

    /// A runner of GitHub: Hyper-V, one core with two threads, an empty cpufreq folder, no performance counters.
    pub(crate) fn vm() -> Self {
        let fake = Self::bare(2, |_| "0-1".to_owned());
        fake.x86(2, "AuthenticAMD", "AMD EPYC 7763 64-Core Processor", "hypervisor aperfmperf", |_| 3243.425);
        fs::create_dir_all(fake.path(&format!("{CPU}/cpufreq"))).expect("a folder");
        fake.write(&format!("{CPU}/smt/control"), "on");
        fake.write("sys/class/dmi/id/sys_vendor", "Microsoft Corporation");
        fake.write("sys/class/dmi/id/product_name", "Virtual Machine");
        fake
    }

    /// The tree as the code is given it.
    pub(crate) fn roots(&self) -> Roots {
        Roots::under(self.dir.path())
    }

    /// Where a file is.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, format!("{text}\n")).expect("a file");
    }

    /// A file's text, trimmed.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).expect("a file").trim().to_owned()
    }

    /// Every file of the tree, byte for byte.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.dir.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).expect("a file"));
                }
            }
        }
        files
    }
}
