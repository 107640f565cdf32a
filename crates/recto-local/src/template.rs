//! The chat template of a model: Jinja source out of the GGUF file, rendered as transformers renders it. The library underneath only
//! recognises a fixed list of templates and falls back silently; here a template either renders, or the model is refused with a sentence.

mod json;

use json::{Arguments, Fields, from_json};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, context};
use recto_core::request::ModelRequest;
use serde_json::json;

const NAME: &str = "chat";

/// A template that was tried at load: it keeps the system message, the user's text and earlier replies.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    begin: String,
    end: String,
    /// Whether it places a system message that comes last.
    pub takes_trailing_system: bool,
    /// Whether it describes tools that are given beside the messages.
    pub describes_tools: bool,
}

/// Why a template cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It is not Jinja as this program understands it, or it raised an error on a plain exchange.
    #[error("its chat template cannot be rendered: {0}")]
    Rendering(String),
    /// It drops a part of a plain exchange.
    #[error("its chat template leaves out {0}")]
    Drops(&'static str),
}

/// A message as a template sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateMessage {
    pub(crate) role: &'static str,
    pub(crate) content: String,
    pub(crate) answers: Option<String>,
    pub(crate) calls: Vec<TemplateCall>,
}

/// An earlier call as a template sees it.
#[derive(Clone, Debug)]
pub(crate) struct TemplateCall {
    pub(crate) id: String,
    pub(crate) name: String,
    /// What is written where the arguments go.
    pub(crate) written: String,
    /// What a template finds that looks inside.
    pub(crate) arguments: String,
}

impl ChatTemplate {
    /// Compiles `source` and tries it on a plain exchange. `begin` and `end` are the texts of the vocabulary's first and last token.
    ///
    /// # Errors
    /// The template cannot be used; the error says why, to be put after the model's name.
    pub fn new(source: &str, begin: &str, end: &str) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        environment.set_syntax(syntax().map_err(|error| rendering(&error))?);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.add_filter("tojson", json::tojson);
        environment.add_function("raise_exception", raise_exception);
        environment.add_function("strftime_now", |format: &str| strftime_fixed(format));
        environment.add_template_owned(NAME, without_training_marks(source)).map_err(|error| rendering(&error))?;
        let mut template = Self {
            environment,
            begin: begin.to_owned(),
            end: end.to_owned(),
            takes_trailing_system: false,
            describes_tools: false,
        };
        template.try_exchange()?;
        Ok(template)
    }

    fn try_exchange(&mut self) -> Result<(), TemplateError> {
        let say = |role, content: &str| TemplateMessage { role, content: content.to_owned(), ..Default::default() };
        let exchange = [
            say("system", "recto-probe-system"),
            say("user", "recto-probe-first"),
            say("assistant", "recto-probe-reply"),
            say("user", "recto-probe-last"),
        ];
        let none = Value::from(());
        let text = self.render(&exchange, &none).map_err(|error| rendering(&error))?;
        let parts = [
            ("recto-probe-system", "the system message"),
            ("recto-probe-first", "an earlier question"),
            ("recto-probe-reply", "an earlier reply"),
            ("recto-probe-last", "the question"),
        ];
        for (part, name) in parts {
            if text.matches(part).count() != 1 {
                return Err(TemplateError::Drops(name));
            }
        }
        let mut trailing = exchange.to_vec();
        trailing.push(say("system", "recto-probe-reminder"));
        self.takes_trailing_system = self.render(&trailing, &none).is_ok_and(|text| {
            let (last, reminder) = (text.find("recto-probe-last"), text.find("recto-probe-reminder"));
            reminder.is_some() && reminder > last && text.contains("recto-probe-system")
        });
        let tools = Value::from_iter([tool("recto_probe_tool", "what it does", &json!({"type": "object"}))]);
        self.describes_tools = self
            .render(&exchange, &tools)
            .is_ok_and(|text| text.contains("recto_probe_tool") && parts.iter().all(|(part, _)| text.contains(part)));
        Ok(())
    }

    /// The text that the model reads, ending where its reply begins.
    pub(crate) fn render(&self, messages: &[TemplateMessage], tools: &Value) -> Result<String, Error> {
        let messages: Vec<Value> = messages.iter().map(message).collect();
        self.environment.get_template(NAME)?.render(context! {
            messages,
            tools,
            add_generation_prompt => true,
            bos_token => self.begin.as_str(),
            eos_token => self.end.as_str(),
        })
    }
}

/// Tool definitions as a template sees them; none where there are none, so that `if tools` is false.
pub(crate) fn tools_of(request: &ModelRequest) -> Value {
    if request.tools.is_empty() {
        return Value::from(());
    }
    request
        .tools
        .iter()
        .map(|definition| tool(&definition.name, &definition.description, &definition.parameters))
        .collect()
}

fn tool(name: &str, description: &str, parameters: &serde_json::Value) -> Value {
    from_json(
        &json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}),
    )
}

fn message(message: &TemplateMessage) -> Value {
    let mut fields = vec![("role", Value::from(message.role)), ("content", Value::from(message.content.as_str()))];
    if let Some(id) = &message.answers {
        fields.push(("tool_call_id", Value::from(id.as_str())));
    }
    if !message.calls.is_empty() {
        fields.push(("tool_calls", message.calls.iter().map(call).collect()));
    }
    Fields::value(fields)
}

fn call(call: &TemplateCall) -> Value {
    let parsed = serde_json::from_str(&call.arguments).ok().filter(serde_json::Value::is_object);
    let arguments = Arguments { text: call.written.clone(), parsed: parsed.as_ref().map(from_json) };
    let function = [("name", Value::from(call.name.as_str())), ("arguments", Value::from_object(arguments))];
    Fields::value([
        ("type", Value::from("function")),
        ("id", Value::from(call.id.as_str())),
        ("function", Fields::value(function)),
    ])
}

/// White space around tags as transformers treats it.
fn syntax() -> Result<SyntaxConfig, Error> {
    SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()
}

fn raise_exception(message: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

/// Some templates write today's date into the system message. It would change the prefix at midnight and the bytes of a repeated request, so
/// they get the date that Llama's own template falls back to.
fn strftime_fixed(format: &str) -> String {
    let codes = [
        ("%d", "26"),
        ("%-d", "26"),
        ("%e", "26"),
        ("%b", "Jul"),
        ("%B", "July"),
        ("%m", "07"),
        ("%Y", "2024"),
        ("%y", "24"),
        ("%A", "Friday"),
        ("%a", "Fri"),
        ("%H", "00"),
        ("%I", "12"),
        ("%M", "00"),
        ("%S", "00"),
        ("%p", "AM"),
    ];
    codes.iter().fold(format.to_owned(), |text, (code, written)| text.replace(code, written))
}

/// `{% generation %}` marks what a trainer learns from and renders nothing.
fn without_training_marks(source: &str) -> String {
    let marks = [
        "{%- generation %}",
        "{% generation %}",
        "{%- generation -%}",
        "{% generation -%}",
        "{%- endgeneration %}",
        "{% endgeneration %}",
        "{%- endgeneration -%}",
        "{% endgeneration -%}",
    ];
    marks.iter().fold(source.to_owned(), |text, mark| text.replace(mark, ""))
}

fn rendering(error: &Error) -> TemplateError {
    TemplateError::Rendering(error.detail().map_or_else(|| error.to_string(), str::to_owned))
}

#[cfg(test)]
mod peer_tests;
#[cfg(test)]
mod tests;
