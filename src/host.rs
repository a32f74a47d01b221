//! The host: settings and what can be seen of it.
