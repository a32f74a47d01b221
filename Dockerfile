# The bench-bot action. Builder and runtime bases are arguments, so that it builds from mirrors and local images too.
ARG BUILDER=rust:1.95-slim-bookworm
ARG RUNTIME=debian:bookworm-slim

FROM ${BUILDER} AS build
WORKDIR /src
# A static binary: it is mounted into images of any distribution as the launcher of bench commands.
ENV RUSTFLAGS="-C target-feature=+crt-static" CARGO_TERM_COLOR=never
# Dependencies first: this layer is reused until Cargo.lock changes.
COPY Cargo.toml Cargo.lock ./
RUN mkdir -p src tests/it && echo 'fn main() {}' > src/main.rs && touch src/lib.rs tests/it/main.rs \
    && cargo build --release --locked --target "$(uname -m)-unknown-linux-gnu" \
    && rm -rf src tests
COPY src ./src
COPY templates ./templates
COPY docs ./docs
RUN mkdir -p tests/it && touch tests/it/main.rs src/main.rs src/lib.rs \
    && cargo build --release --locked --target "$(uname -m)-unknown-linux-gnu" \
    && cp "target/$(uname -m)-unknown-linux-gnu/release/bench-bot" /bench-bot

FROM ${RUNTIME}
LABEL org.opencontainers.image.title="bench-bot" \
      org.opencontainers.image.description="Tells maintainers what a pull request does to performance" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
# git for pinned checkouts, certificates for GitHub's API, tini to reap and to pass on signals. Their versions are the
# base image's release: a distribution keeps one of each, and an older one could not be had later.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /bench-bot /usr/local/bin/bench-bot
# GitHub's runner gives the workspace and its files to whoever owns them; a Docker action must run as root.
ENTRYPOINT ["/usr/bin/tini", "-g", "--", "/usr/local/bin/bench-bot"]
