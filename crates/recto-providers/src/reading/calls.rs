//! Native tool calls from their deltas, in all the shapes in which servers send them.

use recto_core::id::CallId;
use recto_core::tool::ToolCall;
use serde_json::Value;

/// Calls under construction, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct CallAssembler {
    calls: Vec<OpenCall>,
    is_ambiguous: bool,
}

#[derive(Debug, Default)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    is_told: bool,
}

/// One delta of one call, without its wrapping.
struct CallDelta {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl CallAssembler {
    /// Takes the deltas of one chunk; gives the names of calls that have begun.
    ///
    /// Which call a delta belongs to, first match wins:
    /// 1. it has an id that is known: the call with this id at its index; else, unless it names a tool for an index of its own, that
    ///    call;
    /// 2. it has an id that is not known: the call at its index if that has neither id nor a name of its own yet, else a new call,
    ///    whatever its index says;
    /// 3. it names a tool, and the call it would continue is complete (or began in this same chunk, without indexes): a new call;
    /// 4. it has an index: the last call with that index, else a new call;
    /// 5. the last call.
    pub(super) fn push(&mut self, deltas: &[Value]) -> Vec<String> {
        let n_before = self.calls.len();
        for delta in deltas {
            let delta = CallDelta::read(delta);
            let place = self.place(&delta, n_before);
            let call = match place {
                Some(place) => &mut self.calls[place],
                None => {
                    self.calls.push(OpenCall { index: delta.index, ..OpenCall::default() });
                    let last = self.calls.len() - 1;
                    &mut self.calls[last]
                }
            };
            self.is_ambiguous |= !call.take(delta);
        }
        self.told(|call| !call.arguments.is_empty())
    }

    /// The names of calls that have begun and were not told yet, now that everything is there.
    pub(super) fn finish(&mut self) -> Vec<String> {
        self.told(|_| true)
    }

    fn told(&mut self, is_due: impl Fn(&OpenCall) -> bool) -> Vec<String> {
        let due = self.calls.iter_mut().filter(|call| !call.is_told && !call.name.is_empty() && is_due(call));
        due.map(|call| {
            call.is_told = true;
            call.name.clone()
        })
        .collect()
    }

    fn place(&self, delta: &CallDelta, n_before: usize) -> Option<usize> {
        let at_index = match delta.index {
            Some(_) => self.calls.iter().rposition(|call| call.index == delta.index),
            None => self.calls.len().checked_sub(1),
        };
        if !delta.id.is_empty() {
            let has_id = |call: &OpenCall| call.id == delta.id;
            let here = self.calls.iter().rposition(|call| has_id(call) && call.index == delta.index);
            let known = here.or_else(|| {
                // Some servers give all calls one id; what keeps them apart then is the index and the name.
                let begins_another =
                    |call: &OpenCall| !delta.name.is_empty() && delta.index.is_some() && call.index.is_some();
                self.calls.iter().rposition(has_id).filter(|place| !begins_another(&self.calls[*place]))
            });
            return known.or_else(|| {
                at_index.filter(|place| {
                    let call = &self.calls[*place];
                    call.id.is_empty()
                        && (call.name.is_empty() || delta.name.is_empty() || call.name == delta.name)
                        && !call.is_complete()
                })
            });
        }
        at_index.filter(|place| {
            let call = &self.calls[*place];
            let began_here = || delta.index.is_none() && *place >= n_before && !call.name.is_empty();
            // Whether a call is complete is asked only where a name comes again: long arguments arrive in thousands of deltas.
            delta.name.is_empty() || !(began_here() || call.is_complete())
        })
    }

    /// Whether a call has begun at this index.
    pub(super) fn has_index(&self, index: &Value) -> bool {
        index.as_u64().is_some_and(|index| self.calls.iter().any(|call| call.index == Some(index)))
    }

    /// Whether any call has begun.
    pub(super) fn has_begun(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Whether some delta fitted no call, or a call has no name: nothing of it may run.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.is_ambiguous || self.calls.iter().any(|call| call.name.is_empty())
    }

    /// Whether the arguments of a call are not whole.
    pub(super) fn is_cut_off(&self) -> bool {
        self.calls.iter().any(|call| !call.arguments.is_empty() && !call.is_complete())
    }

