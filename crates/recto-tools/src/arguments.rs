//! The arguments of a call, checked against the tool's schema before anything else looks at them.

use crate::visible::shown_name;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

/// Checks the arguments of one tool.
#[derive(Debug)]
pub struct Checker {
    validator: Validator,
    schema: Value,
}

impl Checker {
    /// For a tool's schema; `None` if it is not valid, which a test excludes.
    #[must_use]
    pub fn new(schema: &Value) -> Option<Self> {
        Some(Self { validator: jsonschema::validator_for(schema).ok()?, schema: schema.clone() })
    }

    /// The arguments as an object.
    ///
    /// # Errors
    /// One sentence for the model that names each field that is wrong and what is expected there.
    pub fn check(&self, tool: &str, arguments: &str) -> Result<Arguments, String> {
        let expected = || format!("{tool} takes {}.", self.shape());
        let value: Value = serde_json::from_str(arguments)
            .map_err(|error| format!("The arguments are not JSON: {error}. {}", expected()))?;
        let Value::Object(mut object) = value else {
            return Err(format!("The arguments must be one JSON object. {}", expected()));
        };
        // `null` is how some models leave out what they need not give.
        let required = self.schema.get("required").and_then(Value::as_array);
        let is_required = |name: &String| required.is_some_and(|names| names.iter().any(|required| required == name));
        object.retain(|name, value| is_required(name) || !value.is_null());
        let value = Value::Object(object);
        let faults: Vec<String> = self.validator.iter_errors(&value).map(|error| fault(&error)).collect();
        match (faults.is_empty(), value) {
            (true, Value::Object(object)) => Ok(Arguments(object)),
            _ => Err(format!("{}. {}", faults.join("; "), expected())),
        }
    }

    /// The arguments in words: `{"path": string, "start_line": integer (optional)}`.
    fn shape(&self) -> String {
        let required = self.schema.get("required").and_then(Value::as_array);
        let fields: Vec<String> = self
            .schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, field)| {
                let kind = field.get("type").and_then(Value::as_str).unwrap_or("value");
                let is_required = required.is_some_and(|names| names.iter().any(|required| required == name));
                format!("\"{name}\": {kind}{}", if is_required { "" } else { " (optional)" })
            })
            .collect();
        format!("{{{}}}", fields.join(", "))
    }
}

/// What is wrong, in words that name the field.
fn fault(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let field = shown_name(path.trim_start_matches('/'));
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("`{}` is missing", shown_name(property.as_str().unwrap_or_default()))
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| format!("`{}`", shown_name(name))).collect();
            format!("{} is not known", names.join(", "))
        }
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => {
            format!("`{field}` must be of type {kind}, not {}", type_name(error.instance()))
        }
        ValidationErrorKind::Minimum { limit } => format!("`{field}` must be at least {limit}"),
        ValidationErrorKind::MinLength { .. } => format!("`{field}` must not be empty"),
        ValidationErrorKind::MaxLength { limit } => format!("`{field}` must be at most {limit} characters long"),
        _ => format!("`{field}` is not valid"),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checked arguments.
#[derive(Clone, Debug)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// A text argument; `None` if it was left out.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A whole number from 0; `None` if it was left out. `3.0` is one, as in the schema.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        let value = self.0.get(name)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the schema lets only whole numbers from 1 through"
        )]
        value.as_u64().or_else(|| value.as_f64().map(|number| number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn checker() -> Checker {
        let schema = json!({"type": "object", "required": ["path"], "additionalProperties": false,
            "properties": {"path": {"type": "string"}, "line": {"type": "integer", "minimum": 1}}});
        Checker::new(&schema).unwrap()
    }

    #[test]
    fn fault_f21_arguments_that_are_no_json_are_a_sentence_for_the_model_and_never_a_crash() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        let cases = [
            "",
            "{",
            "not json",
            "{\"path\":\"a\"} and more",
            "{\"path\":1e999}",
            "{\"path\":null}",
            "{\"path\":[\"a\"]}",
            "{\"path\":\"a\",\"line\":0}",
            "{\"path\":\"a\",\"line\":99999999999999999999999999}",
            "{\"path\":\"a\",\"extra\":true}",
            "[]",
            "\"a\"",
            "{\"path\":\"\\ud800\"}",
            &deep,
        ];
        for arguments in cases {
            match checker().check("read_file", arguments) {
                Err(sentence) => assert!(!sentence.is_empty(), "{arguments:.40}"),
                // A number that is too large for an integer is a number all the same; no file has that many lines.
                Ok(read) => assert_eq!(read.text("path"), Some("a"), "{arguments:.40}"),
            }
        }
        // Of a name that comes twice the last one counts, as everywhere.
        let twice = checker().check("read_file", "{\"path\":\"a\",\"path\":\"b\"}").unwrap();
        assert_eq!(twice.text("path"), Some("b"));
    }
}
