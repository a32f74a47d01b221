//! Stage 1: an event becomes a request, or a reason why not.
