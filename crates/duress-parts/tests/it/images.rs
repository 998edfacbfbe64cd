//! Images from files: what every part that reads them must pass, pictures as Pillow sees them, and
//! what happens to broken ones.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use duress_core::data::{Dataset, Source};
use duress_core::mask::Masks;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::testkit;
use duress_parts::classify::datasets::{cifar, idx, image_folder, isic_2018, npz_images};
use duress_parts::images::picture::{Depth, Picture};
use duress_parts::images::{Channels, Frame, decode};
use duress_tables::testkit::{npy, npz};
use serde::Deserialize;
use tempfile::TempDir;

/// The datasets that read images from files, each with what reads the files that the test below
/// writes.
fn datasets() -> [(&'static Part, Vec<(&'static str, Raw)>); 5] {
    [
        (
            &image_folder::PART,
            vec![
                ("path", text("pets")),
                ("size", Raw::Whole(4)),
                ("fit-share", Raw::Number(0.5)),
            ],
        ),
        (
            &isic_2018::PART,
            vec![("path", text("isic")), ("size", Raw::Whole(3))],
        ),
        (&idx::PART, vec![("path", text("mnist"))]),
        (&cifar::PART, vec![("path", text("cifar"))]),
        (&npz_images::PART, vec![("path", text("a.npz"))]),
    ]
}

pub(crate) fn checked() -> Vec<&'static Part> {
    datasets().into_iter().map(|(part, _)| part).collect()
}

#[test]
fn every_dataset_of_images_keeps_the_rules() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    pets(root, 6);
    lesions(root);
    mnist(root, false);
    cifar_ten(root);
    arrays(
        &root.join("a.npz"),
        "|u1",
        &[7, 2, 2, 3],
        &(0..84).collect::<Vec<u8>>(),
        7,
    );
    for (part, keys) in datasets() {
        testkit::check_source(source(part, &keys, root).as_ref());
    }
}

/// What Pillow made of an image; `peers/images` wrote it.
#[derive(Deserialize)]
struct Reference {
    width: usize,
    height: usize,
    channels: usize,
    white: f32,
    samples: Vec<f32>,
}

#[test]
fn pictures_are_decoded_as_pillow_does_it() {
    let all: BTreeMap<String, Reference> =
        serde_json::from_str(&fixture_text("decoded.json")).unwrap();
    assert_eq!(all.len(), 15);
    for (name, expected) in all {
        let picture = decode::read(&fixture(&name)).unwrap();
        assert_eq!(
            (picture.width, picture.height),
            (expected.width, expected.height),
            "{name}"
        );
        assert_eq!(
            (picture.channels, picture.depth),
            (expected.channels, Depth::Levels(expected.white)),
            "{name}"
        );
        let pairs = picture.samples.iter().zip(&expected.samples);
        let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // Decoders of JPEG differ in how they round and how they bring halved colours back to full
        // size.
        let allowed = match name.as_str() {
            "halved.jpg" => 4.0,
            jpeg if jpeg.ends_with("jpg") => 2.0,
            _ => 0.0,
        };
        assert!(apart <= allowed, "{name}: {apart} levels apart");
        assert_eq!(picture.samples.len(), expected.samples.len());
    }
}

#[test]
fn pictures_are_resized_as_pillow_does_it_level_by_level() {
    #[derive(Deserialize)]
    struct Resized {
        width: usize,
        height: usize,
        samples: Vec<f32>,
    }
    #[derive(Deserialize)]
    struct All {
        #[serde(rename = "rgb.png")]
        rgb: Vec<Resized>,
        #[serde(rename = "grey.png")]
        grey: Vec<Resized>,
        luma: Vec<f32>,
    }
    let all: All = serde_json::from_str(&fixture_text("resized.json")).unwrap();
    for (name, sizes) in [("rgb.png", &all.rgb), ("grey.png", &all.grey)] {
        let picture = decode::read(&fixture(name)).unwrap();
        for Resized {
            width,
            height,
            samples,
        } in sizes
        {
            assert_eq!(
                &picture.resized(*width, *height).samples,
                samples,
                "{name} at {width} × {height}"
            );
        }
    }
    let grey = Frame {
        size: None,
        crop: false,
        channels: Some(Channels::Grey),
    };
    let (_, luma) = grey.fit(decode::read(&fixture("rgb.png")).unwrap());
    assert_eq!(
        luma,
        all.luma
            .iter()
            .map(|level| level / 255.0)
            .collect::<Vec<f32>>()
    );
}

