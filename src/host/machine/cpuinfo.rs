//! `/proc/cpuinfo`, on x86 and on ARM.

use crate::host::tree::Roots;
use std::collections::{BTreeMap, BTreeSet};

/// What `/proc/cpuinfo` says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CpuInfo {
    /// The model, in the kernel's words on x86, by the part number on ARM.
    pub model: String,
    /// How many logical CPUs it lists.
    pub processors: usize,
    /// Physical cores, where it tells.
    pub cores: Option<u32>,
    /// CPU flags or features of the first CPU.
    pub flags: BTreeSet<String>,
    /// The frequency that it gives for each CPU, in MHz.
    pub mhz: BTreeMap<u32, f64>,
    /// Whether it describes x86 CPUs.
    pub x86: bool,
}

/// Reads `/proc/cpuinfo`.
pub(crate) fn read(roots: &Roots) -> CpuInfo {
    parse(&roots.text("proc/cpuinfo").unwrap_or_default())
}

fn parse(text: &str) -> CpuInfo {
    let mut info = CpuInfo::default();
    let mut cores: BTreeSet<(String, String)> = BTreeSet::new();
    let mut package = String::new();
    let mut current = 0;
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':').map(|(key, value)| (key.trim(), value.trim())) else { continue };
        first.entry(key).or_insert(value);
        match key {
            "processor" => {
                info.processors += 1;
                current = value.parse().unwrap_or(current);
            }
            "cpu MHz" => {
                info.mhz.extend(value.parse::<f64>().ok().map(|mhz| (current, mhz)));
            }
            "physical id" => value.clone_into(&mut package),
            "core id" => {
                cores.insert((package.clone(), value.to_owned()));
            }
            _ => {}
        }
    }
    let get = |key: &str| first.get(key).copied().filter(|value| !value.is_empty());
    let flags = get("flags").or_else(|| get("Features")).unwrap_or_default();
    info.flags = flags.split_whitespace().map(str::to_owned).collect();
    info.x86 = get("vendor_id").is_some() || get("flags").is_some();
    info.cores = u32::try_from(cores.len()).ok().filter(|cores| *cores > 0);
    info.model = get("model name")
        .map(str::to_owned)
        .or_else(|| arm_model(get("CPU implementer")?, get("CPU part")?))
        .or_else(|| get("cpu model").or_else(|| get("Hardware")).or_else(|| get("cpu")).map(str::to_owned))
        .unwrap_or_default();
    info
}

/// The core's name by implementer and part number, from ARM's and the makers' manuals; the numbers where they are not
/// among the usual ones.
fn arm_model(implementer: &str, part: &str) -> Option<String> {
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let (implementer, part) = (number(implementer)?, number(part)?);
    let name = match (implementer, part) {
        (0x41, 0xd03) => "ARM Cortex-A53",
        (0x41, 0xd05) => "ARM Cortex-A55",
        (0x41, 0xd07) => "ARM Cortex-A57",
        (0x41, 0xd08) => "ARM Cortex-A72",
        (0x41, 0xd09) => "ARM Cortex-A73",
        (0x41, 0xd0a) => "ARM Cortex-A75",
        (0x41, 0xd0b) => "ARM Cortex-A76",
        (0x41, 0xd0c) => "ARM Neoverse-N1",
        (0x41, 0xd0d) => "ARM Cortex-A77",
        (0x41, 0xd40) => "ARM Neoverse-V1",
        (0x41, 0xd41) => "ARM Cortex-A78",
        (0x41, 0xd44) => "ARM Cortex-X1",
        (0x41, 0xd49) => "ARM Neoverse-N2",
        (0x41, 0xd4f) => "ARM Neoverse-V2",
        (0x41, 0xd84) => "ARM Neoverse-V3",
        (0x41, 0xd8e) => "ARM Neoverse-N3",
        (0x48, 0xd01) => "HiSilicon Kunpeng-920",
        (0xc0, 0xac3) => "Ampere-1",
        (0xc0, 0xac4) => "Ampere-1a",
        _ => return Some(format!("ARM implementer {implementer:#04x}, part {part:#05x}")),
    };
    Some(name.to_owned())
}
