//! Which class a reply names: by its letter or by its name, in its text or in its first token.

use duress_endpoint::reply::TokenChance;

duress_core::words! {
    /// How a model is to name a class.
    pub(crate) enum ChoiceStyle {
        Letters = "letters",
        Names = "names",
    }
}

/// The classes a model chooses from, and how it names them.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) style: ChoiceStyle,
    pub(crate) classes: Vec<String>,
}

/// The letter of the class at a position.
pub(crate) fn letter(position: usize) -> String {
    char::from(b'A' + u8::try_from(position % 26).unwrap_or(0)).to_string()
}

impl Choices {
    /// The most classes that letters can name.
    pub(crate) const MOST_LETTERS: usize = 26;

    /// The class that a reply names; none where it names none, or several.
    pub(crate) fn named_in(&self, text: &str) -> Option<usize> {
        match self.style {
            ChoiceStyle::Letters => self.letter_in(text),
            ChoiceStyle::Names => self.name_in(text),
        }
    }

    /// `B`, `(b)`, `B. a tower`, `Answer: B`, `The answer is **B**`; and not the article of
    /// `A tower is tall`.
    fn letter_in(&self, text: &str) -> Option<usize> {
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
        if let Some(class) = self.letter_of(bare) {
            return Some(class);
        }
        if let Some(class) = self.letter_after_answer(text) {
            return Some(class);
        }
        let opening = text.trim_start_matches(|c: char| c.is_whitespace() || "(*[\"'".contains(c));
        let (first, rest) = opening.split_at(opening.chars().next()?.len_utf8());
        let ends = rest.starts_with([')', '.', ':', ',', ']', '*', '\n']);
        let first = self.letter_of(first).filter(|_| ends);
        match (&self.letters_among(bracketed(text))[..], first) {
            ([_, _, ..], _) => None,
            (_, Some(first)) => Some(first),
            (one, None) => one.first().copied(),
        }
    }

    /// The letter that stands last behind the word `answer`.
    fn letter_after_answer(&self, text: &str) -> Option<usize> {
        let lower = text.to_ascii_lowercase();
        let mut found = None;
        for (at, word) in lower.match_indices("answer") {
            let mut words = text[at + word.len()..]
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .skip_while(|word| ["is", "option", "choice", "letter"].contains(word));
            found = words.next().and_then(|word| self.letter_of(word)).or(found);
        }
        found
    }

    fn letter_of(&self, word: &str) -> Option<usize> {
        let upper = word.to_ascii_uppercase();
        (0..self.classes.len()).find(|class| letter(*class) == upper)
    }

    /// The only class whose name stands in the text as words of their own.
    fn name_in(&self, text: &str) -> Option<usize> {
        let text = text.to_lowercase();
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = |class: &String| class.to_lowercase();
        if let Some(class) = self.classes.iter().position(|class| lower(class) == bare) {
            return Some(class);
        }
        let named = self.classes.iter().enumerate();
        let named = named.filter(|(_, class)| stands_in(&text, &lower(class)));
        let named: Vec<usize> = named.map(|(position, _)| position).collect();
        // `not spam` names `spam` too: the longest name that holds all others is meant.
        let holds_all = |class: &&usize| {
            let holds = |other: &usize| {
                lower(&self.classes[**class]).contains(&lower(&self.classes[*other]))
            };
            named.iter().all(holds)
        };
        let longest = named.iter().find(holds_all)?;
        let shorter_alone = named.iter().filter(|other| *other != longest).any(|other| {
            let without = text.replace(&lower(&self.classes[*longest]), " ");
            stands_in(&without, &lower(&self.classes[*other]))
        });
        (!shorter_alone).then_some(*longest)
    }

    /// The classes whose letters are among these words, each once.
    fn letters_among<'a>(&self, words: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let mut found: Vec<usize> = words.filter_map(|word| self.letter_of(word)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The probability of each class from the alternatives of the first token, where they name any;
    /// what is not among them has none.
    pub(crate) fn probabilities(&self, chances: &[TokenChance]) -> Option<Vec<f64>> {
        let mut of = vec![0.0; self.classes.len()];
        for chance in chances {
            let class = match std::str::from_utf8(&chance.bytes) {
                Ok(token) => self.token_class(token),
                Err(_) => self.half_character_class(&chance.bytes),
            };
            if let Some(class) = class {
                of[class] += chance.log_probability.exp();
            }
        }
        let all: f64 = of.iter().sum();
        (all > 0.0).then(|| of.iter().map(|one| one / all).collect())
    }

    /// The class that begins with a token that ends within a character, where only one does.
    fn half_character_class(&self, token: &[u8]) -> Option<usize> {
        let begins = |class: &String| class.as_bytes().starts_with(token.trim_ascii());
        let mut meant = (0..self.classes.len()).filter(|at| begins(&self.classes[*at]));
        let first = meant.next().filter(|_| self.style == ChoiceStyle::Names)?;
        meant.next().is_none().then_some(first)
    }

