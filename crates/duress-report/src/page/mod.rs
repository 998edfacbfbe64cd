//! The page: one file that needs no other, opens from disk and asks no network.

pub(crate) mod html;

mod exhibits;
mod gauges;
mod map_colours;
mod origin;
mod verdicts;

use duress_core::word::Word;
use html::{Html, Stylesheet};

use super::digest::{CaveatFilter, Digest};
use super::figures::{Figure, Home};
use super::tables::{ABSENT, EFFORTS, EXPLANATION_AGREEMENT, REALISED};
use super::words;
use crate::noise;
use crate::stress_summary::STRESS_SUMMARY;
use crate::tables::format::Table;
use duress_findings::{Caveat, Findings, VERSION};

/// The one script of the page.
const SCRIPT: &str = include_str!("page.js");

/// What the page's policy knows it by: the SHA-256 of its bytes. A test says what it is when the
/// script was changed.
const SCRIPT_HASH: &str = "sha256-j9znuYe0/TifwtOdFnzoZrwNzfS1AxA4CxZSwG+Sxg0=";

/// The whole page.
pub(crate) fn write(
    digest: &Digest<'_>,
    figures: &[Figure],
    tables: &[Table],
    lacking: &[char],
) -> String {
    let mut page = Html::default();
    open(&mut page, digest.findings);
    page.raw("<main>");
    head(&mut page, digest);
    verdicts::write(&mut page, digest, figures);
    noise_floor(&mut page, digest);
    caveats(&mut page, "About the whole study", general(digest));
    gauges::write(&mut page, digest, figures, tables);
    if let Some(table) = tables.iter().find(|table| table.file == "expectations") {
        page.raw("<section id=\"expected\"><h2>Expected and measured</h2>");
        crate::tables::format::html(&mut page, table);
        page.raw("</section>");
    }
    let agreement = tables
        .iter()
        .find(|table| table.file == EXPLANATION_AGREEMENT);
    if let Some(table) = agreement {
        page.raw(
            "<section id=\"explanations-agree\"><h2>Gauges of explanations beside each other</h2>",
        );
        crate::tables::format::html(&mut page, table);
        page.raw("</section>");
    }
    if let Some(table) = tables.iter().find(|table| table.file == STRESS_SUMMARY) {
        page.raw("<section id=\"stress\"><h2>What stress cost</h2><p>Means over seeds, ± their standard deviation. A result is beyond what was expected where its whole interval is.</p>");
        crate::tables::format::html(&mut page, table);
        page.raw("</section>");
    }
    if let Some(table) = tables.iter().find(|table| table.file == EFFORTS) {
        page.raw("<section id=\"effort\"><h2>What the attacks asked</h2>");
        crate::tables::format::html(&mut page, table);
        page.raw("</section>");
    }
    if let Some(table) = tables.iter().find(|table| table.file == REALISED) {
        page.raw("<section id=\"realised\"><h2>What the stress came to</h2><p>Hidden: of the values that could be seen. Changed: of those that still can.</p>");
        crate::tables::format::html(&mut page, table);
        page.raw("</section>");
    }
    if let Some(table) = tables.iter().find(|table| table.file == ABSENT) {
        page.raw("<section id=\"absent\"><h2>Absent answers</h2><p>None of them is a zero: numbers are of what was answered.</p>");
        crate::tables::format::html(&mut page, table);
        page.raw("</section>");
    }
    learning(&mut page, digest, figures);
    exhibits::write(&mut page, digest, figures);
    failures(&mut page, digest);
    origin::write(&mut page, digest, lacking);
    page.raw("</main><div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div><script>");
    page.raw(SCRIPT).raw("</script></body></html>\n");
    page.finish()
}

fn open(page: &mut Html, findings: &Findings) {
    page.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    // Nothing may be loaded, whatever the page holds, and no script may run but its own.
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; script-src '")
        .raw(SCRIPT_HASH)
        .raw("'\">");
    page.raw("<link rel=\"icon\" href=\"data:,\"><title>")
        .text(words::title(&findings.study))
        .raw(" · duress</title><style>");
    page.style(&Stylesheet::of_figures())
        .raw(include_str!("page.css"))
        .raw("</style></head><body>");
}

