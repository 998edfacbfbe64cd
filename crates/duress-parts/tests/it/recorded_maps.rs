//! Maps that were made elsewhere: they are read as what they are about, and what is wrong is said.

#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::fs;
use std::path::Path;

use duress_core::answer::{AbsenceKind, Answers, MapAnswers};
use duress_core::data::{Images, Inputs, Items};
use duress_core::explanation::{Attribution, AttributionMethod, Explanation};
use duress_core::part::{Build, Params, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Recording, SubjectPart};
use duress_parts::shared::subjects::recorded;
use duress_tables::formats::numpy::{npy, npy_of_numbers, npy_of_texts, npz};

use crate::built::clean;

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn recording(keys: &[(&str, Raw)], folder: &Path) -> Result<Box<dyn Recording>, Problem> {
    let Build::Subject(build) = recorded::PART.build else {
        panic!("recorded is a subject")
    };
    let params = Params::of(&recorded::PART, keys, folder);
    match build(&params.unwrap_or_else(|problems| panic!("{problems:?}")))? {
        SubjectPart::Recorded(recording) => Ok(recording),
        SubjectPart::Live(_) => panic!("recorded answers are not live"),
    }
}

/// Images of 2 × 3 pixels with these ids.
fn images(ids: &[&str]) -> Items {
    let pixels = vec![0.5; ids.len() * 6];
    let images = Images::new([1, 2, 3], pixels).unwrap();
    let ids = ids.iter().map(|id| (*id).into()).collect();
    Items::new(ids, Inputs::Images(images)).unwrap()
}

fn map_by(method: AttributionMethod) -> Question {
    Question::explanation(Explanation::Map(Attribution::new(method)))
}

fn ids(ids: &[&str]) -> Vec<u8> {
    let ids: Vec<String> = ids.iter().map(|id| (*id).into()).collect();
    npy_of_texts(&ids)
}

/// The maps of `a`, `b` and `c` in a file of this name and content.
fn read(name: &str, content: &[u8]) -> Result<(MapAnswers, Vec<String>), Problem> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    let keys = [("files", text("answers.csv")), ("maps", text(name))];
    let recording = recording(&keys, folder.path())?;
    let question = map_by(AttributionMethod::GradCam);
    let found = recording.look_up(&clean(), question, &images(&["a", "b", "c"]))?;
    assert_eq!(found.validate(3), Ok(()));
    let remarks = recording.remarks(&clean(), &found);
    match found {
        Answers::Maps(maps) => Ok((maps, remarks)),
        other => panic!("{} was not asked for", other.question()),
    }
}

/// Values that tell by their tens whose map it is.
fn values(first: &[f64]) -> Vec<f64> {
    let map = |of: &f64| [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|place| 10.0 * of + place);
    first.iter().flat_map(map).collect()
}

fn first_values(maps: &MapAnswers) -> Vec<Option<f32>> {
    let first = |map: &Result<duress_core::answer::AttributionMap, _>| {
        map.as_ref().ok().map(|map| map.values()[0].round())
    };
    maps.maps().iter().map(first).collect()
}

#[test]
fn maps_belong_to_items_by_their_ids_or_else_by_their_order() {
    let plain = npy_of_numbers(&[3, 2, 3], &values(&[1.0, 2.0, 3.0]));
    let (maps, remarks) = read("m.npy", &plain).unwrap();
    assert_eq!((maps.height(), maps.width()), (2, 3));
    assert_eq!(first_values(&maps), [Some(10.0), Some(20.0), Some(30.0)]);
    assert!(
        remarks[1].contains("in the order of the items"),
        "{remarks:?}"
    );

    let shuffled = npz(&[
        ("maps", npy_of_numbers(&[2, 1, 2, 3], &values(&[3.0, 1.0]))),
        ("ids", ids(&["c", "a"])),
        ("question", ids(&["Grad-CAM of layer4"])),
    ]);
    let (maps, remarks) = read("m.npz", &shuffled).unwrap();
    assert_eq!(first_values(&maps), [Some(10.0), None, Some(30.0)]);
    let absent = maps.maps()[1].as_ref().unwrap_err();
    assert_eq!(absent.kind, AbsenceKind::Unrecorded);
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(remarks[0].contains("as their file has it"), "{remarks:?}");
    assert!(remarks[0].contains("Grad-CAM of layer4"), "{remarks:?}");
}

#[test]
fn a_row_that_is_said_to_hold_no_map_holds_none() {
    let mut numbers = values(&[1.0, 2.0, 3.0]);
    numbers[6..12].fill(f64::NAN);
    let file = npz(&[
        ("attributions", npy_of_numbers(&[3, 2, 3], &numbers)),
        ("explained", npy("|b1", &[3], &[1, 0, 1])),
    ]);
    let (maps, _) = read("m.npz", &file).unwrap();
    assert_eq!(first_values(&maps), [Some(10.0), None, Some(30.0)]);
}