#[test]
fn what_is_not_whole_is_refused() {
    let whole = |name: &str| fs::read(fixture(name)).unwrap();
    let check = |bytes: &[u8], expected: &str| {
        let problem = decode::decode(bytes).unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    for name in [
        "rgb.png",
        "grey16.png",
        "baseline.jpg",
        "progressive.jpg",
        "cmyk.jpg",
        "grey.jpg",
    ] {
        let bytes = whole(name);
        for keep in [
            12,
            bytes.len() / 3,
            bytes.len() / 2,
            bytes.len() * 3 / 4,
            bytes.len() - 1,
        ] {
            check(&bytes[..keep], "damaged");
        }
    }
    let mut flipped = whole("rgb.png");
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x55;
    check(&flipped, "damaged");
    check(b"", "empty");
    check(b"GIF89a", "GIF");
    check(b"II*\0", "TIFF");
    check(b"hello, world", "neither a PNG nor a JPEG");
    check(b"version https://git-lfs.github.com/spec/v1\n", "Git LFS");
    // A header that promises four thousand million pixels.
    let mut huge = whole("one.png");
    huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    assert!(decode::decode(&huge).is_err());
}

#[test]
fn all_images_that_cannot_be_read_are_named_at_once_and_none_is_lost() {
    let folder = TempDir::new().unwrap();
    pets(folder.path(), 3);
    let at = |name: &str| folder.path().join("pets").join(name);
    let png = fs::read(fixture("rgb.png")).unwrap();
    fs::write(at("cat/short.png"), &png[..60]).unwrap();
    fs::write(at("cat/words.jpg"), "not an image").unwrap();
    fs::write(at("dog/empty.png"), "").unwrap();
    fs::write(at("dog/film.gif"), "GIF89a").unwrap();
    fs::write(at("dog/notes.txt"), "two of them bark").unwrap();
    let keys = [("path", text("pets")), ("size", Raw::Whole(4))];
    let problem = refused(&image_folder::PART, &keys, folder.path());
    for name in [
        "4 of 10 images",
        "cat/short.png: the image is damaged",
        "cat/words.jpg",
        "dog/empty.png",
        "dog/film.gif",
    ] {
        assert!(problem.contains(name), "{name} in {problem}");
    }
    let mut keys = keys.to_vec();
    keys.push(("unreadable", text("leave-out")));
    let dataset = load(&image_folder::PART, &keys, folder.path());
    assert_eq!(dataset.test().items().len(), 6);
    let remarks = dataset.remarks().join("\n");
    assert!(
        remarks.contains("4 of 10 images") && remarks.contains("dog/film.gif"),
        "{remarks}"
    );
    assert!(
        remarks.contains("1 files in the folder have no ending of an image"),
        "{remarks}"
    );
}

#[test]
fn grey_one_pixel_cmyk_and_sixteen_bit_images_all_become_what_is_asked_for() {
    let folder = TempDir::new().unwrap();
    for name in [
        "grey.png",
        "one.png",
        "one.jpg",
        "cmyk.jpg",
        "grey16.png",
        "rgba.png",
        "palette.png",
        "bits.png",
    ] {
        copy(name, &folder.path().join("all/a").join(name));
    }
    for (channels, expected) in [("rgb", 3), ("grey", 1)] {
        for crop in ["none", "centre"] {
            let keys = [
                ("path", text("all")),
                ("size", Raw::Whole(6)),
                ("channels", text(channels)),
                ("crop", text(crop)),
            ];
            let dataset = load(&image_folder::PART, &keys, folder.path());
            let images = dataset.test().items().images().unwrap();
            assert_eq!((images.len(), images.shape()), (8, [expected, 6, 6]));
        }
    }
    let problem = refused(&image_folder::PART, &[("path", text("all"))], folder.path());
    assert!(
        problem.contains("are not alike")
            && problem.contains("13 × 9")
            && problem.contains("`size = …`"),
        "{problem}"
    );
    let problem = refused(
        &image_folder::PART,
        &[("path", text("all")), ("crop", text("centre"))],
        folder.path(),
    );
    assert!(problem.contains("`crop` without `size`"), "{problem}");
}

#[test]
fn sixteen_bits_are_kept_and_the_orientation_in_exif_is_ignored() {
    let as_it_is = Frame {
        size: None,
        crop: false,
        channels: None,
    };
    let (_, pixels) = as_it_is.fit(decode::read(&fixture("grey16.png")).unwrap());
    assert!(
        pixels.iter().any(|pixel| (pixel * 255.0).fract() > 0.01),
        "levels between those of eight bits"
    );
    let turned = decode::read(&fixture("turned.jpg")).unwrap();
    assert!(turned.width > turned.height, "not turned upright");
}

fn fitted_ids(loaded: &Dataset) -> HashSet<String> {
    let fitted = loaded.fit().unwrap();
    fitted.items().ids().iter().map(String::from).collect()
}

#[test]
fn the_division_depends_on_content_alone() {
    let folder = TempDir::new().unwrap();
    pets(folder.path(), 40);
    let keys = |share: f64, seed: i64| {
        vec![
            ("path", text("pets")),
            ("size", Raw::Whole(4)),
            ("fit-share", Raw::Number(share)),
            ("split-seed", Raw::Whole(seed)),
        ]
    };
    let fitted = |share, seed| -> HashSet<String> {
        let loaded = load(&image_folder::PART, &keys(share, seed), folder.path());
        assert_eq!(
            loaded.fit().unwrap().items().len() + loaded.test().items().len(),
            80
        );
        fitted_ids(&loaded)
    };
    let (half, most) = (fitted(0.5, 0), fitted(0.8, 0));
    assert!(
        half.is_subset(&most) && (25..55).contains(&half.len()),
        "{}",
        half.len()
    );
    assert_ne!(half, fitted(0.5, 1));
    // A copy under another name, in another class, stays on the side of its twin.
    for name in ["cat/00.png", "cat/01.png", "cat/02.png", "cat/03.png"] {
        let copy = folder
            .path()
            .join("pets/dog")
            .join(name.replace("cat/", "z-"));
        fs::copy(folder.path().join("pets").join(name), copy).unwrap();
    }
    let loaded = load(&image_folder::PART, &keys(0.5, 0), folder.path());
    assert!(
        loaded
            .remarks()
            .join(" ")
            .contains("4 items have the same content"),
        "{:?}",
        loaded.remarks()
    );
    let now = fitted_ids(&loaded);
    assert!(half.is_subset(&now), "more items move none of the others");
    for i in 0..4 {
        assert_eq!(
            now.contains(&format!("cat/0{i}.png")),
            now.contains(&format!("dog/z-0{i}.png"))
        );
    }
}

#[test]
fn a_limit_keeps_what_a_smaller_one_chose() {
    let folder = TempDir::new().unwrap();
    pets(folder.path(), 20);
    let chosen = |limit| -> Vec<String> {
        let keys = [
            ("path", text("pets")),
            ("size", Raw::Whole(4)),
            ("limit", Raw::Whole(limit)),
        ];
        load(&image_folder::PART, &keys, folder.path())
            .test()
            .items()
            .ids()
            .to_vec()
    };
    let (few, more) = (chosen(5), chosen(15));
    assert_eq!((few.len(), more.len(), chosen(1000).len()), (5, 15, 40));
    assert!(few.iter().all(|id| more.contains(id)));
    assert!(few.is_sorted(), "in the order of the folder");
}

#[test]
fn images_are_in_the_order_of_their_names_whatever_the_threads() {
    let folder = TempDir::new().unwrap();
    pets(folder.path(), 30);
    let keys = [
        ("path", text("pets")),
        ("size", Raw::Whole(4)),
        ("classes", list(&["dog", "cat"])),
    ];
    let dataset = load(&image_folder::PART, &keys, folder.path());
    let items = dataset.test().items();
    for (i, id) in items.ids().iter().enumerate() {
        let picture = decode::read(&folder.path().join("pets").join(id)).unwrap();
        let frame = Frame {
            size: Some(4),
            crop: false,
            channels: Some(Channels::Rgb),
        };
        assert_eq!(
            items.images().unwrap().image(i),
            frame.fit(picture).1,
            "{id}"
        );
        assert_eq!(
            dataset.test().columns()["class"][i],
            id.split('/').next().unwrap()
        );
    }
}

/// Three pictures in the folder `flat`.
fn flat_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["rgb.png", "grey.png", "rgba.png"] {
        copy(name, &folder.path().join("flat").join(name));
    }
    folder
}

