//! A GraphQL document and the part of GitHub's schema that bench-bot uses: a misspelt field must fail here as it would
//! there.

use serde_json::{Map, Value};

/// A field with its arguments, variables already put in.
#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) selection: Vec<Field>,
}

/// Names with their types.
type Typed = &'static [(&'static str, &'static str)];

/// A field: name, arguments, type.
type Definition = (&'static str, Typed, &'static str);

/// Types and their fields.
const TYPES: &[(&str, &[Definition])] = &[
    ("Query", &[("nodes", &[("ids", "[ID!]!")], "Node")]),
    ("Mutation", &[("minimizeComment", &[("input", "MinimizeCommentInput!")], "MinimizeCommentPayload")]),
    ("MinimizeCommentPayload", &[("minimizedComment", &[], "Minimizable"), ("clientMutationId", &[], "String")]),
    ("Minimizable", &[("isMinimized", &[], "Boolean"), ("minimizedReason", &[], "String")]),
    ("Node", &[("id", &[], "ID")]),
    ("IssueComment", &[("id", &[], "ID"), ("viewerDidAuthor", &[], "Boolean"), ("isMinimized", &[], "Boolean")]),
];

/// Input objects: their fields and types.
const INPUTS: &[(&str, Typed)] = &[(
    "MinimizeCommentInput",
    &[("subjectId", "ID!"), ("classifier", "ReportedContentClassifiers!"), ("clientMutationId", "String")],
)];

const CLASSIFIERS: &[&str] = &["ABUSE", "DUPLICATE", "OFF_TOPIC", "OUTDATED", "RESOLVED", "SPAM"];

/// Reads a document, checks it and its variables against the schema, and gives the fields of its root.
pub(super) fn read(document: &str, variables: &Map<String, Value>) -> Result<Vec<Field>, String> {
    let mut parser = Parser { tokens: tokens(document)?, at: 0, variables, declared: Vec::new() };
    let root = match parser.word()?.as_str() {
        "query" => "Query",
        "mutation" => "Mutation",
        other => return Err(format!("expected query or mutation, found {other}")),
    };
    parser.declarations()?;
    let fields = parser.selection(root)?;
    match parser.peek() {
        None => Ok(fields),
        Some(token) => Err(format!("unexpected {token} after the document")),
    }
}

/// Names (with their `$`), texts, `...` and single punctuation characters.
fn tokens(document: &str) -> Result<Vec<String>, String> {
    let (mut tokens, mut rest) = (Vec::new(), document.trim_start());
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '.' if rest.starts_with("...") => 3,
            '$' => 1 + rest[1..].find(|c| !word(c)).unwrap_or(rest.len() - 1),
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            '{' | '}' | '(' | ')' | '[' | ']' | ':' | '!' => 1,
            other => return Err(format!("unexpected character {other:?}")),
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start_matches([' ', '\n', '\t', ',']);
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    variables: &'a Map<String, Value>,
    declared: Vec<(String, String)>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn word(&mut self) -> Result<String, String> {
        let token = self.peek().ok_or("the document ends too early")?.to_owned();
        self.at += 1;
        Ok(token)
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.peek() == Some(expected);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, expected: &str) -> Result<(), String> {
        let found = self.peek().unwrap_or("the end").to_owned();
        if self.take(expected) { Ok(()) } else { Err(format!("expected {expected}, found {found}")) }
    }

    /// `($id: ID!, …)` and what was given for it.
    fn declarations(&mut self) -> Result<(), String> {
        if !self.take("(") {
            return Ok(());
        }
        while !self.take(")") {
            let name = self.word()?;
            let Some(plain) = name.strip_prefix('$') else { return Err(format!("{name} is no variable")) };
            self.expect(":")?;
            let mut kind = String::new();
            while self.peek().is_some_and(|token| token != ")" && !token.starts_with('$')) {
                kind += &self.word()?;
            }
            let given = self.variables.get(plain).unwrap_or(&Value::Null);
            check(given, &kind).map_err(|reason| format!("variable {name} of type {kind}: {reason}"))?;
            self.declared.push((plain.to_owned(), kind));
        }
        Ok(())
    }

    fn selection(&mut self, kind: &str) -> Result<Vec<Field>, String> {
        let fields = TYPES.iter().find(|(name, _)| *name == kind).map(|(_, fields)| *fields);
        let Some(fields) = fields else { return Ok(Vec::new()) };
        self.expect("{")?;
        let mut selected = Vec::new();
        while !self.take("}") {
            let name = self.word()?;
            if name == "..." {
                self.expect("on")?;
                let fragment = self.word()?;
                selected.extend(self.selection(&fragment)?);
                continue;
            }
            let known = fields.iter().find(|(field, ..)| *field == name);
            let Some((_, arguments, result)) = known else { return Err(format!("{kind} has no field {name}")) };
            let arguments = self.arguments(&name, arguments)?;
            let selection = self.selection(result)?;
            selected.push(Field { name, arguments, selection });
        }
        Ok(selected)
    }

    fn arguments(&mut self, field: &str, known: &[(&str, &str)]) -> Result<Map<String, Value>, String> {
        let mut found = Map::new();
        if self.take("(") {
            found = self.pairs(")", known).map_err(|reason| format!("{field}: {reason}"))?;
        }
        complete(&found, known).map_err(|reason| format!("{field}: {reason}"))?;
        Ok(found)
    }

    fn pairs(&mut self, end: &str, known: &[(&str, &str)]) -> Result<Map<String, Value>, String> {
        let mut found = Map::new();
        while !self.take(end) {
            let name = self.word()?;
            let Some((_, kind)) = known.iter().find(|(argument, _)| *argument == name) else {
                return Err(format!("there is no argument {name}"));
            };
            self.expect(":")?;
            let value = self.value(kind)?;
            found.insert(name, value);
        }
        Ok(found)
    }

    fn value(&mut self, kind: &str) -> Result<Value, String> {
        let token = self.word()?;
        if let Some(name) = token.strip_prefix('$') {
            let declared = self.declared.iter().find(|(known, _)| known == name);
            return match declared {
                Some((_, declared)) if declared == kind => Ok(self.variables.get(name).cloned().unwrap_or_default()),
                Some((_, declared)) => Err(format!("variable ${name} is {declared}, needed is {kind}")),
                None => Err(format!("variable ${name} is not declared")),
            };
        }
        if token == "{" {
            let input = INPUTS.iter().find(|(name, _)| *name == kind.trim_end_matches('!'));
            let Some((_, known)) = input else { return Err(format!("{kind} is no object")) };
            let found = self.pairs("}", known)?;
            complete(&found, known)?;
            return Ok(Value::Object(found));
        }
        let value = Value::String(token);
        check(&value, kind)?;
        Ok(value)
    }
}

