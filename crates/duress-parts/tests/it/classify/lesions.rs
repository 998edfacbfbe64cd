//! Generated lesions: which items there are, what they have in common, and what keys change.

use super::*;

fn lesions(keys: &[(&str, Raw)], seed: u64) -> Dataset {
    let part = &datasets::generated_lesions::PART;
    let keys: Vec<(&str, Raw)> = [FEW_IMAGES, keys].concat();
    source(part, &keys).load(Seed::new(seed)).unwrap()
}

fn with_artefacts(word: &str) -> Dataset {
    lesions(&[("artefacts", text(word))], 1)
}

#[test]
fn an_item_is_the_same_whatever_the_count_asked_for() {
    let part = &datasets::generated_lesions::PART;
    let counts = [("train", Raw::Whole(40)), ("test", Raw::Whole(50))];
    let few = source(part, &counts).load(Seed::new(1)).unwrap();
    let many = lesions(&[], 1);
    let check = |few: &Split, many: &Split| {
        let first: Vec<usize> = (0..few.items().len()).collect();
        assert_eq!(few.items(), &many.items().select(&first));
        for (name, values) in few.columns() {
            assert_eq!(values[..], many.columns()[name][..values.len()]);
        }
    };
    check(few.test(), many.test());
    check(few.fit().unwrap(), many.fit().unwrap());
}

#[test]
fn no_patient_is_on_both_sides_and_items_are_counted_by_patient() {
    let data = lesions(&[], 1);
    assert_eq!(data.cluster(), Some("patient"));
    let fit = &data.fit().unwrap().columns()["patient"];
    let test = &data.test().columns()["patient"];
    assert!(test.iter().all(|patient| !fit.contains(patient)));
    let lesions = &data.test().columns()["lesion"];
    for (lesion, patient) in lesions.iter().zip(test) {
        assert!(lesion.starts_with(&format!("{patient}-")));
    }
}

#[test]
fn no_two_seeds_have_a_patient_in_common() {
    let patients = |seed: u64| lesions(&[], seed).test().columns()["patient"].clone();
    let first = patients(1);
    assert!(patients(2).iter().all(|patient| !first.contains(patient)));
}

#[test]
fn the_test_forms_show_the_same_lesions_and_are_fitted_on_the_same() {
    let correlated = with_artefacts("correlated");
    for word in ["independent", "conflict"] {
        let other = with_artefacts(word);
        assert_eq!(other.fit(), correlated.fit());
        assert_eq!(other.test().items().ids(), correlated.test().items().ids());
        assert_eq!(other.test().truth(), correlated.test().truth());
        assert_ne!(other.test().items(), correlated.test().items());
    }
    let own = correlated.test().columns();
    assert_eq!(own["artefacts-of"], own["class"]);
    let conflict = with_artefacts("conflict");
    let columns = conflict.test().columns();
    let mut donors = columns["artefacts-of"].iter().zip(&columns["class"]);
    assert!(donors.all(|(donor, class)| donor != class));
}

#[test]
fn patients_kept_for_choosing_are_nobody_that_is_tested_or_fitted_on() {
    let data = lesions(&[("patients", text("validation"))], 1);
    let test = lesions(&[], 1);
    assert_eq!(data.fit(), test.fit());
    let others = &test.test().columns()["patient"];
    let kept = &data.test().columns()["patient"];
    assert!(kept.iter().all(|patient| !others.contains(patient)));
    assert_ne!(data.test().items(), test.test().items());
}

#[test]
fn classes_have_the_names_and_the_order_of_the_challenge() {
    let data = lesions(&[], 1);
    let expected = ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"];
    assert_eq!(data.test().classes().unwrap(), expected);
}

#[test]
fn a_report_says_when_not_every_image_can_be_in_conflict() {
    let remarks = |keys: &[(&str, Raw)]| lesions(keys, 1).remarks().join("\n");
    let isic = ("imbalance", Raw::Whole(1));
    let conflict = || ("artefacts", text("conflict"));
    let said = "about 34 % of the images";
    assert!(remarks(&[isic.clone(), conflict()]).contains(said));
    assert!(!remarks(&[isic]).contains(said));
    assert!(!remarks(&[conflict()]).contains(said));
}