/// The keys that read them with a table of labels, and one key more.
fn flat_keys(key: &'static str, values: &[&str]) -> Vec<(&'static str, Raw)> {
    vec![
        ("path", text("flat")),
        ("labels", text("labels.csv")),
        (key, list(values)),
        ("size", Raw::Whole(4)),
    ]
}

#[test]
fn labels_may_stand_in_a_table() {
    let folder = flat_folder();
    let write = |rows: &str| {
        fs::write(
            folder.path().join("labels.csv"),
            format!("image,label\n{rows}"),
        )
        .unwrap()
    };
    let keys = flat_keys("classes", &["dull", "bright"]);
    write("rgb.png,1\ngrey.png,0\n");
    let dataset = load(&image_folder::PART, &keys, folder.path());
    assert_eq!(dataset.test().columns()["class"], ["bright", "dull"]);
    let remarks = dataset.remarks().join(" ");
    assert!(
        remarks.contains("1 images in the folder have no label"),
        "{remarks}"
    );
    let check = |rows: &str, expected: &[&str]| {
        write(rows);
        let problem = refused(&image_folder::PART, &keys, folder.path());
        for words in expected {
            assert!(problem.contains(words), "{words}: {problem}");
        }
    };
    check(
        "rgb.png,bright\nmissing.png,dull\n",
        &["missing.png: there is no such file"],
    );
    check(
        "rgb.png,bright\ngrey.png,gloomy\n",
        &["labels.csv:3", "gloomy"],
    );
}

#[test]
fn columns_of_a_table_of_labels_are_kept_if_they_are_named_or_say_what_belongs_together() {
    let folder = flat_folder();
    let rows = "rgb.png,a,p1,left,7\ngrey.png,b,p1,right,8\nrgba.png,a,,left,9\n";
    let table = format!("image,label,patient_id,side,age\n{rows}");
    fs::write(folder.path().join("labels.csv"), table).unwrap();
    let keys = |columns: &[&str]| flat_keys("columns", columns);
    let dataset = load(&image_folder::PART, &keys(&["side"]), folder.path());
    let columns = dataset.test().columns();
    assert_eq!(columns["patient_id"], ["p1", "p1", ""]);
    assert_eq!(columns["side"], ["left", "right", "left"]);
    assert!(!columns.contains_key("age"));
    let problem = refused(&image_folder::PART, &keys(&["sides"]), folder.path());
    assert!(
        problem.contains("no column `sides`") && problem.contains("side"),
        "{problem}"
    );
}

