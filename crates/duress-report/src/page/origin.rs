//! Where the numbers come from: data, seeds, hashes, versions, the study file, and how to make them
//! again.

use super::html::Html;
use crate::digest::Digest;
use crate::words;
use duress_core::word::Word;
use duress_findings::{Exhibit, Sight};

/// The section.
pub(crate) fn write(page: &mut Html, digest: &Digest<'_>, lacking: &[char]) {
    let findings = digest.findings;
    page.raw("<section id=\"origin\"><h2>How it was made</h2><dl class=\"facts\">");
    let study = &findings.study;
    fact(page, "study", &study.hash);
    for hash in &study.earlier {
        fact(page, "earlier version run here", hash);
    }
    let seeds: Vec<String> = study.seeds.iter().map(u64::to_string).collect();
    fact(page, "seeds", &seeds.join(", "));
    fact(page, "resampled", study.units.word());
    fact(
        page,
        "level of intervals",
        &duress_core::number::tidy(study.level),
    );
    fact(page, "duress", &findings.made.duress);
    let commit = findings.made.commit.as_deref();
    fact(page, "built from commit", commit.unwrap_or("unknown"));
    fact(page, "machine", &findings.made.machine);
    fact(page, "parts", &findings.made.parts.join(", "));
    fact(page, "texts of items in here", &texts_held(digest));
    page.raw("</dl>");
    if !study.power.is_empty() {
        page.raw("<h3>What this many seeds and items can show</h3><ul>");
        for sentence in &study.power {
            page.raw("<li>").text(sentence).raw("</li>");
        }
        page.raw("</ul>");
    }
    files(page, digest);
    datasets(page, digest);
    subjects(page, digest);
    stress(page, digest);
    reproduce(page, digest);
    if !lacking.is_empty() {
        page.raw("<p class=\"warn\">No font of the machine that drew the PNG and PDF files has these characters; a box stands for each: ");
        page.text(&lacking.iter().collect::<String>()).raw("</p>");
    }
    page.raw("<h3>The study file</h3><pre tabindex=\"0\">")
        .text(&study.text)
        .raw("</pre></section>");
}

/// How many texts of items the report holds, for whoever wants to pass it on.
fn texts_held(digest: &Digest<'_>) -> String {
    let is_text = |exhibit: &&Exhibit| matches!(exhibit.sight, Sight::Text { .. });
    let exhibits = digest.findings.exhibits.iter();
    exhibits.filter(is_text).count().to_string()
}

fn fact(page: &mut Html, name: &'static str, value: &str) {
    if !value.is_empty() {
        page.raw("<dt>")
            .raw(name)
            .raw("</dt><dd>")
            .text(value)
            .raw("</dd>");
    }
}

/// The files that were read. A study of many recordings has too many to show: `5-findings.json` has
/// them all.
fn files(page: &mut Html, digest: &Digest<'_>) {
    const SHOWN: usize = 12;
    let files = &digest.findings.made.files;
    if files.is_empty() {
        return;
    }
    page.raw("<h3>Files that were read</h3><ul>");
    for file in files.iter().take(SHOWN) {
        page.raw("<li>")
            .text(&file.path)
            .raw("<br><code>")
            .text(&file.hash)
            .raw("</code></li>");
    }
    if files.len() > SHOWN {
        let more = format!("and {} more, in 5-findings.json", files.len() - SHOWN);
        page.raw("<li>").text(&more).raw("</li>");
    }
    page.raw("</ul>");
}

fn datasets(page: &mut Html, digest: &Digest<'_>) {
    page.raw("<h3>Datasets</h3><ul>");
    for dataset in &digest.findings.datasets {
        page.raw("<li><b>")
            .text(dataset.name.as_str())
            .raw("</b> from ")
            .text(&dataset.source)
            .raw(": ");
        let fitted = words::counted(dataset.fit_items, "item");
        let tested = words::counted(dataset.test_items, "item");
        page.text(&format!("fitted on {fitted}, tested on {tested}."));
        page.raw("<br><code>")
            .text(&dataset.fingerprints.join(" "))
            .raw("</code>");
        remarks(page, &dataset.remarks);
        page.raw("</li>");
    }
    page.raw("</ul>");
}

/// One under the other: they are no sentences, and run into each other on one line.
fn remarks(page: &mut Html, remarks: &[String]) {
    if remarks.is_empty() {
        return;
    }
    page.raw("<ul>");
    for remark in remarks {
        page.raw("<li>").text(remark).raw("</li>");
    }
    page.raw("</ul>");
}

fn subjects(page: &mut Html, digest: &Digest<'_>) {
    page.raw("<h3>Subjects</h3><ul>");
    for subject in &digest.findings.subjects {
        page.raw("<li><b>")
            .text(subject.name.as_str())
            .raw("</b>: ")
            .text(&subject.part)
            .raw(", fitted on ");
        page.text(subject.on.as_str());
        page.raw(if subject.reproducible {
            "."
        } else {
            "; the same seed need not give the same answers."
        });
        if !subject.answers.is_empty() {
            page.text(&format!(
                " Its answers are read as {}.",
                subject
                    .answers
                    .iter()
                    .map(|form| form.in_words())
                    .collect::<Vec<&str>>()
                    .join(" and ")
            ));
        }
        page.raw("</li>");
    }
    page.raw("</ul>");
}

fn stress(page: &mut Html, digest: &Digest<'_>) {
    if digest.findings.ladders.is_empty() && digest.findings.conditions.is_empty() {
        return;
    }
    page.raw("<h3>Stress</h3><ul>");
    for ladder in &digest.findings.ladders {
        let severities: Vec<String> = ladder.severities.iter().map(ToString::to_string).collect();
        page.raw("<li><b>")
            .text(ladder.name.as_str())
            .raw("</b>: ")
            .text(&ladder.stressor)
            .raw(" on ");
        page.text(ladder.acts_on.word())
            .raw(", ")
            .text(&ladder.unit)
            .raw(": ")
            .text(&severities.join(", "));
        page.raw(if ladder.sees_truth {
            "; looks at the truth.</li>"
        } else {
            ".</li>"
        });
    }
    for condition in &digest.findings.conditions {
        page.raw("<li><b>")
            .text(condition.name.as_str())
            .raw("</b>: ")
            .text(&condition.presses)
            .raw("</li>");
    }
    page.raw("</ul>");
}

fn reproduce(page: &mut Html, digest: &Digest<'_>) {
    page.raw("<h3>To make it again</h3><p>Save the study file below as <code>study.toml</code> and run, with duress ");
    page.text(&digest.findings.made.duress)
        .raw(":</p><pre>duress run study.toml --out again</pre><p>");
    page.raw("To redraw this page from the answers already kept, without asking a subject: <code>duress report RUN</code>.");
    let remote: Vec<&str> = digest
        .findings
        .subjects
        .iter()
        .filter(|s| !s.reproducible)
        .map(|s| s.name.as_str())
        .collect();
    if !remote.is_empty() {
        page.raw(" Answers may differ for ")
            .text(&remote.join(", "))
            .raw(".");
    }
    page.raw("</p>");
}
