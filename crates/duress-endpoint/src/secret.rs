//! Secrets: values that are read from the environment, sent, and never written anywhere.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

/// How a study names a secret.
const PREFIX: &str = "env:";

/// A value shorter than this is not searched for in replies: it is a placeholder that local servers
/// are given, and striking out every `none` would change answers.
const SHORTEST_STRUCK: usize = 8;

/// The value of an environment variable, which neither `Debug` nor `Display` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    name: String,
    value: String,
}

/// An environment variable that holds no value that could be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSecret {
    /// The variable.
    pub name: String,
    /// What is wrong with it.
    pub kind: NoSecretKind,
}

/// Why a variable holds no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSecretKind {
    /// It is not set.
    Unset,
    /// It is empty.
    Empty,
    /// It holds characters that no header can carry, such as the end of a line.
    Unsendable,
}

impl Secret {
    /// Reads a variable.
    pub fn from_env(name: &str) -> Result<Secret, NoSecret> {
        let no = |kind| NoSecret {
            name: name.into(),
            kind,
        };
        let value = std::env::var(name).map_err(|why| match why {
            std::env::VarError::NotPresent => no(NoSecretKind::Unset),
            std::env::VarError::NotUnicode(_) => no(NoSecretKind::Unsendable),
        })?;
        if value.is_empty() {
            return Err(no(NoSecretKind::Empty));
        }
        if value.chars().any(|c| !(' '..='~').contains(&c)) {
            return Err(no(NoSecretKind::Unsendable));
        }
        Ok(Secret {
            name: name.into(),
            value,
        })
    }

    /// The value, to be sent.
    pub(crate) fn expose(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{PREFIX}{}]", self.name)
    }
}

impl fmt::Display for NoSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            NoSecretKind::Unset => "is not set",
            NoSecretKind::Empty => "is empty",
            NoSecretKind::Unsendable => "holds characters that cannot be sent",
        };
        write!(f, "the environment variable {} {what}", self.name)
    }
}

impl std::error::Error for NoSecret {}

/// The variable that a text of a study names, if it is `env:NAME`.
pub fn named_variable(text: &str) -> Option<&str> {
    text.strip_prefix(PREFIX)
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// All secrets of one endpoint: whatever comes back is searched for them.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    all: Vec<Secret>,
}

impl Secrets {
    /// The value to be sent where a study says `text`.
    pub(crate) fn resolve(&mut self, text: &str) -> Result<String, NoSecret> {
        match named_variable(text) {
            None => Ok(text.into()),
            Some(name) => self.read(name),
        }
    }

    /// Reads a variable and remembers it.
    pub(crate) fn read(&mut self, name: &str) -> Result<String, NoSecret> {
        let secret = Secret::from_env(name)?;
        let value = secret.expose().to_string();
        self.all.push(secret);
        Ok(value)
    }

    /// The same JSON with every `env:NAME` in it replaced by what is sent.
    pub(crate) fn resolve_json(&mut self, value: &Value) -> Result<Value, NoSecret> {
        Ok(match value {
            Value::String(text) => Value::String(self.resolve(text)?),
            Value::Array(list) => {
                let list = list.iter().map(|one| self.resolve_json(one));
                Value::Array(list.collect::<Result<_, _>>()?)
            }
            Value::Object(map) => {
                let mut resolved = Map::new();
                for (key, one) in map {
                    resolved.insert(key.clone(), self.resolve_json(one)?);
                }
                Value::Object(resolved)
            }
            other => other.clone(),
        })
    }

    /// A text without any secret in it.
    pub fn strike<'a>(&self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        let mut text = text.into();
        for secret in &self.all {
            if secret.value.len() >= SHORTEST_STRUCK && text.contains(&secret.value) {
                text = text.replace(&secret.value, &secret.to_string()).into();
            }
        }
        text
    }

    /// The same JSON without any secret in it, however it was escaped.
    pub(crate) fn strike_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.strike(text.as_str()).into_owned(),
            Value::Array(list) => list.iter_mut().for_each(|one| self.strike_json(one)),
            Value::Object(map) => {
                if map
                    .keys()
                    .any(|key| self.strike(key.as_str()) != key.as_str())
                {
                    let old = std::mem::take(map);
                    let struck = |(key, one): (String, Value)| (self.strike(key).into_owned(), one);
                    map.extend(old.into_iter().map(struck));
                }
                map.values_mut().for_each(|one| self.strike_json(one));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(value: &str) -> Secret {
        Secret {
            name: "KEY".into(),
            value: value.into(),
        }
    }

    #[test]
    fn a_secret_shows_its_name_and_never_its_value() {
        let secret = secret("hidden-value");
        assert_eq!(format!("{secret:?} {secret}"), "[env:KEY] [env:KEY]");
    }

    #[test]
    fn what_comes_back_is_struck_in_texts_and_in_json_but_placeholders_are_left() {
        let secrets = Secrets {
            all: vec![secret("hidden-value"), secret("none")],
        };
        assert_eq!(secrets.strike("a hidden-value, none"), "a [env:KEY], none");
        let mut json = serde_json::json!({"hidden-value": ["x", {"deep": "hidden-value!"}]});
        secrets.strike_json(&mut json);
        let expected = serde_json::json!({"[env:KEY]": ["x", {"deep": "[env:KEY]!"}]});
        assert_eq!(json, expected);
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let none = Secret::from_env("DURESS_NO_SUCH_VARIABLE").unwrap_err();
        assert_eq!(none.kind, NoSecretKind::Unset);
        assert!(
            none.to_string()
                .contains("DURESS_NO_SUCH_VARIABLE is not set")
        );
    }
}
