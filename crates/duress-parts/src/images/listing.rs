//! Which images a folder holds.

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;

/// Endings of images, also of those that are not decoded: a folder of them is refused, not found
/// empty.
const ENDINGS: [&str; 10] = [
    "png", "jpg", "jpeg", "jpe", "bmp", "gif", "tif", "tiff", "webp", "ppm",
];

/// The folder, if there is one.
pub(crate) fn folder_of(path: &Path) -> Result<&Path, Problem> {
    match path {
        path if path.is_dir() => Ok(path),
        path if path.exists() => Err(Problem::new("this is a file")
            .expected("a folder of images")
            .in_file(path)),
        path => Err(Problem::new("there is no such folder")
            .expected("a folder of images")
            .in_file(path)),
    }
}

/// All images in a folder and the folders in it, in the order of their paths, and how many other
/// files there are. What begins with a dot is not looked at.
pub(crate) fn images_below(folder: &Path) -> Result<(Vec<PathBuf>, usize), Problem> {
    let mut images = Vec::new();
    let mut others = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let broken =
            |error| Problem::new(format!("the folder cannot be read: {error}")).in_file(&folder);
        for entry in std::fs::read_dir(&folder).map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            let ending = path
                .extension()
                .map(|ending| ending.to_string_lossy().to_lowercase());
            if path
                .file_name()
                .is_none_or(|name| name.to_string_lossy().starts_with('.'))
            {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
                images.push(path);
            } else {
                others += 1;
            }
        }
    }
    images.sort();
    Ok((images, others))
}
