use super::graphql_address;
use reqwest::Url;

fn graphql(api: &str) -> String {
    graphql_address(&Url::parse(api).unwrap()).to_string()
}

#[test]
fn graphql_is_where_each_kind_of_server_has_it() {
    // docs.github.com: "Forming calls with GraphQL", for github.com and for GitHub Enterprise Server.
    assert_eq!(graphql("https://api.github.com"), "https://api.github.com/graphql");
    assert_eq!(graphql("https://api.octocorp.ghe.com/"), "https://api.octocorp.ghe.com/graphql");
    assert_eq!(graphql("https://ghes.example/api/v3"), "https://ghes.example/api/graphql");
    assert_eq!(graphql("https://ghes.example/api/v3/"), "https://ghes.example/api/graphql");
}
