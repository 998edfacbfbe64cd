//! What measures of maps promise.

use duress_core::seed::Seed;

use super::*;

const SIZE: [usize; 2] = [14, 16];

fn map(seed: u64) -> Vec<f32> {
    let mut draws = Seed::new(seed).draws();
    (0..SIZE[0] * SIZE[1])
        .map(|_| draws.normal() as f32)
        .collect()
}

type Pair = fn(&[f32], &[f32]) -> Result<f64, UndefinedReason>;

/// Each measure of stability, with what it says of two maps that are the same.
fn stability() -> [(&'static str, Pair, f64); 5] {
    [
        ("ssim", |a, b| ssim(a, b, SIZE), 1.0),
        ("spearman", |a, b| spearman(a, b), 1.0),
        ("cosine", |a, b| cosine(a, b), 1.0),
        ("unit distance", |a, b| unit_distance(a, b), 0.0),
        ("top k", |a, b| top_k_intersection(a, b, 20), 1.0),
    ]
}

#[test]
fn a_map_is_as_like_itself_as_can_be_and_less_like_another() {
    for (name, measure, perfect) in stability() {
        let same = measure(&map(1), &map(1)).unwrap();
        assert!((same - perfect).abs() < 1e-12, "{name}: {same}");
        let other = measure(&map(1), &map(2)).unwrap();
        assert!((other - perfect).abs() > 0.3, "{name}: {other}");
        let back = measure(&map(2), &map(1)).unwrap();
        assert!((other - back).abs() < 1e-12, "{name}: {other} {back}");
    }
}

#[test]
fn a_map_that_points_nowhere_is_undefined_with_the_reason_and_never_a_number() {
    let flat = vec![0.5; SIZE[0] * SIZE[1]];
    let mut broken = map(1);
    broken[3] = f32::NAN;
    for (name, measure, _) in stability() {
        for (a, b) in [(&map(1), &flat), (&flat, &map(1)), (&flat, &flat)] {
            let why = measure(a, b).unwrap_err();
            assert!(matches!(why, UndefinedReason::NoSpread { .. }), "{name}");
        }
        let why = measure(&map(1), &broken).unwrap_err();
        assert!(
            matches!(why, UndefinedReason::NotFinite { at: 3, .. }),
            "{name}"
        );
    }
    let small = [0.0, 1.0, 2.0, 3.0];
    let why = ssim(&small, &small, [2, 2]).unwrap_err();
    assert!(matches!(
        why,
        UndefinedReason::TooFew {
            need: 11,
            got: 2,
            ..
        }
    ));
    let zero = [0.0; 4];
    assert!(sparseness(&zero).is_err() && entropy(&zero).is_err());
    let mask = [true, false, false, false];
    assert!(relevance_mass(&[-1.0, -2.0, 0.0, 0.0], &mask).is_err());
    assert!(pointing_game(&zero, &mask, [2, 2], 0.0).is_err());
    assert!(mask_overlap(&small, &[false; 4]).is_err());
}

#[test]
fn what_goes_by_rank_does_not_change_when_values_are_bent_upward() {
    let (a, b) = (map(3), map(4));
    let bent: Vec<f32> = a.iter().map(|value| value.exp() * 7.0 - 3.0).collect();
    assert_eq!(spearman(&a, &b), spearman(&bent, &b));
    assert_eq!(
        top_k_intersection(&a, &b, 17),
        top_k_intersection(&bent, &b, 17)
    );
    let mask: Vec<bool> = b.iter().map(|value| *value > 0.3).collect();
    assert_eq!(mask_overlap(&a, &mask), mask_overlap(&bent, &mask));
    assert_eq!(
        pointing_game(&a, &mask, SIZE, 1.0),
        pointing_game(&bent, &mask, SIZE, 1.0)
    );
}

#[test]
fn what_has_no_unit_does_not_change_when_a_map_is_multiplied() {
    let (a, b) = (map(5), map(6));
    let larger: Vec<f32> = a.iter().map(|value| 8.0 * value).collect();
    for (name, measure, _) in stability() {
        let (one, other) = (measure(&a, &b).unwrap(), measure(&larger, &b).unwrap());
        assert!((one - other).abs() < 1e-12, "{name}");
    }
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    near(sparseness(&a).unwrap(), sparseness(&larger).unwrap());
    near(entropy(&a).unwrap(), entropy(&larger).unwrap());
}

#[test]
fn hand_worked_cases() {
    fn near(found: Result<f64, UndefinedReason>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    near(cosine(&[3.0, 0.0], &[3.0, 4.0]), 0.6);
    near(unit_distance(&[2.0, 0.0], &[0.0, 3.0]), 2.0_f64.sqrt());
    near(unit_distance(&[2.0, 0.0], &[-1.0, 0.0]), 2.0);
    // Ranks 1 2.5 2.5 4 against 1 2 3 4: 4.5 / √(4.5 · 5).
    let ties = [0.0, 1.0, 1.0, 2.0];
    near(
        spearman(&ties, &[1.0, 2.0, 3.0, 4.0]),
        4.5 / 22.5_f64.sqrt(),
    );
    near(
        top_k_intersection(&[4.0, 3.0, 2.0, 1.0], &[4.0, 1.0, 3.0, 2.0], 2),
        0.5,
    );
    // Of three equal values two are taken: two thirds of each.
    near(
        top_k_intersection(&[1.0, 1.0, 1.0, 0.0], &[3.0, 2.0, 1.0, 0.0], 2),
        2.0 / 3.0,
    );
    near(
        top_k_intersection(&[0.0, -0.0, 1.0], &[-0.0, 0.0, 1.0], 2),
        1.0,
    );
    let mask = [true, true, false, false];
    near(mask_overlap(&[4.0, 3.0, 2.0, 1.0], &mask), 1.0);
    near(mask_overlap(&[4.0, 1.0, 2.0, 3.0], &mask), 1.0 / 3.0);
    near(mask_overlap(&[1.0, 2.0, 3.0, 4.0], &mask), 0.0);
    near(relevance_mass(&[1.0, -9.0, 3.0, 0.0], &mask), 0.25);
    near(
        pointing_game(&[0.0, 1.0, 1.0, 0.0], &mask, [2, 2], 0.0),
        0.5,
    );
    near(
        pointing_game(&[0.0, 0.0, 0.0, 1.0], &mask, [2, 2], 0.0),
        0.0,
    );
    near(
        pointing_game(&[0.0, 0.0, 0.0, 1.0], &mask, [2, 2], 1.0),
        1.0,
    );
    let corner = [true, false, false, false];
    near(
        pointing_game(&[0.0, 0.0, 0.0, 1.0], &corner, [2, 2], 1.4),
        0.0,
    );
    near(
        pointing_game(&[0.0, 0.0, 0.0, 1.0], &corner, [2, 2], 1.5),
        1.0,
    );
    near(sparseness(&[0.0, 0.0, -5.0, 0.0]), 0.75);
    near(sparseness(&[1.0, -1.0, 1.0, 1.0]), 0.0);
    near(entropy(&[0.0, 0.0, -5.0, 0.0]), 0.0);
    near(entropy(&[1.0, -1.0, 1.0, 1.0]), 4.0_f64.ln());
}

#[test]
fn many_pairs_are_read_one_by_one() {
    let maps = [map(1), map(2), vec![0.0; 224]].concat();
    let others = [map(1), map(1), map(1)].concat();
    let found = per_item(&maps, &others, 224, cosine);
    assert_eq!(found.len(), 3);
    assert_eq!(found[1], cosine(&map(2), &map(1)));
    assert!(found[2].is_err());
}
