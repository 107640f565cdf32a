//! From the JSON Schema of a step to a grammar.

use llama_cpp_2::json_schema_to_grammar;
use serde_json::Value;

/// The library writes `{0,n}` out as n rules and refuses more than this.
pub const LONGEST_COUNTED: u64 = 2_000;

/// A GBNF grammar for values of `schema`: compact JSON, at most one space where JSON allows white space.
///
/// Lengths over [`LONGEST_COUNTED`] are left out of the grammar; the reply's token limit caps them.
///
/// # Errors
/// The schema holds something that cannot be a grammar; the sentence says so.
pub fn grammar_of(schema: &Value) -> Result<String, String> {
    let mut schema = schema.clone();
    drop_long_counts(&mut schema);
    let grammar = json_schema_to_grammar(&schema.to_string())
        .map_err(|error| format!("the step's schema cannot be made into a grammar: {error}"))?;
    // A small model that may indent goes on indenting, so the rule for white space is narrowed.
    let lines = grammar.lines().map(|line| if line.starts_with("space ::=") { "space ::= \" \"?" } else { line });
    Ok(lines.fold(String::with_capacity(grammar.len()), |text, line| text + line + "\n"))
}

fn drop_long_counts(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for key in ["maxLength", "maxItems"] {
                if fields.get(key).and_then(Value::as_u64).is_some_and(|count| count > LONGEST_COUNTED) {
                    fields.shift_remove(key);
                }
            }
            fields.values_mut().for_each(drop_long_counts);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_long_counts),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn white_space_is_at_most_one_space_and_long_counts_are_left_out() {
        let schema = json!({"type": "object", "properties": {
            "path": {"type": "string", "maxLength": 200}, "content": {"type": "string", "maxLength": 4000}},
            "required": ["path", "content"], "additionalProperties": false});
        let grammar = grammar_of(&schema).unwrap();
        let mut lines: Vec<&str> = grammar.lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "char ::= [^\"\\\\\\x7F\\x00-\\x1F] | [\\\\] ([\"\\\\bfnrt] | \"u\" [0-9a-fA-F]{4})",
                "content-kv ::= \"\\\"content\\\"\" space \":\" space string",
                "path ::= \"\\\"\" char{0,200} \"\\\"\"",
                "path-kv ::= \"\\\"path\\\"\" space \":\" space path",
                "root ::= \"{\" space path-kv \",\" space content-kv space \"}\"",
                "space ::= \" \"?",
                "string ::= \"\\\"\" char* \"\\\"\"",
            ]
        );
    }
}
