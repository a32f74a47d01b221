//! Statistics: medians, intervals, tests, corrections. Pure functions of numbers.
