//! Tagged values: enums whose variants may hold numbers, each with its word and its sentence in one
//! table.
//!
//! In a file such a value is an object: `kind` is the word, then come its fields, and `text` is the
//! sentence. Programs read the first two, people the last. A kind that this version does not know
//! comes back as `Other` with its sentence, so a file of a newer version can still be shown.

/// An enum from one table: variant, fields, word, sentence.
macro_rules! tagged {
    ($(#[$outer:meta])* pub enum $name:ident {
        $(
            $(#[$inner:meta])*
            $variant:ident $({ $($(#[$about:meta])* $field:ident: $type:ty),+ $(,)? })?
                = $kind:literal => $text:literal $(, $argument:expr)*;
        )+
    }) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$inner])* $variant $({ $($(#[$about])* $field: $type),+ })?,)+
            /// A kind that this version does not know, as another wrote it.
            Other {
                /// Its word.
                kind: String,
                /// Its sentence.
                text: String,
            },
        }

        impl $name {
            /// Every kind that this version knows, in the order of the table.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// The word for it.
            pub fn kind(&self) -> &str {
                match self {
                    $($name::$variant { .. } => $kind,)+
                    $name::Other { kind, .. } => kind,
                }
            }

            /// Writes the kind and the fields, without the sentence.
            pub(crate) fn write_fields<M: ::serde::ser::SerializeMap>(
                &self,
                map: &mut M,
            ) -> Result<(), M::Error> {
                map.serialize_entry("kind", self.kind())?;
                match self {
                    $($name::$variant $({ $($field),+ })? => {
                        $($(map.serialize_entry(stringify!($field), $field)?;)+)?
                    })+
                    $name::Other { .. } => {}
                }
                Ok(())
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $($name::$variant $({ $($field),+ })? => {
                        // Not every sentence says every field.
                        $($(let _ = $field;)+)?
                        write!(f, $text $(, $argument)*)
                    })+
                    $name::Other { text, .. } => f.write_str(text),
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                self.write_fields(&mut map)?;
                map.serialize_entry("text", &self.to_string())?;
                map.end()
            }
        }

        const _: () = {
            #[derive(::serde::Deserialize)]
            #[serde(tag = "kind")]
            enum Known {
                $(#[serde(rename = $kind)] $variant $({ $($field: $type),+ })?,)+
            }

            #[derive(::serde::Deserialize)]
            #[serde(untagged)]
            enum Written {
                Known(Known),
                Unknown { kind: String, text: String },
            }

            impl<'de> ::serde::Deserialize<'de> for $name {
                fn deserialize<D: ::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<$name, D::Error> {
                    match Written::deserialize(deserializer)? {
                        $(Written::Known(Known::$variant $({ $($field),+ })?) => {
                            Ok($name::$variant $({ $($field),+ })?)
                        })+
                        Written::Unknown { kind, .. } if $name::KINDS.contains(&kind.as_str()) => {
                            let what = format!("`{kind}` does not have the keys that belong to it");
                            Err(::serde::de::Error::custom(what))
                        }
                        Written::Unknown { kind, text } => Ok($name::Other { kind, text }),
                    }
                }
            }
        };
    };
}

pub(crate) use tagged;
