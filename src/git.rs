//! Git, by its command line: pinned commits, self-contained checkouts.