fn head(page: &mut Html, digest: &Digest<'_>) {
    let findings = digest.findings;
    page.raw("<header><p class=\"kind\">Robustness study</p><h1>")
        .text(words::title(&findings.study))
        .raw("</h1><p class=\"lead\">");
    let parts = [
        words::counted(findings.subjects.len(), "subject"),
        words::counted(findings.ladders.len(), "ladder"),
        words::counted(findings.gauges.len(), "gauge"),
        words::counted(findings.study.seeds.len(), "seed"),
        format!(
            "{} of {} cells answered",
            findings.cells.answered, findings.cells.planned
        ),
    ];
    page.text(&parts.join(" · ")).raw("</p>");
    if findings.cells.failed > 0 {
        page.raw("<p class=\"warn\"><a href=\"#failures\">");
        page.text(&format!(
            "{} failed",
            words::counted(findings.cells.failed, "cell")
        ));
        page.raw("</a>; they are listed, never averaged.</p>");
    }
    if findings.version != VERSION {
        let theirs = findings.version;
        let ours = VERSION;
        page.raw("<p class=\"warn\">");
        page.text(&format!(
            "These findings were written in shape {theirs}; this page is drawn for shape {ours}."
        ));
        page.raw("</p>");
    }
    page.raw(
        "<nav aria-label=\"Sections\"><a href=\"#verdicts\">Verdicts</a><a href=\"#findings\">Findings</a>",
    );
    if !findings.exhibits.is_empty() {
        page.raw("<a href=\"#exhibits\">Exhibits</a>");
    }
    page.raw("<a href=\"#origin\">How it was made</a><button type=\"button\" id=\"look\" aria-pressed=\"false\">Dark</button></nav></header>");
}

/// What changes when nothing does, where the study was run twice.
fn noise_floor(page: &mut Html, digest: &Digest<'_>) {
    let Some(floor) = &digest.findings.noise_floor else {
        return;
    };
    page.raw("<section id=\"noise\"><h2>Noise floor</h2><p>")
        .text(&words::stopped(&noise::heading(floor)))
        .raw("</p><ul>");
    for line in noise::lines(digest.findings, digest.several_datasets()) {
        page.raw("<li>").text(&words::sentence(&line)).raw("</li>");
    }
    page.raw("</ul></section>");
}

/// Doubts that belong to nothing smaller than a subject or a dataset.
fn general<'a>(digest: &Digest<'a>) -> Vec<&'a Caveat> {
    digest.caveats(CaveatFilter::default()).collect()
}

/// Doubts, as a list beside what they touch.
fn caveats(page: &mut Html, title: &'static str, caveats: Vec<&Caveat>) {
    if caveats.is_empty() {
        return;
    }
    page.raw("<aside class=\"caveats\" aria-label=\"Caveats\"><h3>")
        .raw(title)
        .raw("</h3><ul>");
    for caveat in caveats {
        page.raw("<li>");
        let about = [caveat.about.subject(), caveat.about.dataset()];
        for name in about.into_iter().flatten() {
            page.raw("<b>").text(name.as_str()).raw("</b>: ");
        }
        page.text(&caveat.doubt.to_string()).raw("</li>");
    }
    page.raw("</ul></aside>");
}

fn shown<'a>(figures: &'a [Figure], home: &Home) -> impl Iterator<Item = &'a Figure> {
    figures
        .iter()
        .filter(move |figure| figure.home.as_ref() == Some(home))
}

fn draw(page: &mut Html, figure: &Figure) {
    page.raw("<figure>").figure(&figure.scene);
    if let Some(file) = figure.file.as_ref().filter(|_| !figure.formats.is_empty()) {
        page.raw("<figcaption>");
        for format in &figure.formats {
            page.raw("<a href=\"figures/")
                .text(file)
                .raw(".")
                .raw(format.word())
                .raw("\">");
            page.text(&format.word().to_uppercase()).raw("</a> ");
        }
        page.raw("</figcaption>");
    }
    page.raw("</figure>");
}

