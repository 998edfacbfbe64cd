//! Exhibits: single items before and after, so that one can see what happened.

use std::collections::BTreeSet;

use duress_figure::label::excerpt;
use duress_figure::raster;

use super::html::Html;
use super::map_colours::map_colours;
use super::{draw, shown};
use crate::digest::Digest;
use crate::figures::{Figure, Home};
use duress_findings::{Exhibit, MapPair, Sight};

/// Enough to see what happened; the findings hold the rest.
const SHOWN: usize = 60;

/// The section.
pub(crate) fn write(page: &mut Html, digest: &Digest<'_>, figures: &[Figure]) {
    let exhibits = &digest.findings.exhibits;
    if exhibits.is_empty() {
        return;
    }
    page.raw("<section id=\"exhibits\"><h2>Exhibits</h2><p>The items that came off worst, before and after.</p><div class=\"exhibits\">");
    for (i, exhibit) in exhibits.iter().enumerate().take(SHOWN) {
        one(page, digest, exhibit, shown(figures, &Home::Exhibit(i)));
    }
    page.raw("</div>");
    if exhibits.len() > SHOWN {
        let rest = format!("{} more are in 5-findings.json.", exhibits.len() - SHOWN);
        page.raw("<p class=\"note\">").text(&rest).raw("</p>");
    }
    page.raw("</section>");
}

fn one<'a>(
    page: &mut Html,
    digest: &Digest<'_>,
    exhibit: &Exhibit,
    figures: impl Iterator<Item = &'a Figure>,
) {
    let wide = matches!(exhibit.sight, Sight::Graph { .. });
    page.raw(if wide {
        "<article class=\"wide\"><h3>"
    } else {
        "<article><h3>"
    })
    .text(&exhibit.place.in_words(digest.several_datasets()))
    .raw("</h3><p class=\"note\">");
    page.text(&format!("{}, seed {}", exhibit.item, exhibit.seed))
        .raw("</p>");
    match &exhibit.sight {
        Sight::Image {
            shape,
            before,
            after,
            maps,
        } => {
            images(page, *shape, before, after);
            maps.iter().for_each(|pair| maps_of(page, pair));
        }
        Sight::Text { before, after } => texts(page, before, after),
        Sight::Graph {
            variables,
            truth,
            clean,
            pressed,
            ..
        } => {
            figures.for_each(|figure| draw(page, figure));
            edges(page, variables, truth, clean, "clean");
            edges(page, variables, truth, pressed, "under stress");
        }
    }
    page.raw("<dl>");
    if !exhibit.truth.is_empty() {
        page.raw("<dt>true</dt><dd>")
            .text(&exhibit.truth)
            .raw("</dd>");
    }
    for (when, said) in [
        ("when clean", &exhibit.said_clean),
        ("under stress", &exhibit.said_pressed),
    ] {
        page.raw("<dt>said ").raw(when).raw("</dt><dd>");
        page.text(if said.is_empty() { "nothing" } else { said })
            .raw("</dd>");
    }
    page.raw("</dl></article>");
}

fn images(page: &mut Html, shape: [usize; 3], before: &[u8], after: &[u8]) {
    pictures(page, shape, [(before, "before"), (after, "after")]);
}

/// The maps of an image below it, in a colour scale that tells their sign.
fn maps_of(page: &mut Html, pair: &MapPair) {
    let shape = [3, pair.height, pair.width];
    let before = map_colours(&pair.before);
    let after = map_colours(&pair.after);
    let both = [(&before[..], "map before"), (&after[..], "map after")];
    pictures(page, shape, both);
    let asked = format!("{}; each from its own largest value", pair.asked);
    page.raw("<p class=\"note\">").text(&asked);
    let negative = |values: &[i8]| values.iter().any(|value| *value < 0);
    let says = match negative(&pair.before) || negative(&pair.after) {
        true => " (orange: for the class; blue: against it; white: neither)",
        false => " (the darker the stronger)",
    };
    page.raw(says).raw("</p>");
}

