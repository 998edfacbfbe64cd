//! Tables as LaTeX, in the style of booktabs.

use super::{Number, Spread, Table, TableCell, letter};

/// All tables in one file, to be \input after `\usepackage{booktabs}`.
pub(crate) fn write(tables: &[Table], study: &str) -> String {
    let study = safe(study);
    let mut text = format!(
        "% Tables of {study}. Needs \\usepackage{{booktabs}} and, for names in other scripts, XeLaTeX or LuaLaTeX.\n"
    );
    for table in tables {
        text.push_str(&one(table));
    }
    text
}

/// Words longer than this are set in lines of their own column's width.
const LONG: usize = 24;
/// So many characters of the smaller sizes fit beside each other on a page.
const SMALL: usize = 70;
const SMALLER: usize = 95;

fn one(table: &Table) -> String {
    let widths = widths(table);
    let form: String = table
        .columns
        .iter()
        .zip(&widths)
        .map(|(column, wide)| form(column.numeric, *wide))
        .collect();
    let heads: Vec<String> = table
        .columns
        .iter()
        .map(|column| safe(&column.head))
        .collect();
    let size = match widths.iter().map(|wide| wide.min(&LONG) + 2).sum::<usize>() {
        wide if wide > SMALLER => "\\scriptsize\\setlength{\\tabcolsep}{2.5pt}\n",
        wide if wide > SMALL => "\\footnotesize\\setlength{\\tabcolsep}{4pt}\n",
        _ => "",
    };
    let mut text = format!(
        "\n\\begin{{table}}[htbp]\n\\centering\n\\caption{{{}}}\\smallskip\n{size}",
        safe(&table.title)
    );
    text.push_str(&format!(
        "\\begin{{tabular}}{{@{{}}{form}@{{}}}}\n\\toprule\n{} \\\\\n\\midrule\n",
        heads.join(" & ")
    ));
    for cells in &table.rows {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(one, wide)| cell(one, *wide))
            .collect();
        text.push_str(&format!("{} \\\\\n", cells.join(" & ")));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    for note in table.spoken_notes() {
        text.push_str(&format!(
            "\\par\\smallskip{{\\footnotesize {}}}\n",
            safe(&note)
        ));
    }
    text.push_str("\\end{table}\n");
    text
}

/// How many characters each column needs; a number has its interval below it.
fn widths(table: &Table) -> Vec<usize> {
    let wide = |cell: &TableCell| match cell {
        TableCell::Estimate(number) => number
            .text()
            .chars()
            .count()
            .max(number.spread_text().map_or(0, |ends| ends.chars().count())),
        other => other.plain().chars().count(),
    };
    let column = |(i, column): (usize, &super::TableColumn)| {
        let cells = table.rows.iter().filter_map(|row| row.get(i)).map(wide);
        cells
            .chain([column.head.chars().count()])
            .max()
            .unwrap_or(0)
    };
    table.columns.iter().enumerate().map(column).collect()
}

/// Numbers at the right, words at the left, long words in lines as wide as they may become.
fn form(numeric: bool, wide: usize) -> String {
    match (numeric, wide > LONG) {
        (true, _) => "r".into(),
        (false, false) => "l".into(),
        (false, true) => format!(
            "p{{{}\\linewidth}}",
            if wide > 2 * LONG { "0.21" } else { "0.13" }
        ),
    }
}

fn cell(cell: &TableCell, wide: usize) -> String {
    match cell {
        TableCell::Estimate(number) => estimate(number),
        TableCell::Undefined(note) => format!("undefined\\textsuperscript{{{}}}", letter(*note)),
        other if wide > LONG => format!("{{\\raggedright {}\\par}}", safe(&other.plain())),
        other => safe(&other.plain()),
    }
}

/// The number, and its interval in brackets below it.
fn estimate(number: &Number) -> String {
    let text = safe(&number.text());
    let text = if number.bold {
        format!("\\textbf{{{text}}}")
    } else {
        text
    };
    let note = number
        .note
        .map(|note| format!("\\textsuperscript{{{}}}", letter(note)))
        .unwrap_or_default();
    match (number.spread, number.spread_text()) {
        (Spread::Interval(..), Some(ends)) => {
            format!(
                "\\begin{{tabular}}[t]{{@{{}}r@{{}}}}{text}{note}\\\\{{}}[{}]\\end{{tabular}}",
                safe(&ends)
            )
        }
        (_, Some(deviation)) => format!("{text} {}{note}", safe(&deviation)),
        (_, None) => text + &note,
    }
}

fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in duress_figure::label::tame(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', c]),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '\\' => safe.push_str("\\textbackslash{}"),
            '<' => safe.push_str("\\textless{}"),
            '>' => safe.push_str("\\textgreater{}"),
            '\u{2009}' => safe.push_str("\\,"),
            c => match SIGNS.iter().find(|(sign, _)| *sign == c) {
                Some((_, command)) => safe.extend(["$", command, "$"]),
                None => safe.push(c),
            },
        }
    }
    safe
}

/// Signs that LaTeX knows only as commands of its mathematics.
const SIGNS: &[(char, &str)] = &[
    ('−', "-"),
    ('×', "\\times"),
    ('±', "\\pm"),
    ('·', "\\cdot"),
    ('→', "\\rightarrow"),
    ('←', "\\leftarrow"),
    ('↑', "\\uparrow"),
    ('↓', "\\downarrow"),
    ('∞', "\\infty"),
    ('≤', "\\le"),
    ('≥', "\\ge"),
    ('≠', "\\ne"),
    ('≈', "\\approx"),
    ('∑', "\\sum"),
    ('√', "\\surd"),
    ('‖', "\\Vert"),
    ('½', "\\frac12"),
    ('⁻', "^{-}"),
    ('⁰', "^0"),
    ('¹', "^1"),
    ('²', "^2"),
    ('³', "^3"),
    ('⁴', "^4"),
    ('⁵', "^5"),
    ('⁶', "^6"),
    ('⁷', "^7"),
    ('⁸', "^8"),
    ('⁹', "^9"),
    ('α', "\\alpha"),
    ('β', "\\beta"),
    ('γ', "\\gamma"),
    ('δ', "\\delta"),
    ('ε', "\\varepsilon"),
    ('η', "\\eta"),
    ('θ', "\\theta"),
    ('κ', "\\kappa"),
    ('λ', "\\lambda"),
    ('μ', "\\mu"),
    ('π', "\\pi"),
    ('ρ', "\\rho"),
    ('σ', "\\sigma"),
    ('τ', "\\tau"),
    ('φ', "\\varphi"),
    ('χ', "\\chi"),
    ('ω', "\\omega"),
    ('Δ', "\\Delta"),
    ('Σ', "\\Sigma"),
    ('Ω', "\\Omega"),
];

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn commands_in_a_name_stay_text() {
        assert_eq!(
            safe("\\input{/etc/passwd}"),
            "\\textbackslash{}input\\{/etc/passwd\\}"
        );
        assert_eq!(safe("50 % & −1"), "50 \\% \\& $-$1");
    }
}
