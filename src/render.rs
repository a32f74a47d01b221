//! A report is shown: Markdown, terminal, HTML, and the classic layouts.
