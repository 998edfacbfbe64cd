//! How much of somebody's text a message shows: a name may be a whole page.

use std::borrow::Cow;

/// The most characters of a name that a message shows.
const SHOWN: usize = 80;

/// The text, or its beginning and how long it is, where it is longer than anybody names a thing.
///
/// ```
/// use duress_tables::excerpt::excerpt_of_name;
/// assert_eq!(excerpt_of_name("画蛇添足"), "画蛇添足");
/// let page = "蛇".repeat(30_000);
/// assert_eq!(excerpt_of_name(&page), format!("{}… (30000 characters)", "蛇".repeat(80)));
/// ```
pub fn excerpt_of_name(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(SHOWN) {
        None => Cow::Borrowed(name),
        Some((end, _)) => {
            let characters = name.chars().count();
            Cow::Owned(format!("{}… ({characters} characters)", &name[..end]))
        }
    }
}

/// These names, one after the other, each as [`excerpt_of_name`] has it.
pub fn names_in_message<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let shown: Vec<Cow<'_, str>> = names.into_iter().map(excerpt_of_name).collect();
    shown.join(", ")
}
