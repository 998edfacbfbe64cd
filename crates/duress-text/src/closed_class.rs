//! Words that English has a closed list of: months and small numbers.

/// Without May, which is also a verb.
pub(crate) const MONTHS: [&str; 11] = [
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Number words that stand for a count. `one` is left out: it mostly is a pronoun.
pub(crate) const NUMBERS: [&str; 11] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];
