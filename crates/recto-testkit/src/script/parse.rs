//! Reads a script line by line.

use super::{
    After, Body, Fault, Message, OfferedModel, Part, RequestKind, Script, ScriptError, ScriptedReply, ScriptedUsage,
};
use std::str::FromStr;
use std::time::Duration;

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let mut reader = Reader::default();
        for (index, line) in text.lines().enumerate() {
            reader.line(line).map_err(|what| ScriptError { line: index + 1, what })?;
        }
        reader.end_reply();
        Ok(reader.script)
    }
}

#[derive(Default)]
struct Reader {
    script: Script,
    open: Option<ScriptedReply>,
    /// Whether a continued line belongs to the reasoning.
    in_reasoning: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(more) = line.strip_prefix('|') {
            return self.continued(more.strip_prefix(' ').unwrap_or(more));
        }
        let line = line.trim();
        if line.is_empty() {
            self.end_reply();
            return Ok(());
        }
        if line.starts_with('#') {
            return Ok(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start();
        match word {
            "model:" => self.text(rest),
            "think:" => self.reasoning(rest),
            "call" => self.call(rest)?,
            "usage" => self.message()?.usage = Some(usage(rest)?),
            "finish" => self.message()?.finish = Some(rest.to_owned()),
            "status" => self.status(rest)?,
            "html:" => self.begin(Body::Html(rest.to_owned())),
            "json:" => self.begin(Body::Json(rest.to_owned())),
            "raw:" => self.raw(rest)?,
            "header" => {
                let (name, value) = rest.split_once(':').ok_or("a header is `header name: value`")?;
                self.reply().headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            "delay" => self.reply().delay = Duration::from_millis(number(rest)?),
            "chunk" => self.reply().chunk = Some(number::<usize>(rest)?.max(1)),
            "close" | "end" | "stall" => self.reply().fault = Some(fault(line)?),
            "when" => self.part(rest)?,
            "then" => self.after(rest)?,
            "offers" => self.script.models.push(offered(rest)?),
            "ollama" => drop(self.script.loaded.get_or_insert_default()),
            "loads" => self.script.loaded.get_or_insert_default().push(offered(rest)?),
            "shows" => self.script.shown.push(offered(rest)?),
            "props" => self.script.slot_window = Some(number(rest)?),
            "counts" => self.script.counts = true,
            _ => return Err(format!("`{word}` is not a word of the script")),
        }
        Ok(())
    }

    fn end_reply(&mut self) {
        if let Some(reply) = self.open.take() {
            self.last_part().replies.push(reply);
        }
    }

    fn last_part(&mut self) -> &mut Part {
        if self.script.parts.is_empty() {
            self.script.parts.push(Part::default());
        }
        let last = self.script.parts.len() - 1;
        &mut self.script.parts[last]
    }

    fn reply(&mut self) -> &mut ScriptedReply {
        self.open.get_or_insert_default()
    }

    fn begin(&mut self, body: Body) {
        self.end_reply();
        self.in_reasoning = false;
        self.open = Some(ScriptedReply { body, ..ScriptedReply::default() });
    }

    fn message(&mut self) -> Result<&mut Message, String> {
        match &mut self.reply().body {
            Body::Message(message) => Ok(message),
            _ => Err("this belongs to a `model:` reply".to_owned()),
        }
    }

    /// A text begins a reply unless one is open that has neither text nor calls yet.
    fn text(&mut self, line: &str) {
        let joins = matches!(&self.open, Some(ScriptedReply { body: Body::Message(m), .. }) if m.text.is_none() && m.calls.is_empty());
        if !joins {
            self.begin(Body::default());
        }
        self.in_reasoning = false;
        if let Ok(message) = self.message() {
            let (text, calls) = split_calls(line);
            message.text = (!text.is_empty() || calls.is_empty()).then_some(text);
            message.calls = calls;
        }
    }

    fn reasoning(&mut self, line: &str) {
        let joins =
            matches!(&self.open, Some(ScriptedReply { body: Body::Message(m), .. }) if m == &Message::default());
        if !joins {
            self.begin(Body::default());
        }
        self.in_reasoning = true;
        if let Ok(message) = self.message() {
            message.reasoning = line.to_owned();
        }
    }

    fn call(&mut self, line: &str) -> Result<(), String> {
        let (name, arguments) = line.split_once(' ').unwrap_or((line, ""));
        if name.is_empty() {
            return Err("a call is `call name arguments`".to_owned());
        }
        self.message()?.calls.push((name.to_owned(), arguments.to_owned()));
        Ok(())
    }

    fn status(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let code = number(words.next().unwrap_or_default())?;
        self.begin(Body::Status(code, None));
        while let Some(name) = words.next() {
            let value = words.next().ok_or("after the status come pairs of a header and its value")?;
            self.reply().headers.push((name.to_owned(), value.to_owned()));
        }
        Ok(())
    }

    fn raw(&mut self, line: &str) -> Result<(), String> {
        let bytes = unescape(line)?;
        if let Some(ScriptedReply { body: Body::Raw(before), .. }) = &mut self.open {
            before.extend(bytes);
        } else {
            self.begin(Body::Raw(bytes));
        }
        Ok(())
    }

    fn continued(&mut self, line: &str) -> Result<(), String> {
        let in_reasoning = self.in_reasoning;
        let text = match &mut self.open.as_mut().ok_or("there is no reply to continue")?.body {
            Body::Message(message) if in_reasoning => &mut message.reasoning,
            Body::Message(message) => message.text.get_or_insert_default(),
            Body::Status(_, body) => match body {
                None => {
                    *body = Some(line.to_owned());
                    return Ok(());
                }
                Some(text) => text,
            },
            Body::Html(text) | Body::Json(text) => text,
            Body::Raw(_) => return Err("bytes are continued by a further `raw:` line".to_owned()),
        };
        text.push('\n');
        text.push_str(line);
        Ok(())
    }

    fn part(&mut self, line: &str) -> Result<(), String> {
        self.end_reply();
        let line = line.strip_suffix(':').ok_or("`when …` ends with a colon")?;
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let kind = match kind {
            "work" => Some(RequestKind::Work),
            "answer" => Some(RequestKind::Answer),
            "any" => None,
            _ => return Err("a part is for `work`, `answer` or `any` requests".to_owned()),
        };
        let asks = match rest.strip_prefix("asks ") {
            None if rest.is_empty() => None,
            Some(words) => match words.strip_prefix('"').and_then(|words| words.strip_suffix('"')) {
                Some(words) if !words.is_empty() => Some(words.to_owned()),
                _ => return Err("after `asks` come words in quotes".to_owned()),
            },
            None => return Err("after the kind comes `asks \"words\"` or the colon".to_owned()),
        };
        self.script.parts.push(Part { kind, asks, ..Part::default() });
        Ok(())
    }

    fn after(&mut self, line: &str) -> Result<(), String> {
        self.end_reply();
        self.last_part().after = match line {
            "again" => After::Again,
            "repeat" => After::Repeat,
            _ => return Err("a part goes on with `then again` or `then repeat`".to_owned()),
        };
        Ok(())
    }
}

fn number<N: FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number that fits here"))
}

fn usage(line: &str) -> Result<ScriptedUsage, String> {
    let mut usage = ScriptedUsage::default();
    for word in line.split_whitespace() {
        match word.split_once('=') {
            Some(("read", value)) => usage.read = number(value)?,
            Some(("reused", value)) => usage.reused = Some(number(value)?),
            Some(("written", value)) => usage.written = number(value)?,
            _ => return Err("usage is `read=1 reused=2 written=3`".to_owned()),
        }
    }
    Ok(usage)
}

fn fault(line: &str) -> Result<Fault, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    Ok(match words[..] {
        ["close"] => Fault::Close,
        ["close", "after", n] => Fault::CloseAfter(number(n)?),
        ["end", "after", n] => Fault::EndAfter(number(n)?),
        ["stall"] => Fault::Stall,
        ["stall", "headers"] => Fault::StallHeaders,
        ["stall", "after", n] => Fault::StallAfter(number(n)?),
        _ => return Err(format!("`{line}` is no way to break off")),
    })
}

