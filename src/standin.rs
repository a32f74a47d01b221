//! A stateful stand-in of GitHub on loopback, for `demo` and for tests.
