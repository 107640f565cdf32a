//! What can be made of requests that are on record: what differs between two of them, and how one is sent again by hand.

use recto_core::difference::{Difference, Side, difference};
use recto_core::id::RequestId;
use recto_core::request::{Token, Wire};
use recto_engine::ports::Transport;
use recto_providers::ANTHROPIC_VERSION;
use recto_store::{RequestRecord, Store, StoreError};

/// Two requests and what differs between them.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The first.
    pub first: RequestRecord,
    /// The second.
    pub second: RequestRecord,
    /// What became of the first one's blocks in the second one.
    pub difference: Difference,
}

/// Compares two requests on record, of any turns.
///
/// # Errors
/// One of them is not there, or its bytes were changed since.
pub async fn compare(record: &Store, first: RequestId, second: RequestId) -> Result<Compared, StoreError> {
    let (first_wire, second_wire) = (record.wire(first.clone()).await?, record.wire(second.clone()).await?);
    let (first, second) = (record.request(first).await?, record.request(second).await?);
    let difference = difference(side(&first, &first_wire), side(&second, &second_wire));
    Ok(Compared { first, second, difference })
}

fn side<'a>(record: &'a RequestRecord, wire: &'a Wire) -> Side<'a> {
    Side { plan: &record.plan, n_placed: &record.n_tokens_placed, wire }
}

/// A token of a request and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpelledToken {
    /// Its number in the model's vocabulary.
    pub id: u32,
    /// Its text; bytes that are no text by themselves, as of half a character, are written as `\xNN`.
    pub text: String,
    /// The block that it stands in; `None` for what the template adds.
    pub block: Option<usize>,
}

/// The tokens that a request's bytes became, each with its text. A token that begins behind the bytes is none of this request.
#[must_use]
pub fn spelled(wire: &Wire, tokens: &[Token]) -> Vec<SpelledToken> {
    let mut spelled = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.iter();
    for piece in &wire.pieces {
        let bytes = piece.bytes();
        let mut rest = bytes.as_bytes();
        while !rest.is_empty() {
            let Some(token) = tokens.next() else { return spelled };
            let (own, behind) = rest.split_at(rest.len().min(token.n_bytes as usize));
            spelled.push(SpelledToken { id: token.id, text: as_text(own), block: piece.block });
            rest = behind;
        }
    }
    spelled
}

fn as_text(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).map(str::to_owned);
    text.unwrap_or_else(|_| bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect())
}

/// The command that sends a request again; `None` where it went to no address. A key is never in it: a server that is not on this
/// computer is given the one in `RECTO_API_KEY`.
#[must_use]
pub fn curl(wire: &Wire, transport: Option<&Transport>) -> Option<String> {
    let endpoint = transport?.endpoint.as_deref()?;
    // An address on record was made by us and holds no quote; one in a file from elsewhere may.
    let quoted = endpoint.replace('\'', "%27");
    let is_anthropic = endpoint.split('?').next().is_some_and(|path| path.ends_with("/messages"));
    let key = match (is_loopback(endpoint), is_anthropic) {
        (true, false) => String::new(),
        (false, false) => " \\\n  -H \"authorization: Bearer $RECTO_API_KEY\"".to_owned(),
        (is_near, true) => {
            let key = if is_near { "" } else { " \\\n  -H \"x-api-key: $RECTO_API_KEY\"" };
            format!("{key} \\\n  -H 'anthropic-version: {ANTHROPIC_VERSION}'")
        }
    };
    // The body is one line of JSON, so no line of it can end the document early.
    Some(format!(
        "curl -N '{quoted}' \\\n  -H 'content-type: application/json'{key} \\\n  --data-binary @- <<'END_OF_REQUEST'\n{}\nEND_OF_REQUEST\n",
        wire.bytes()
    ))
}

fn is_loopback(endpoint: &str) -> bool {
    let host = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|own| host.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use recto_core::request::Encoding;

    fn sent_to(endpoint: &str) -> Option<String> {
        let mut wire = Wire::default();
        wire.glue(r#"{"stream":true}"#);
        curl(&wire, Some(&Transport { endpoint: Some(endpoint.into()), ..Transport::default() }))
    }

    #[test]
    fn a_request_is_sent_again_by_one_command_that_holds_no_key() {
        expect![[r#"
            curl -N 'http://127.0.0.1:8080/v1/chat/completions' \
              -H 'content-type: application/json' \
              --data-binary @- <<'END_OF_REQUEST'
            {"stream":true}
            END_OF_REQUEST
        "#]]
        .assert_eq(&sent_to("http://127.0.0.1:8080/v1/chat/completions").unwrap());
        expect![[r#"
            curl -N 'https://127.0.0.1.evil.example/v1%27' \
              -H 'content-type: application/json' \
              -H "authorization: Bearer $RECTO_API_KEY" \
              --data-binary @- <<'END_OF_REQUEST'
            {"stream":true}
            END_OF_REQUEST
        "#]]
        .assert_eq(&sent_to("https://127.0.0.1.evil.example/v1'").unwrap());
        expect![[r#"
            curl -N 'https://api.anthropic.com/v1/messages' \
              -H 'content-type: application/json' \
              -H "x-api-key: $RECTO_API_KEY" \
              -H 'anthropic-version: 2023-06-01' \
              --data-binary @- <<'END_OF_REQUEST'
            {"stream":true}
            END_OF_REQUEST
        "#]]
        .assert_eq(&sent_to("https://api.anthropic.com/v1/messages").unwrap());
        assert_eq!(curl(&Wire::default(), None), None);
    }

    #[test]
    fn each_token_says_its_text_and_its_block_also_where_it_is_half_a_character() {
        let mut wire = Wire::default();
        wire.glue("<|im_start|>user\n");
        wire.block(3, "编 a", Encoding::Plain);
        let token = |id, n_bytes| Token { id, n_bytes };
        let tokens = [token(7, 12), token(8, 5), token(1, 2), token(2, 1), token(3, 2), token(4, 9)];
        let shown: Vec<(u32, String, Option<usize>)> =
            spelled(&wire, &tokens).into_iter().map(|token| (token.id, token.text, token.block)).collect();
        let expected = [
            (7, "<|im_start|>", None),
            (8, "user\n", None),
            (1, "\\xE7\\xBC", Some(3)),
            (2, "\\x96", Some(3)),
            (3, " a", Some(3)),
        ];
        assert_eq!(shown, expected.map(|(id, text, block)| (id, text.to_owned(), block)));
        assert_eq!(spelled(&wire, &[]), []);
    }
}
