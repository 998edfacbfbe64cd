//! Studies of ways to train keep to what was fixed before the first of them was run.

use std::path::{Path, PathBuf};

use duress::Study;
use duress::study::Origin;
use duress_core::part::Params;
use duress_parts::registry::Registry;
use serde_json::Value;

fn classify() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/classify")
}

fn fixed() -> Value {
    let text = std::fs::read_to_string(classify().join("train/fixed.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn study(name: &str) -> Study {
    let file = classify().join(format!("{name}.toml"));
    Study::read(&file, &Registry::standard()).unwrap_or_else(|rejected| panic!("{rejected}"))
}

const STUDIES: [&str; 4] = ["train/study", "train/choose", "train/bar", "ablation/study"];

#[test]
fn the_data_are_those_that_were_fixed() {
    let fixed = fixed();
    for name in STUDIES {
        for dataset in &study(name).datasets {
            let Origin::Part(chosen) = &dataset.from else {
                panic!("{name}: {} is derived", dataset.name)
            };
            for key in [
                "spread",
                "contrast",
                "faint",
                "correlation",
                "imbalance",
                "size",
            ] {
                let expected = fixed["dataset"][key].as_f64().unwrap();
                let found = match key {
                    "size" => chosen.params.count(key) as f64,
                    _ => chosen.params.number(key),
                };
                assert_eq!(found, expected, "{name}: {key} of {}", dataset.name);
            }
        }
    }
}

#[test]
fn epsilon_and_every_weight_are_those_that_were_fixed() {
    let fixed = fixed();
    assert_eq!(fixed["epsilon"], "4/255");
    for name in STUDIES {
        for subject in &study(name).subjects {
            let params = &subject.chosen.params;
            let reach = params.number("adversarial");
            assert!(reach == 0.0 || reach == 4.0 / 255.0, "{name}: {reach}");
            for key in [
                "beta",
                "robust-weight",
                "stability-weight",
                "consistency-weight",
            ] {
                let off = name == "ablation/study";
                let known = is_in_grid(&fixed["grid"][key], params, key);
                let is_off = off && params.number_if(key) == Some(0.0);
                assert!(known || is_off, "{name}: {key} of {}", subject.name);
            }
        }
    }
}

fn is_in_grid(grid: &Value, params: &Params, key: &str) -> bool {
    let grid = grid.as_array().unwrap();
    let Some(weight) = params.number_if(key) else {
        return true;
    };
    grid.iter().any(|one| one.as_f64() == Some(weight))
}

#[test]
fn seeds_of_the_bar_are_nobody_elses() {
    let fixed = fixed();
    let seeds = |which: &str| -> Vec<u64> {
        let list = fixed["seeds"][which].as_array().unwrap();
        list.iter().map(|seed| seed.as_u64().unwrap()).collect()
    };
    let of = |name: &str| study(name).seeds.iter().copied().collect::<Vec<u64>>();
    assert_eq!(of("train/study"), seeds("study"));
    assert_eq!(of("train/choose"), seeds("development"));
    assert_eq!(of("train/bar"), seeds("bar"));
    for other in [
        "train/study",
        "train/choose",
        "ablation/study",
        "sweep/study",
        "train/quick",
    ] {
        let seeds = of(other);
        assert!(
            of("train/bar").iter().all(|seed| !seeds.contains(seed)),
            "{other}"
        );
    }
}
