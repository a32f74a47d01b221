//! GitHub's API, as far as it is needed.
