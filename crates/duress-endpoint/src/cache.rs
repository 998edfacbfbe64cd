//! Replies kept by content: a request that was answered before is not sent again, in this study or
//! in another. Only replies that could be read are kept, and no secret is in them.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// What names a request: address, body and repeat, with secrets as their names.
pub(crate) fn key(url: &str, body: &Value, repeat: u32) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for piece in [url, &body.to_string(), &repeat.to_string()] {
        hasher.update(&(piece.len() as u64).to_le_bytes());
        hasher.update(piece.as_bytes());
    }
    hasher.finalize()
}

/// The reply to a request, if it is kept and whole.
pub(crate) fn find(folder: &Path, key: blake3::Hash) -> Option<Value> {
    let bytes = fs::read(path(folder, key)).ok()?;
    let (sum, body) = bytes.split_at_checked(64)?;
    let body = body.strip_prefix(b"\n")?;
    let whole = sum == checksum(key, body).as_bytes();
    whole.then(|| serde_json::from_slice(body).ok()).flatten()
}

/// Keeps the reply to a request: written aside, then renamed, so that it is whole or not there.
pub(crate) fn keep(folder: &Path, key: blake3::Hash, reply: &Value) -> io::Result<()> {
    let path = path(folder, key);
    let shelf = path.parent().unwrap_or(folder);
    make_private(folder)?;
    make_private(shelf)?;
    let body = serde_json::to_vec(reply)?;
    let aside = shelf.join(format!(
        "{}.{}.unfinished",
        key.to_hex(),
        std::process::id()
    ));
    let mut file = fs::File::create(&aside)?;
    file.write_all(checksum(key, &body).as_bytes())?;
    file.write_all(b"\n")?;
    file.write_all(&body)?;
    drop(file);
    fs::rename(&aside, &path)
}

/// Makes a folder that nobody else can look into.
fn make_private(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn path(folder: &Path, key: blake3::Hash) -> PathBuf {
    let name = key.to_hex();
    folder.join(&name[..2]).join(format!("{name}.json"))
}

fn checksum(key: blake3::Hash, body: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new_keyed(key.as_bytes());
    hasher.update(body);
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_kept_reply_is_found_by_its_request_and_a_damaged_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let (first, other) = (
            key("http://host", &json!({"a": 1}), 0),
            key("http://host", &json!({"a": 1}), 1),
        );
        assert_eq!(find(&cache, first), None);
        keep(&cache, first, &json!({"said": "yes"})).unwrap();
        assert_eq!(find(&cache, first), Some(json!({"said": "yes"})));
        assert_eq!(find(&cache, other), None, "a repeat is asked for itself");
        let file = path(&cache, first);
        let damaged = fs::read_to_string(&file).unwrap().replace("yes", "no!");
        fs::write(&file, damaged).unwrap();
        assert_eq!(find(&cache, first), None);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_into_the_folder() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        keep(&cache, key("u", &json!(1), 0), &json!(2)).unwrap();
        let mode = fs::metadata(&cache).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
