mod config;
mod github;
