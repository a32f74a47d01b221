//! What the launcher sends from inside a sandbox: frames of a kind, a length and that many bytes.
//!
//! The sender may have been taken over by the code that it ran, so the reader checks every length before it allocates
//! and takes nothing twice.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

/// Largest file or stream, in bytes.
pub(crate) const BLOB_LIMIT: u64 = 64 << 20;
/// Most bytes in all frames of one command.
pub(crate) const TOTAL_LIMIT: u64 = 400 << 20;
/// Most files of one command.
pub(crate) const FILE_COUNT_LIMIT: usize = 10_000;
/// Longest head or path, in bytes.
const TEXT_LIMIT: u64 = 1 << 20;
/// Longest job, in bytes.
const JOB_LIMIT: u64 = 16 << 20;

/// What the launcher is asked to do: one command, and the files around it.
///
/// It travels behind its length in eight bytes, little-endian: an engine does not reliably pass on the end of an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Job {
    /// The command, for `sh -c`.
    pub(crate) command: String,
    /// The side's tree.
    pub(crate) tree: String,
    /// Folder relative to the tree.
    pub(crate) directory: String,
    /// The whole environment.
    pub(crate) env: BTreeMap<String, String>,
    /// User of the command, never root.
    pub(crate) uid: u32,
    /// Group of the command.
    pub(crate) gid: u32,
    /// Limit in milliseconds.
    pub(crate) timeout_ms: u64,
    /// Paths that are deleted before.
    pub(crate) remove: Vec<String>,
    /// Paths that are read after.
    pub(crate) collect: Vec<String>,
    /// Paths that must exist after.
    pub(crate) require: Vec<String>,
    /// CPUs; empty: all.
    pub(crate) cpus: Vec<usize>,
    /// Priority.
    pub(crate) nice: Option<i32>,
    /// Refuse to run if there is any network but the loopback.
    pub(crate) offline: bool,
}

impl Job {
    /// The bytes that go to a launcher's standard input.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let text = serde_json::to_vec(self).expect("a job has only strings for keys");
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend(text);
        bytes
    }

    /// Reads one job and nothing behind it.
    ///
    /// # Errors
    /// Those of the reader; when the length is beyond the limit; when it is no job.
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Self> {
        let mut length = [0; 8];
        input.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > JOB_LIMIT {
            return Err(io::Error::other(format!("a job of {length} bytes")));
        }
        let mut text = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        input.read_exact(&mut text)?;
        serde_json::from_slice(&text).map_err(io::Error::other)
    }
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    /// The state.
    pub(crate) status: crate::results::StepStatus,
    /// Wall-clock nanoseconds of the command alone.
    pub(crate) wall_ns: u64,
    /// What the machine did meanwhile, as far as it is seen inside.
    pub(crate) witness: crate::results::RoundWitness,
    /// What a reader must know, in words.
    pub(crate) notes: Vec<String>,
    /// Bytes of output that did not fit.
    pub(crate) lost: u64,
    /// The launcher itself could not do its work: why.
    pub(crate) broken: Option<String>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    /// How the job ended; exactly one, first.
    Head(Box<Head>),
    /// Standard output.
    Stdout(Vec<u8>),
    /// Standard error.
    Stderr(Vec<u8>),
    /// A collected file: path and content.
    File(String, Vec<u8>),
    /// Nothing follows.
    End,
}

/// Writes a frame.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut impl Write, frame: &Frame) -> io::Result<()> {
    match frame {
        Frame::Head(head) => blob(out, b'H', &serde_json::to_vec(head).map_err(io::Error::other)?),
        Frame::Stdout(bytes) => blob(out, b'O', bytes),
        Frame::Stderr(bytes) => blob(out, b'E', bytes),
        Frame::File(path, bytes) => {
            blob(out, b'P', path.as_bytes())?;
            blob(out, b'F', bytes)
        }
        Frame::End => blob(out, b'.', &[]),
    }
}

fn blob(out: &mut impl Write, kind: u8, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&[kind])?;
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

/// Everything that a launcher sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    pub(crate) head: Head,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// Reads frames as their bytes arrive.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    buffer: Vec<u8>,
    total: u64,
    head: Option<Head>,
    stdout: Option<Vec<u8>>,
    stderr: Option<Vec<u8>>,
    path: Option<String>,
    files: BTreeMap<String, Vec<u8>>,
    ended: bool,
}