#[test]
fn folders_that_are_not_what_they_should_be_are_refused() {
    let folder = TempDir::new().unwrap();
    pets(folder.path(), 2);
    copy("rgb.png", &folder.path().join("pets/loose.png"));
    fs::create_dir(folder.path().join("empty")).unwrap();
    let check = |keys: &[(&str, Raw)], expected: &str| {
        let problem = refused(&image_folder::PART, keys, folder.path());
        assert!(problem.contains(expected), "{problem}");
    };
    check(
        &[("path", text("pets"))],
        "1 images are in no folder of a class, `loose.png` first",
    );
    check(&[("path", text("nowhere"))], "there is no such folder");
    check(&[("path", text("empty"))], "there is no image in");
    fs::remove_file(folder.path().join("pets/loose.png")).unwrap();
    check(
        &[("path", text("pets")), ("classes", list(&["cat"]))],
        "none of the classes",
    );
}

#[test]
fn what_is_fitted_on_may_have_a_folder_of_its_own_and_loses_what_is_tested_on() {
    let folder = TempDir::new().unwrap();
    pets(folder.path(), 10);
    for i in 0..6 {
        let name = format!("{i:02}.png");
        let (from, to) = (
            folder.path().join("pets/cat").join(&name),
            folder.path().join("held/cat").join(format!("h{name}")),
        );
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        if i < 2 {
            fs::copy(from, to)
        } else {
            fs::rename(from, to).map(|()| 0)
        }
        .unwrap();
    }
    let keys = [
        ("path", text("held")),
        ("fit-path", text("pets")),
        ("size", Raw::Whole(4)),
    ];
    let dataset = load(&image_folder::PART, &keys, folder.path());
    assert_eq!(
        (
            dataset.test().items().len(),
            dataset.fit().unwrap().items().len()
        ),
        (6, 14)
    );
    assert!(
        dataset
            .remarks()
            .join(" ")
            .contains("2 items to fit on have the content"),
        "{:?}",
        dataset.remarks()
    );
}

#[test]
fn isic_has_its_seven_classes_in_their_order_and_keeps_lesions_together() {
    let folder = TempDir::new().unwrap();
    lesions(folder.path());
    let keys = [
        ("path", text("isic")),
        ("size", Raw::Whole(4)),
        ("fit-share", Raw::Number(0.5)),
        ("lesions", text("LesionGroupings.csv")),
    ];
    let dataset = load(&isic_2018::PART, &keys, folder.path());
    let lesion = |id: &str| id.trim_start_matches("ISIC_").parse::<usize>().unwrap() / 4;
    let on = |split: &duress_core::data::Split| -> HashSet<usize> {
        split.items().ids().iter().map(lesion).collect()
    };
    let (fit, test) = (on(dataset.fit().unwrap()), on(dataset.test()));
    assert!(
        fit.is_disjoint(&test) && fit.len() + test.len() == 7,
        "{fit:?} {test:?}"
    );
    for (id, class) in dataset
        .test()
        .items()
        .ids()
        .iter()
        .zip(&dataset.test().columns()["class"])
    {
        assert_eq!(class, ISIC[lesion(id)]);
    }
    for (id, found) in dataset
        .test()
        .items()
        .ids()
        .iter()
        .zip(&dataset.test().columns()["lesion"])
    {
        assert_eq!(*found, format!("HAM_{:07}", lesion(id)));
    }
    assert_eq!(dataset.cluster(), Some("lesion"));
    // The table is found where nobody names it, and is not needed.
    let unnamed = load(&isic_2018::PART, &keys[..3], folder.path());
    assert_eq!(
        (unnamed.fit(), unnamed.test()),
        (dataset.fit(), dataset.test())
    );
    fs::remove_file(folder.path().join("LesionGroupings.csv")).unwrap();
    let without = load(&isic_2018::PART, &keys[..2], folder.path());
    assert_eq!(without.cluster(), None);
    assert!(!without.test().columns().contains_key("lesion"));
    let table = folder.path().join("isic_GroundTruth.csv");
    let text_of = fs::read_to_string(&table).unwrap();
    let check = |from: &str, to: &str, expected: &str| {
        fs::write(&table, text_of.replacen(from, to, 1)).unwrap();
        let problem = refused(&isic_2018::PART, &keys[..2], folder.path());
        assert!(problem.contains(expected), "{problem}");
    };
    check(
        "ISIC_0000000,0.0,1.0",
        "ISIC_0000000,1.0,1.0",
        "GroundTruth.csv:2: the diagnosis of `ISIC_0000000` is 1, 0, 0, 0, 0, 0, 1",
    );
    check(
        "ISIC_0000005",
        "ISIC_7777777",
        "ISIC_7777777.jpg: there is no such file",
    );
    check("AKIEC", "AKIEK", "there is no column `AKIEC`");
}

