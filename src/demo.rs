//! The whole pipeline on a throw-away repository against a stand-in of GitHub.