fn learning(page: &mut Html, digest: &Digest<'_>, figures: &[Figure]) {
    if digest.findings.fittings.is_empty() {
        return;
    }
    page.raw("<section id=\"learning\"><h2>How subjects were taught</h2>");
    shown(figures, &Home::Learning).for_each(|figure| draw(page, figure));
    page.raw("</section>");
}

fn failures(page: &mut Html, digest: &Digest<'_>) {
    const SHOWN: usize = 200;
    let failures = &digest.findings.failures;
    if failures.is_empty() {
        return;
    }
    page.raw("<section id=\"failures\"><h2>Failed cells</h2><p>No answer came, so no number below or above includes them.</p>");
    page.raw("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">where</th><th scope=\"col\" class=\"n\">seed</th><th scope=\"col\">what happened</th></tr></thead><tbody>");
    for failure in failures.iter().take(SHOWN) {
        page.raw("<tr><th scope=\"row\">")
            .text(&words::failed_at(failure, digest.several_datasets()));
        page.raw("</th><td>")
            .text(&failure.seed.to_string())
            .raw("</td><td class=\"w why\">")
            .text(&failure.failure.to_string());
        page.raw("</td></tr>");
    }
    page.raw("</tbody></table></div>");
    if failures.len() > SHOWN {
        let rest = format!(
            "{} more are in tables/failures.csv.",
            failures.len() - SHOWN
        );
        page.raw("<p class=\"note\">").text(&rest).raw("</p>");
    }
    page.raw("</section>");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 as FIPS 180-4 has it.
    fn sha256(bytes: &[u8]) -> [u8; 32] {
        let primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
        let primes: Vec<u64> = primes.take(64).collect();
        let fraction = |root: f64| ((root - root.floor()) * 2f64.powi(32)) as u32;
        let k: Vec<u32> = primes
            .iter()
            .map(|p| fraction((*p as f64).cbrt()))
            .collect();
        let mut state: Vec<u32> = primes[..8]
            .iter()
            .map(|p| fraction((*p as f64).sqrt()))
            .collect();
        let mut padded = bytes.to_vec();
        padded.push(0x80);
        while padded.len() % 64 != 56 {
            padded.push(0);
        }
        padded.extend((8 * bytes.len() as u64).to_be_bytes());
        for block in padded.chunks(64) {
            let word = |four: &[u8]| u32::from_be_bytes(four.try_into().unwrap());
            let mut w: Vec<u32> = block.chunks(4).map(word).collect();
            for t in 16..64 {
                let a = w[t - 15];
                let b = w[t - 2];
                let small = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
                let large = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
                let next = [w[t - 16], small, w[t - 7], large];
                w.push(next.into_iter().fold(0, u32::wrapping_add));
            }
            let mut s = state.clone();
            for t in 0..64 {
                let a = s[0];
                let e = s[4];
                let choice = (e & s[5]) ^ (!e & s[6]);
                let majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
                let of_e = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
                let of_a = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
                let one = [s[7], of_e, choice, k[t], w[t]];
                let one = one.into_iter().fold(0, u32::wrapping_add);
                s.rotate_right(1);
                s[0] = one.wrapping_add(of_a).wrapping_add(majority);
                s[4] = s[4].wrapping_add(one);
            }
            for (sum, more) in state.iter_mut().zip(s) {
                *sum = sum.wrapping_add(more);
            }
        }
        let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
        bytes.try_into().unwrap()
    }

    #[test]
    fn the_policy_allows_the_pages_own_script_and_no_other() {
        let hash = |bytes: &[u8]| format!("sha256-{}", duress_figure::svg::base64(&sha256(bytes)));
        // The example of the standard.
        assert_eq!(
            hash(b"abc"),
            "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
        assert_eq!(hash(SCRIPT.as_bytes()), SCRIPT_HASH, "page.js was changed");
        assert!(!SCRIPT.contains("eval(") && !SCRIPT.contains("</script"));
    }
}
