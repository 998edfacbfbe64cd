//! Secrets of the environment, which a process inherits: what it says about them must reach no file.

use serde_json::{Map, Value};

/// Words that names of variables with secrets end in.
const SECRET_WORDS: [&str; 7] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIAL",
    "AUTH",
];

/// A value shorter than this is a placeholder: striking it out would change answers.
const SHORTEST_STRUCK: usize = 8;

/// The variables whose names sound secret, with their values.
#[derive(Clone, Default)]
pub struct InheritedSecrets {
    all: Vec<(String, String)>,
}

impl InheritedSecrets {
    /// Of the environment that this process has, and hands down.
    pub fn of_environment() -> InheritedSecrets {
        let variables = std::env::vars_os();
        InheritedSecrets::among(variables.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
    }

    fn among(variables: impl Iterator<Item = (String, String)>) -> InheritedSecrets {
        let secret = |(name, value): &(String, String)| {
            value.len() >= SHORTEST_STRUCK && sounds_secret(name)
        };
        let mut all: Vec<(String, String)> = variables.filter(secret).collect();
        // A value that holds another is struck as a whole.
        all.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        InheritedSecrets { all }
    }

    /// A text with the names of variables in place of their values.
    pub fn strike(&self, text: &str) -> String {
        let all = self.all.iter();
        all.fold(text.to_string(), |text, (name, value)| {
            match text.contains(value) {
                true => text.replace(value, &format!("‹${name}›")),
                false => text,
            }
        })
    }

    /// The same for all texts in JSON, however they were escaped.
    pub fn strike_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.strike(text),
            Value::Array(list) => list.iter_mut().for_each(|one| self.strike_json(one)),
            Value::Object(map) => self.strike_map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The same for the values of an object.
    pub fn strike_map(&self, map: &mut Map<String, Value>) {
        if !self.all.is_empty() {
            map.values_mut().for_each(|one| self.strike_json(one));
        }
    }

    /// The variable whose value stands in some bytes.
    pub fn found_in(&self, bytes: &[u8]) -> Option<&str> {
        let holds = |(_, value): &&(String, String)| {
            let mut windows = bytes.windows(value.len());
            windows.any(|window| window == value.as_bytes())
        };
        self.all.iter().find(holds).map(|(name, _)| name.as_str())
    }
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let one = word.strip_suffix('S').unwrap_or(word);
        let secret = |end: &&str| word.ends_with(*end) || one.ends_with(*end);
        SECRET_WORDS.iter().any(secret)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(variables: &[(&str, &str)]) -> InheritedSecrets {
        let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        InheritedSecrets::among(variables.iter().map(owned))
    }

    #[test]
    fn secrets_of_the_environment_are_not_repeated() {
        let secrets = secrets(&[
            ("API_KEY", "sk-12345678"),
            ("HOME", "/home/me"),
            ("SSH_AUTH", "1"),
        ]);
        let text = secrets.strike("401 for sk-12345678 in /home/me, 1");
        assert_eq!(text, "401 for ‹$API_KEY› in /home/me, 1");
        let mut json = serde_json::json!({"texts": ["my key is \u{73}k-12345678", null, 3]});
        secrets.strike_json(&mut json);
        let expected = serde_json::json!({"texts": ["my key is ‹$API_KEY›", null, 3]});
        assert_eq!(json, expected);
        assert_eq!(secrets.found_in(b"\xff sk-12345678"), Some("API_KEY"));
        assert_eq!(secrets.found_in(b"sk-1234567"), None);
    }

    #[test]
    fn a_name_sounds_secret_by_the_end_of_a_word() {
        let check = |name: &str, secret: bool| assert_eq!(sounds_secret(name), secret, "{name}");
        check("OPENAI_API_KEY", true);
        check("openaikey", true);
        check("DB_PASSWORDS", true);
        check("AUTH_TOKEN_FILE", true);
        check("AWS_CREDENTIALS", true);
        check("AUTHOR", false);
        check("KEYBOARD", false);
        check("TOKENIZERS_PARALLELISM", false);
        check("PATH", false);
    }

    #[test]
    fn a_secret_inside_another_leaves_no_piece_of_it() {
        let secrets = secrets(&[("A_KEY", "abcdefgh"), ("B_KEY", "abcdefgh-ijkl")]);
        assert_eq!(secrets.strike("x abcdefgh-ijkl"), "x ‹$B_KEY›");
    }
}
