//! Finds how a repository benchmarks when nobody configured it.
