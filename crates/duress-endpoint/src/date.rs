//! Dates in headers, as seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT` and
//! `1994-11-06T08:49:37Z`.

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The moment a date of either form names.
pub(crate) fn seconds_since_1970(text: &str) -> Option<i64> {
    rfc_3339(text).or_else(|| http_date(text))
}

fn http_date(text: &str) -> Option<i64> {
    let (_, rest) = text.trim().split_once(", ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, "GMT"] = fields[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let day = days_since_1970(year.parse().ok()?, month, day.parse().ok()?);
    Some(day * 86_400 + seconds_of_day(time)?)
}

/// Times in UTC only, which is what servers send.
fn rfc_3339(text: &str) -> Option<i64> {
    let (date, time) = text.trim().strip_suffix('Z')?.split_once('T')?;
    let fields: Vec<i64> = date
        .split('-')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [year, month, day] = fields[..] else {
        return None;
    };
    let whole = time.split('.').next()?;
    Some(days_since_1970(year, month, day) * 86_400 + seconds_of_day(whole)?)
}

fn seconds_of_day(time: &str) -> Option<i64> {
    let fields: Vec<i64> = time
        .split(':')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    match fields[..] {
        [hours, minutes, seconds] => Some(hours * 3600 + minutes * 60 + seconds),
        _ => None,
    }
}

/// Days from 1 January 1970 in the Gregorian calendar, counted in years that begin in March, so that
/// the day that some years have more comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let since_march = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (since_march * 306 + 5) / 10 + day - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_name_the_same_moment() {
        let check = |text: &str, expected| {
            assert_eq!(seconds_since_1970(text), expected, "{text}");
        };
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("1994-11-06T08:49:37Z", Some(784_111_777));
        check("2024-02-29T12:00:00.5Z", Some(1_709_208_000));
        check("soon", None);
        check("1994-11-06", None);
    }
}
