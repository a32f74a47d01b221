//! The standard streams of a container that we started, as blocking ones.

use super::{Engine, stdout_of};
use bollard::container::{AttachContainerResults, LogOutput};
use bollard::errors::Error as DockerError;
use futures_util::{Stream, StreamExt};
use std::io::{self, BufRead, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};

type Pieces = Pin<Box<dyn Stream<Item = Result<LogOutput, DockerError>> + Send>>;

/// Standard output of a container, and its standard input, which lasts as long as this connection.
pub(crate) struct Attached {
    input: Input,
    pieces: Pieces,
}

/// Standard input of a container.
pub(crate) struct Input {
    engine: Arc<Engine>,
    stream: Pin<Box<dyn AsyncWrite + Send>>,
}

impl Attached {
    pub(super) fn new(engine: &Arc<Engine>, streams: AttachContainerResults) -> Self {
        let input = Input { engine: Arc::clone(engine), stream: streams.input };
        Self { input, pieces: streams.output }
    }

    /// Reading and writing apart; one reading may take `limit`.
    pub(crate) fn split(self, limit: Duration) -> (Output, Input) {
        let engine = Arc::clone(&self.input.engine);
        (Output { engine, pieces: self.pieces, buffer: Vec::new(), at: 0, limit }, self.input)
    }
}

/// Standard output of a container.
pub(crate) struct Output {
    engine: Arc<Engine>,
    pieces: Pieces,
    buffer: Vec<u8>,
    at: usize,
    limit: Duration,
}

impl BufRead for Output {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.buffer.len() {
            let pieces = &mut self.pieces;
            let next = self.engine.wait(self.limit, async { Ok(pieces.next().await.transpose()?) });
            match next.map_err(io::Error::other)? {
                None => return Ok(&[]),
                Some(piece) => {
                    self.buffer = stdout_of(piece).unwrap_or_default();
                    self.at = 0;
                }
            }
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = (self.at + amount).min(self.buffer.len());
    }
}

impl Read for Output {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let here = self.fill_buf()?;
        let amount = here.len().min(into.len());
        into[..amount].copy_from_slice(&here[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

impl Write for Input {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stream = &mut self.stream;
        // After a stop signal too: the last message of a run is that everything is to be put back.
        self.engine.insist(async { Ok(stream.write(bytes).await?) }).map_err(io::Error::other)
    }

    fn flush(&mut self) -> io::Result<()> {
        let stream = &mut self.stream;
        self.engine.insist(async { Ok(stream.flush().await?) }).map_err(io::Error::other)
    }
}
