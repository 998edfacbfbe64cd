//! Several templates of one question: how much of the variance is theirs.

use duress_findings::{Under, VarianceSource};

use super::{estimate, found, under};

fn study(seeds: &str) -> String {
    format!(
        "name = \"prompts\"\nseeds = {seeds}\n[dataset.idioms]\nuse = \"idioms\"\n[subject.reader]\nuse = \"prompted\"\n\
         [rater.same]\nuse = \"recovery\"\nhow = \"equals\"\n[ladder.asked]\nuse = \"instruction\"\nseverities = [1]\n\
         instructions = [\"Do!\", \"Please.\", \"No.\"]\n[analysis]\ngauges = [\"recovery-rate\"]\n"
    )
}

#[test]
fn the_variance_of_an_answer_has_a_part_of_templates_where_several_were_asked_with() {
    let findings = found(&study("[1]"));
    let asked = estimate(&findings, "recovery-rate", "reader", &under("asked", 1.0));
    let sources: Vec<VarianceSource> = asked.variance.iter().map(|part| part.source).collect();
    let expected = [
        VarianceSource::Item,
        VarianceSource::Template,
        VarianceSource::Rest,
    ];
    assert_eq!(sources, expected);
    // Of N items a share m is right when asked politely: by hand, the mean squares of items and of
    // what is left are N m (1 − m) / 3(N − 1), so that items have no variance of their own.
    let n = asked.quantity.items as f64;
    let m = 3.0 * asked.quantity.value.value().unwrap() - 1.0;
    assert!(m > 0.2 && m < 0.5, "{m}");
    let rest = n * m * (1.0 - m) / 3.0 / (n - 1.0);
    let centre = (1.0 + m) / 3.0;
    let squares = (1.0 - centre).powi(2) + (m - centre).powi(2) + centre.powi(2);
    let template = squares / 2.0 - rest / n;
    let expected = [0.0, template, rest];
    for (part, expected) in asked.variance.iter().zip(expected) {
        assert!(
            (part.variance - expected).abs() < 1e-12,
            "{part:?}, not {expected}"
        );
        assert!((part.share - expected / (template + rest)).abs() < 1e-12);
    }
    assert_eq!(asked.variance[1].error_share, 0.0);
}

#[test]
fn with_several_seeds_these_are_a_part_of_their_own_and_the_clean_rung_has_no_template() {
    let findings = found(&study("[1, 2]"));
    let asked = estimate(&findings, "recovery-rate", "reader", &under("asked", 1.0));
    let share = |source: VarianceSource| {
        let part = asked.variance.iter().find(|part| part.source == source);
        part.unwrap().share
    };
    assert!(share(VarianceSource::Replicate) < 1e-12);
    assert!(share(VarianceSource::Template) > 0.5);
    let clean = estimate(&findings, "recovery-rate", "reader", &Under::Clean);
    let sources = clean.variance.iter().map(|part| part.source);
    assert!(
        sources
            .into_iter()
            .all(|source| source != VarianceSource::Template)
    );
}
