//! As much of a report as fits: unchanged rows are left out first, then undecided ones, then pictures and details; the
//! verdict never, and of the changed rows only if they alone are too long.

use super::RenderError;
use super::view::{Extras, LeftOut, Must, Prepared, View};

/// From everything to the bare verdict.
pub const LEVELS: [Extras; 5] = [
    Extras {
        must: Must::Important,
        tables: true,
        visible: 20,
        failures: 6,
        long_tails: true,
        functions: (64, true),
        sweeps: 6,
        chart: Some(0),
        classic: 0,
        sentences: (6, 12, 24),
        environments: 4,
        details: true,
    },
    Extras {
        must: Must::Important,
        tables: true,
        visible: 20,
        failures: 4,
        long_tails: false,
        functions: (32, false),
        sweeps: 0,
        chart: Some(1),
        classic: 1,
        sentences: (4, 12, 8),
        environments: 1,
        details: false,
    },
    Extras {
        must: Must::Changed,
        tables: false,
        visible: 20,
        failures: 2,
        long_tails: false,
        functions: (8, false),
        sweeps: 0,
        chart: Some(1),
        classic: 2,
        sentences: (3, 12, 4),
        environments: 1,
        details: false,
    },
    Extras {
        must: Must::Worst,
        tables: false,
        visible: 20,
        failures: 1,
        long_tails: false,
        functions: (0, false),
        sweeps: 0,
        chart: None,
        classic: 3,
        sentences: (2, 4, 2),
        environments: 0,
        details: false,
    },
    Extras {
        must: Must::Worst,
        tables: false,
        visible: 10,
        failures: 0,
        long_tails: false,
        functions: (0, false),
        sweeps: 0,
        chart: None,
        classic: 4,
        sentences: (1, 0, 0),
        environments: 0,
        details: false,
    },
];

/// What fitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The text.
    pub body: String,
    /// What is not in it.
    pub left_out: LeftOut,
    /// Whether nothing more can be taken away.
    pub smallest: bool,
}

/// The largest rendering of `prepared` of at most `limit` bytes. `render` gives the final text of a view, or nothing if it
/// is far too long. If not even the bare verdict fits, it is given all the same.
///
/// # Errors
/// Those of `render`.
pub fn fit(
    prepared: &Prepared,
    limit: usize,
    render: &mut dyn FnMut(&View) -> Result<Option<String>, RenderError>,
) -> Result<Fitted, RenderError> {
    let mut last = None;
    for (number, extras) in LEVELS.iter().enumerate() {
        let mut attempt = |keep: usize| -> Result<(Option<String>, LeftOut), RenderError> {
            let view = prepared.view(keep, extras);
            let text = render(&view)?;
            Ok((text, view.left_out))
        };
        let smallest = number + 1 == LEVELS.len();
        let most = if extras.tables { prepared.len() } else { prepared.listed() };
        let least = prepared.must(extras.must).min(most);
        let (text, left_out) = attempt(least)?;
        let fits = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() <= limit);
        if !fits(&text) {
            last = text.map(|body| Fitted { body, left_out, smallest: true });
            continue;
        }
        let mut best = (text, left_out);
        // A row takes at least some forty bytes, so that there is no use in trying more than this.
        let (mut fitting, mut too_many) = (least, most.min(least + limit / 40 + 1) + 1);
        let mut next = too_many - 1;
        while next > fitting {
            let outcome = attempt(next)?;
            if fits(&outcome.0) {
                (fitting, best) = (next, outcome);
            } else {
                too_many = next;
            }
            next = fitting + (too_many - fitting) / 2;
        }
        if let (Some(body), left_out) = best {
            return Ok(Fitted { body, left_out, smallest: smallest && fitting == 0 });
        }
    }
    last.ok_or(RenderError::TooLong { limit })
}
