//! What a server says it counted, in the dialects of several.

use recto_core::reply::Usage;
use serde_json::Value;

/// Adds what this chunk says. What a later chunk says stands; a number that cannot be true is as good as none.
pub(crate) fn read(chunk: &Value, usage: &mut Usage) {
    let said = [&chunk["usage"], &chunk["x_groq"]["usage"]].into_iter().find(|said| said.is_object());
    if let Some(said) = said {
        usage.n_read = first(said, &["prompt_tokens", "input_tokens"]).filter(|n| *n > 0).or(usage.n_read);
        usage.n_written = first(said, &["completion_tokens", "output_tokens"]).or(usage.n_written);
        let details =
            ["prompt_tokens_details", "input_tokens_details"].map(|key| first(&said[key], &["cached_tokens"]));
        let reused = details.into_iter().flatten().next();
        usage.n_reused =
            reused.or_else(|| first(said, &["prompt_cache_hit_tokens", "cached_tokens"])).or(usage.n_reused);
    }
    // OpenRouter says what it took from the account, in dollars.
    if let Some(dollars) = said.and_then(|said| said["cost"].as_f64()).filter(|cost| (0.0..1e6).contains(cost)) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0 and a million dollars")]
        let nanodollars = (dollars * 1e9).round() as u64;
        usage.cost_nanodollars = Some(nanodollars);
    }
    // llama-server measures its own work: `prompt_n` was evaluated, `cache_n` was there already.
    let timings = &chunk["timings"];
    if let Some(evaluated) = count(&timings["prompt_n"]) {
        usage.n_evaluated = Some(evaluated);
        let reused = count(&timings["cache_n"]);
        usage.n_reused = reused.or(usage.n_reused);
        usage.n_read = usage.n_read.or(reused.map(|reused| reused.saturating_add(evaluated)));
        usage.n_written = usage.n_written.or(count(&timings["predicted_n"]));
    }
    settle(usage);
}

/// Derives what follows, and drops what contradicts.
fn settle(usage: &mut Usage) {
    match (usage.n_read, usage.n_reused) {
        (Some(read), Some(reused)) if reused <= read => {
            usage.n_evaluated = usage.n_evaluated.or(Some(read - reused));
        }
        (Some(_), Some(_)) => (usage.n_reused, usage.n_evaluated) = (None, None),
        _ => {}
    }
}

fn first(object: &Value, keys: &[&str]) -> Option<u32> {
    keys.iter().find_map(|key| count(&object[key]))
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| u32::try_from(n).ok())
}

#[cfg(test)]
mod tests {
    use super::read;
    use recto_core::reply::Usage;
    use serde_json::{Value, json};

    fn check(
        chunks: &[Value],
        n_read: Option<u32>,
        n_reused: Option<u32>,
        n_evaluated: Option<u32>,
        n_written: Option<u32>,
    ) {
        let mut usage = Usage::default();
        for chunk in chunks {
            read(chunk, &mut usage);
        }
        assert_eq!(usage, Usage { n_read, n_reused, n_evaluated, n_written, ..Usage::default() });
    }

    #[test]
    fn each_dialect_says_the_same() {
        let openai = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}});
        check(&[openai], Some(9), Some(4), Some(5), Some(2));
        let deepseek = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5}});
        check(&[deepseek], Some(9), Some(4), Some(5), Some(2));
        let llama = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2}, "timings": {"cache_n": 4, "prompt_n": 5, "predicted_n": 2}});
        check(&[llama], Some(9), Some(4), Some(5), Some(2));
        let timings = json!({"timings": {"cache_n": 4, "prompt_n": 5, "predicted_n": 2}});
        check(&[timings], Some(9), Some(4), Some(5), Some(2));
        let router = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.000_012_5}});
        let mut usage = Usage::default();
        read(&router, &mut usage);
        assert_eq!(usage.cost_nanodollars, Some(12_500));
        let groq = json!({"x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}});
        check(&[groq], Some(9), None, None, Some(2));
    }

    #[test]
    fn fault_f32_a_number_that_is_missing_or_cannot_be_true_is_unknown_and_not_zero() {
        check(&[json!({})], None, None, None, None);
        check(
            &[json!({"usage": null}), json!({"usage": {"prompt_tokens": 0, "completion_tokens": -1}})],
            None,
            None,
            None,
            None,
        );
        let contradictory = json!({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 10}}});
        check(&[contradictory], Some(9), None, None, None);
    }

    #[test]
    fn fault_f32_counts_at_the_end_of_what_a_number_holds_are_taken_as_they_are() {
        let timings = json!({"timings": {"cache_n": u32::MAX, "prompt_n": u32::MAX}});
        check(&[timings], Some(u32::MAX), Some(u32::MAX), Some(u32::MAX), None);
    }

    #[test]
    fn what_a_later_chunk_says_stands() {
        let first = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 1}});
        let last = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 7}});
        check(&[first, last, json!({"usage": null})], Some(9), None, None, Some(7));
    }
}