/// A mask of this size, white in its left half.
fn write_mask(file: &Path, width: usize, height: usize) {
    let sample = |at: usize| {
        if at / 3 % width < width / 2 {
            255.0
        } else {
            0.0
        }
    };
    let picture = Picture {
        width,
        height,
        channels: 3,
        depth: Depth::Levels(255.0),
        samples: (0..width * height * 3).map(sample).collect(),
    };
    write_png(file, &picture);
}

/// The masks of the items tested on.
fn masks(dataset: &Dataset) -> Vec<Vec<bool>> {
    // Truth is sealed: what a test may see of it is what it is written as.
    let truth = serde_json::to_value(dataset.test().truth()).unwrap();
    let masks: Masks = serde_json::from_value(truth["labels"]["masks"].clone()).unwrap();
    (0..masks.len()).map(|item| masks.mask(item)).collect()
}

#[test]
fn masks_of_isic_are_read_by_their_names_and_scaled_with_their_images() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    lesions(root);
    let keys = [
        ("path", text("isic")),
        ("size", Raw::Whole(4)),
        ("masks", text("masks")),
    ];
    let plain = load(&isic_2018::PART, &keys[..2], root);
    let ids: Vec<String> = plain
        .test()
        .items()
        .ids()
        .iter()
        .map(String::from)
        .collect();
    let mask_of = |id: &str| root.join("masks").join(format!("{id}_segmentation.png"));
    for id in &ids {
        let picture = decode::read(&root.join("isic").join(format!("{id}.png"))).unwrap();
        write_mask(&mask_of(id), picture.width, picture.height);
    }
    let dataset = load(&isic_2018::PART, &keys, root);
    assert_eq!(dataset.test().items(), plain.test().items());
    assert_ne!(dataset.test().truth(), plain.test().truth());
    for (id, mask) in ids.iter().zip(masks(&dataset)) {
        let picture = decode::read(&mask_of(id)).unwrap();
        let share = (picture.width / 2) as f64 / picture.width as f64;
        let marked = mask.iter().filter(|marked| **marked).count() as f64 / 16.0;
        assert!((marked - share).abs() <= 0.25, "{id}: {marked} {share}");
        assert!(mask[0] && !mask[3], "{id}: left is marked, right is not");
    }
    // One is missing, one is about no image, and another file is no mask.
    fs::remove_file(mask_of(&ids[2])).unwrap();
    write_mask(&mask_of("ISIC_9999999"), 5, 5);
    fs::write(
        root.join("masks").join("ATTRIBUTION.txt"),
        "by the challenge",
    )
    .unwrap();
    let fewer = load(&isic_2018::PART, &keys, root);
    let told = fewer.remarks().join(" ");
    assert!(told.contains("1 of 28 images have no mask"), "{told}");
    assert!(told.contains(&ids[2]), "{told}");
    assert!(told.contains("1 masks belong to no image"), "{told}");
    assert!(masks(&fewer)[2].iter().all(|marked| !marked));
}

#[test]
fn masks_that_do_not_fit_are_refused_with_their_file() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    pets(root, 2);
    let keys = [
        ("path", text("pets")),
        ("size", Raw::Whole(4)),
        ("masks", text("masks")),
    ];
    let why = || refused(&image_folder::PART, &keys, root);
    assert!(
        why().contains("masks: there is no such folder"),
        "{}",
        why()
    );
    fs::create_dir(root.join("masks")).unwrap();
    assert!(why().contains("no image has a mask"), "{}", why());
    let plain = load(&image_folder::PART, &keys[..2], root);
    let ids: Vec<String> = plain
        .test()
        .items()
        .ids()
        .iter()
        .map(String::from)
        .collect();
    let file = |id: &str| root.join("masks").join(id).with_extension("png");
    for id in &ids {
        let picture = decode::read(&root.join("pets").join(id)).unwrap();
        write_mask(&file(id), picture.width, picture.height);
    }
    let dataset = load(&image_folder::PART, &keys, root);
    assert!(masks(&dataset).iter().all(|mask| mask.contains(&true)));
    let good = fs::read(file(&ids[0])).unwrap();
    write_mask(&file(&ids[0]), 90, 7);
    let wrong = why();
    assert!(
        wrong.contains("is 90 × 7") && wrong.contains("as its image is"),
        "{wrong}"
    );
    assert!(wrong.contains("masks"), "{wrong}");
    let picture = decode::read(&root.join("pets").join(&ids[0])).unwrap();
    write_png(&file(&ids[0]), &picture);
    assert!(why().contains("two values"), "{}", why());
    fs::write(file(&ids[0]), "no image").unwrap();
    assert!(why().contains("expected a PNG or JPEG image"), "{}", why());
    fs::write(file(&ids[0]), &good).unwrap();
    fs::write(file(&ids[0]).with_extension("jpg"), &good).unwrap();
    assert!(why().contains("has a second mask"), "{}", why());
}