fn pictures(page: &mut Html, shape: [usize; 3], both: [(&[u8], &'static str); 2]) {
    page.raw("<div class=\"pair\">");
    for (bytes, what) in both {
        page.raw("<figure>");
        match raster::picture(shape, bytes) {
            Ok(png) => page.image(&png, what),
            Err(why) => page.raw("<p class=\"u\">").text(&why).raw("</p>"),
        };
        page.raw("<figcaption>")
            .text(what)
            .raw("</figcaption></figure>");
    }
    page.raw("</div>");
}

/// The two texts with what was taken out and put in.
fn texts(page: &mut Html, before: &str, after: &str) {
    page.raw("<p class=\"diff\">");
    for (change, words) in changes(&excerpt(before), &excerpt(after)) {
        match change {
            PixelChange::Kept => page.text(&words),
            PixelChange::Gone => page.raw("<del>").text(&words).raw("</del>"),
            PixelChange::New => page.raw("<ins>").text(&words).raw("</ins>"),
        };
    }
    page.raw("</p>");
}

fn edges(
    page: &mut Html,
    variables: &[String],
    truth: &[(u32, u32)],
    learned: &[(u32, u32)],
    what: &'static str,
) {
    let name = |i: u32| variables.get(i as usize).map_or("?", String::as_str);
    let truth: BTreeSet<_> = truth.iter().copied().collect();
    let learned: BTreeSet<_> = learned.iter().copied().collect();
    page.raw("<p class=\"edges\"><b>").raw(what).raw("</b> ");
    for &(from, to) in truth.union(&learned) {
        page.raw(
            match (truth.contains(&(from, to)), learned.contains(&(from, to))) {
                (true, true) => "<span class=\"hit\" title=\"found\">",
                (true, false) => "<del title=\"missed\">",
                (false, _) => "<ins title=\"not true\">",
            },
        );
        page.text(&format!("{} → {}", name(from), name(to)));
        page.raw(
            match (truth.contains(&(from, to)), learned.contains(&(from, to))) {
                (true, true) => "</span> ",
                (true, false) => " (missed)</del> ",
                (false, _) => " (not true)</ins> ",
            },
        );
    }
    page.raw("</p>");
}

/// What became of some words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PixelChange {
    Kept,
    Gone,
    New,
}

/// Pieces of text that change as one: words, spaces, and single characters of scripts without
/// spaces.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let joined = before.is_some_and(|b| {
            b.is_alphanumeric() && c.is_alphanumeric() && b.len_utf8() < 3 && c.len_utf8() < 3
        });
        if at > from && !joined {
            pieces.push(&text[from..at]);
            from = at;
        }
        before = Some(c);
    }
    if from < text.len() {
        pieces.push(&text[from..]);
    }
    pieces
}

/// The longest common subsequence of pieces is kept; the rest is gone or new. Long texts are
/// compared by their ends only.
fn changes(before: &str, after: &str) -> Vec<(PixelChange, String)> {
    let a = pieces(before);
    let b = pieces(after);
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..]
        .iter()
        .rev()
        .zip(b[head..].iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let mid_a = &a[head..a.len() - tail];
    let mid_b = &b[head..b.len() - tail];
    let mut found = vec![(PixelChange::Kept, a[..head].concat())];
    found.extend(between(mid_a, mid_b));
    found.push((PixelChange::Kept, a[a.len() - tail..].concat()));
    merged(found)
}

/// Neighbours that changed alike become one.
fn merged(found: Vec<(PixelChange, String)>) -> Vec<(PixelChange, String)> {
    let mut merged: Vec<(PixelChange, String)> = Vec::new();
    for (change, words) in found.into_iter().filter(|(_, words)| !words.is_empty()) {
        match merged.last_mut() {
            Some((last, text)) if *last == change => text.push_str(&words),
            _ => merged.push((change, words)),
        }
    }
    merged
}

fn between(a: &[&str], b: &[&str]) -> Vec<(PixelChange, String)> {
    if a.len() * b.len() > 4_000_000 {
        return vec![
            (PixelChange::Gone, a.concat()),
            (PixelChange::New, b.concat()),
        ];
    }
    let wide = b.len() + 1;
    let mut common = vec![0_u32; (a.len() + 1) * wide];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i * wide + j] = if a[i] == b[j] {
                common[(i + 1) * wide + j + 1] + 1
            } else {
                common[(i + 1) * wide + j].max(common[i * wide + j + 1])
            };
        }
    }
    let mut i = 0;
    let mut j = 0;
    let mut found = Vec::new();
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            found.push((PixelChange::Kept, a[i].to_owned()));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len()
            || i < a.len() && common[(i + 1) * wide + j] >= common[i * wide + j + 1]
        {
            found.push((PixelChange::Gone, a[i].to_owned()));
            i += 1;
        } else {
            found.push((PixelChange::New, b[j].to_owned()));
            j += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &[(PixelChange, &str)]) {
        let found = changes(before, after);
        let found: Vec<(PixelChange, &str)> = found
            .iter()
            .map(|(change, words)| (*change, words.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_diff_keeps_what_both_texts_share() {
        use PixelChange::{Gone, Kept, New};
        check(
            "the cat sat",
            "the dog sat",
            &[(Kept, "the "), (Gone, "cat"), (New, "dog"), (Kept, " sat")],
        );
        check("same", "same", &[(Kept, "same")]);
        check("", "new", &[(New, "new")]);
        check(
            "画蛇添足",
            "画足添蛇",
            &[(Kept, "画"), (Gone, "蛇添"), (Kept, "足"), (New, "添蛇")],
        );
    }
}
