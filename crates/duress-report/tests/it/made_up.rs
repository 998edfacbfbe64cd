//! Findings made up for tests: as many subjects, ladders and gauges as asked for, with everything
//! that may go wrong.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

use duress_core::gauge::{Bin, Detail, Direction, Group, SHARE, Scale, Undefined, Unit};
use duress_core::name::Name;
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_findings::*;

/// How much of everything.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) subjects: usize,
    pub(crate) ladders: usize,
    pub(crate) rungs: usize,
    pub(crate) gauges: usize,
    /// Hostile texts, long names, other scripts, failed cells and undefined readings.
    pub(crate) awkward: bool,
}

/// About what the quickstart has.
pub(crate) const QUICKSTART: Size = Size {
    subjects: 3,
    ladders: 2,
    rungs: 5,
    gauges: 4,
    awkward: false,
};

pub(crate) const HOSTILE: &str = "<script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\"> & \"quoted\" \u{1b}[31mred\u{1b}[0m \u{7}bell \u{202e}reversed";

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

/// A number between 0 and 1 that is always the same for the same arguments.
fn chance(parts: &[usize]) -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for &part in parts {
        state = (state ^ part as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 29;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}

pub(crate) fn quantity(value: f64, half: f64) -> Quantity {
    Quantity {
        value: Reading::Value(value),
        interval: Ok(Range {
            low: value - half,
            high: value + half,
            level: 0.95,
        }),
        items: 360,
        replicates: 3,
        unit: "items and seeds".into(),
        method: Method::read("percentile bootstrap, 2000 draws"),
    }
}

fn undefined(why: &str) -> Quantity {
    Quantity {
        value: Reading::Undefined(why.into()),
        interval: Err(why.into()),
        ..quantity(0.0, 0.0)
    }
}

fn subject_names(size: Size) -> Vec<Name> {
    let plain = [
        "baseline",
        "adversarial",
        "tri-objective",
        "mixup",
        "trades",
        "smoothed",
        "distilled",
    ];
    let awkward = [
        "黑色素瘤分类器",
        "a-name-of-sixty-four-characters-which-is-the-longest-a-name-can-be",
    ];
    let mut names: Vec<String> = Vec::new();
    for i in 0..size.subjects {
        names.push(match (size.awkward, i) {
            (true, 1 | 2) => awkward[i - 1].chars().take(64).collect(),
            _ if i < plain.len() => plain[i].into(),
            _ => format!("subject-{i}"),
        });
    }
    names.iter().map(|text| name(text)).collect()
}

fn ladder_cards(size: Size) -> Vec<LadderCard> {
    let names = ["pgd", "gaussian-noise", "fog", "jpeg", "missing-mcar"];
    let card = |i: usize| LadderCard {
        name: name(
            &names
                .get(i)
                .map_or_else(|| format!("ladder-{i}"), |n| (*n).into()),
        ),
        stressor: names.get(i).copied().unwrap_or("gaussian-noise").into(),
        unit: if i == 0 {
            "L∞ radius, of [0, 1]".into()
        } else {
            "standard deviation, of [0, 1]".into()
        },
        acts_on: ActsOn::Test,
        severities: (0..size.rungs)
            .map(|r| match (i, r) {
                (_, 0) => Severity::clean(),
                (0, r) => Severity::parse(&format!("{}/255", 1 << (r - 1))).unwrap(),
                (_, r) => Severity::parse(&format!("0.{r}")).unwrap(),
            })
            .collect(),
        sees_truth: size.awkward && i == 1,
        aware: i == 0,
    };
    (0..size.ladders).map(card).collect()
}

fn gauge_cards(size: Size) -> Vec<GaugeCard> {
    let names = [
        "accuracy",
        "ece",
        "recall",
        "aurc",
        "attack-success-rate",
        "confusion",
    ];
    let card = |i: usize| GaugeCard {
        name: names
            .get(i)
            .map_or_else(|| format!("gauge-{i}"), |n| (*n).into()),
        scope: "cell".into(),
        scale: Scale {
            reads: Question::Classes,
            direction: if matches!(i, 1 | 3 | 4) {
                Direction::Lower
            } else {
                Direction::Higher
            },
            best: Some(1.0),
            ends: SHARE,
            unit: Unit::Items,
            convention: "ties broken towards the lower class".into(),
            compat: false,
        },
        summary: "The share of items that are right.".into(),
    };
    (0..size.gauges).map(card).collect()
}

fn value_of(gauge: usize, subject: usize, ladder: usize, rung: usize) -> f64 {
    let start = 0.92 - 0.04 * chance(&[gauge, subject]);
    let slope = 0.05 + 0.35 * chance(&[gauge, subject, ladder + 7]);
    let falling = 0.08 + (start - 0.08) * (-(rung as f64) * slope).exp();
    if matches!(gauge, 1 | 3 | 4) {
        1.0 - falling
    } else {
        falling
    }
}

fn detail(gauge: usize, subject: usize) -> Option<Detail> {
    let u = |i: usize| chance(&[gauge, subject, i, 99]);
    match gauge {
        1 => Some(Detail::Bins(
            (0..10)
                .map(|i| {
                    let (low, n) = (i as f64 / 10.0, if i < 2 { 0 } else { 5 + i * i });
                    let some = |value: f64| (n > 0).then_some(value);
                    let confidence = some(low + 0.05);
                    Bin {
                        low,
                        high: low + 0.1,
                        n,
                        confidence,
                        accuracy: some((low + 0.1 * u(i)).min(1.0)),
                    }
                })
                .collect(),
        )),
        2 => Some(Detail::Groups(
            (0..6)
                .map(|i| Group {
                    name: if i == 3 {
                        "黑色素瘤".into()
                    } else {
                        format!("class {i}")
                    },
                    n: 40 + i,
                    value: if i == 5 {
                        Err(Undefined::new("no item of this class"))
                    } else {
                        Ok(0.5 + 0.5 * u(i))
                    },
                })
                .collect(),
        )),
        3 => Some(Detail::Curve {
            x: "coverage".into(),
            y: "risk".into(),
            points: (1..=60)
                .map(|i| (i as f64 / 60.0, 0.25 * (i as f64 / 60.0).powf(1.5 + u(1))))
                .collect(),
        }),
        5 => Some(Detail::Matrix {
            names: (0..5).map(|i| format!("class {i}")).collect(),
            counts: (0..25)
                .map(|i| {
                    if i / 5 == i % 5 {
                        50
                    } else {
                        (9.0 * u(i)) as u64
                    }
                })
                .collect(),
        }),
        _ => None,
    }
}

fn estimate(g: usize, gauge: &str, place: Place, value: f64, s: usize) -> Estimate {
    let clean = place.under == Under::Clean;
    Estimate {
        place,
        gauge: gauge.into(),
        quantity: quantity(value, 0.02 + 0.02 * chance(&[g, s])),
        by_seed: (0..3)
            .map(|r| {
                (
                    42 + r as u64,
                    Reading::Value(value + 0.02 * (r as f64 - 1.0)),
                )
            })
            .collect(),
        details: detail(g, s)
            .filter(|_| clean)
            .map(|detail| (42, detail))
            .into_iter()
            .collect(),
    }
}

/// Makes findings up.
pub(crate) fn findings(size: Size) -> Findings {
    let (subjects, ladders, gauges) = (subject_names(size), ladder_cards(size), gauge_cards(size));
    let dataset = name("digits");
    let mut findings = frame(size, &subjects, &ladders, &gauges);
    for (g, gauge) in gauges.iter().enumerate() {
        for (s, subject) in subjects.iter().enumerate() {
            let at = |under: Under| Place {
                subject: subject.clone(),
                dataset: dataset.clone(),
                under,
            };
            findings.estimates.push(estimate(
                g,
                &gauge.name,
                at(Under::Clean),
                value_of(g, s, 0, 0),
                s,
            ));
            for (l, ladder) in ladders.iter().enumerate() {
                for (r, severity) in ladder.severities.iter().enumerate().skip(1) {
                    let under = Under::Rung {
                        ladder: ladder.name.clone(),
                        severity: severity.clone(),
                    };
                    findings.estimates.push(estimate(
                        g,
                        &gauge.name,
                        at(under),
                        value_of(g, s, l, r),
                        s,
                    ));
                }
                findings
                    .curves
                    .push(curve(&dataset, (g, &gauge.name), (s, subject), (l, ladder)));
            }
            if s > 0 {
                findings.contrasts.extend(contrasts(
                    &dataset,
                    (g, &gauge.name),
                    (s, subject),
                    &subjects[0],
                    &ladders,
                ));
            }
        }
    }
    if size.awkward {
        make_awkward(&mut findings);
    }
    findings
}

fn curve(
    dataset: &Name,
    (g, gauge): (usize, &str),
    (s, subject): (usize, &Name),
    (l, ladder): (usize, &LadderCard),
) -> Curve {
    let point = |(r, severity): (usize, &Severity)| CurvePoint {
        severity: severity.clone(),
        quantity: quantity(value_of(g, s, l, r), 0.02 + 0.02 * chance(&[g, s])),
    };
    let points: Vec<CurvePoint> = ladder.severities.iter().enumerate().map(point).collect();
    Curve {
        subject: subject.clone(),
        dataset: dataset.clone(),
        ladder: ladder.name.clone(),
        gauge: gauge.into(),
        area: quantity(value_of(g, s, l, 2), 0.015),
        drops: Vec::new(),
        break_point: if s % 3 == 2 {
            Err(NoBreak::Nowhere)
        } else {
            Ok(ladder.severities[1].clone())
        },
        shape: match s % 3 {
            0 => Shape::Cliff {
                from: ladder.severities[0].clone(),
                to: ladder.severities[1].clone(),
                share: 0.61,
                interval: Ok(Range {
                    low: 0.52,
                    high: 0.7,
                    level: 0.95,
                }),
            },
            1 => Shape::Graceful {
                largest_share: 0.34,
            },
            _ => Shape::NoDrop,
        },
        monotonicity: Reading::Value(1.0),
        points,
    }
}

fn contrasts(
    dataset: &Name,
    (g, gauge): (usize, &str),
    (s, subject): (usize, &Name),
    first: &Name,
    ladders: &[LadderCard],
) -> Vec<Contrast> {
    let hardest = |ladder: &LadderCard| Under::Rung {
        ladder: ladder.name.clone(),
        severity: ladder.severities.last().unwrap().clone(),
    };
    let unders = std::iter::once(Under::Clean).chain(ladders.iter().map(hardest));
    let place = |subject: &Name, under: &Under| Place {
        subject: subject.clone(),
        dataset: dataset.clone(),
        under: under.clone(),
    };
    unders
        .enumerate()
        .map(|(i, under)| Contrast {
            of: place(subject, &under),
            against: place(first, &under),
            gauge: gauge.into(),
            quantity: quantity(0.3 * (chance(&[g, s, i, 5]) - 0.4), 0.05),
        })
        .collect()
}

fn frame(size: Size, subjects: &[Name], ladders: &[LadderCard], gauges: &[GaugeCard]) -> Findings {
    let cells = subjects.len() * 3 * (1 + ladders.len() * size.rungs.saturating_sub(1));
    Findings {
        version: VERSION,
        study: StudyCard {
            title: String::new(),
            figures: Vec::new(),
            layouts: Vec::new(),
            numbers: NumberForm::default(),
            name: "quickstart".into(),
            hash: "b3:7f3a9c2e5d1b4f60".into(),
            earlier: Vec::new(),
            text: "name = \"quickstart\"\nseeds = [42, 43, 44]\n\n[dataset.digits]\nuse = \"digits\"\n".into(),
            seeds: vec![42, 43, 44],
            units: Units::ItemsAndSeeds,
            level: 0.95,
            power: vec!["With 3 seeds a paired sign test cannot reach p < 0.25.".into()],
        },
        made: Made {
            duress: "0.1.0".into(),
            machine: "linux x86_64, avx512".into(),
            commit: None,
            parts: vec!["dataset digits v1".into(), "stressor pgd v1".into()],
            files: Vec::new(),
        },
        datasets: vec![DatasetCard {
            name: name("digits"),
            source: "digits".into(),
            base: None,
            held_out: None,
            fingerprints: vec!["b3:11aa22bb".into()],
            fit_items: 1437,
            test_items: 360,
            remarks: vec!["Split by content hash; no item is in both halves.".into()],
        }],
        subjects: subjects
            .iter()
            .map(|subject| SubjectCard {
                name: subject.clone(),
                part: "trained".into(),
                on: name("digits"),
                reproducible: true,
                answers: vec!["probabilities".into()],
            })
            .collect(),
        ladders: ladders.to_vec(),
        conditions: Vec::new(),
        gauges: gauges.to_vec(),
        cells: CellCount { planned: cells, answered: cells, failed: 0 },
        claims: vec![
            claim("H1.1", Verdict::Upheld, 0.42, 0.06),
            claim("H1.2", Verdict::Undecided, 0.31, 0.15),
            claim("H1.3", Verdict::Refuted, -0.02, 0.04),
        ],
        estimates: Vec::new(),
        contrasts: Vec::new(),
        slices: Vec::new(),
        curves: Vec::new(),
        levels: vec![Level { name: "chance".into(), gauge: "accuracy".into(), dataset: None, value: 0.1 }],
        expectations: Vec::new(),
        efforts: subjects
            .iter()
            .take(1)
            .map(|subject| Effort {
                place: attacked(subject.as_str()),
                items: 1200,
                queries: 12.4,
                gradients: 11.25,
                most: 34,
            })
            .collect(),
        realised: Vec::new(),
        caveats: vec![Caveat {
            text: "Three seeds: intervals over seeds are wide and the percentile bootstrap is too narrow for them.".into(),
            subject: None,
            dataset: None,
            ladder: None,
            gauge: Some("accuracy".into()),
            claim: None,
        }],
        exhibits: vec![image_exhibit(subjects, ladders)],
        failures: Vec::new(),
    }
}

/// A subject under the attack that claims speak of.
fn attacked(subject: &str) -> Place {
    let under = Under::Rung {
        ladder: name("pgd"),
        severity: Severity::parse("8/255").unwrap(),
    };
    Place {
        subject: name(subject),
        dataset: name("digits"),
        under,
    }
}

fn claim(title: &str, verdict: Verdict, value: f64, half: f64) -> ClaimFinding {
    ClaimFinding {
        name: title.into(),
        family: "H1".into(),
        sentence:
            "At pgd 8/255 the accuracy of tri-objective exceeds that of baseline by more than 0.35."
                .into(),
        gauge: "accuracy".into(),
        of: Some(attacked("tri-objective")),
        against: Some(attacked("baseline")),
        verdict,
        why: "The interval is judged against the margin of 0.35.".into(),
        would_decide: (verdict == Verdict::Undecided)
            .then(|| "About 14 seeds at this spread.".into()),
        quantity: quantity(value, half * 0.8),
        judged_by: Ok(Range {
            low: value - half,
            high: value + half,
            level: 0.983,
        }),
        judged_how: "paired t over 3 seeds".into(),
        margin: 0.35,
        side: ClaimSide::Greater,
        test: Ok(TestCard {
            method: "paired t, two-sided".into(),
            statistic: 9.1,
            p: 0.004,
            p_adjusted: 0.012,
            correction: "Holm over 3".into(),
            alpha: 0.05,
            significant: true,
            n: 3,
        }),
        effects: vec![("Cohen's d, sd of differences".into(), Reading::Value(5.2))],
        power: vec!["With 3 seeds the smallest detectable difference is 0.21.".into()],
    }
}

fn image_exhibit(subjects: &[Name], ladders: &[LadderCard]) -> Exhibit {
    let (subject, under) = (
        subjects.first().cloned().unwrap_or_else(|| name("nobody")),
        match ladders.first() {
            Some(ladder) => Under::Rung {
                ladder: ladder.name.clone(),
                severity: ladder.severities.last().unwrap().clone(),
            },
            None => Under::Clean,
        },
    );
    let before: Vec<u8> = (0..64)
        .map(|i| if (i / 8) % 3 == 1 { 230 } else { 20 })
        .collect();
    let after = before
        .iter()
        .enumerate()
        .map(|(i, v)| v.wrapping_add((i * 37 % 25) as u8))
        .collect();
    Exhibit {
        place: Place {
            subject,
            dataset: name("digits"),
            under,
        },
        seed: 42,
        item: "item 117".into(),
        truth: "class 3".into(),
        said_clean: "class 3 (0.97)".into(),
        said_pressed: "class 8 (0.88)".into(),
        sight: Sight::Image {
            shape: [1, 8, 8],
            before,
            after,
        },
    }
}

/// Everything that may go wrong at once.
fn make_awkward(findings: &mut Findings) {
    let long = "a label of three hundred characters ".repeat(9);
    findings.study.name = format!("{HOSTILE} 量化 {long}");
    findings.study.text = HOSTILE.into();
    findings.gauges.push(GaugeCard {
        name: "empty".into(),
        ..findings.gauges[0].clone()
    });
    findings.gauges[0].summary = HOSTILE.into();
    findings.claims[0].sentence = HOSTILE.into();
    findings.claims[1].name = long.clone();
    findings.claims[2].quantity = undefined("no class has both labels");
    findings.claims[2].judged_by = Err("the value is undefined".into());
    findings.claims[2].test = Err("the value is undefined".into());
    for i in (0..findings.estimates.len()).step_by(7) {
        findings.estimates[i].quantity = undefined("no item was answered");
    }
    for curve in findings.curves.iter_mut().step_by(3) {
        curve.points[1].quantity = undefined("no item was answered");
        curve.area = undefined("a rung is undefined");
        curve.shape = Shape::Undefined("a rung is undefined".into());
    }
    for contrast in findings.contrasts.iter_mut().step_by(4) {
        contrast.quantity = undefined("no item was answered");
    }
    let place = findings.estimates[1].place.clone();
    findings.failures.push(FailedCell {
        place: place.clone(),
        seed: 43,
        why: format!("panicked: {HOSTILE}"),
    });
    findings.cells.failed = 1;
    findings.cells.answered -= 1;
    let all = Caveat {
        text: HOSTILE.into(),
        subject: None,
        dataset: None,
        ladder: None,
        gauge: None,
        claim: None,
    };
    findings.caveats.push(Caveat {
        claim: Some("H1.1".into()),
        text: "Beside a claim.".into(),
        ..all.clone()
    });
    findings.caveats.push(Caveat {
        ladder: Some(name("pgd")),
        text: "Beside a ladder.".into(),
        ..all.clone()
    });
    findings.caveats.push(all);
    findings.expectations.push(Expectation {
        place: place.clone(),
        gauge: "accuracy".into(),
        low: 0.45,
        high: 0.5,
        source: "the brief".into(),
    });
    findings.exhibits.push(Exhibit {
        place: place.clone(),
        seed: 42,
        item: "text-7".into(),
        truth: HOSTILE.into(),
        said_clean: HOSTILE.into(),
        said_pressed: "\u{1b}]0;title\u{7}".into(),
        sight: Sight::Text {
            before: format!("画蛇添足 the cat sat {HOSTILE}"),
            after: format!("画足添蛇 the dog sat {HOSTILE}"),
        },
    });
    findings.exhibits.push(Exhibit {
        place,
        seed: 42,
        item: "sem".into(),
        truth: "4 edges".into(),
        said_clean: "4 edges".into(),
        said_pressed: "3 edges".into(),
        sight: Sight::Graph {
            variables: ["x0", "x1", "x2", "x3", "<b>x4</b>"]
                .map(String::from)
                .to_vec(),
            truth: vec![(0, 1), (1, 2), (2, 3), (3, 4)],
            clean: vec![(0, 1), (1, 2), (2, 3), (4, 3)],
            pressed: vec![(0, 1), (2, 1), (0, 4)],
            shares: None,
        },
    });
}