#[test]
fn masks_in_an_array_are_as_many_as_images_and_as_large() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.npz");
    let write = |shape: &[usize], mask: &[u8]| {
        let pixels: Vec<u8> = (0..24).collect();
        let labels: Vec<u8> = vec![0, 1, 0];
        let arrays = [
            ("x", npy("|u1", &[3, 2, 4], &pixels)),
            ("y", npy("|u1", &[3], &labels)),
            ("outline", npy("|u1", shape, mask)),
        ];
        fs::write(&file, npz(&arrays)).unwrap();
    };
    let keys = [("path", text("a.npz")), ("masks", text("outline"))];
    let marks = [[1, 0, 0, 0, 1, 0, 0, 0], [0; 8], [0, 0, 7, 7, 0, 0, 7, 7]];
    write(&[3, 2, 4], &marks.concat());
    let found = masks(&load(&npz_images::PART, &keys, folder.path()));
    for (found, marks) in found.iter().zip(marks) {
        assert_eq!(*found, marks.map(|mark| mark != 0));
    }
    let why = || refused(&npz_images::PART, &keys, folder.path());
    write(&[2, 2, 4], &marks[..2].concat());
    assert!(why().contains("3 masks, one for each image"), "{}", why());
    write(&[3, 4, 2], &marks.concat());
    assert!(why().contains("as its image is"), "{}", why());
    write(&[3, 2, 4], &[[1, 2, 3, 0, 0, 0, 0, 0]; 3].concat());
    assert!(why().contains("two values"), "{}", why());
    let wrong = [("path", text("a.npz")), ("masks", text("outlime"))];
    let told = refused(&npz_images::PART, &wrong, folder.path());
    assert!(told.contains("outlime"), "{told}");
}

#[test]
fn idx_files_are_read_plain_and_gzipped() {
    let folder = TempDir::new().unwrap();
    let read = |keys: &[(&str, Raw)]| load(&idx::PART, keys, folder.path());
    mnist(folder.path(), false);
    let plain = read(&[("path", text("mnist"))]);
    mnist(folder.path(), true);
    let zipped = read(&[("path", text("mnist"))]);
    assert_eq!((plain.test(), plain.fit()), (zipped.test(), zipped.fit()));
    assert_eq!(
        (
            plain.test().items().len(),
            plain.fit().unwrap().items().len()
        ),
        (5, 9)
    );
    assert_eq!(
        plain.test().items().images().unwrap().image(0)[..3],
        [0.0, 1.0 / 255.0, 2.0 / 255.0]
    );
    assert_eq!(plain.test().columns()["class"], ["0", "1", "2", "0", "1"]);
    let few = read(&[
        ("path", text("mnist")),
        ("fit", Raw::Flag(false)),
        ("limit", Raw::Whole(2)),
    ]);
    assert_eq!((few.test().items().len(), few.fit()), (2, None));
    let named = read(&[
        ("path", text("mnist")),
        ("classes", list(&["nil", "one", "two"])),
        ("channels", text("rgb")),
    ]);
    assert_eq!(named.test().columns()["class"][2], "two");
    assert_eq!(named.test().items().images().unwrap().shape(), [3, 2, 3]);
}

#[test]
fn broken_idx_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let check = |name: &str, change: &dyn Fn(&mut Vec<u8>), expected: &str| {
        mnist(folder.path(), false);
        let file = folder.path().join("mnist").join(name);
        let mut bytes = fs::read(&file).unwrap();
        change(&mut bytes);
        fs::write(&file, bytes).unwrap();
        let problem = refused(
            &idx::PART,
            &[("path", text("mnist")), ("limit", Raw::Whole(1))],
            folder.path(),
        );
        assert!(
            problem.contains(expected) && problem.contains("mnist"),
            "{problem}"
        );
    };
    check(
        "t10k-images-idx3-ubyte",
        &|bytes| bytes.truncate(20),
        "2 bytes short",
    );
    check(
        "t10k-images-idx3-ubyte",
        &|bytes| bytes.push(0),
        "goes on behind its last item",
    );
    check(
        "t10k-images-idx3-ubyte",
        &|bytes| bytes[7] = 4,
        "4 images, but 5 labels",
    );
    check(
        "t10k-images-idx3-ubyte",
        &|bytes| bytes[8..12].fill(0xff),
        "cannot be",
    );
    check(
        "train-labels-idx1-ubyte",
        &|bytes| bytes[2] = 13,
        "not IDX of bytes",
    );
    check(
        "train-labels-idx1-ubyte",
        &|bytes| bytes.clear(),
        "4 bytes short",
    );
    mnist(folder.path(), true);
    let file = folder.path().join("mnist/t10k-images-idx3-ubyte.gz");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refused(&idx::PART, &[("path", text("mnist"))], folder.path()).contains("damaged"));
    fs::remove_file(file).unwrap();
    assert!(
        refused(&idx::PART, &[("path", text("mnist"))], folder.path())
            .contains("there is no file `t10k-images-idx3")
    );
}

