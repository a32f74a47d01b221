//! What can stop a comparison.

use super::builder::ExpressionError;

/// Why there is no comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The command line asks for something that cannot be.
    #[error("{0}")]
    Usage(String),
    /// An expression cannot be read.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// An input is missing or unreadable.
    #[error("cannot read {path}: {error}")]
    Read {
        /// Its path.
        path: String,
        /// Why.
        error: String,
    },
    /// An input is in no format that is known, or not in the one that was named.
    #[error("cannot read the results in {path}: {message}")]
    Format {
        /// Its path.
        path: String,
        /// Why.
        message: String,
    },
    /// The report cannot be shown.
    #[error("cannot show the report: {0}")]
    Render(String),
    /// Output cannot be written.
    #[error("cannot write the result: {0}")]
    Write(String),
    /// No row has values to be compared.
    #[error("nothing to compare: {0}")]
    Nothing(String),
}

impl CompareError {
    /// The exit code: 3 where there is nothing to compare, 2 for everything else.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Nothing(_) => 3,
            _ => 2,
        }
    }
}
