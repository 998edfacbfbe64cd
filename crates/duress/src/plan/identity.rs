//! Identities by content: equal inputs, equal identity; never an order, a rank or a host.

use std::fmt;

use duress_core::data::{Dataset, Split};
use serde::{Deserialize, Serialize};

/// The hash of everything that can change an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; 32]);

impl Id {
    /// The identity of a value, through its canonical JSON: structs in field order, maps by key.
    pub fn of(what: &str, value: &impl Serialize) -> Id {
        let json =
            serde_json::to_vec(value).unwrap_or_else(|why| panic!("a plan is always JSON: {why}"));
        Id::joined(what, &[&json])
    }

    /// The identity of several pieces in order.
    pub fn joined(what: &str, pieces: &[&[u8]]) -> Id {
        let mut hasher = blake3::Hasher::new();
        for piece in [what.as_bytes()].iter().chain(pieces) {
            hasher.update(&(piece.len() as u64).to_le_bytes());
            hasher.update(piece);
        }
        Id(*hasher.finalize().as_bytes())
    }

    /// The identity of a file's content.
    pub fn of_file(path: &std::path::Path) -> std::io::Result<Id> {
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
        Ok(Id(*hasher.finalize().as_bytes()))
    }

    /// A dataset's fingerprint: items, truth and columns of both splits.
    pub fn of_dataset(dataset: &Dataset) -> Id {
        let mut hasher = blake3::Hasher::new();
        for split in dataset.fit().into_iter().chain([dataset.test()]) {
            feed(split, &mut hasher);
        }
        Id(*hasher.finalize().as_bytes())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads what `Display` wrote.
    pub fn parse(hex: &str) -> Option<Id> {
        blake3::Hash::from_hex(hex)
            .ok()
            .map(|hash| Id(*hash.as_bytes()))
    }
}

fn feed(split: &Split, hasher: &mut blake3::Hasher) {
    // Items come in pieces of a few bytes; the hash is fast only on long ones.
    let mut buffer = Vec::with_capacity(1 << 16);
    split.items().feed(&mut |bytes| {
        buffer.extend_from_slice(bytes);
        if buffer.len() >= 1 << 16 {
            hasher.update(&buffer);
            buffer.clear();
        }
    });
    hasher.update(&buffer);
    let rest = (split.truth(), split.columns());
    let json =
        serde_json::to_vec(&rest).unwrap_or_else(|why| panic!("truth is always JSON: {why}"));
    hasher.update(&json);
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        let hex = String::deserialize(deserializer)?;
        Id::parse(&hex)
            .ok_or_else(|| serde::de::Error::custom(format!("{hex:?} is not an identity")))
    }
}
