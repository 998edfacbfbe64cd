//! Remarks: sentences that are put into a text, made from templates.
//!
//! In a template `[a|b|c]` is one of the three and `#` a digit. A text gets each template once at
//! most, so that ten remarks of one kind are ten different ones.

use duress_core::seed::Seed;

use crate::dose::page::Page;
use crate::dose::site::{Site, What};

/// How many remarks may follow one sentence.
const ROUNDS: usize = 3;

/// The ends of sentences: first one remark after each, then a second, then a third.
pub(crate) fn remark_sites(page: &Page<'_>, first_round: usize) -> Vec<Site> {
    let rounds = first_round..first_round + ROUNDS;
    let ends = page.sentences.iter().map(|sentence| sentence.end);
    let ends: Vec<usize> = ends.collect();
    rounds
        .flat_map(|round| {
            ends.iter().map(move |end| Site {
                span: *end..*end,
                round,
                what: What::Remark,
            })
        })
        .collect()
}

/// A sentence of a template.
pub(crate) fn expand_template(template: &str, seed: Seed) -> String {
    let mut draws = seed.draws();
    let mut made = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['[', '#']) {
        made.push_str(&rest[..at]);
        if rest[at..].starts_with('#') {
            made.push(char::from(b'1' + draws.below(9) as u8));
            rest = &rest[at + 1..];
            continue;
        }
        let Some((choices, after)) = rest[at + 1..].split_once(']') else {
            unreachable!("the tests expand every template")
        };
        let choices: Vec<&str> = choices.split('|').collect();
        made.push_str(&expand_digits(
            choices[draws.below(choices.len())],
            &mut draws,
        ));
        rest = after;
    }
    made + rest
}

fn expand_digits(choice: &str, draws: &mut duress_core::seed::Draws) -> String {
    let digit = |c: char| match c {
        '#' => char::from(b'1' + draws.below(9) as u8),
        c => c,
    };
    choice.chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_becomes_one_of_its_sentences() {
        let made = |seed| expand_template("[One|Two] of 19##.", Seed::new(seed));
        assert!((0..20).all(|seed| made(seed).len() == "One of 1912.".len()));
        assert!((0..20).any(|seed| made(seed).starts_with("Two of 19")));
        assert_eq!(made(3), made(3));
        assert!((0..99).all(|seed| !made(seed).contains(['#', '[', '|'])));
    }
}
