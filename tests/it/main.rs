mod host;
mod sandbox;
