//! Prompts: templates of a study, filled in for each item.

use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde_json::{Map, Value};

use crate::chat::{Message, Role};

/// How much work one prompt may be: a template that never ends is a mistake.
const FUEL: u64 = 1_000_000;

/// A system text and a user text, as templates.
pub struct Prompt {
    environment: Environment<'static>,
    has_system: bool,
}

/// What a template knows, by name.
pub type PromptValues = Map<String, Value>;

/// Why there is no prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPrompt {
    /// Which of the two templates.
    pub role: Role,
    /// The line in it, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
    /// Whether it uses something that is not there.
    pub unknown_name: bool,
}

impl Prompt {
    /// Reads both templates.
    pub fn new(system: Option<&str>, user: &str) -> Result<Prompt, BadPrompt> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        let given = system.map(|text| (Role::System, text));
        for (role, text) in given.into_iter().chain([(Role::User, user)]) {
            environment
                .add_template_owned(template_name(role), text.to_string())
                .map_err(|error| bad(role, &error))?;
        }
        Ok(Prompt {
            environment,
            has_system: system.is_some(),
        })
    }

    /// The messages for one item.
    pub fn messages(&self, values: &PromptValues) -> Result<Vec<Message>, BadPrompt> {
        let values = minijinja::Value::from(minijinja::value::Serde(values));
        let roles = self.has_system.then_some(Role::System);
        let roles = roles.into_iter().chain([Role::User]);
        let fill = |role| {
            let template = self.environment.get_template(template_name(role));
            let text = template.and_then(|template| template.render(values.clone()));
            text.map(|text| Message::new(role, text))
                .map_err(|error| bad(role, &error))
        };
        roles.map(fill).collect()
    }
}

fn template_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User | Role::Assistant => "template",
    }
}

fn bad(role: Role, error: &minijinja::Error) -> BadPrompt {
    let detail = error.detail().map(|detail| format!(": {detail}"));
    BadPrompt {
        role,
        line: error.line(),
        why: format!("{}{}", error.kind(), detail.unwrap_or_default()),
        unknown_name: error.kind() == ErrorKind::UndefinedError,
    }
}

impl std::fmt::Display for BadPrompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = template_name(self.role);
        match self.line {
            Some(line) => write!(f, "`{name}`, line {line}: {}", self.why),
            None => write!(f, "`{name}`: {}", self.why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> PromptValues {
        let value = |(name, value): &(&str, &str)| ((*name).to_string(), Value::from(*value));
        pairs.iter().map(value).collect()
    }

    #[test]
    fn both_templates_are_filled_in_and_nothing_is_escaped() {
        let prompt = Prompt::new(Some("Be {{ how }}."), "Q: {{ text }}\nA:").unwrap();
        let messages = prompt.messages(&values(&[("how", "brief"), ("text", "1 < 2 & {{ x }}")]));
        let expected = vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, "Q: 1 < 2 & {{ x }}\nA:"),
        ];
        assert_eq!(messages.unwrap(), expected);
    }

    #[test]
    fn what_a_template_lacks_is_named_with_its_line() {
        let prompt = Prompt::new(None, "one\n{{ txet }}").unwrap();
        let bad = prompt.messages(&values(&[("text", "x")])).unwrap_err();
        assert!(bad.unknown_name);
        assert_eq!(bad.line, Some(2));
        let open = Prompt::new(None, "{{ text").err().unwrap();
        assert!(open.to_string().starts_with("`template`"), "{open}");
    }

    #[test]
    fn a_template_that_never_ends_is_ended() {
        let endless =
            "{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}";
        let prompt = Prompt::new(None, endless).unwrap();
        assert!(prompt.messages(&PromptValues::new()).is_err());
    }
}
