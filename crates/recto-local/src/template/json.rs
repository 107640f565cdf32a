//! `tojson` as chat templates mean it: Python's `json.dumps(…, ensure_ascii=False)`, because the models were trained on its bytes. Jinja's own
//! filter escapes `<`, `>`, `&` and `'`, and minijinja's leaves out the spaces after `,` and `:`.

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Value, ValueKind};
use minijinja::{Error, ErrorKind};
use std::fmt;
use std::sync::Arc;

/// Arguments of an earlier call as the model wrote them. A template that writes them with `tojson` writes exactly these bytes; one that
/// looks inside sees the parsed object.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The bytes.
    pub(super) text: String,
    /// What they say; `None` where they are not a JSON object.
    pub(super) parsed: Option<Value>,
}

impl Object for Arguments {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        if self.parsed.is_some() { ObjectRepr::Map } else { ObjectRepr::Plain }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.parsed.as_ref()?.get_item(key).ok().filter(|value| !value.is_undefined())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let keys = self.parsed.as_ref().and_then(|parsed| parsed.try_iter().ok());
        keys.map_or(Enumerator::NonEnumerable, |keys| Enumerator::Values(keys.collect()))
    }

    fn render(self: &Arc<Self>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// A JSON object with its keys in their order.
#[derive(Debug)]
pub(super) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// A template value with these fields.
    pub(super) fn value<K: Into<String>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::from_object(Self(fields.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }
}

impl Object for Fields {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let key = key.as_str()?;
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.iter().map(|(name, _)| Value::from(name.as_str())).collect())
    }
}

/// A JSON value as a template sees it.
pub(super) fn from_json(value: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match value {
        Json::Null => Value::from(()),
        Json::Bool(is_true) => Value::from(*is_true),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::from(number),
            (None, Some(number)) => Value::from(number),
            (None, None) => Value::from(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(from_json).collect(),
        Json::Object(fields) => Fields::value(fields.iter().map(|(key, value)| (key.clone(), from_json(value)))),
    }
}

/// The filter. `indent`, `separators` and `ensure_ascii` are understood; `sort_keys` is not asked for by any template known.
pub(super) fn tojson(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent = match options.get::<Option<Value>>("indent")? {
        Some(indent) if !indent.is_none() => Some(usize::try_from(indent)?),
        _ => None,
    };
    let separators = options.get::<Option<Vec<String>>>("separators")?;
    let is_ascii = options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false);
    options.assert_all_used()?;
    let (between_items, after_key) = match separators.as_deref() {
        Some([item, key]) => (item.clone(), key.clone()),
        _ if indent.is_some() => (",".to_owned(), ": ".to_owned()),
        _ => (", ".to_owned(), ": ".to_owned()),
    };
    let mut writer = Writer { out: String::new(), indent, between_items, after_key, is_ascii };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    indent: Option<usize>,
    between_items: String,
    after_key: String,
    is_ascii: bool,
}

impl Writer {
    fn value(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if let Some(arguments) = value.downcast_object_ref::<Arguments>() {
            self.out.push_str(&arguments.text);
            return Ok(());
        }
        match value.kind() {
            ValueKind::None => self.out.push_str("null"),
            ValueKind::Bool => self.out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => self.number(value),
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => {
                let items: Vec<Value> = value.try_iter()?.collect();
                self.list('[', ']', items.len(), depth, |writer, index| writer.value(&items[index], depth + 1))?;
            }
            ValueKind::Map => {
                let keys: Vec<Value> = value.try_iter()?.collect();
                self.list('{', '}', keys.len(), depth, |writer, index| {
                    writer.string(&keys[index].to_string());
                    let after_key = writer.after_key.clone();
                    writer.out.push_str(&after_key);
                    writer.value(&value.get_item(&keys[index])?, depth + 1)
                })?;
            }
            kind => {
                return Err(Error::new(ErrorKind::InvalidOperation, format!("{kind} is not JSON serializable")));
            }
        }
        Ok(())
    }

    fn list(
        &mut self,
        open: char,
        close: char,
        n_items: usize,
        depth: usize,
        mut item: impl FnMut(&mut Self, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.out.push(open);
        for index in 0..n_items {
            if index > 0 {
                let between_items = self.between_items.clone();
                self.out.push_str(&between_items);
            }
            self.line(depth + 1);
            item(self, index)?;
        }
        if n_items > 0 {
            self.line(depth);
        }
        self.out.push(close);
        Ok(())
    }

    fn line(&mut self, depth: usize) {
        if let Some(indent) = self.indent {
            self.out.push('\n');
            self.out.push_str(&" ".repeat(indent * depth));
        }
    }

    fn number(&mut self, value: &Value) {
        match f64::try_from(value.clone()) {
            Ok(number) if !value.is_integer() => self.out.push_str(&python_float(number)),
            _ => self.out.push_str(&value.to_string()),
        }
    }

    fn string(&mut self, text: &str) {
        let quoted = serde_json::Value::from(text).to_string();
        if !self.is_ascii {
            self.out.push_str(&quoted);
            return;
        }
        let mut units = [0; 2];
        for character in quoted.chars() {
            if character.is_ascii() {
                self.out.push(character);
            } else {
                for unit in character.encode_utf16(&mut units) {
                    self.out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
}

/// A number as Python's `repr` writes it: as Rust does, but with a sign and two digits in the exponent.
fn python_float(number: f64) -> String {
    if !number.is_finite() {
        return if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    let text = format!("{number:?}");
    match text.split_once('e') {
        None => text,
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
            format!("{}e{sign}{digits:0>2}", mantissa.strip_suffix(".0").unwrap_or(mantissa))
        }
    }
}
