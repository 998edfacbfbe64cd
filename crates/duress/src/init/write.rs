//! Study files as text: keys and values that a reader of TOML takes back as they were.

use std::path::{Component, Path, PathBuf};

use duress_core::part::Raw;
use duress_core::steering::steers;

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        c if steers(c) => format!("\\u{:04X}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// A key, in quotes where it needs them.
pub(super) fn key(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !text.is_empty() && text.chars().all(bare) {
        text.into()
    } else {
        quoted(text)
    }
}

/// A list of texts.
pub(super) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    format!(
        "[{}]",
        texts.into_iter().map(quoted).collect::<Vec<_>>().join(", ")
    )
}

/// A line for each key.
pub(super) fn lines(keys: &[(&'static str, Raw)]) -> String {
    keys.iter()
        .map(|(name, raw)| format!("{name} = {}\n", value(raw)))
        .collect()
}

fn value(raw: &Raw) -> String {
    match raw {
        Raw::Text(text) => quoted(text),
        Raw::List(all) => format!("[{}]", all.iter().map(value).collect::<Vec<_>>().join(", ")),
        other => other.in_words(),
    }
}

/// What stands in a comment, on one line.
pub(super) fn comment(text: &str) -> String {
    text.chars()
        .map(|c| if steers(c) { '\u{fffd}' } else { c })
        .collect()
}

/// The way from a folder to a file, with `/` between the steps; the whole way where there is none.
pub(super) fn way(folder: &Path, to: &Path) -> String {
    let whole = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let (Ok(from), Ok(to)) = (whole(here), whole(to)) else {
        return slashed(to);
    };
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    if shared == 0 {
        return slashed(&to);
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    slashed(&up.chain(to.components().skip(shared)).collect::<PathBuf>())
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back_from_toml_as_it_was() {
        for text in [
            "plain",
            "with \"quotes\" and \\",
            "line\nend\ttab\u{7f}\u{1}",
            "猫 = 1 # no",
            "",
        ] {
            let file = format!("{} = {}", key(text), quoted(text));
            let table =
                toml::de::DeTable::parse(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
            let (key, value) = table.get_ref().iter().next().unwrap();
            assert_eq!(
                (key.get_ref().as_ref(), value.get_ref().as_str()),
                (text, Some(text))
            );
        }
    }

    #[test]
    fn the_way_goes_up_and_down_again() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::create_dir_all(at("c")).unwrap();
        std::fs::write(at("c/x.csv"), "").unwrap();
        assert_eq!(way(&at("a/b"), &at("c/x.csv")), "../../c/x.csv");
        assert_eq!(way(&at("c"), &at("c/x.csv")), "x.csv");
    }
}