    /// The calls as they are. One without an id, or with the id of an earlier one of this reply, gets the first of `call_1`,
    /// `call_2` … that is not in `taken` or in this reply.
    pub(super) fn calls(&self, taken: &[CallId]) -> Vec<ToolCall> {
        let mut used: Vec<String> = taken.iter().map(|id| id.0.clone()).collect();
        used.extend(self.calls.iter().map(|call| call.id.clone()).filter(|id| !id.is_empty()));
        let mut given: Vec<String> = Vec::new();
        let mut number = 0;
        self.calls
            .iter()
            .map(|call| {
                let mut id = call.id.clone();
                if given.contains(&id) {
                    id.clear();
                }
                let has_own = !id.is_empty();
                while id.is_empty() || (!has_own && used.contains(&id)) {
                    number += 1;
                    id = format!("call_{number}");
                }
                used.push(id.clone());
                given.push(id.clone());
                ToolCall { id: CallId(id), name: call.name.clone(), arguments: call.arguments.clone() }
            })
            .collect()
    }
}

impl OpenCall {
    /// Adds a delta; false if it contradicts what is there.
    fn take(&mut self, delta: CallDelta) -> bool {
        if self.id.is_empty() {
            self.id = delta.id;
        }
        let mut fits = true;
        if self.arguments.is_empty() && self.name != delta.name {
            // The name comes whole, or in pieces before the arguments.
            self.name.push_str(&delta.name);
        } else if self.name.is_empty() {
            self.name = delta.name;
        } else {
            fits = delta.name.is_empty() || delta.name == self.name;
        }
        self.arguments.push_str(&delta.arguments);
        fits
    }

    fn is_complete(&self) -> bool {
        serde_json::from_str::<Value>(&self.arguments).is_ok_and(|value| value.is_object())
    }
}

impl CallDelta {
    fn read(delta: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let function = delta.get("function").unwrap_or(delta);
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            // Some servers send the object itself; it is written as they would have written it.
            other => other.to_string(),
        };
        Self { index: delta["index"].as_u64(), id: text(&delta["id"]), name: text(&function["name"]), arguments }
    }
}

#[cfg(test)]
mod tests {
    use super::CallAssembler;
    use serde_json::{Value, json};

    /// Each element of `chunks` is the `tool_calls` of one chunk.
    fn check(chunks: Value, expected: &[(&str, &str, &str)]) {
        let mut assembler = CallAssembler::default();
        let mut told = Vec::new();
        for chunk in chunks.as_array().unwrap() {
            told.extend(assembler.push(chunk.as_array().unwrap()));
        }
        told.extend(assembler.finish());
        let calls = assembler.calls(&[]);
        let read: Vec<(&str, &str, &str)> =
            calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(read, expected);
        assert_eq!(told, expected.iter().map(|call| call.1).collect::<Vec<_>>());
        assert!(!assembler.is_ambiguous());
    }

    fn delta(index: Value, id: Value, name: Value, arguments: Value) -> Value {
        json!([{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}])
    }

    #[test]
    fn fault_f20_id_only_in_the_first_delta() {
        check(
            json!([
                delta(json!(0), json!("a"), json!("f"), json!("")),
                delta(json!(0), Value::Null, Value::Null, json!("{\"x\":")),
                delta(json!(0), Value::Null, Value::Null, json!("1}")),
            ]),
            &[("a", "f", "{\"x\":1}")],
        );
    }

    #[test]
    fn fault_f20_id_and_name_in_every_delta() {
        check(
            json!([
                delta(json!(0), json!("a"), json!("f"), json!("{\"x\":")),
                delta(json!(0), json!("a"), json!("f"), json!("1}")),
                delta(json!(1), json!("b"), json!("f"), json!("{}")),
            ]),
            &[("a", "f", "{\"x\":1}"), ("b", "f", "{}")],
        );
    }

    #[test]
    fn fault_f20_every_index_zero_and_different_ids_are_different_calls() {
        check(
            json!([
                delta(json!(0), json!("a"), json!("f"), json!("{\"x\":1}")),
                delta(json!(0), json!("b"), json!("g"), json!("{\"y\":2}")),
            ]),
            &[("a", "f", "{\"x\":1}"), ("b", "g", "{\"y\":2}")],
        );
    }

    #[test]
    fn fault_f20_no_index_at_all() {
        check(
            json!([
                delta(Value::Null, json!("a"), json!("f"), json!("{\"x\"")),
                delta(Value::Null, Value::Null, Value::Null, json!(":1}")),
                delta(Value::Null, json!("b"), json!("f"), json!("{}")),
            ]),
            &[("a", "f", "{\"x\":1}"), ("b", "f", "{}")],
        );
    }

