//! The part of GitHub's expressions that the example workflows use.

use serde_json::{Value, json};

/// What names stand for.
pub(in crate::actions) type Context = Value;

/// A text with every `${{ … }}` replaced.
pub(in crate::actions) fn fill(text: &str, context: &Context) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (expression, after) = after.split_once("}}").unwrap();
        filled += before;
        filled += &word(&evaluate(expression, context));
        rest = after;
    }
    filled + rest
}

/// Whether a condition holds, with `${{ … }}` around it or without.
pub(in crate::actions) fn is_true(condition: &str, context: &Context) -> bool {
    let condition = condition.trim();
    let inner = condition.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(condition);
    truth(&evaluate(inner, context))
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn truth(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && *value != json!("") && *value != json!(0)
}

fn evaluate(text: &str, context: &Context) -> Value {
    let mut parser = Parser { rest: text, context };
    let value = parser.or();
    assert!(parser.rest.trim().is_empty(), "{text:?}: not understood from {:?}", parser.rest);
    value
}

struct Parser<'a> {
    rest: &'a str,
    context: &'a Context,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> Value {
        let mut value = self.and();
        while self.eat("||") {
            let right = self.and();
            value = if truth(&value) { value } else { right };
        }
        value
    }

    fn and(&mut self) -> Value {
        let mut value = self.compared();
        while self.eat("&&") {
            let right = self.compared();
            value = if truth(&value) { right } else { value };
        }
        value
    }

    fn compared(&mut self) -> Value {
        let left = self.one();
        if self.eat("==") {
            return json!(word(&left) == word(&self.one()));
        }
        if self.eat("!=") {
            return json!(word(&left) != word(&self.one()));
        }
        left
    }

    fn one(&mut self) -> Value {
        if self.eat("!") {
            return json!(!truth(&self.one()));
        }
        if self.eat("(") {
            let value = self.or();
            assert!(self.eat(")"));
            return value;
        }
        if self.eat("'") {
            let (text, rest) = self.rest.split_once('\'').unwrap();
            self.rest = rest;
            return json!(text);
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if self.eat("(") {
            return self.call(name);
        }
        name.split('.').fold(self.context.clone(), |value, key| value.get(key).cloned().unwrap_or_default())
    }

    fn call(&mut self, name: &str) -> Value {
        let mut arguments = Vec::new();
        while !self.eat(")") {
            arguments.push(self.or());
            self.eat(",");
        }
        match (name, arguments.as_slice()) {
            // Whether jobs before it succeeded is looked at where the job is started.
            ("always" | "success", []) => json!(true),
            ("contains", [text, part]) => json!(word(text).to_lowercase().contains(&word(part).to_lowercase())),
            _ => panic!("{name} with {} arguments is not known here", arguments.len()),
        }
    }
}

#[test]
fn expressions_mean_what_github_means() {
    let context = json!({"a": {"b-c": "x", "n": null, "yes": true}});
    for (text, expected) in [
        ("a.b-c == 'x' && a.yes", true),
        ("!a.yes || a.n", false),
        ("${{ !a.missing.deeper }}", true),
        ("always() && contains('One /BENCH', '/bench')", true),
        ("a.b-c != 'x' || (a.yes && a.n == '')", true),
    ] {
        assert_eq!(is_true(text, &context), expected, "{text}");
    }
    assert_eq!(fill("k-${{ a.n || a.b-c }}/${{ a.missing }}4", &context), "k-x/4");
}
