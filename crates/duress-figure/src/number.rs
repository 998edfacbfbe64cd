//! Numbers as text: few digits, a real minus sign, no placeholder.

/// A number with this many digits after the point and U+2212 for minus; −0 is 0.
///
/// ```
/// use duress_figure::number::fixed;
/// assert_eq!(fixed(-0.25, 2), "−0.25");
/// assert_eq!(fixed(-0.001, 2), "0.00");
/// ```
pub fn fixed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.into(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// A number with about three significant digits, in scientific form where that is shorter.
///
/// ```
/// use duress_figure::number::short;
/// assert_eq!(short(0.8333), "0.833");
/// assert_eq!(short(-41.27), "−41.27");
/// assert_eq!(short(1234.6), "1235");
/// assert_eq!(short(0.0000123), "1.23×10⁻⁵");
/// assert_eq!(short(0.0), "0");
/// ```
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..1e6).contains(&size) {
        scientific(value)
    } else if size < 10.0 {
        fixed(value, 3)
    } else if size < 100.0 {
        fixed(value, 2)
    } else if size < 1000.0 {
        fixed(value, 1)
    } else {
        fixed(value, 0)
    }
}

/// A number somebody wrote down, such as a margin or a level: no zeros behind what it needs.
///
/// ```
/// use duress_figure::number::tidy;
/// assert_eq!(tidy(0.05), "0.05");
/// assert_eq!(tidy(-95.0), "−95");
/// ```
pub fn tidy(value: f64) -> String {
    let text = short(value);
    if text.contains('.') && !text.contains('×') {
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        text
    }
}

/// A difference, with its sign even when positive.
///
/// ```
/// assert_eq!(duress_figure::number::signed(0.05), "+0.050");
/// ```
pub fn signed(value: f64) -> String {
    if value > 0.0 { format!("+{}", short(value)) } else { short(value) }
}

/// A p-value: three digits, or that it is smaller than they can show.
///
/// ```
/// use duress_figure::number::p_value;
/// assert_eq!(p_value(0.0312), "0.031");
/// assert_eq!(p_value(0.00001), "< 0.001");
/// ```
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { fixed(p, 3) }
}

/// A count with thin spaces between thousands.
///
/// ```
/// assert_eq!(duress_figure::number::count(12345), "12\u{2009}345");
/// ```
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

fn scientific(value: f64) -> String {
    let text = format!("{value:.2e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let mantissa = mantissa.replace('-', "−");
    let exponent: String = exponent.chars().map(raised).collect();
    format!("{mantissa}×10{exponent}")
}

fn raised(c: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])
}
