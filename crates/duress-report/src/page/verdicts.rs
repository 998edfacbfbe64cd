//! Verdicts, first on the page: each claim, what became of it and why.

use duress_core::number;

use super::html::Html;
use super::{caveats, draw, shown};
use crate::digest::{CaveatFilter, Digest, REFUSED};
use crate::figures::{Figure, Home};
use crate::words;
use duress_findings::{ClaimFinding, ClaimSide, Verdict};

/// The section.
pub(crate) fn write(page: &mut Html, digest: &Digest<'_>, figures: &[Figure]) {
    page.raw("<section id=\"verdicts\"><h2>Verdicts</h2>");
    let claims = &digest.findings.claims;
    if claims.is_empty() {
        page.raw("<p>This study makes no claims.</p></section>");
        return;
    }
    let verdicts = [Verdict::Upheld, Verdict::Refuted, Verdict::Undecided];
    let badges = verdicts.map(|verdict| verdict.to_string());
    let count = |word: &str| {
        let all = claims.iter();
        all.filter(|claim| digest.word_on(&claim.name, claim) == word)
            .count()
    };
    let tally: Vec<String> = badges
        .iter()
        .map(String::as_str)
        .chain([REFUSED])
        .map(|word| (count(word), word))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    page.raw("<p class=\"tally\">")
        .text(&tally.join(", "))
        .raw(".</p><ol class=\"claims\">");
    for claim in claims {
        one(page, digest, claim);
    }
    page.raw("</ol>");
    for figure in shown(figures, &Home::Claims) {
        draw(page, figure);
    }
    page.raw("</section>");
}

fn one(page: &mut Html, digest: &Digest<'_>, claim: &ClaimFinding) {
    let refused = digest.refusal(&claim.name);
    page.raw(match claim.verdict {
        _ if refused.is_some() => {
            "<li class=\"refuted\"><p class=\"badge\"><span aria-hidden=\"true\">⊘</span> "
        }
        Verdict::Upheld => {
            "<li class=\"upheld\"><p class=\"badge\"><span aria-hidden=\"true\">✓</span> "
        }
        Verdict::Refuted => {
            "<li class=\"refuted\"><p class=\"badge\"><span aria-hidden=\"true\">✗</span> "
        }
        Verdict::Undecided => {
            "<li class=\"undecided\"><p class=\"badge\"><span aria-hidden=\"true\">○</span> "
        }
    });
    page.text(&digest.word_on(&claim.name, claim))
        .raw("</p><div><h3>")
        .text(&claim.name)
        .raw("</h3><p class=\"sentence\">");
    page.text(&words::stopped(&claim.sentence)).raw("</p>");
    if let Some(floor) = refused {
        let why = words::sentence(&words::refused(floor, claim.verdict));
        page.raw("<p>").text(&why).raw("</p>");
    }
    reasons(page, claim);
    for (name, part) in claim.judged().filter(|_| !claim.parts.is_empty()) {
        page.raw("<div class=\"part\"><h4>")
            .text(&format!("{}: {}", part.name, digest.word_on(&name, part)))
            .raw("</h4><p class=\"sentence\">")
            .text(&words::stopped(&part.sentence))
            .raw("</p>");
        reasons(page, part);
        page.raw("</div>");
    }
    let beside = CaveatFilter {
        claim: Some(&claim.name),
        ..CaveatFilter::default()
    };
    caveats(page, "Caveats", digest.caveats(beside).collect());
    page.raw("</div></li>");
}

/// Why it came out so, and the numbers behind it; a claim of parts has none of its own.
fn reasons(page: &mut Html, claim: &ClaimFinding) {
    page.raw("<p>").text(&words::sentence(&claim.why));
    if let Some(note) = words::interval_beyond(claim) {
        page.raw(" ").text(&words::sentence(&note));
    }
    if let Some(what) = claim
        .would_decide
        .as_ref()
        .filter(|_| claim.parts.is_empty())
    {
        page.raw(" <em>What would decide it:</em> ")
            .text(&format!("{what}."));
    }
    if let Some(look) = &claim.look {
        page.raw(" ").text(&words::sentence(&look.to_string()));
    }
    page.raw("</p>");
    if claim.parts.is_empty() {
        page.raw("<p class=\"note\">")
            .text(&numbers(claim))
            .raw("</p>");
        details(page, claim);
    }
}

fn numbers(claim: &ClaimFinding) -> String {
    let level = |level: f64| format!("{}\u{a0}%", number::tidy(100.0 * level));
    let judged = match &claim.judged_by {
        Ok(range) => {
            format!(
                "Judged by {} at {}: {}",
                words::judged_how(claim),
                level(range.level),
                words::judged(claim)
            )
        }
        Err(why) => format!("No interval to judge by: {why}"),
    };
    let test = match &claim.test {
        Ok(test) => format!(
            "{}: {}, n = {}, p {}, adjusted {} ({}), {} at {}.",
            tested(claim),
            test.method,
            test.n,
            words::p(test.p),
            number::p_value(test.p_adjusted),
            test.correction,
            if test.significant {
                "significant"
            } else {
                "not significant"
            },
            number::tidy(test.alpha),
        ),
        Err(why) => format!("No test: {why}."),
    };
    let value = match claim.is_difference() {
        true => words::signed(&claim.quantity),
        false => words::quantity(&claim.quantity),
    };
    // Where both are one interval, it is said once.
    let estimate = match (&claim.quantity.interval, &claim.judged_by) {
        (Ok(own), Ok(judged)) if own == judged => String::new(),
        (Ok(own), _) => format!(" As an estimate, at {}: {value}.", level(own.level)),
        (Err(_), _) => format!(" As an estimate: {value}."),
    };
    format!(
        "{judged}; margin {}, {}.{estimate} {test}",
        number::tidy(claim.margin),
        claim.side
    )
}

/// What the test is about: a difference is tested against zero, a value by itself against its
/// margin.
fn tested(claim: &ClaimFinding) -> &'static str {
    match (claim.side, claim.is_difference()) {
        (ClaimSide::Equivalent, _) => "Equivalence",
        (_, true) => "Against zero",
        (_, false) => "Against the margin",
    }
}

fn details(page: &mut Html, claim: &ClaimFinding) {
    page.raw("<details><summary>What it rests on</summary><ul><li>")
        .text(&words::basis(&claim.quantity))
        .raw("</li>");
    for (name, value) in &claim.effects {
        page.raw("<li>")
            .text(name)
            .raw(": ")
            .text(&words::reading(value))
            .raw("</li>");
    }
    for sentence in &claim.power {
        page.raw("<li>").text(sentence).raw("</li>");
    }
    page.raw("<li>Family: ")
        .text(&claim.family)
        .raw("</li></ul></details>");
}
