//! Text of limited width, with or without colour.

use duress_figure::label::{excerpt, is_wide, tame};

/// Text of limited width.
pub(super) struct Paper {
    text: String,
    pub(super) width: usize,
    colour: bool,
}

/// What a word is worth.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Good,
    Bad,
    Open,
    Strong,
}

impl Paper {
    /// Nothing yet.
    pub(super) fn new(width: usize, colour: bool) -> Paper {
        Paper {
            text: String::new(),
            width: width.max(40),
            colour,
        }
    }

    /// What was written.
    pub(super) fn text(self) -> String {
        self.text
    }

    /// A line that stands out.
    pub(super) fn heading(&mut self, text: &str) {
        self.marked(Tone::Strong, &cut(&tame(text), self.width), "");
    }

    /// A line, cut to the width.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(cut(&tame(text), self.width).trim_end());
        self.text.push('\n');
    }

    /// A line whose first word stands out.
    pub(super) fn marked(&mut self, tone: Tone, word: &str, rest: &str) {
        let word = tame(word);
        let rest = tame(rest);
        let rest = cut(&rest, self.width.saturating_sub(columns(&word)));
        if self.colour {
            let code = match tone {
                Tone::Good => "\u{1b}[1;32m",
                Tone::Bad => "\u{1b}[1;31m",
                Tone::Open => "\u{1b}[1;33m",
                Tone::Strong => "\u{1b}[1m",
            };
            self.text
                .push_str(&format!("{code}{word}\u{1b}[0m{}\n", rest.trim_end()));
        } else {
            self.text.push_str(format!("{word}{rest}").trim_end());
            self.text.push('\n');
        }
    }

    /// A paragraph, indented and broken at spaces.
    pub(super) fn paragraph(&mut self, indent: usize, text: &str) {
        let room = self.width.saturating_sub(indent).max(20);
        let mut line = String::new();
        for word in tame(&excerpt(text)).split_whitespace() {
            let longer = if line.is_empty() {
                word.to_owned()
            } else {
                format!("{line} {word}")
            };
            if columns(&longer) > room && !line.is_empty() {
                self.line(&format!("{}{line}", " ".repeat(indent)));
                line = word.to_owned();
            } else {
                line = longer;
            }
        }
        if !line.is_empty() {
            self.line(&format!("{}{line}", " ".repeat(indent)));
        }
    }
}

/// A text of at most this many columns, with an ellipsis where it was cut.
pub(super) fn cut(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if columns(&kept) + columns(&c.to_string()) + 1 > room {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// How many columns a terminal gives a text.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}