#[test]
fn what_is_wrong_with_a_file_of_maps_is_said_with_its_name() {
    let of = |shape: &[usize]| npy_of_numbers(shape, &vec![1.0; shape.iter().product()]);
    let maps = |count| ("maps", of(&[count, 2, 3]));
    let mut broken = values(&[1.0, 2.0, 3.0]);
    broken[8] = f64::NAN;
    let files = [
        (
            "m.npy",
            of(&[3, 6]),
            "its shape is [3, 6]; expected [items, height, width]",
        ),
        ("m.npy", of(&[3, 3, 2, 3]), "its shape is [3, 3, 2, 3]"),
        (
            "m.npy",
            of(&[3, 4, 3]),
            "its maps are 4 × 3 places; expected 2 × 3, as the images are",
        ),
        (
            "m.npy",
            of(&[2, 2, 3]),
            "there are 2 maps for 3 items; expected as many maps as items",
        ),
        (
            "m.npy",
            npy_of_numbers(&[3, 2, 3], &broken),
            "map 1 (counted from 0) has NaN at place 2",
        ),
        (
            "m.npz",
            npz(&[maps(2), ("ids", ids(&["a", "b", "c"]))]),
            "there are 2 maps and 3 ids",
        ),
        (
            "m.npz",
            npz(&[maps(3), ("ids", ids(&["a", "b", "x"]))]),
            "the id \"x\" is not in the dataset",
        ),
        (
            "m.npz",
            npz(&[maps(3), ("ids", ids(&["a", "b", "a"]))]),
            "the id \"a\" is there twice",
        ),
        (
            "m.npz",
            npz(&[("heat", of(&[3, 2, 3]))]),
            "there is no array of maps, but heat; expected one called maps",
        ),
        (
            "m.npz",
            npz(&[maps(3), ("explained", npy("|b1", &[2], &[1, 1]))]),
            "there are 3 maps and 2 flags",
        ),
        (
            "m.npz",
            b"PK but no archive".to_vec(),
            "not a whole npz file",
        ),
        (
            "m.csv",
            b"id,map\n".to_vec(),
            "expected maps in an .npz or .npy file",
        ),
    ];
    for (name, content, expected) in files {
        let said = read(name, &content).map(drop).unwrap_err().to_string();
        assert!(
            said.contains(expected) && said.contains(name),
            "{said}\nnot {expected}"
        );
    }
}

#[test]
fn only_the_method_of_what_is_asked_is_compared() {
    let keys = [
        ("files", text("answers.csv")),
        ("maps", text("{method}.npy")),
        (
            "maps-by",
            Raw::List(vec![text("grad-cam++"), text("occlusion")]),
        ),
    ];
    let recording = recording(&keys, Path::new("")).unwrap();
    let of = Attribution::new(AttributionMethod::Occlusion);
    let patched = Attribution {
        patch: Some(8),
        items: 2,
        ..of.clone()
    };
    let another_draw = Attribution {
        draw: 1,
        ..of.clone()
    };
    assert!(recording.explains(&Explanation::Map(of.clone())));
    assert!(recording.explains(&Explanation::Map(patched)));
    assert!(!recording.explains(&Explanation::Map(another_draw)));
    assert!(!recording.explains(&Explanation::Map(Attribution::new(
        AttributionMethod::GradCam
    ))));
    let steadied = Explanation::MaxSensitivity {
        of,
        draws: 2,
        radius: duress_core::severity::Severity::clean(),
    };
    assert!(!recording.explains(&steadied));
}

#[test]
fn files_of_maps_are_sources_and_a_missing_one_is_named_by_its_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("answers.csv"), "id,cat\n").unwrap();
    fs::write(folder.path().join("net_grad-cam.npy"), "").unwrap();
    let with = |clean_maps: &str| {
        let keys = [
            ("files", text("answers.csv")),
            ("maps", text("{subject}_{ladder}_{method}.npy")),
            ("clean-maps", text(clean_maps)),
        ];
        recording(&keys, folder.path()).unwrap()
    };
    let found = with("{subject}_{method}.npy").sources(&clean()).unwrap();
    let names: Vec<_> = found.iter().map(|file| file.file_name().unwrap()).collect();
    assert_eq!(names, ["answers.csv", "net_grad-cam.npy"]);
    let missing = with("{subject}_{seed}.npy").sources(&clean());
    let said = missing.unwrap_err().to_string();
    assert!(
        said.contains("`clean-maps = ") && said.contains("net_42.npy"),
        "{said}"
    );
}

#[test]
fn keys_about_maps_that_contradict_each_other_are_refused() {
    let refused = |keys: &[(&str, Raw)], expected: &str| {
        let mut all = vec![("files", text("a.csv"))];
        all.extend_from_slice(keys);
        let said = recording(&all, Path::new("")).err().unwrap().to_string();
        assert!(said.contains(expected), "{said}");
    };
    let two = || Raw::List(vec![text("grad-cam"), text("occlusion")]);
    refused(
        &[("maps-by", two())],
        "expected `maps`, which says where they are",
    );
    refused(
        &[("maps", text("m.npy")), ("maps-by", two())],
        "{method} in it",
    );
    let misspelt = Raw::List(vec![text("gradcam")]);
    refused(
        &[("maps", text("m.npy")), ("maps-by", misspelt)],
        "did you mean `grad-cam`?",
    );
    refused(
        &[("maps", text("m.npy")), ("form", text("texts"))],
        "the answers are texts",
    );
}