fn offered(line: &str) -> Result<OfferedModel, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [name] => Ok(OfferedModel { name: name.to_owned(), window: None }),
        [name, "window", window] => Ok(OfferedModel { name: name.to_owned(), window: Some(number(window)?) }),
        _ => Err("a model is `offers name` or `offers name window 4096`".to_owned()),
    }
}

/// Takes `call name {…}` off the end of a text, as often as it stands there.
fn split_calls(line: &str) -> (String, Vec<(String, String)>) {
    for (at, _) in line.match_indices("call ") {
        let begins_word = at == 0 || line.as_bytes()[at - 1] == b' ';
        if let Some(calls) = begins_word.then(|| calls(&line[at..])).flatten() {
            return (line[..at].trim_end().to_owned(), calls);
        }
    }
    (line.to_owned(), Vec::new())
}

/// The calls that this text consists of; `None` if it is something else.
fn calls(text: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.strip_prefix("call ")?.split_once(' ')?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if !is_name || !after.starts_with('{') {
            return None;
        }
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<serde_json::Value>();
        // Arguments that are not JSON are what some tests are about: they go to the end of the line.
        let end = match values.next() {
            Some(Ok(_)) => values.byte_offset(),
            _ => after.len(),
        };
        found.push((name.to_owned(), after[..end].to_owned()));
        rest = after[end..].trim_start();
    }
    Some(found)
}

fn unescape(line: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [letter, after @ ..] = rest else { return Err("a backslash at the end".to_owned()) };
        rest = after;
        let byte = match letter {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'0' => 0,
            b'\\' => b'\\',
            b'x' if rest.len() >= 2 => {
                let digits = std::str::from_utf8(&rest[..2]).unwrap_or_default();
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).map_err(|_| format!("`\\x{digits}` is no byte"))?
            }
            // JSON inside `raw:` has escapes of its own, which pass through.
            other => {
                bytes.push(b'\\');
                *other
            }
        };
        bytes.push(byte);
    }
    Ok(bytes)
}