impl Reader {
    /// Takes some bytes.
    ///
    /// # Errors
    /// When they are not frames, or a limit is passed; nothing more should be read then.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.total += bytes.len() as u64;
        if self.total > TOTAL_LIMIT {
            return Err(format!("more than {} MiB came out of the sandbox", TOTAL_LIMIT >> 20));
        }
        self.buffer.extend_from_slice(bytes);
        let mut at = 0;
        while let Some((kind, length)) = header(&self.buffer[at..]) {
            self.check(kind, length)?;
            let start = at + 9;
            let Some(end) = usize::try_from(length).ok().map(|n| start + n).filter(|end| *end <= self.buffer.len())
            else {
                break;
            };
            let body = self.buffer[start..end].to_vec();
            self.take(kind, body)?;
            at = end;
        }
        self.buffer.drain(..at);
        Ok(())
    }

    fn check(&self, kind: u8, length: u64) -> Result<(), String> {
        let limit = match kind {
            b'H' | b'P' => TEXT_LIMIT,
            b'O' | b'E' | b'F' => BLOB_LIMIT,
            b'.' => 0,
            other => return Err(format!("unknown frame {other:#04x} from the sandbox")),
        };
        if self.ended {
            return Err("more frames after the last one".to_owned());
        }
        if length > limit {
            return Err(format!("a frame of {length} bytes, at most {limit} are allowed"));
        }
        if (kind == b'H') == self.head.is_some() {
            return Err("frames out of order".to_owned());
        }
        Ok(())
    }

    fn take(&mut self, kind: u8, body: Vec<u8>) -> Result<(), String> {
        fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), String> {
            match slot.replace(value) {
                None => Ok(()),
                Some(_) => Err("the same frame twice".to_owned()),
            }
        }
        match kind {
            b'H' => once(&mut self.head, serde_json::from_slice(&body).map_err(|e| format!("a bad head: {e}"))?),
            b'O' => once(&mut self.stdout, body),
            b'E' => once(&mut self.stderr, body),
            b'P' => once(&mut self.path, String::from_utf8(body).map_err(|_| "a path that is not UTF-8".to_owned())?),
            b'F' => {
                let path = self.path.take().ok_or("a file without a path")?;
                if self.files.len() >= FILE_COUNT_LIMIT {
                    return Err(format!("more than {FILE_COUNT_LIMIT} files came out of the sandbox"));
                }
                match self.files.insert(path, body) {
                    None => Ok(()),
                    Some(_) => Err("the same file twice".to_owned()),
                }
            }
            _ => {
                self.ended = true;
                Ok(())
            }
        }
    }

    /// What was read.
    ///
    /// # Errors
    /// When the last frame has not come.
    pub(crate) fn finish(self) -> Result<Answer, String> {
        match self.head {
            Some(head) if self.ended => Ok(Answer {
                head,
                stdout: self.stdout.unwrap_or_default(),
                stderr: self.stderr.unwrap_or_default(),
                files: self.files,
            }),
            _ => Err("the launcher ended before it was done".to_owned()),
        }
    }
}

fn header(bytes: &[u8]) -> Option<(u8, u64)> {
    let length: [u8; 8] = bytes.get(1..9)?.try_into().ok()?;
    Some((bytes[0], u64::from_le_bytes(length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sent(frames: &[Frame]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for frame in frames {
            write(&mut bytes, frame).unwrap();
        }
        bytes
    }

    fn good() -> Vec<u8> {
        sent(&[
            Frame::Head(Box::default()),
            Frame::Stdout(b"out".to_vec()),
            Frame::File("a/b.json".to_owned(), b"{}".to_vec()),
            Frame::End,
        ])
    }

    #[test]
    fn what_is_written_is_read_in_pieces_of_any_size() {
        for size in [1, 2, 7, 1000] {
            let mut reader = Reader::default();
            for piece in good().chunks(size) {
                reader.push(piece).unwrap();
            }
            let answer = reader.finish().unwrap();
            assert_eq!(answer.stdout, b"out");
            assert_eq!(answer.files["a/b.json"], b"{}");
        }
    }

    #[test]
    fn a_length_is_refused_before_anything_is_allocated() {
        let mut reader = Reader::default();
        reader.push(&sent(&[Frame::Head(Box::default())])).unwrap();
        let mut giant = vec![b'O'];
        giant.extend(u64::MAX.to_le_bytes());
        assert!(reader.push(&giant).unwrap_err().contains("at most"));
    }

    #[test]
    fn frames_come_once_in_order_and_to_the_end() {
        let twice = sent(&[Frame::Head(Box::default()), Frame::Stdout(vec![1]), Frame::Stdout(vec![2])]);
        assert!(Reader::default().push(&twice).is_err());
        assert!(Reader::default().push(&sent(&[Frame::Stdout(vec![1])])).is_err());
        assert!(Reader::default().push(&sent(&[Frame::Head(Box::default()), Frame::Head(Box::default())])).is_err());
        let mut cut = Reader::default();
        cut.push(&good()[..good().len() - 3]).unwrap();
        assert!(cut.finish().unwrap_err().contains("before it was done"));
    }

    #[test]
    fn a_job_is_read_to_its_own_end() {
        let job = Job {
            command: "true".to_owned(),
            tree: "/bench/tree".to_owned(),
            directory: String::new(),
            env: BTreeMap::from([("PAD".to_owned(), "x".repeat(5000))]),
            uid: 1001,
            gid: 118,
            timeout_ms: 1000,
            remove: Vec::new(),
            collect: vec!["out.json".to_owned()],
            require: Vec::new(),
            cpus: vec![1],
            nice: Some(-20),
            offline: true,
        };
        let mut bytes = job.encode();
        bytes.extend(b"more");
        let mut input = bytes.as_slice();
        assert_eq!(Job::read(&mut input).unwrap(), job);
        assert_eq!(input, b"more");
        assert!(Job::read(&mut u64::MAX.to_le_bytes().as_slice()).unwrap_err().to_string().contains("bytes"));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0_usize..40) {
            let mut stream = good();
            stream.truncate(cut);
            stream.extend(bytes);
            let mut reader = Reader::default();
            let _ = reader.push(&stream);
            let _ = reader.finish();
        }
    }
}
