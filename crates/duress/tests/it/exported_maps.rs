//! Explanations from a study's text to its findings: exhibits have maps, what survives random
//! weights is doubted, gauges are ranked beside each other, and what is exported comes in again.

#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::fs;
use std::path::Path;

use duress::Registry;
use duress::ledger::Ledger;
use duress::ledger::export_maps::{self, ExportedMaps};
use duress::run::RunPaths;
use duress_tables::formats;
use duress_tables::table::by_name;
use serde_json::Value;

use crate::recorded_answers::found;

const LIVE: &str = r#"
name = "maps"
seeds = [1]
[dataset.digits]
use = "digits"
fit-share = 0.95
[subject.one]
use = "trained"
on = "digits"
network = "linear"
epochs = 1
[subject.two]
use = "trained"
on = "digits"
network = "linear"
epochs = 2
[subject.four]
use = "trained"
on = "digits"
network = "linear"
epochs = 4
[ladder.pgd]
use = "pgd"
severities = [0.1]
[gauge.stable]
use = "explanation-stability"
attribution = "gradient-times-input"
measure = "spearman"
[gauge.deletion]
use = "deletion"
attribution = "gradient-times-input"
steps = 8
[gauge.edges]
use = "explanation-stability"
attribution = "edge-detector"
measure = "spearman"
[gauge.survives]
use = "survives-randomisation"
attribution = "edge-detector"
measure = "spearman"
[analysis]
gauges = ["accuracy", "stable", "deletion", "edges", "survives"]
resamples = 100
"#;

/// What a gauge reads of a subject under the attack.
fn under_attack(findings: &Value, gauge: &str, subject: &str) -> f64 {
    let estimates = findings["estimates"].as_array().unwrap();
    let one = estimates.iter().find(|one| {
        let place = &one["place"];
        one["gauge"] == gauge && place["subject"] == subject && place["under"] != "clean"
    });
    let one = one.unwrap_or_else(|| panic!("{gauge} of {subject}"));
    one["value"]["value"].as_f64().unwrap()
}

fn maps_have_exhibits(findings: &Value) {
    let exhibits = findings["exhibits"].as_array().unwrap();
    assert!(!exhibits.is_empty());
    for exhibit in exhibits {
        let maps = exhibit["sight"]["image"]["maps"].as_array().unwrap();
        assert_eq!(maps.len(), 1, "the floor is none of the subject's maps");
        let asked = maps[0]["asked"].as_str().unwrap();
        assert!(asked.contains("gradient-times-input"), "{asked}");
        let strongest = |which: &str| {
            let values = maps[0][which].as_array().unwrap();
            assert_eq!(values.len(), 64);
            values
                .iter()
                .map(|value| value.as_i64().unwrap().abs())
                .max()
        };
        assert_eq!(strongest("before"), Some(127));
        assert_eq!(strongest("after"), Some(127));
    }
}

fn what_survives_is_doubted(findings: &Value) {
    let caveats = findings["caveats"].as_array().unwrap();
    let doubts = caveats.iter().filter(|one| {
        let kind = &one["doubt"]["kind"];
        kind == "survives-random-weights"
    });
    let doubts: Vec<&Value> = doubts.collect();
    assert_eq!(doubts.len(), 3, "one gauge of three subjects: {doubts:?}");
    for one in doubts {
        assert_eq!(one["about"]["gauge"], "edges", "{one}");
        assert_eq!(one["doubt"]["by"], "survives");
    }
}

fn rankings_are_compared(findings: &Value) {
    let [agreement] = &findings["explanation_agreements"].as_array().unwrap()[..] else {
        panic!("one dataset")
    };
    let tau = agreement["tau"]["value"].as_f64().unwrap();
    assert!((-1.0..=1.0).contains(&tau));
    let gauges = agreement["gauges"].as_array().unwrap();
    let names: Vec<&str> = gauges
        .iter()
        .map(|one| one["gauge"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["stable", "deletion"], "floors are left out");
    for gauge in gauges {
        let ranks = gauge["ranks"].as_array().unwrap();
        let sum: f64 = ranks.iter().map(|rank| rank[1].as_f64().unwrap()).sum();
        assert_eq!(sum, 6.0, "{gauge}");
    }
}

/// Answers about the items of an archive of maps, all the same: nobody reads them here.
fn write_answers(archive: &Path, file: &Path) {
    let ids = formats::read(archive, &mut |heads| Ok(by_name(heads, &[], &["ids"]))).unwrap();
    let rows = ids.texts("ids").iter().map(|id| format!("{id},3\n"));
    let table: String = std::iter::once("id,prediction\n".into())
        .chain(rows)
        .collect();
    fs::write(file, table).unwrap();
}

const RECORDED: &str = r#"
name = "recorded-maps"
seeds = [1]
[dataset.digits]
use = "digits"
fit-share = 0.95
[subject.four]
use = "recorded"
files = "answers_{ladder}.csv"
form = "labels"
classes = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
maps = "maps/{ladder}_{method}.npz"
maps-by = ["gradient-times-input"]
[ladder.pgd]
use = "elsewhere"
severities = [0.1]
[gauge.stable]
use = "explanation-stability"
attribution = "gradient-times-input"
measure = "spearman"
[analysis]
gauges = ["accuracy", "stable"]
resamples = 100
"#;

/// The maps of one subject under the names that the other study looks for.
fn renamed(folder: &Path) {
    let maps = folder.join("maps");
    for entry in fs::read_dir(&maps).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("four_") || !name.contains("gradient-times-input") {
            continue;
        }
        let ladder = if name.contains("pgd") { "pgd" } else { "clean" };
        write_answers(&file, &folder.join(format!("answers_{ladder}.csv")));
        fs::rename(
            &file,
            maps.join(format!("{ladder}_gradient-times-input.npz")),
        )
        .unwrap();
    }
}

#[test]
fn maps_are_shown_doubted_ranked_and_come_back_from_where_they_were_exported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let live = found(folder, LIVE, "run");
    maps_have_exhibits(&live);
    what_survives_is_doubted(&live);
    rankings_are_compared(&live);

    let plan = duress::reopen(&folder.join("run"), &Registry::standard());
    let plan = plan.unwrap_or_else(|why| panic!("{why:?}"));
    let ledger = Ledger::open(&RunPaths::new(folder.join("run")).ledger());
    let exported = export_maps::maps_into(&plan, &ledger, &folder.join("maps")).unwrap();
    let ExportedMaps {
        archives,
        maps,
        unexplained,
    } = exported;
    assert_eq!(
        (archives, unexplained),
        (12, 0),
        "three subjects, two methods, clean and pressed"
    );
    assert_eq!(maps % 12, 0);

    renamed(folder);
    let again = found(folder, RECORDED, "again");
    let own = under_attack(&live, "stable", "four");
    assert_eq!(under_attack(&again, "stable", "four"), own);
    let text = again["caveats"].to_string();
    assert!(
        text.contains("were made elsewhere") && text.contains("half precision"),
        "{text}"
    );
    assert!(!text.contains("not-read"), "{text}");
}
