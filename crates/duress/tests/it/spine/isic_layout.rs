//! The study of ISIC 2018 as it is shipped, run on a folder in the challenge's layout.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use duress_core::data::{Dataset, Split};
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::seed::Seed;
use duress_parts::registry::Registry;

use super::{findings_in, planned_at, run_in};

const STUDY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../studies/classify/isic/study.toml"
);
const CLASSES: [&str; 7] = ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"];

#[test]
fn the_study_of_isic_2018_runs_on_a_folder_that_is_laid_out_so() {
    let folder = tempfile::tempdir().unwrap();
    write_challenge(&folder.path().join("data"));
    let text = shrunk(&fs::read_to_string(STUDY).unwrap());
    let plan = planned_at(&folder.path().join("study.toml"), &text);
    let plan = plan.unwrap_or_else(|rejected| panic!("{:#?}", rejected.problems));
    let plan = plan.into();
    let run = folder.path().join("run");
    run_in(&plan, &run);
    let findings = findings_in(&plan, &run);
    assert_eq!(findings.cells.failed, 0);
    assert_eq!(findings.cells.answered, findings.cells.planned);
    assert_eq!(findings.claims.len(), 3);
    let fitted = plan.loaded.iter().next().unwrap();
    assert_eq!((fitted.fit_items, fitted.test_items), (84, 42));
    // The challenge tells the lesions of what is fitted on, and of nothing else.
    let lesions = &fitted.dataset().fit().unwrap().columns()["lesion"];
    assert!(lesions.iter().all(|lesion| lesion.starts_with("HAM_")));
    assert_eq!(fitted.cluster, None);
}

/// The same study with small images and networks, for one seed.
fn shrunk(text: &str) -> String {
    let smaller = [
        ("seeds = [42, 123, 456]", "seeds = [42]"),
        ("size = 64", "size = 32"),
        ("width = 16", "width = 1"),
        ("plain-epochs = 10", "plain-epochs = 1"),
        ("epochs = 30", "epochs = 2"),
        ("attack-steps = 4", "attack-steps = 1"),
        ("steps = 20", "steps = 2"),
    ];
    smaller.iter().fold(text.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// Generated lesions in the folders, files and tables of task 3. The images are lossless inside:
/// what they are is read from the bytes, whatever the name.
fn write_challenge(root: &Path) {
    let drawn = |patients: &str| {
        generated(&[
            ("train", Raw::Whole(84)),
            ("test", Raw::Whole(42)),
            ("patients", Raw::Text(patients.into())),
        ])
    };
    let (test, validation) = (drawn("test"), drawn("validation"));
    write_split(root, "Test", test.test(), 34_000);
    write_split(root, "Validation", validation.test(), 33_000);
    let training = test.fit().unwrap();
    write_split(root, "Training", training, 24_000);
    let mut groups = "image,lesion_id,diagnosis_confirm_type\n".to_string();
    for (nth, lesion) in training.columns()["lesion"].iter().enumerate() {
        writeln!(
            groups,
            "ISIC_{:07},HAM_{lesion},histopathology",
            24_000 + nth
        )
        .unwrap();
    }
    fs::write(
        root.join("ISIC2018_Task3_Training_LesionGroupings.csv"),
        groups,
    )
    .unwrap();
}

fn generated(keys: &[(&str, Raw)]) -> Dataset {
    let part = Registry::standard()
        .find(PartKind::Dataset, "generated-lesions")
        .unwrap();
    let params = Params::of(part, keys, Path::new("")).unwrap();
    let Build::Dataset(build) = part.build else {
        panic!("no dataset")
    };
    build(&params).unwrap().load(Seed::new(1)).unwrap()
}

fn write_split(root: &Path, name: &str, split: &Split, first: usize) {
    let images = root.join(format!("ISIC2018_Task3_{name}_Input"));
    let tables = root.join(format!("ISIC2018_Task3_{name}_GroundTruth"));
    fs::create_dir_all(&images).unwrap();
    fs::create_dir_all(&tables).unwrap();
    let mut truth = format!("image,{}\n", CLASSES.join(","));
    for (nth, class) in split.columns()["class"].iter().enumerate() {
        let id = format!("ISIC_{:07}", first + nth);
        let pixels = split.items().images().unwrap().image(nth);
        write_png(&images.join(format!("{id}.jpg")), pixels);
        let hot = CLASSES.map(|one| if one == class { "1.0" } else { "0.0" });
        writeln!(truth, "{id},{}", hot.join(",")).unwrap();
    }
    let table = format!("ISIC2018_Task3_{name}_GroundTruth.csv");
    fs::write(tables.join(table), truth).unwrap();
}

fn write_png(file: &Path, planes: &[f32]) {
    const AREA: usize = 32 * 32;
    let level = |at: usize| (planes[at % 3 * AREA + at / 3] * 255.0).round() as u8;
    let bytes: Vec<u8> = (0..3 * AREA).map(level).collect();
    let mut encoder = png::Encoder::new(fs::File::create(file).unwrap(), 32, 32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&bytes).unwrap();
}