    #[test]
    fn fault_f20_neither_index_nor_id() {
        check(
            json!([[
                {"function": {"name": "f", "arguments": "{\"x\":1}"}},
                {"function": {"name": "f", "arguments": "{\"x\":2}"}},
            ], [
                {"function": {"name": "g", "arguments": {"y": [1, 2]}}},
            ]]),
            &[("call_1", "f", "{\"x\":1}"), ("call_2", "f", "{\"x\":2}"), ("call_3", "g", "{\"y\":[1,2]}")],
        );
    }

    #[test]
    fn fault_f20_interleaved_by_index() {
        check(
            json!([
                delta(json!(0), json!("a"), json!("f"), json!("")),
                delta(json!(1), json!("b"), json!("g"), json!("")),
                delta(json!(0), Value::Null, Value::Null, json!("{\"x\":")),
                delta(json!(1), Value::Null, Value::Null, json!("{\"y\":")),
                delta(json!(0), Value::Null, Value::Null, json!("1}")),
                delta(json!(1), Value::Null, Value::Null, json!("2}")),
            ]),
            &[("a", "f", "{\"x\":1}"), ("b", "g", "{\"y\":2}")],
        );
    }

    #[test]
    fn fault_f20_name_or_id_late_and_a_name_in_pieces() {
        check(
            json!([
                delta(json!(0), json!("a"), Value::Null, json!("")),
                delta(json!(0), Value::Null, json!("f"), json!("{}")),
                delta(json!(1), Value::Null, json!("read_"), json!("")),
                delta(json!(1), Value::Null, json!("file"), json!("")),
                delta(json!(1), json!("b"), Value::Null, json!("{\"x\"")),
                delta(json!(1), Value::Null, Value::Null, json!(":1}")),
            ]),
            &[("a", "f", "{}"), ("b", "read_file", "{\"x\":1}")],
        );
    }

    #[test]
    fn fault_f20_the_first_delta_carries_the_brace() {
        check(
            json!([
                delta(json!(0), json!("a"), json!("f"), json!("{")),
                delta(json!(0), Value::Null, Value::Null, json!("\"x\":1}")),
            ]),
            &[("a", "f", "{\"x\":1}")],
        );
    }

    #[test]
    fn fault_f20_a_call_without_arguments_is_a_call() {
        check(json!([delta(json!(0), json!("a"), json!("f"), Value::Null)]), &[("a", "f", "")]);
    }

    #[test]
    fn fault_f20_one_id_for_several_calls_keeps_them_apart_by_index_and_name() {
        check(
            json!([
                delta(json!(0), json!("x"), json!("f"), json!("{\"a\":")),
                delta(json!(0), json!("x"), Value::Null, json!("1}")),
                delta(json!(1), json!("x"), json!("g"), json!("{\"b\":")),
                delta(json!(1), json!("x"), Value::Null, json!("2}")),
            ]),
            &[("x", "f", "{\"a\":1}"), ("call_1", "g", "{\"b\":2}")],
        );
    }

    #[test]
    fn a_given_id_is_never_one_that_is_taken() {
        let mut assembler = CallAssembler::default();
        drop(assembler.push(&[
            json!({"function": {"name": "f", "arguments": "{}"}}),
            json!({"id": "call_3", "function": {"name": "g"}}),
        ]));
        let ids: Vec<String> = assembler.calls(&["call_1".into()]).into_iter().map(|call| call.id.0).collect();
        assert_eq!(ids, ["call_2", "call_3"]);
    }

    #[test]
    fn fault_f20_what_fits_no_call_is_ambiguous_and_never_merged() {
        let mut assembler = CallAssembler::default();
        drop(assembler.push(&[json!({"index": 0, "function": {"name": "f", "arguments": "{\"x\":"}})]));
        drop(assembler.push(&[json!({"index": 0, "function": {"name": "g", "arguments": "1}"}})]));
        assert!(assembler.is_ambiguous());
        let mut nameless = CallAssembler::default();
        drop(nameless.push(&[json!({"index": 0, "id": "a", "function": {"arguments": "{}"}})]));
        assert!(nameless.is_ambiguous());
    }

    #[test]
    fn fault_f11_arguments_that_are_not_whole_are_known_as_such() {
        let mut assembler = CallAssembler::default();
        drop(assembler.push(&[json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":"}})]));
        assert!(assembler.is_cut_off());
        drop(assembler.push(&[json!({"index": 0, "function": {"arguments": "1}"}})]));
        assert!(!assembler.is_cut_off());
    }
}
