//! How long to wait before asking again: what the server says, else twice as long each time, and
//! never all at once.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::date::seconds_since_1970;
use crate::limits::Limits;

/// Looks a header up by its name, in lower case.
pub(crate) type HeaderLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// How long the server says to wait; none where it does not.
pub(crate) fn asked_wait(header: HeaderLookup<'_>) -> Option<Duration> {
    let milliseconds = header("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    if let Some(milliseconds) = milliseconds {
        return duration(milliseconds / 1e3);
    }
    if let Some(wait) = header("retry-after").and_then(|text| seconds_or_date(&text)) {
        return Some(wait);
    }
    let spent = [
        (
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
        ),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
        (
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
        ),
        (
            "anthropic-ratelimit-tokens-remaining",
            "anthropic-ratelimit-tokens-reset",
        ),
    ];
    let resets = spent.iter().filter_map(|(remaining, reset)| {
        let none_left = header(remaining)?.trim().parse::<f64>().ok()? <= 0.0;
        header(reset).filter(|_| none_left)
    });
    resets.filter_map(|text| length_or_date(&text)).max()
}

/// How long to wait after the `failed`th failure of a request: jitter spreads those who failed
/// together. None where the server asks for more than anybody waits.
pub(crate) fn wait(
    limits: &Limits,
    failed: u32,
    asked: Option<Duration>,
    jitter: f64,
) -> Option<Duration> {
    match asked {
        Some(asked) if asked > limits.longest_wait => None,
        Some(asked) => Some(asked + limits.first_wait.mul_f64(0.25 * jitter)),
        None => {
            let doubled = 2_f64.powi(failed.min(30) as i32 - 1);
            let most = limits.longest_wait.as_secs_f64();
            let seconds = (limits.first_wait.as_secs_f64() * doubled).min(most);
            Some(Duration::from_secs_f64(seconds * (0.5 + 0.5 * jitter)))
        }
    }
}

/// A number in [0, 1) that differs from one request and one failure to the next.
pub(crate) fn jitter(request: u64, failed: u32) -> f64 {
    let bytes = [request.to_le_bytes(), u64::from(failed).to_le_bytes()].concat();
    let hash = blake3::hash(&bytes);
    let bits = hash.as_bytes()[..4]
        .iter()
        .fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

fn seconds_or_date(text: &str) -> Option<Duration> {
    match text.trim().parse::<f64>() {
        Ok(seconds) => duration(seconds),
        Err(_) => until(text),
    }
}

/// `6m0s`, `1.5s`, `20ms`, a bare number of seconds, or a date.
fn length_or_date(text: &str) -> Option<Duration> {
    seconds_or_date(text).or_else(|| length(text.trim()))
}

fn until(text: &str) -> Option<Duration> {
    let then = seconds_since_1970(text)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    duration(then as f64 - now.as_secs_f64())
}

fn length(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |more| digits + more);
        seconds += number
            * match &rest[digits..unit_end] {
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    duration(seconds).filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(headers: &[(&str, &str)]) -> Option<f64> {
        let find = |name: &str| {
            let found = headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_string())
        };
        asked_wait(&find).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn what_servers_say_about_waiting_is_understood() {
        assert_eq!(asked(&[]), None);
        assert_eq!(asked(&[("retry-after", "2")]), Some(2.0));
        assert_eq!(
            asked(&[("retry-after-ms", "250"), ("retry-after", "2")]),
            Some(0.25)
        );
        assert_eq!(
            asked(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            Some(0.0)
        );
        let spent = ("x-ratelimit-remaining-requests", "0");
        assert_eq!(
            asked(&[spent, ("x-ratelimit-reset-requests", "1m0.5s")]),
            Some(60.5)
        );
        assert_eq!(
            asked(&[spent, ("x-ratelimit-reset-requests", "20ms")]),
            Some(0.02)
        );
        let left = ("x-ratelimit-remaining-requests", "5");
        assert_eq!(asked(&[left, ("x-ratelimit-reset-requests", "1s")]), None);
        assert_eq!(asked(&[("retry-after", "later")]), None);
    }

    #[test]
    fn waits_double_are_spread_and_have_an_end() {
        let limits = Limits::default();
        let seconds = |failed, asked, jitter| {
            wait(&limits, failed, asked, jitter).map(|wait| wait.as_secs_f64())
        };
        assert_eq!(seconds(1, None, 0.0), Some(0.5));
        assert_eq!(seconds(3, None, 0.0), Some(2.0));
        assert_eq!(seconds(30, None, 0.0), Some(150.0));
        assert_eq!(seconds(1, Some(Duration::from_secs(4)), 0.0), Some(4.0));
        assert_eq!(seconds(1, Some(Duration::from_secs(86_400)), 0.0), None);
        assert_ne!(jitter(1, 1), jitter(2, 1));
        assert!((0..1000).all(|request| (0.0..1.0).contains(&jitter(request, 1))));
    }
}
