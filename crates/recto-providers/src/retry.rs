//! When a request may be tried again, and after how long.

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderValue};
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// Tries in all.
pub(crate) const TRIES: u32 = 4;

/// The longest wait that a server may ask for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// Whether a status says that the same request may succeed later.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..)
}

/// What the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date against the server's own clock
/// (`now` where it sends none). `None` if it asks for nothing that makes sense.
pub(crate) fn asked_wait(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return duration(ms / 1000.0);
    }
    let asked = text("retry-after")?;
    if let Ok(seconds) = asked.parse::<f64>() {
        return duration(seconds);
    }
    let date = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp());
    let server_now = text("date").and_then(date).unwrap_or(now);
    let wait = date(asked)?.duration_since(server_now);
    Duration::try_from(wait).ok()
}

/// A sensible number of seconds; one that is absurdly large stays larger than any wait that is granted.
fn duration(seconds: f64) -> Option<Duration> {
    (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// The wait before try `next` (from 2) where the server asks for none: doubled each time, less up to a quarter at random, so that
/// many clients of one server do not come back at the same moment.
pub(crate) fn backoff(first: Duration, next: u32) -> Duration {
    let whole = first.saturating_mul(1 << next.saturating_sub(2).min(16));
    let random = std::hash::RandomState::new().build_hasher().finish() % 1000;
    whole - whole.mul_f64(random as f64 / 4000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(headers: &[(&str, &str)], expected: Option<Duration>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(
                reqwest::header::HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        assert_eq!(asked_wait(&map, now), expected, "{headers:?}");
    }

    #[test]
    fn fault_f05_every_form_of_retry_after_is_understood_or_left_aside() {
        let seconds = |n| Some(Duration::from_secs(n));
        check(&[], None);
        check(&[("retry-after", "3")], seconds(3));
        check(&[("retry-after", " 3 ")], seconds(3));
        check(&[("retry-after", "0")], seconds(0));
        check(&[("retry-after", "1.5")], Some(Duration::from_millis(1500)));
        check(&[("retry-after-ms", "250")], Some(Duration::from_millis(250)));
        check(&[("retry-after-ms", "250"), ("retry-after", "9")], Some(Duration::from_millis(250)));
        check(&[("retry-after-ms", "soon"), ("retry-after", "9")], seconds(9));
        check(&[("retry-after", "-1")], None);
        check(&[("retry-after", "soon")], None);
        check(&[("retry-after", "")], None);
        check(&[("retry-after", "nan")], None);
        check(&[("retry-after", "1e400")], Some(Duration::MAX));
        check(&[("retry-after", "99999999999999999999999")], Some(Duration::MAX));
        check(&[("retry-after", "Mon, 30 Nov 2026 12:00:30 GMT")], seconds(30));
        check(&[("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")], None);
        // The clock here may be wrong, so the server's own is taken where it tells it.
        check(
            &[("retry-after", "Mon, 30 Nov 2026 09:00:30 GMT"), ("date", "Mon, 30 Nov 2026 09:00:00 GMT")],
            seconds(30),
        );
    }

    #[test]
    fn models_m6_only_what_may_pass_is_tried_again() {
        let passing: Vec<u16> = (300..600).filter(|status| is_passing(*status) && *status < 500).collect();
        assert_eq!(passing, [408, 409, 429]);
        assert!((500..=599).all(is_passing));
    }

    #[test]
    fn waits_double_and_vary_by_a_quarter() {
        for (next, most) in [(2, 400), (3, 800), (4, 1600)] {
            let wait = backoff(Duration::from_millis(400), next);
            let most = Duration::from_millis(most);
            assert!(wait <= most && wait >= most.mul_f64(0.75), "{next}: {wait:?}");
        }
    }
}
