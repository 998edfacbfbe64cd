//! A judge beside people, on one screen.

use duress_findings::{Agreement, AgreementGate, AgreementNumber, JudgeAgreement, Verdict};

use super::paper::{Paper, Tone};
use crate::words;

/// Raters of larger panels are listed in JSON only.
const MATRIX: usize = 8;

/// The numbers as text of at most `width` columns; without `colour`, no control codes at all.
pub fn agreement(read: &Agreement, width: usize, colour: bool) -> String {
    let mut paper = Paper::new(width, colour);
    paper.heading(&read.file);
    let items = words::counted(read.items, "item");
    paper.paragraph(0, &format!("{items} · {}", read.found.join(" · ")));
    for judge in &read.judges {
        write_judge(&mut paper, judge);
    }
    write_panel(&mut paper, read);
    write_disagreements(&mut paper, read);
    for gate in &read.gates {
        write_gate(&mut paper, gate);
    }
    paper.line("");
    let level = 100.0 * read.level;
    paper.paragraph(0, &format!(
        "{level} % intervals over items: Wilson for shares, a bootstrap for the others. Corrected rates hold if the labelled items are a random draw of all."
    ));
    paper.text()
}

fn write_judge(paper: &mut Paper, judge: &JudgeAgreement) {
    paper.line("");
    paper.heading(&judge.judge);
    paper.paragraph(
        0,
        &format!(
            "{} labelled by both, {} by the judge only, {} by people only",
            judge.both, judge.only_judge, judge.only_people
        ),
    );
    for number in &judge.numbers {
        write_number(paper, number.measure.to_string().as_str(), number);
    }
}

fn write_number(paper: &mut Paper, name: &str, number: &AgreementNumber) {
    let name = format!("  {name:<23}");
    match (number.value, number.interval) {
        (Some(value), Some((low, high))) => {
            let method = number.method.as_deref().unwrap_or("");
            let n = number.items;
            let numbers = format!("{value:.3} [{low:.3}, {high:.3}]");
            paper.line(&format!("{name}{numbers:<24} n = {n:<7} {method}"));
        }
        (Some(value), None) => {
            let why = number.undefined.as_deref().unwrap_or("");
            paper.line(&format!("{name}{value:.3}  no interval: {why}"));
        }
        (None, _) => {
            let why = number.undefined.as_deref().unwrap_or("");
            paper.line(&format!("{name}undefined: {why}"));
        }
    }
}

fn write_panel(paper: &mut Paper, read: &Agreement) {
    paper.line("");
    if let Some(people) = &read.people_alpha {
        write_number(paper, "alpha among people", people);
    }
    write_number(paper, "alpha of everybody", &read.panel_alpha);
    let mut names: Vec<&str> = Vec::new();
    for pair in &read.pairs {
        for name in [&pair.one, &pair.other] {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    if names.len() < 3 || names.len() > MATRIX {
        return;
    }
    let between = |one: &str, other: &str| {
        let pair = read.pairs.iter().find(|pair| {
            (pair.one == one && pair.other == other) || (pair.one == other && pair.other == one)
        });
        pair.and_then(|pair| pair.kappa)
    };
    let short = |name: &str| name.chars().take(9).collect::<String>();
    let heads: Vec<String> = names
        .iter()
        .map(|name| format!("{:>10}", short(name)))
        .collect();
    paper.line("");
    paper.line(&format!("  κ        {}", heads.concat()));
    for one in &names {
        let cells = names.iter().map(|other| match between(one, other) {
            _ if one == other => format!("{:>10}", "·"),
            Some(kappa) => format!("{kappa:>10.2}"),
            None => format!("{:>10}", "–"),
        });
        let cells: String = cells.collect();
        paper.line(&format!("  {:<9}{cells}", short(one)));
    }
}

fn write_disagreements(paper: &mut Paper, read: &Agreement) {
    if read.disagreements.is_empty() {
        return;
    }
    paper.line("");
    paper.line("They differ on");
    for one in &read.disagreements {
        let said = one.said.iter().map(|(who, what)| format!("{who}: {what}"));
        let said: Vec<String> = said.collect();
        paper.line(&format!("  {}  {}", one.item, said.join(", ")));
    }
}

fn write_gate(paper: &mut Paper, gate: &AgreementGate) {
    let (tone, word) = match gate.verdict {
        Verdict::Upheld => (Tone::Good, "upheld"),
        Verdict::Refuted => (Tone::Bad, "refuted"),
        Verdict::Undecided => (Tone::Open, "undecided"),
    };
    paper.line("");
    let claim = format!(
        "  {}: {} is at least {}",
        gate.judge, gate.measure, gate.bar
    );
    paper.marked(tone, word, &claim);
    if let Some(decides) = &gate.would_decide {
        paper.paragraph(2, &format!("what would decide it: {decides}"));
    }
}