#[test]
fn cifar_binaries_are_read_in_both_forms() {
    let folder = TempDir::new().unwrap();
    cifar_ten(folder.path());
    let ten = load(&cifar::PART, &[("path", text("cifar"))], folder.path());
    assert_eq!(
        (ten.test().items().len(), ten.fit().unwrap().items().len()),
        (3, 10)
    );
    assert_eq!(ten.test().columns()["class"], ["frog", "truck", "airplane"]);
    // The first record counts upwards plane by plane; its second pixel is the second byte of each
    // plane.
    let image = ten.test().items().images().unwrap().image(0).to_vec();
    assert_eq!(
        [image[1], image[1024 + 1], image[2048 + 1]].map(|x| (x * 255.0).round()),
        [1.0, 2.0, 3.0]
    );
    fs::write(folder.path().join("cifar/test_batch.bin"), [1; 100]).unwrap();
    assert!(
        refused(&cifar::PART, &[("path", text("cifar"))], folder.path())
            .contains("100 bytes are not whole records of 3073")
    );
    fs::write(folder.path().join("cifar/test_batch.bin"), [11; 3073]).unwrap();
    assert!(
        refused(&cifar::PART, &[("path", text("cifar"))], folder.path())
            .contains("record 0 has label 11 of 10 classes")
    );
    let hundred = folder.path().join("hundred");
    fs::create_dir(&hundred).unwrap();
    fs::write(
        hundred.join("test.bin"),
        [&[19, 99][..], &[7; 3072]].concat(),
    )
    .unwrap();
    let class = |labels: &str| {
        let keys = [
            ("path", text("hundred")),
            ("fit", Raw::Flag(false)),
            ("labels", text(labels)),
        ];
        load(&cifar::PART, &keys, folder.path()).test().columns()["class"][0].clone()
    };
    assert_eq!((class("fine"), class("coarse")), ("99".into(), "19".into()));
}

#[test]
fn arrays_are_read_in_every_layout() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.npz");
    let read = |keys: &[(&str, Raw)]| {
        let keys: Vec<(&str, Raw)> = [("path", text("a.npz"))]
            .into_iter()
            .chain(keys.iter().cloned())
            .collect();
        load(&npz_images::PART, &keys, folder.path())
            .test()
            .items()
            .images()
            .unwrap()
            .clone()
    };
    let bytes: Vec<u8> = (0..48).collect();
    arrays(&file, "|u1", &[4, 2, 2, 3], &bytes, 4);
    let last = read(&[]);
    assert_eq!((last.shape(), last.image(0)[1]), ([3, 2, 2], 3.0 / 255.0));
    arrays(&file, "|u1", &[4, 3, 2, 2], &bytes, 4);
    assert_eq!(read(&[]).image(0)[1], 1.0 / 255.0);
    arrays(&file, "|u1", &[4, 3, 4], &bytes, 4);
    assert_eq!(read(&[]).shape(), [1, 3, 4]);
    let reals: Vec<u8> = (0..12)
        .flat_map(|i| (i as f32 / 11.0).to_le_bytes())
        .collect();
    arrays(&file, "<f4", &[3, 2, 2], &reals, 3);
    assert_eq!(
        read(&[]).image(1)[0],
        4.0 / 11.0,
        "real numbers stay as they are"
    );
    assert_eq!(read(&[("white", Raw::Number(2.0))]).image(1)[0], 2.0 / 11.0);
    assert_eq!(read(&[("size", Raw::Whole(1))]).shape(), [1, 1, 1]);
}

#[test]
fn arrays_that_make_no_sense_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.npz");
    let check = |keys: &[(&str, Raw)], expected: &str| {
        let keys: Vec<(&str, Raw)> = [("path", text("a.npz"))]
            .into_iter()
            .chain(keys.iter().cloned())
            .collect();
        let problem = refused(&npz_images::PART, &keys, folder.path());
        assert!(
            problem.contains(expected) && problem.contains("a.npz"),
            "{problem}"
        );
    };
    arrays(&file, "|u1", &[4, 3, 2, 3], &[0; 72], 4);
    check(&[], "`layout = \"channels-last\"`");
    arrays(&file, "|u1", &[4, 12], &[0; 48], 4);
    check(&[], "its shape is [4, 12]");
    arrays(&file, "|u1", &[4, 2, 2], &[0; 16], 3);
    check(&[], "4 images, but 3 labels");
    arrays(&file, "|u1", &[4, 2, 2], &[0; 15], 4);
    check(&[], "missing");
    let over: Vec<u8> = [0.5_f32, 200.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    arrays(&file, "<f4", &[2, 1, 1], &over, 2);
    check(&[], "image 1 (counted from 0): a value is 200");
    check(
        &[("x", text("pictures")), ("y", text("y"))],
        "there is no column `pictures`",
    );
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/images")
        .join(name)
}

fn fixture_text(name: &str) -> String {
    fs::read_to_string(fixture(name)).unwrap()
}

fn copy(name: &str, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(fixture(name), to).unwrap();
}

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn list(texts: &[&str]) -> Raw {
    Raw::List(texts.iter().map(|one| text(one)).collect())
}

fn built(part: &Part, keys: &[(&str, Raw)], folder: &Path) -> Result<Box<dyn Source>, Problem> {
    let Build::Dataset(build) = part.build else {
        panic!("{} is no dataset", part.name)
    };
    build(&Params::of(part, keys, folder).unwrap_or_else(|problems| panic!("{problems:?}")))
}

fn source(part: &Part, keys: &[(&str, Raw)], folder: &Path) -> Box<dyn Source> {
    built(part, keys, folder).unwrap()
}

