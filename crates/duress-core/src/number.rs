//! Numbers as text: few digits, a real minus sign, no placeholder.

/// A number with this many digits after the point and U+2212 for minus; −0 is 0.
///
/// ```
/// use duress_core::number::fixed;
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

/// How numbers that are read together are written: with the same digits after the point, so that
/// they line up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberFormat {
    /// So many digits after the point.
    Fixed(usize),
    /// With a power of ten, where that is shorter.
    Scientific,
}

/// Digits that may be added so that a small number beside a large one does not look like zero.
const MORE: usize = 2;

impl NumberFormat {
    /// About three significant digits of the largest, and more where a number beside it would look
    /// like zero.
    ///
    /// ```
    /// use duress_core::number::NumberFormat;
    /// assert_eq!(NumberFormat::alike(&[8.6, 20.6]), NumberFormat::Fixed(2));
    /// assert_eq!(NumberFormat::alike(&[0.015, -0.0001, 0.031]), NumberFormat::Fixed(4));
    /// assert_eq!(NumberFormat::alike(&[0.015, 1e-9]), NumberFormat::Fixed(3));
    /// ```
    pub fn alike(values: &[f64]) -> NumberFormat {
        let largest = values
            .iter()
            .fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let digits = match largest {
            0.0 => 0,
            size if !(1e-4..1e6).contains(&size) => return NumberFormat::Scientific,
            size if size < 1e-3 => 5,
            size if size < 1e-2 => 4,
            size if size < 10.0 => 3,
            size if size < 100.0 => 2,
            size if size < 1000.0 => 1,
            _ => 0,
        };
        let lost = |digits: usize| {
            let shown = 0.5 * 0.1_f64.powi(digits as i32);
            values
                .iter()
                .any(|value| *value != 0.0 && value.abs() < shown)
        };
        NumberFormat::Fixed(
            (digits..=digits + MORE)
                .find(|digits| !lost(*digits))
                .unwrap_or(digits),
        )
    }

    /// The number in these digits.
    pub fn write(self, value: f64) -> String {
        match self {
            NumberFormat::Fixed(digits) => fixed(value, digits),
            NumberFormat::Scientific if value == 0.0 => "0".into(),
            NumberFormat::Scientific => scientific(value),
        }
    }

    /// A difference in these digits, with its sign even when positive.
    ///
    /// ```
    /// use duress_core::number::NumberFormat;
    /// assert_eq!(NumberFormat::Fixed(3).signed(0.05), "+0.050");
    /// assert_eq!(NumberFormat::Fixed(3).signed(0.0), "0.000");
    /// ```
    pub fn signed(self, value: f64) -> String {
        if value > 0.0 {
            format!("+{}", self.write(value))
        } else {
            self.write(value)
        }
    }
}

/// A number by itself, with about three significant digits, in scientific form where that is
/// shorter.
///
/// ```
/// use duress_core::number::short;
/// assert_eq!(short(0.8333), "0.833");
/// assert_eq!(short(0.0022), "0.0022");
/// assert_eq!(short(0.00022), "0.00022");
/// assert_eq!(short(-41.27), "−41.27");
/// assert_eq!(short(1234.6), "1235");
/// assert_eq!(short(0.0000123), "1.23×10⁻⁵");
/// assert_eq!(short(0.0), "0");
/// ```
pub fn short(value: f64) -> String {
    NumberFormat::alike(&[value]).write(value)
}

/// A number somebody wrote down, such as a margin or a level: no zeros behind what it needs.
///
/// ```
/// use duress_core::number::tidy;
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

/// A level of significance, in three digits that count: what is left of one after a correction is
/// small, and a rounded one would be another.
///
/// ```
/// use duress_core::number::level;
/// assert_eq!(level(0.05), "0.05");
/// assert_eq!(level(0.0125), "0.0125");
/// assert_eq!(level(0.000_345_9), "0.000346");
/// ```
pub fn level(alpha: f64) -> String {
    let digits = (2.0 - libm::floor(libm::log10(alpha))).clamp(2.0, 12.0) as usize;
    let text = fixed(alpha, digits);
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// A difference by itself, with its sign even when positive.
///
/// ```
/// assert_eq!(duress_core::number::signed(0.05), "+0.050");
/// ```
pub fn signed(value: f64) -> String {
    NumberFormat::alike(&[value]).signed(value)
}

/// A p-value: three digits, or that it is smaller than they can show.
///
/// ```
/// use duress_core::number::p_value;
/// assert_eq!(p_value(0.0312), "0.031");
/// assert_eq!(p_value(0.00001), "< 0.001");
/// ```
pub fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".into()
    } else {
        fixed(p, 3)
    }
}

/// A count with thin spaces between thousands.
///
/// ```
/// assert_eq!(duress_core::number::count(12345), "12\u{2009}345");
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
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let mantissa = mantissa.replace('-', "−");
    let exponent: String = exponent.chars().map(raised).collect();
    format!("{mantissa}×10{exponent}")
}

fn raised(c: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])
}
