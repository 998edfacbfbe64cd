//! The times of rows: where more of it passes than between others, or it goes back, a window ends.

use duress_core::problem::Problem;
use duress_tables::table::Table;

/// A step longer than this many usual ones is a gap. Months and leap years stay below it, a row
/// that is missing does not.
const GAP: f64 = 1.5;

/// What the times of rows say.
pub(crate) struct Clock {
    /// Rows before which there is a gap, or time goes back; rising.
    pub(crate) breaks: Vec<usize>,
    /// What a reader should know.
    pub(crate) remark: String,
}

impl Clock {
    /// Reads the times in a column.
    pub(crate) fn read(table: &Table, column: &str) -> Result<Clock, Problem> {
        let texts = table.texts(column);
        let time = |(row, text): (usize, &str)| {
            moment(text.trim()).ok_or_else(|| {
                let wrong = Problem::new(format!("`{column}` is {text:?}, which is no time"));
                table.at(
                    row,
                    wrong
                        .expected("a number, or a date as 2024-03-31 or 2024-03-31 17:00:00")
                        .hint("`time` names the column with times; `variables` those that are read beside it"),
                )
            })
        };
        let times = texts.iter().enumerate().map(time);
        Ok(Clock::of(column, &times.collect::<Result<Vec<f64>, _>>()?))
    }

    /// Whether most of a column is times: what is not is then a mistake, and no other kind of column.
    pub(crate) fn is_in(table: &Table, column: &str) -> bool {
        let texts = table.texts(column);
        let times = texts.iter().filter(|text| moment(text.trim()).is_some());
        2 * times.count() > table.rows()
    }

    fn of(column: &str, times: &[f64]) -> Clock {
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut rising: Vec<f64> = steps.iter().copied().filter(|step| *step > 0.0).collect();
        rising.sort_by(f64::total_cmp);
        let usual = rising.get(rising.len() / 2).copied().unwrap_or(0.0);
        let mut gaps = Vec::new();
        let mut backs = Vec::new();
        for (row, step) in (1..).zip(&steps) {
            if *step <= 0.0 {
                backs.push(row);
            } else if *step > GAP * usual {
                gaps.push(row);
            }
        }
        let said = |rows: &[usize], what: &str| {
            let times = if rows.len() == 1 { "once" } else { "times" };
            let first = rows.first()?;
            Some(match rows.len() {
                1 => format!("{what} {times}, before row {first}"),
                n => format!("{what} {n} {times}, first before row {first}"),
            })
        };
        let odd: Vec<String> = [
            said(&gaps, &format!("more than a usual step of {usual} passes")),
            said(&backs, "it does not go on"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let remark = match odd.is_empty() {
            true => format!("rows are in the order of `{column}`, without a gap"),
            false => format!(
                "by `{column}`, {}: no window crosses that",
                odd.join("; and ")
            ),
        };
        let mut breaks = [gaps, backs].concat();
        breaks.sort_unstable();
        Clock { breaks, remark }
    }
}

/// A number, or the seconds since 1970 of a date with or without a time of day.
fn moment(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return Some(number).filter(|number| number.is_finite());
    }
    let (date, rest) = match text.find(['T', ' ']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text, ""),
    };
    Some(86_400.0 * days(date)? + seconds(rest)?)
}

/// The days from 1970-01-01 to a date (Hinnant, chrono-compatible low-level date algorithms).
fn days(date: &str) -> Option<f64> {
    let mut parts = date.split(['-', '/']).map(|part| part.parse::<i64>().ok());
    let year = parts.next()??;
    let month = parts.next()??;
    let day = parts.next()??;
    let whole = parts.next().is_none();
    if !whole || year < 1000 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some((era * 146_097 + day_of_era - 719_468) as f64)
}

/// The seconds of a time of day, perhaps with how far it is from UTC.
fn seconds(text: &str) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (clock, zone) = match text.rfind(['+', '-']) {
        Some(at) => (&text[..at], &text[at..]),
        None => (text, ""),
    };
    let east = match zone.chars().next() {
        None => 0.0,
        Some(sign) => {
            let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
            let part = |range| {
                digits
                    .get(range)
                    .map_or(Some(0.0), |text: &str| text.parse().ok())
            };
            let offset: f64 = 3600.0 * part(0..2)? + 60.0 * part(2..4)?;
            if sign == '-' { -offset } else { offset }
        }
    };
    let mut parts = clock.trim().split(':');
    let hours: f64 = parts.next()?.parse().ok()?;
    let minutes: f64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next().map_or(Some(0.0), |text| text.parse().ok())?;
    let sound = parts.next().is_none() && hours < 25.0 && minutes < 60.0 && seconds < 61.0;
    sound.then_some(3600.0 * hours + 60.0 * minutes + seconds - east)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_times() {
        assert_eq!(moment("17.5"), Some(17.5));
        assert_eq!(moment("1970-01-01"), Some(0.0));
        assert_eq!(moment("2000-03-01 00:00:00"), Some(951_868_800.0));
        assert_eq!(moment("2024-02-29T12:30:15.5Z"), Some(1_709_209_815.5));
        assert_eq!(
            moment("2024/02/29 14:30+02:00"),
            moment("2024-02-29T12:30Z")
        );
        for text in [
            "",
            "soon",
            "31/12/2024",
            "2024-13-01",
            "2024-01-01 25:61",
            "nan",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn a_gap_and_a_step_back_are_breaks_and_a_month_is_none() {
        let clock = Clock::of("t", &[0.0, 1.0, 2.0, 30.0, 31.0, 30.0, 31.0]);
        assert_eq!(clock.breaks, [3, 5]);
        assert!(
            clock.remark.contains("once, before row 3"),
            "{}",
            clock.remark
        );
        assert!(clock.remark.contains("before row 5"), "{}", clock.remark);
        let months = Clock::of("t", &[0.0, 31.0, 59.0, 90.0, 120.0]);
        assert!(months.breaks.is_empty() && months.remark.contains("without a gap"));
    }
}
