//! Work on all processors.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// How many processors there are for this process. Asking costs a look at a dozen files.
pub(super) fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Divides `items` into as many consecutive parts as there are processors, but none of less than `least` items, and does
/// `work` on all of them at the same time. The results are in the order of the parts.
pub(super) fn map<T: Send, R: Send>(mut items: Vec<T>, least: usize, work: impl Fn(Vec<T>) -> R + Sync) -> Vec<R> {
    let parts = (items.len() / least.max(1)).clamp(1, processors());
    if parts == 1 {
        return vec![work(items)];
    }
    let size = items.len().div_ceil(parts);
    let mut later = Vec::new();
    while items.len() > size {
        later.push(items.split_off(items.len() - size));
    }
    thread::scope(|scope| {
        // The first part is done here; a part whose thread cannot be made is done here too.
        let work = &work;
        let running: Vec<_> = later
            .into_iter()
            .rev()
            .map(|part| {
                let part = std::sync::Arc::new(std::sync::Mutex::new(Some(part)));
                let theirs = std::sync::Arc::clone(&part);
                let take = move || theirs.lock().ok().and_then(|mut part| part.take()).map(work);
                (thread::Builder::new().spawn_scoped(scope, take), part)
            })
            .collect();
        let mut results = vec![work(items)];
        for (handle, part) in running {
            match handle.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(Some(result))) => results.push(result),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Ok(Ok(None)) | Err(_) => {
                    let part = part.lock().ok().and_then(|mut part| part.take());
                    results.extend(part.map(work));
                }
            }
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn parts_are_in_order_and_complete() {
        for n in [0, 1, 2, 3, 10, 1001] {
            let items: Vec<usize> = (0..n).collect();
            let sums: Vec<Vec<usize>> = map(items.clone(), 1, |part| part);
            assert_eq!(sums.concat(), items);
        }
    }
}
