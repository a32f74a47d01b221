//! Records of Go's format in batches, read by one thread while another one works on those before.

use super::parallel::processors;
use crate::format::go::{Reader, Record, ResultLine, Text, Value};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

/// Records of a batch: few enough to stay in a processor's cache on their way.
const RECORDS: usize = 512;

/// Texts below this many bytes are read sooner than a thread is made.
const LARGE: usize = 1 << 18;

/// Batches that may wait.
const WAITING: usize = 4;

/// Some records of a text, in order.
#[derive(Debug, Default)]
pub(super) struct Batch<'t> {
    slots: Vec<Slot<'t>>,
    /// Records that are no results, in order.
    others: Vec<Record<'t>>,
    values: Vec<Value<'t>>,
    configurations: Vec<(u32, Vec<(&'t str, &'t str)>)>,
}

/// A record in its batch: small, since there is one a line.
#[derive(Debug, Clone, Copy)]
struct Slot<'t> {
    /// `None`: the next one of the others.
    result: Option<ResultLine<'t>>,
    /// Where its values end; they begin where those of the record before end.
    end: u32,
    configuration: u32,
}

/// One record and what belongs to it.
#[derive(Debug)]
pub(super) struct Entry<'b, 't> {
    pub(super) record: Record<'t>,
    /// The values of a result.
    pub(super) values: &'b [Value<'t>],
    /// The configuration in force, and its version.
    pub(super) configuration: &'b [(&'t str, &'t str)],
    pub(super) version: u32,
}

impl<'t> Batch<'t> {
    /// Fills an empty batch with the next records of `reader`; `None` at the end of the text.
    fn fill(mut self, reader: &mut Reader<'t>) -> Option<Self> {
        while self.slots.len() < RECORDS
            && let Some(record) = reader.next()
        {
            self.push(record, reader);
        }
        (!self.slots.is_empty()).then_some(self)
    }

    fn push(&mut self, record: Record<'t>, reader: &Reader<'t>) {
        if self.configurations.last().is_none_or(|(version, _)| *version != reader.version()) {
            self.configurations.push((reader.version(), reader.configuration().to_vec()));
        }
        let result = match record {
            Record::Result(result) => {
                let values = reader.values();
                if values.iter().any(|value| value.value.is_nan()) {
                    self.values.extend(values.iter().filter(|value| !value.value.is_nan()));
                } else {
                    self.values.extend_from_slice(values);
                }
                Some(result)
            }
            other => {
                self.others.push(other);
                None
            }
        };
        let number = |length: usize| u32::try_from(length).expect("a line has less than four thousand million values");
        let (end, configuration) = (number(self.values.len()), number(self.configurations.len() - 1));
        self.slots.push(Slot { result, end, configuration });
    }

    /// Hands every record to `take`. The batch that comes back is empty, and its memory can be used again.
    fn each(mut self, take: &mut impl FnMut(Entry<'_, 't>)) -> Self {
        let mut others = self.others.drain(..);
        let mut begin = 0;
        for slot in &self.slots {
            let values = &self.values[begin..slot.end as usize];
            begin = slot.end as usize;
            let (version, configuration) = &self.configurations[slot.configuration as usize];
            if let Some(record) = slot.result.map(Record::Result).or_else(|| others.next()) {
                take(Entry { record, values, configuration, version: *version });
            }
        }
        drop(others);
        self.slots.clear();
        self.values.clear();
        self.configurations.clear();
        self
    }
}

/// Hands every record of `text` to `take`, in order. A large text is read by a thread of its own meanwhile.
pub(super) fn each_record<'t>(text: &'t Text<'t>, take: &mut impl FnMut(Entry<'_, 't>)) {
    if text.len() < LARGE || processors() == 1 {
        return here(text, take);
    }
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING);
        let (used, empty) = channel();
        if thread::Builder::new().spawn_scoped(scope, move || send(text, &sender, &empty)).is_err() {
            return here(text, take);
        }
        for batch in receiver {
            // At the end of the text nobody takes it back.
            let _ = used.send(batch.each(take));
        }
    });
}

fn here<'t>(text: &'t Text<'t>, take: &mut impl FnMut(Entry<'_, 't>)) {
    let mut reader = Reader::new(text);
    let mut empty = Batch::default();
    while let Some(batch) = empty.fill(&mut reader) {
        empty = batch.each(take);
    }
}

fn send<'t>(text: &'t Text<'t>, batches: &SyncSender<Batch<'t>>, empty: &Receiver<Batch<'t>>) {
    let mut reader = Reader::new(text);
    while let Some(batch) = empty.try_recv().unwrap_or_default().fill(&mut reader) {
        if batches.send(batch).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every record with its values and configuration, as the reader itself gives them.
    fn directly(text: &Text<'_>) -> Vec<String> {
        let mut reader = Reader::new(text);
        let mut all = Vec::new();
        while let Some(record) = reader.next() {
            let mut values = if matches!(record, Record::Result(_)) { reader.values().to_vec() } else { Vec::new() };
            values.retain(|value| !value.value.is_nan());
            all.push(format!("{record:?} {values:?} {:?} {}", reader.configuration(), reader.version()));
        }
        all
    }

    #[test]
    fn a_large_text_gives_the_same_records_in_the_same_order() {
        let mut lines = String::new();
        for number in 0..9000 {
            if number % 700 == 0 {
                lines += &format!("pkg: example.com/p{number}\n");
            }
            lines += &format!("BenchmarkA{}-8 100 {number} ns/op 3 B/op\n", number % 13);
            if number % 501 == 0 {
                lines += "BenchmarkX 1 x ns/op\nUnit ns/op better=lower\n--- FAIL: BenchmarkY\n";
            }
        }
        assert!(lines.len() > LARGE);
        let text = Text::decode(lines.as_bytes());
        let mut all = Vec::new();
        each_record(&text, &mut |entry| {
            let Entry { record, values, configuration, version } = entry;
            all.push(format!("{record:?} {values:?} {configuration:?} {version}"));
        });
        assert_eq!(all, directly(&text));
        assert!(all.len() > 9000 + 17);
    }
}
