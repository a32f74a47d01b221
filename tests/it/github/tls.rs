//! The encrypted way: there is a crypto provider, and certificates are checked.

use super::{PR, REPO, TOKEN, client};
use bench_bot::github::ErrorKind;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::io::Read;
use std::net::TcpListener;
use std::sync::{Arc, mpsc};

/// A server for `localhost` whose certificate nobody trusts; it gives what was sent to it after the handshake.
fn server() -> (u16, mpsc::Receiver<Vec<u8>>) {
    let certificate = CertificateDer::from(include_bytes!("../../data/github/tls/server.der").to_vec());
    let key =
        PrivateKeyDer::from(PrivatePkcs8KeyDer::from(include_bytes!("../../data/github/tls/server.key.der").to_vec()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (send, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut bytes = Vec::new();
            // The client ends the handshake: an error is what is expected here.
            let _ = rustls::StreamOwned::new(connection, stream).read_to_end(&mut bytes);
            if send.send(bytes).is_err() {
                return;
            }
        }
    });
    (port, received)
}

#[test]
fn a_server_whose_certificate_nobody_trusts_gets_neither_token_nor_text() {
    let (port, received) = server();
    let client = client(&format!("https://localhost:{port}"), TOKEN, &Arc::default());
    let error = client.repository(REPO).unwrap().pull_request(PR).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connection);
    assert!(error.to_string().contains("certificate"), "{error}");
    for _ in 0..4 {
        assert!(received.recv().unwrap().is_empty());
    }
}