/// Whether everything that must be there is.
fn complete(found: &Map<String, Value>, known: &[(&str, &str)]) -> Result<(), String> {
    let missing = known.iter().find(|(name, kind)| kind.ends_with('!') && !found.contains_key(*name));
    missing.map_or(Ok(()), |(name, _)| Err(format!("{name} is missing")))
}

/// Whether a value is of a type.
fn check(value: &Value, kind: &str) -> Result<(), String> {
    let fits = match (kind.trim_end_matches('!'), value) {
        (_, Value::Null) => !kind.ends_with('!'),
        ("ID" | "String", Value::String(_)) => true,
        ("ReportedContentClassifiers", Value::String(word)) => CLASSIFIERS.contains(&word.as_str()),
        ("[ID!]", Value::Array(ids)) => ids.iter().all(Value::is_string),
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("{value} is not of type {kind}")) }
}

#[cfg(test)]
mod tests {
    use super::read;
    use serde_json::{Map, Value, json};

    fn variables(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_correct_document_gives_its_fields_with_the_variables_put_in() {
        let document = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id viewerDidAuthor } } }";
        let fields = read(document, &variables(json!({ "ids": ["a"] }))).unwrap();
        assert_eq!(fields[0].arguments["ids"], json!(["a"]));
        assert_eq!(fields[0].selection[1].name, "viewerDidAuthor");
    }

    #[test]
    fn what_github_would_refuse_is_refused() {
        let ok = variables(json!({ "id": "a", "classifier": "OUTDATED" }));
        let mutation = |inside: &str| {
            format!(
                "mutation($id: ID!, $classifier: ReportedContentClassifiers!) {{ minimizeComment({inside}) \
                 {{ minimizedComment {{ isMinimized }} }} }}"
            )
        };
        let good = mutation("input: {subjectId: $id, classifier: $classifier}");
        assert!(read(&good, &ok).is_ok());
        for (document, given) in [
            (good.replace("isMinimized", "minimized"), ok.clone()),
            (good.replace("subjectId", "id"), ok.clone()),
            (good.replace("$id:", "$other:"), ok.clone()),
            (good.replace("ID!", "String!"), ok.clone()),
            (mutation("input: {subjectId: $id}"), ok.clone()),
            (good.clone(), variables(json!({ "id": "a", "classifier": "SILLY" }))),
            (good.clone(), variables(json!({ "classifier": "SPAM" }))),
            (format!("{good} }}"), ok.clone()),
            ("subscription { a }".to_owned(), ok.clone()),
            (String::new(), ok),
        ] {
            assert!(read(&document, &given).is_err(), "{document} {given:?}");
        }
    }
}
