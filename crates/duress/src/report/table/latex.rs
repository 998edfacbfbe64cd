//! Tables as LaTeX, in the style of booktabs.

use super::{Cell, Number, Table, letter};

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

fn one(table: &Table) -> String {
    let form: String = table.columns.iter().map(|column| if column.numeric { 'r' } else { 'l' }).collect();
    let heads: Vec<String> = table.columns.iter().map(|column| safe(&column.head)).collect();
    let mut text = format!("\n\\begin{{table}}[htbp]\n\\centering\n\\caption{{{}}}\n", safe(&table.title));
    text.push_str(&format!(
        "\\begin{{tabular}}{{@{{}}{form}@{{}}}}\n\\toprule\n{} \\\\\n\\midrule\n",
        heads.join(" & ")
    ));
    for cells in &table.rows {
        let cells: Vec<String> = cells.iter().map(cell).collect();
        text.push_str(&format!("{} \\\\\n", cells.join(" & ")));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    for note in table.spoken_notes() {
        text.push_str(&format!("\\par\\smallskip{{\\footnotesize {}}}\n", safe(&note)));
    }
    text.push_str("\\end{table}\n");
    text
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Estimate(number) => {
            let text = safe(&Cell::Estimate(Number { note: None, ..number.clone() }).plain());
            let text = if number.bold { format!("\\textbf{{{text}}}") } else { text };
            let note = number.note.map(|note| format!("\\textsuperscript{{{}}}", letter(note)));
            text + &note.unwrap_or_default()
        }
        Cell::Undefined(note) => format!("undefined\\textsuperscript{{{}}}", letter(*note)),
        other => safe(&other.plain()),
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
        assert_eq!(safe("\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
        assert_eq!(safe("50 % & −1"), "50 \\% \\& $-$1");
    }
}