    /// The class that a token means: its letter, or the beginning of its name and of no other's.
    fn token_class(&self, token: &str) -> Option<usize> {
        // Some vocabularies write the space before a word as a character of their own.
        let word = token
            .trim()
            .trim_start_matches(['\u{2581}', '\u{120}'])
            .trim();
        let word = word
            .trim_matches(|c: char| "()[]*\"'.:".contains(c))
            .to_lowercase();
        if word.is_empty() {
            return None;
        }
        if self.style == ChoiceStyle::Letters {
            return self.letter_of(&word);
        }
        let begins = |class: &&String| class.to_lowercase().starts_with(&word);
        let mut meant = self.classes.iter().filter(begins);
        let first = meant.next()?;
        let exact = self
            .classes
            .iter()
            .position(|class| class.to_lowercase() == word);
        match meant.next() {
            None => self.classes.iter().position(|class| class == first),
            Some(_) => exact,
        }
    }
}

/// Whether a name stands in a text and is not part of a longer word.
fn stands_in(text: &str, name: &str) -> bool {
    let ends = |side: Option<char>| side.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(name).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + name.len()..];
        ends(before.chars().next_back()) && ends(after.chars().next())
    })
}

/// What stands in brackets, `(B)`.
fn bracketed(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.split('(').skip(1);
    behind.filter_map(|rest| rest.split_once(')').map(|(inside, _)| inside.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(style: ChoiceStyle, classes: &[&str]) -> Choices {
        Choices {
            style,
            classes: classes.iter().map(|class| (*class).to_string()).collect(),
        }
    }

    #[test]
    fn letters_are_read_however_a_model_writes_them() {
        let of = choices(ChoiceStyle::Letters, &["w", "x", "y", "z"]);
        let check = |text: &str, expected| assert_eq!(of.named_in(text), expected, "{text:?}");
        check("B", Some(1));
        check(" (b) ", Some(1));
        check("B. a tower", Some(1));
        check("**C**: because", Some(2));
        check("Answer: D", Some(3));
        check(
            "I first thought the answer is A, but the answer is **C**.",
            Some(2),
        );
        check("It must be (B), since nothing else fits.", Some(1));
        check("A tower is tall", None);
        check("(A) or (B)", None);
        check("E", None);
        check("", None);
    }

    #[test]
    fn names_are_read_as_words_and_two_names_are_none() {
        let of = choices(ChoiceStyle::Names, &["spam", "not spam", "unsure"]);
        let check = |text: &str, expected| assert_eq!(of.named_in(text), expected, "{text:?}");
        check("Spam.", Some(0));
        check("This is not spam", Some(1));
        check("This message is clearly spam!", Some(0));
        check("spammy", None);
        check("spam or unsure", None);
        check("spam, or rather not spam", None);
        check("no idea", None);
    }

    #[test]
    fn first_tokens_are_probabilities_of_classes() {
        let chance = |bytes: &[u8], p: f64| TokenChance {
            token: String::from_utf8_lossy(bytes).into(),
            bytes: bytes.to_vec(),
            log_probability: p.ln(),
        };
        let token = |token: &str, p: f64| chance(token.as_bytes(), p);
        let letters = choices(ChoiceStyle::Letters, &["x", "y"]);
        let said = letters.probabilities(&[
            token("A", 0.5),
            token(" a", 0.1),
            token("B", 0.2),
            token("The", 0.2),
        ]);
        let said = said.unwrap();
        assert!(
            (said[0] - 0.75).abs() < 1e-12 && (said[1] - 0.25).abs() < 1e-12,
            "{said:?}"
        );
        assert_eq!(letters.probabilities(&[token("The", 1.0)]), None);
        let names = choices(ChoiceStyle::Names, &["positive", "negative", "neutral"]);
        let said = names.probabilities(&[token("Pos", 0.6), token("ne", 0.3), token("neut", 0.2)]);
        assert_eq!(
            said,
            Some(vec![0.6 / 0.8, 0.0, 0.2 / 0.8]),
            "`ne` begins two names"
        );
        // 猫 is e7 8c ab, 狗 is e7 8b 97: the first byte of both says nothing.
        let names = choices(ChoiceStyle::Names, &["猫", "狗"]);
        let halves = [
            (&[0xe7, 0x8c][..], 0.3),
            (&[0xe7, 0x8b], 0.1),
            (&[0xe7], 0.6),
        ];
        let said = names.probabilities(&halves.map(|(bytes, p)| chance(bytes, p)));
        let said = said.unwrap();
        assert!((said[0] - 0.75).abs() < 1e-12, "{said:?}");
    }
}