fn load(part: &Part, keys: &[(&str, Raw)], folder: &Path) -> Dataset {
    source(part, keys, folder)
        .load(Seed::new(1))
        .unwrap_or_else(|problem| panic!("{problem}"))
}

fn refused(part: &Part, keys: &[(&str, Raw)], folder: &Path) -> String {
    built(part, keys, folder)
        .and_then(|source| source.load(Seed::new(1)))
        .unwrap_err()
        .to_string()
}

fn write_png(file: &Path, picture: &Picture) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(
        fs::File::create(file).unwrap(),
        picture.width as u32,
        picture.height as u32,
    );
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> = picture.samples.iter().map(|&sample| sample as u8).collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&bytes)
        .unwrap();
}

/// `each` cats and as many dogs of chance, of sizes of their own.
fn pets(root: &Path, each: usize) {
    for class in ["cat", "dog"] {
        for i in 0..each {
            let mut draws = Seed::new(3).child(class).child(i.to_string()).draws();
            let (width, height) = (3 + draws.below(9), 3 + draws.below(9));
            let samples = (0..width * height * 3)
                .map(|_| draws.below(256) as f32)
                .collect();
            let picture = Picture {
                width,
                height,
                channels: 3,
                depth: Depth::Levels(255.0),
                samples,
            };
            write_png(
                &root.join("pets").join(class).join(format!("{i:02}.png")),
                &picture,
            );
        }
    }
}

const ISIC: [&str; 7] = ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"];

/// Four images of each of seven lesions, one lesion per class; the columns of the table are in
/// another order.
fn lesions(root: &Path) {
    let mut truth = String::from("image,VASC,MEL,NV,BCC,AKIEC,BKL,DF\n");
    let mut groups = String::from("image,lesion_id,diagnosis_confirm_type\n");
    for i in 0..28 {
        let id = format!("ISIC_{i:07}");
        let mut draws = Seed::new(i).draws();
        let samples = (0..48).map(|_| draws.below(256) as f32).collect();
        let picture = Picture {
            width: 4,
            height: 4,
            channels: 3,
            depth: Depth::Levels(255.0),
            samples,
        };
        write_png(&root.join("isic").join(format!("{id}.png")), &picture);
        let class = i as usize / 4;
        let ones = (0..7).map(|column| {
            if (column + 6) % 7 == class {
                "1.0"
            } else {
                "0.0"
            }
        });
        truth += &format!("{id},{}\n", ones.collect::<Vec<_>>().join(","));
        groups += &format!("{id},HAM_{class:07},histopathology\n");
    }
    fs::write(root.join("isic_GroundTruth.csv"), truth).unwrap();
    fs::write(root.join("LesionGroupings.csv"), groups).unwrap();
}

/// Five images tested on and nine fitted on, of 2 × 3 pixels.
fn mnist(root: &Path, zipped: bool) {
    let folder = root.join("mnist");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| match zipped {
        false => fs::write(folder.join(name), bytes).unwrap(),
        true => {
            let file = fs::File::create(folder.join(format!("{name}.gz"))).unwrap();
            let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap();
        }
    };
    for (name, count, first) in [("t10k", 5, 0), ("train", 9, 100)] {
        let pixels: Vec<u8> = (first..).take(usize::from(count) * 6).collect();
        write(
            &format!("{name}-images-idx3-ubyte"),
            &[
                &[0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 2, 0, 0, 0, 3][..],
                &pixels,
            ]
            .concat(),
        );
        let labels: Vec<u8> = (0..count).map(|i| i % 3).collect();
        write(
            &format!("{name}-labels-idx1-ubyte"),
            &[&[0, 0, 8, 1, 0, 0, 0, count][..], &labels].concat(),
        );
    }
}

fn cifar_ten(root: &Path) {
    let folder = root.join("cifar");
    fs::create_dir_all(&folder).unwrap();
    let record = |label: u8, first: usize| {
        let planes = (0..3072).map(|at| ((at % 1024 + at / 1024 + first) % 256) as u8);
        [label].into_iter().chain(planes).collect::<Vec<u8>>()
    };
    fs::write(
        folder.join("test_batch.bin"),
        [record(6, 0), record(9, 20), record(0, 40)].concat(),
    )
    .unwrap();
    for batch in 1..=5 {
        let two = [
            record(batch as u8, 60 + 20 * batch),
            record(3, 67 + 20 * batch),
        ];
        fs::write(folder.join(format!("data_batch_{batch}.bin")), two.concat()).unwrap();
    }
    let names = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n";
    fs::write(folder.join("batches.meta.txt"), names).unwrap();
}

/// An npz file of `x`, with labels of 0 and 1 in turn.
fn arrays(file: &Path, kind: &str, shape: &[usize], values: &[u8], labels: usize) {
    let labels: Vec<u8> = (0..labels).map(|i| (i % 2) as u8).collect();
    let arrays = [
        ("x", npy(kind, shape, values)),
        ("y", npy("|u1", &[labels.len()], &labels)),
    ];
    fs::write(file, npz(&arrays)).unwrap();
}
