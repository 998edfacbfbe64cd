//! Adversarial images through the real command: kept by a run, and exported from it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use crate::harness::TestFolder;

fn study(keep: &str) -> String {
    format!(
        r#"
name = "kept"
seeds = [1]
[dataset.digits]
use = "digits"
fit-share = 0.95
[subject.linear]
use = "trained"
on = "digits"
network = "linear"
epochs = 4
[ladder.pgd]
use = "pgd"
severities = [0.05, 0.2]
{keep}
[analysis]
gauges = ["accuracy"]
"#
    )
}

/// The names of the files below a folder that end so.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path().is_dir() {
            true => found.extend(files(&entry.path(), ending)),
            false => found.push(entry.path().display().to_string()),
        }
    }
    found.retain(|name| name.ends_with(ending));
    found
}

#[test]
fn report_images_writes_an_archive_for_each_rung_and_pictures_of_breaks() {
    let folder = TestFolder::new();
    folder.run(&study("keep = \"adversarial\""));
    let said = folder.done(&["report", "run", "--images", "images"]);
    assert!(said.contains("images: 2 archives; "), "{said}");
    let images = folder.path().join("images");
    assert_eq!(files(&images, ".npz").len(), 2, "{:?}", files(&images, ""));
    let count = |words: &str| -> usize {
        let before = said.split(words).next().unwrap();
        before.split_whitespace().last().unwrap().parse().unwrap()
    };
    let (pictures, broken) = (count(" of "), count(" images that break"));
    assert!(pictures > 0 && pictures <= broken, "{said}");
    let pngs = files(&images, ".png");
    assert_eq!(pngs.len(), pictures, "{said}");
    let first = fs::read(&pngs[0]).unwrap();
    assert!(first.starts_with(b"\x89PNG"), "{}", pngs[0]);
}

#[test]
fn report_images_says_what_was_not_kept() {
    let folder = TestFolder::new();
    folder.run(&study(""));
    let (code, said, complaint) = folder.duress(&["report", "run", "--images", "images"]);
    assert_eq!(code, 0, "{complaint}");
    assert!(said.contains("0 archives"), "{said}");
    assert!(
        complaint.contains("the images of 2 cells of attacks were not kept")
            && complaint.contains("`keep = \"adversarial\"`"),
        "{complaint}"
    );
}

#[test]
fn report_maps_writes_what_was_asked_for_and_says_when_nothing_was() {
    let folder = TestFolder::new();
    let study = study("").replace(
        "[analysis]\ngauges = [",
        "[gauge.stable]\nuse = \"explanation-stability\"\nattribution = \"input-gradient\"\nitems = 10\n[analysis]\ngauges = [\"stable\", ",
    );
    folder.run(&study);
    let said = folder.done(&["report", "run", "--maps", "maps"]);
    let expected = "maps: 3 archives with 30 maps, which are kept in half precision; ";
    assert!(said.contains(expected), "{said}");
    let maps = files(&folder.path().join("maps"), ".npz");
    let clean =
        "linear_digits_clean_seed1_map_by_input-gradient_towards_clean-answer__10_items.npz";
    assert!(maps.iter().any(|name| name.ends_with(clean)), "{maps:?}");
    let without = TestFolder::new();
    without.run(&self::study(""));
    let (code, _, complaint) = without.duress(&["report", "run", "--maps", "maps"]);
    assert_eq!(code, 0, "{complaint}");
    assert!(
        complaint.contains("there is no map to write"),
        "{complaint}"
    );
}
