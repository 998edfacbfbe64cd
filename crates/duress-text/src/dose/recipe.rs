//! A recipe: where changes of one kind can be made in a text, and what is put there.

use std::ops::Range;

use duress_core::seed::Seed;

use super::page::{NoRoom, Page};
use super::remark::{expand_template, remark_sites};
use super::site::{Site, What, choose_mistake};

/// The most changes that are made to one text: each remark is made once, and every recipe that has
/// some has more.
pub const MOST_CHANGES: usize = 10;

/// How changes of one kind are made.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// What a change is called.
    name: &'static str,
    sites: fn(&Page<'_>) -> Vec<Site>,
    /// The templates of what is remarked; none where only what is there is changed.
    remarks: &'static [&'static str],
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// Its kind; for an error the subtype, as judges call it.
    pub subtype: &'static str,
    /// Which bytes of the text before this step were replaced.
    pub span: Range<usize>,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
    /// Who did it.
    pub by: &'static str,
}

/// A text that was changed, and what was done to it, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dosed {
    pub text: String,
    /// One step per change.
    pub steps: Vec<TextChange>,
}

impl Recipe {
    /// Changes at these sites.
    pub(crate) const fn at_sites(
        name: &'static str,
        sites: fn(&Page<'_>) -> Vec<Site>,
        remarks: &'static [&'static str],
    ) -> Recipe {
        Recipe {
            name,
            sites,
            remarks,
        }
    }

    /// Remarks after any sentence.
    pub(crate) const fn of_remarks(name: &'static str, remarks: &'static [&'static str]) -> Recipe {
        fn sites(page: &Page<'_>) -> Vec<Site> {
            remark_sites(page, 0)
        }
        Recipe {
            name,
            sites,
            remarks,
        }
    }

    /// What a change is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many changes it can make in a text; `beside` is what the text must not come to agree
    /// with by accident: its source.
    pub fn capacity(&self, text: &str, beside: &str) -> usize {
        self.sites(&Page::new(text, beside)).len().min(MOST_CHANGES)
    }

    /// Why a text cannot take so many changes; `None` if it can.
    pub fn refusal(&self, text: &str, beside: &str, count: usize) -> Option<NoRoom> {
        let page = Page::new(text, beside);
        let places = self.sites(&page).len().min(MOST_CHANGES);
        (places < count).then(|| page.no_room(places))
    }

    /// The text with `count` changes, or why it has not so many sites: a step that cannot be done
    /// is no change.
    ///
    /// ```
    /// use duress_core::seed::Seed;
    /// use duress_text::dose::NoRoom;
    /// use duress_text::injection::Injector;
    /// let (text, source) = ("It was opened in 1889 and has three levels.", "Opened in 1889, three levels.");
    /// let dose = |count| Injector::FactualError.recipe().dose(text, source, count, Seed::new(1));
    /// assert_eq!(dose(0).unwrap().text, text);
    /// assert_eq!(dose(2).unwrap().steps[..1], dose(1).unwrap().steps);
    /// assert_eq!(dose(3), Err(NoRoom::TooFewPlaces { places: 2 }));
    /// ```
    pub fn dose(
        &self,
        text: &str,
        beside: &str,
        count: usize,
        seed: Seed,
    ) -> Result<Dosed, NoRoom> {
        let page = Page::new(text, beside);
        let mut sites = self.sites(&page);
        if sites.len().min(MOST_CHANGES) < count {
            return Err(page.no_room(sites.len()));
        }
        seed.child("order").draws().shuffle(&mut sites);
        sites.sort_by_key(|site| site.round);
        let mut remarks = self.remarks.to_vec();
        seed.child("remarks").draws().shuffle(&mut remarks);
        let mut remarks = remarks.into_iter();
        let mut writing = Writing::new(text, self.name);
        for site in sites.iter().take(count) {
            let own = seed.child(format!("site {} {}", site.span.start, site.round));
            let after = match &site.what {
                What::OneOf(mistakes) => choose_mistake(mistakes, own),
                What::Made(make) => {
                    choose_mistake(&make(&text[site.span.clone()], &page.taken), own)
                }
                What::Remark => {
                    let Some(template) = remarks.next() else {
                        unreachable!("there are more remarks than changes in a text")
                    };
                    format!(" {}", expand_template(template, own))
                }
            };
            writing.replace(&site.span, after);
        }
        Ok(writing.dosed)
    }

    fn sites(&self, page: &Page<'_>) -> Vec<Site> {
        (self.sites)(page)
    }

    #[cfg(test)]
    pub(crate) fn remarks(&self) -> &'static [&'static str] {
        self.remarks
    }
}

/// A text that is being written into.
struct Writing {
    subtype: &'static str,
    dosed: Dosed,
    /// Where something was replaced in the text as it was, and by how much the rest moved.
    moves: Vec<(usize, isize)>,
}

impl Writing {
    fn new(text: &str, subtype: &'static str) -> Writing {
        Writing {
            subtype,
            dosed: Dosed {
                text: text.into(),
                steps: Vec::new(),
            },
            moves: Vec::new(),
        }
    }

    /// Replaces a span of the text as it was.
    fn replace(&mut self, span: &Range<usize>, after: String) {
        // What was replaced further left has moved this span. What was put in at the same place
        // stays behind it.
        let moves = self.moves.iter().filter(|(at, _)| *at < span.start);
        let moved: isize = moves.map(|(_, by)| by).sum();
        let start = span.start.saturating_add_signed(moved);
        let now = start..start + span.len();
        // A sentence that follows one without an end gives it one.
        let unended = self.dosed.text[..start].ends_with(char::is_alphanumeric);
        let after = match span.is_empty() && after.starts_with(' ') && unended {
            true => format!(".{after}"),
            false => after,
        };
        let by = after.len() as isize - span.len() as isize;
        self.moves.push((span.start, by));
        let before = self.dosed.text[now.clone()].to_string();
        self.dosed.text.replace_range(now.clone(), &after);
        self.dosed.steps.push(TextChange {
            subtype: self.subtype,
            span: now,
            before,
            after,
            by: "rules",
        });
    }
}
