//! Whether this is a virtual machine, and of which kind.

use super::cpuinfo;
use crate::host::tree::Roots;

/// The hypervisor: `kvm`, `hyperv`, `vmware`, `xen` …; `unknown` when there is one that does not say its name; empty on
/// bare metal; `None` where it cannot be told.
pub(crate) fn detect(roots: &Roots) -> Option<String> {
    let info = cpuinfo::read(roots);
    let flagged = info.flags.contains("hypervisor");
    let found = by_kernel(roots).or_else(|| by_firmware(roots)).or_else(|| by_cpuid(roots, flagged));
    match found {
        Some(name) => Some(name.to_owned()),
        None if flagged => Some("unknown".to_owned()),
        // Every hypervisor sets the flag on x86, unless it was told to hide.
        None if info.x86 => Some(String::new()),
        // Without the flag, a firmware that names a maker of machines is the only sign.
        None => roots.text("sys/class/dmi/id/sys_vendor").filter(|vendor| !vendor.is_empty()).map(|_| String::new()),
    }
}

/// Whether the kernel counts stolen time here.
///
/// Of the x86 guests only KVM, VMware and Xen have a steal clock; Hyper-V, and so Azure, has none and always shows 0.
/// On bare metal nothing can be stolen, and 0 is the truth.
pub(crate) fn steal_observable(virtualization: Option<&str>) -> bool {
    matches!(virtualization, Some("" | "kvm" | "vmware" | "xen"))
}

/// Signs that the kernel gives itself.
fn by_kernel(roots: &Roots) -> Option<&'static str> {
    if roots.text("proc/sys/kernel/osrelease").is_some_and(|release| release.to_lowercase().contains("microsoft")) {
        return Some("wsl");
    }
    if roots.text("sys/hypervisor/type").is_some_and(|kind| kind == "xen") {
        return Some("xen");
    }
    let clocks = roots.text("sys/devices/system/clocksource/clocksource0/available_clocksource").unwrap_or_default();
    let compatible = roots.text("proc/device-tree/hypervisor/compatible").unwrap_or_default();
    let sign = |name: &str| clocks.contains(name) || compatible.contains(name);
    let signs = [("hyperv", "hyperv"), ("kvm", "kvm"), ("xen", "xen")];
    signs.iter().find(|(name, _)| sign(name)).map(|(_, kind)| *kind)
}

/// The maker that the firmware names.
fn by_firmware(roots: &Roots) -> Option<&'static str> {
    let text = |leaf: &str| roots.text(&format!("sys/class/dmi/id/{leaf}")).unwrap_or_default();
    let (vendor, product) = (text("sys_vendor"), text("product_name"));
    match vendor.as_str() {
        "Microsoft Corporation" if product == "Virtual Machine" => Some("hyperv"),
        "VMware, Inc." => Some("vmware"),
        "innotek GmbH" | "Oracle Corporation" if product == "VirtualBox" => Some("virtualbox"),
        "Parallels Software International Inc." | "Parallels International GmbH." => Some("parallels"),
        "Xen" => Some("xen"),
        "QEMU" | "Google" | "Hetzner" | "DigitalOcean" | "OpenStack Foundation" | "Scaleway" | "Vultr" => Some("kvm"),
        "Amazon EC2" if !product.ends_with(".metal") && !product.contains(".metal-") => Some("kvm"),
        "Apple Inc." if product.contains("Virtualization") => Some("apple"),
        _ if product.contains("KVM") => Some("kvm"),
        _ => None,
    }
}

/// The signature that the hypervisor puts into CPUID leaf 0x40000000.
#[cfg(target_arch = "x86_64")]
fn by_cpuid(roots: &Roots, flagged: bool) -> Option<&'static str> {
    if !roots.live || !flagged {
        return None;
    }
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let signature: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].iter().flat_map(|part| part.to_le_bytes()).collect();
    match signature.as_slice() {
        b"KVMKVMKVM\0\0\0" | b"Linux KVM Hv" => Some("kvm"),
        b"Microsoft Hv" => Some("hyperv"),
        b"VMwareVMware" => Some("vmware"),
        b"XenVMMXenVMM" => Some("xen"),
        b"VBoxVBoxVBox" => Some("virtualbox"),
        b"TCGTCGTCGTCG" => Some("qemu"),
        b"bhyve bhyve " => Some("bhyve"),
        b" lrpepyh  vr" | b"prl hyperv  " => Some("parallels"),
        b"ACRNACRNACRN" => Some("acrn"),
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn by_cpuid(_: &Roots, _: bool) -> Option<&'static str> {
    None
}
