//! Lists that come in pages.

use super::call::Call;
use super::error::{GitHubError, Place};
use super::transport::Answer;
use super::{Client, Result};
use http::Method;
use reqwest::Url;
use serde::de::DeserializeOwned;

/// No list that bench-bot reads has more pages.
const MAX_PAGES: usize = 100;

impl Client {
    /// Every element of a list, following `Link: rel="next"` to the letter: GitHub's own links lead to
    /// `/repositories/ID/…`. `pick` takes the elements out of one page.
    pub(crate) fn pages<P: DeserializeOwned, T>(&self, call: Call, pick: impl Fn(P) -> Vec<T>) -> Result<Vec<T>> {
        let mut all = Vec::new();
        let mut call = call;
        for _ in 0..MAX_PAGES {
            let (page, next) = self.attempt(&call, |answer| {
                let page: P = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
                Ok((page, next(answer)))
            })?;
            all.extend(pick(page));
            match next {
                Some(url) => call = call.at(url),
                None => return Ok(all),
            }
        }
        let place = Place { what: &call.what, method: &Method::GET };
        Err(GitHubError::endless(place, MAX_PAGES))
    }
}

/// The address of the next page.
fn next(answer: &Answer) -> Option<Url> {
    answer.headers.get_all("link").iter().filter_map(|value| value.to_str().ok()).find_map(|header| {
        let target = links(header).find(|(_, relation)| *relation == "next")?.0;
        answer.url.join(target).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
    })
}

/// The targets and relations of a `Link` header (RFC 8288).
fn links(header: &str) -> impl Iterator<Item = (&str, &str)> {
    header.split('<').skip(1).filter_map(|part| {
        let (target, parameters) = part.split_once('>')?;
        let relation = parameters.split(';').find_map(|parameter| {
            let (name, value) = parameter.trim().trim_end_matches(',').split_once('=')?;
            name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"'))
        })?;
        Some((target, relation))
    })
}

#[cfg(test)]
mod tests {
    use super::links;

    #[test]
    fn a_header_recorded_from_github_names_next_and_last() {
        let header = "<https://api.github.com/repositories/1000/issues?per_page=3&page=2>; rel=\"next\", \
                      <https://api.github.com/repositories/1000/issues?per_page=3&page=5>; rel=\"last\"";
        let found: Vec<_> = links(header).collect();
        assert_eq!(
            found,
            [
                ("https://api.github.com/repositories/1000/issues?per_page=3&page=2", "next"),
                ("https://api.github.com/repositories/1000/issues?per_page=3&page=5", "last"),
            ]
        );
    }

    #[test]
    fn a_comma_inside_an_address_ends_nothing() {
        let found: Vec<_> = links("<https://host/list?labels=a,b&page=2>; rel=next").collect();
        assert_eq!(found, [("https://host/list?labels=a,b&page=2", "next")]);
    }

    #[test]
    fn a_header_without_relations_has_no_links() {
        assert_eq!(links("nonsense, <half").count(), 0);
        assert_eq!(links("<https://host/>").count(), 0);
    }
}
