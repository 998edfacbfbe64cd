//! Checksums: each file of the ledger is bound to what it is a file of.
//!
//! A checksum is over what the file says, in a fixed order, and over the identity it belongs to. So
//! a byte that changed on the disk is noticed, and so is a whole file that stands under another
//! cell's name; the file itself stays an ordinary Parquet file that others can read.

use super::columns::LedgerColumn;
use crate::plan::Id;

/// The metadata key that holds the checksum.
pub(super) const KEY: &str = "duress.checksum";

/// The checksum of columns and metadata that belong to `owner`; neither order counts.
pub(super) fn of_table<'a>(
    owner: Id,
    columns: impl IntoIterator<Item = (&'a str, &'a LedgerColumn)>,
    metadata: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut columns: Vec<(&str, &LedgerColumn)> = columns.into_iter().collect();
    columns.sort_unstable_by_key(|(name, _)| *name);
    let mut metadata: Vec<(&str, &str)> = metadata.into_iter().collect();
    metadata.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    feed(&mut hasher, b"ledger file 2");
    feed(&mut hasher, owner.bytes());
    for (name, column) in columns {
        feed(&mut hasher, name.as_bytes());
        feed(&mut hasher, &bytes(column));
    }
    for (key, value) in metadata {
        feed(&mut hasher, key.as_bytes());
        feed(&mut hasher, value.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The checksum of some bytes that belong to `owner`.
pub(super) fn of_bytes(owner: Id, kind: &str, bytes: &[u8]) -> Id {
    Id::joined(kind, &[owner.bytes(), bytes])
}

fn feed(hasher: &mut blake3::Hasher, piece: &[u8]) {
    hasher.update(&(piece.len() as u64).to_le_bytes());
    hasher.update(piece);
}

/// A column as bytes that no other column has.
fn bytes(column: &LedgerColumn) -> Vec<u8> {
    let mut all = Vec::new();
    match column {
        LedgerColumn::Texts(texts) => {
            all.push(b't');
            texts.iter().for_each(|text| push_text(&mut all, text));
        }
        LedgerColumn::MaybeTexts(texts) => {
            all.push(b'm');
            for text in texts {
                all.push(u8::from(text.is_some()));
                push_text(&mut all, text.as_deref().unwrap_or_default());
            }
        }
        LedgerColumn::Numbers(numbers) => {
            all.push(b'n');
            all.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        }
        LedgerColumn::Wholes(wholes) => {
            all.push(b'w');
            all.extend(wholes.iter().flat_map(|x| x.to_le_bytes()));
        }
        LedgerColumn::Flags(flags) => {
            all.push(b'f');
            all.extend(flags.iter().map(|flag| u8::from(*flag)));
        }
        LedgerColumn::Bytes(pieces) => {
            all.push(b'b');
            for piece in pieces {
                all.extend((piece.len() as u64).to_le_bytes());
                all.extend(piece);
            }
        }
    }
    all
}

fn push_text(all: &mut Vec<u8>, text: &str) {
    all.extend((text.len() as u64).to_le_bytes());
    all.extend(text.as_bytes());
}
