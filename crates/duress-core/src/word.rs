//! Words: closed lists of names, each spelled once.
//!
//! A word is what a study writes, what a file keeps and what a message says; code branches on the
//! variant. [`words!`](crate::words) makes an enum from one table, and everything that needs the
//! spelling (reader, writer, schema, messages) takes it from there.

use std::fmt;

/// A value of a closed list of words.
pub trait Word: Copy + Eq + fmt::Display + 'static {
    /// All of them, in the order they are listed.
    const ALL: &'static [Self];

    /// How it is spelled.
    fn word(self) -> &'static str;

    /// The value that is spelled so.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }

    /// Every spelling, in order.
    fn spellings() -> Vec<&'static str> {
        Self::ALL.iter().map(|one| one.word()).collect()
    }
}

/// An enum whose variants are words, from one table.
///
/// ```
/// use duress_core::word::Word;
///
/// duress_core::words! {
///     /// Which way the wind blows.
///     pub enum Wind {
///         /// From the sea.
///         Onshore = "onshore",
///         /// From the land.
///         Offshore = "offshore",
///     }
/// }
/// assert_eq!(Wind::from_word("offshore"), Some(Wind::Offshore));
/// assert_eq!(Wind::Onshore.to_string(), "onshore");
/// assert_eq!(Wind::spellings(), ["onshore", "offshore"]);
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$outer:meta])* $seen:vis enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $seen enum $name {
            $($(#[$inner])* $variant,)+
        }

        impl $crate::word::Word for $name {
            const ALL: &'static [$name] = &[$($name::$variant),+];

            fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad($crate::word::Word::word(*self))
            }
        }

        impl $crate::word::serde::Serialize for $name {
            fn serialize<S: $crate::word::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::word::Word::word(*self))
            }
        }

        impl<'de> $crate::word::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::word::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$name, D::Error> {
                let word = <::std::borrow::Cow<'de, str> as $crate::word::serde::Deserialize>::deserialize(deserializer)?;
                <$name as $crate::word::Word>::from_word(&word).ok_or_else(|| {
                    $crate::word::serde::de::Error::unknown_variant(&word, &[$($word),+])
                })
            }
        }
    };
}

#[doc(hidden)]
pub use serde;
