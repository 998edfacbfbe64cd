//! A text as a field of a CSV file that people open: quoted where it must be, and harmless.

use std::borrow::Cow;

use crate::steering::steers;

/// A field: control characters are pictures of themselves, and those that turn the direction of a
/// text are U+FFFD, so that a file can be shown on a terminal; a text that a spreadsheet would take for a formula begins with an apostrophe; and what
/// holds a comma, a quotation mark or a line end is quoted.
///
/// ```
/// use duress_core::csv_field::csv_field;
/// assert_eq!(csv_field("plain"), "plain");
/// assert_eq!(csv_field("-1.5"), "-1.5");
/// assert_eq!(csv_field("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
/// assert_eq!(csv_field("\u{1b}[31m"), "\u{241b}[31m");
/// assert_eq!(csv_field("\u{202e}gpj.exe"), "\u{fffd}gpj.exe");
/// ```
pub fn csv_field(text: &str) -> Cow<'_, str> {
    let harmless = harmless(text);
    if harmless.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", harmless.replace('"', "\"\"")))
    } else {
        harmless
    }
}

fn harmless(text: &str) -> Cow<'_, str> {
    let control = |c: char| steers(c) && !matches!(c, '\n' | '\t');
    // A spreadsheet passes over blanks before it looks for a formula.
    let begins = text.trim_start().starts_with(['=', '+', '-', '@']);
    let formula = begins && text.parse::<f64>().is_err();
    if !formula && !text.contains(control) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match c {
        '\u{7f}' => '\u{2421}',
        c if control(c) => char::from_u32(0x2400 + u32::from(c))
            .filter(|_| c.is_ascii())
            .unwrap_or('\u{fffd}'),
        c => c,
    };
    let mark = formula.then_some('\'').into_iter();
    Cow::Owned(mark.chain(text.chars().map(picture)).collect())
}

#[cfg(test)]
mod tests {
    use super::{csv_field, steers};

    #[test]
    fn nothing_is_a_formula_and_nothing_steers_a_terminal() {
        for text in [
            "=1+1",
            "+cmd",
            "@SUM(A1)",
            "-2+3",
            "\t=1",
            " =1",
            "\u{9b}31m",
            "a\u{0}b",
            "a\u{202e}b",
            "\u{2067}=1",
            "\u{61c}b",
        ] {
            let field = csv_field(text);
            let bare = field.trim_matches('"').trim_start();
            assert!(!bare.starts_with(['=', '+', '-', '@']), "{field:?}");
            assert!(!field.contains(|c: char| steers(c) && c != '\t'));
        }
        assert_eq!(csv_field("1e-3"), "1e-3");
    }
}
