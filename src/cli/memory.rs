//! How memory is taken from the system.

use crate::benchstat::Input;

/// Inputs below this many bytes together need little memory.
const LARGE: u64 = 1 << 20;

/// Takes memory for a comparison of `inputs` in large pieces, if they are large.
///
/// Tables are made of very many small pieces. In steps of 128 KiB and in pages of 4 KiB, which is usual, the kernel is asked
/// for memory thousands of times, which is a fifth of all the time, and both processors wait for one another. With glibc on
/// Linux, and where the system lets programs ask for huge pages, there are a dozen.
pub(super) fn prepare(inputs: &[Input]) {
    let size = |input: &Input| std::fs::metadata(&input.path).ok().filter(std::fs::Metadata::is_file).map(|m| m.len());
    let sum = inputs.iter().filter_map(size).fold(0, u64::saturating_add);
    if sum >= LARGE {
        take(usize::try_from(sum).unwrap_or(usize::MAX));
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe interface to glibc's allocator")]
fn take(bytes: usize) {
    use nix::libc::{M_MMAP_THRESHOLD, M_TOP_PAD, M_TRIM_THRESHOLD, MADV_HUGEPAGE, madvise, mallopt};
    /// The most that the allocator takes from its heap, not from the system.
    const LARGEST: i32 = 32 << 20;
    const HUGE: usize = 2 << 20;
    let room = bytes.saturating_mul(2).min(LARGEST as usize - HUGE) / HUGE * HUGE;
    // SAFETY: mallopt may be called at any time and takes two numbers: they change how much memory is taken at a time. A
    // refusal changes nothing.
    unsafe {
        let _ = mallopt(M_MMAP_THRESHOLD, LARGEST);
        let _ = mallopt(M_TRIM_THRESHOLD, i32::MAX);
        let _ = mallopt(M_TOP_PAD, 4 << 20);
    }
    // The heap grows by this block and keeps it when it is given back, so that what is asked of the block holds for what
    // will be in its place.
    let mut block: Vec<u8> = Vec::new();
    if block.try_reserve_exact(room).is_ok() {
        let begin = block.as_mut_ptr();
        let skipped = begin.align_offset(HUGE).min(room);
        // SAFETY: the range lies in the block, which is allocated and of which nothing is used; the advice changes no
        // content.
        unsafe {
            let _ = madvise(begin.wrapping_add(skipped).cast(), (room - skipped) / HUGE * HUGE, MADV_HUGEPAGE);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn take(_bytes: usize) {}
