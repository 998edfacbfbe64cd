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
use duress_core::subject::{Failure, FailureKind};
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
    let interval = Range {
        low: value - half,
        high: value + half,
        level: 0.95,
    };
    let method = IntervalMethod::Percentile { resamples: 2000 };
    Quantity::new(Reading::Value(value), Ok(interval))
        .of(360, 3)
        .by(items_and_seeds(), method)
}

fn items_and_seeds() -> Resampled {
    Resampled::Crossed {
        items: 360,
        seeds: 3,
    }
}

fn undefined(why: &str) -> Quantity {
    let mut quantity = quantity(0.0, 0.0);
    quantity.value = Reading::Undefined(AbsenceReason::gauge(why));
    quantity.interval = Err(AbsenceReason::gauge(why));
    quantity
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
        scope: Scope::Cell,
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
        floor: None,
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
    let quantity = quantity(value, 0.02 + 0.02 * chance(&[g, s]));
    let mut estimate = Estimate::new(gauge, place, quantity);
    estimate.by_seed = (0..3)
        .map(|r| {
            (
                42 + r as u64,
                Reading::Value(value + 0.02 * (r as f64 - 1.0)),
            )
        })
        .collect();
    estimate.details = detail(g, s)
        .filter(|_| clean)
        .map(|detail| (42, detail))
        .into_iter()
        .collect();
    estimate
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
    let mut curve = Curve::new(gauge, subject, dataset, &ladder.name);
    curve.area = quantity(value_of(g, s, l, 2), 0.015);
    curve.break_point = if s % 3 == 2 {
        Err(NoBreak::Nowhere)
    } else {
        Ok(ladder.severities[1].clone())
    };
    curve.shape = match s % 3 {
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
    };
    curve.monotonicity = Reading::Value(1.0);
    curve.points = points;
    curve
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
        .map(|(i, under)| {
            let difference = quantity(0.3 * (chance(&[g, s, i, 5]) - 0.4), 0.05);
            Contrast::new(
                gauge,
                place(subject, &under),
                place(first, &under),
                difference,
            )
        })
        .collect()
}

fn frame(size: Size, subjects: &[Name], ladders: &[LadderCard], gauges: &[GaugeCard]) -> Findings {
    let cells = subjects.len() * 3 * (1 + ladders.len() * size.rungs.saturating_sub(1));
    let mut study = StudyCard::new("quickstart", Units::ItemsAndSeeds, 0.95);
    study.hash = "b3:7f3a9c2e5d1b4f60".into();
    study.text =
        "name = \"quickstart\"\nseeds = [42, 43, 44]\n\n[dataset.digits]\nuse = \"digits\"\n"
            .into();
    study.seeds = vec![42, 43, 44];
    study.power = vec!["With 3 seeds a paired sign test cannot reach p < 0.25.".into()];
    let mut made = Made::new("0.1.0", "linux x86_64, avx512");
    made.parts = vec!["dataset digits v1".into(), "stressor pgd v1".into()];
    let mut findings = Findings::new(study, made);
    findings.datasets = vec![DatasetCard {
        name: name("digits"),
        source: "digits".into(),
        base: None,
        held_out: None,
        fingerprints: vec!["b3:11aa22bb".into()],
        fit_items: 1437,
        test_items: 360,
        remarks: vec!["Split by content hash; no item is in both halves.".into()],
    }];
    findings.subjects = subjects
        .iter()
        .map(|subject| SubjectCard {
            name: subject.clone(),
            part: "trained".into(),
            on: name("digits"),
            reproducible: true,
            answers: vec![AnswersRead::Probabilities],
        })
        .collect();
    findings.ladders = ladders.to_vec();
    findings.gauges = gauges.to_vec();
    findings.cells = CellCount {
        planned: cells,
        answered: cells,
        failed: 0,
    };
    findings.claims = vec![
        claim("H1.1", Verdict::Upheld, 0.42, 0.06),
        claim("H1.2", Verdict::Undecided, 0.31, 0.15),
        claim("H1.3", Verdict::Refuted, -0.02, 0.04),
    ];
    findings.levels = vec![Level {
        name: "chance".into(),
        gauge: "accuracy".into(),
        dataset: None,
        value: 0.1,
    }];
    findings.efforts = subjects
        .iter()
        .take(1)
        .map(|subject| Effort {
            place: attacked(subject.as_str()),
            items: 1200,
            queries: 12.4,
            gradients: 11.25,
            most: 34,
        })
        .collect();
    findings.caveats = vec![Caveat::new(
        About::Gauge("accuracy".into()),
        Doubt::Told {
            what: "Three seeds: intervals over seeds are wide and the percentile bootstrap is too narrow for them.".into(),
        },
    )];
    findings.exhibits = vec![image_exhibit(subjects, ladders)];
    findings
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
    let mut claim = ClaimFinding::new(title, "H1", ClaimSide::Greater, 0.35);
    claim.sentence =
        "At pgd 8/255 the accuracy of tri-objective exceeds that of baseline by more than 0.35."
            .into();
    claim.gauge = "accuracy".into();
    claim.of = Some(attacked("tri-objective"));
    claim.against = Some(attacked("baseline"));
    claim.verdict = verdict;
    claim.why = "The interval is judged against the margin of 0.35.".into();
    claim.would_decide =
        (verdict == Verdict::Undecided).then(|| "About 14 seeds at this spread.".into());
    claim.quantity = quantity(value, half * 0.8);
    claim.judged_by = Ok(Range {
        low: value - half,
        high: value + half,
        level: 0.983,
    });
    claim.judged_how = Some(JudgingMethod::PairedT {
        n: 3,
        unit: Units::Seeds,
    });
    let mut test = TestCard::new(TestMethod::PairedT, (9.1, 0.004), 3, 0.05, "H1");
    test.correct(0.012, Correction::Holm, 3);
    claim.test = Ok(test);
    claim.effects = vec![("Cohen's d, sd of differences".into(), Reading::Value(5.2))];
    claim.power = vec!["With 3 seeds the smallest detectable difference is 0.21.".into()];
    claim
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
            maps: vec![MapPair {
                asked: "map by integrated-gradients towards clean-answer, 50 samples".into(),
                height: 8,
                width: 8,
                before: (-64..64).step_by(2).collect(),
                after: (-64..64).rev().step_by(2).collect(),
            }],
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
    findings.claims[2].judged_by = Err(AbsenceReason::gauge("the value is undefined"));
    findings.claims[2].test = Err(AbsenceReason::gauge("the value is undefined"));
    for i in (0..findings.estimates.len()).step_by(7) {
        findings.estimates[i].quantity = undefined("no item was answered");
    }
    for curve in findings.curves.iter_mut().step_by(3) {
        curve.points[1].quantity = undefined("no item was answered");
        curve.area = undefined("a rung is undefined");
        curve.shape = Shape::Undefined(AbsenceReason::gauge("a rung is undefined"));
    }
    for contrast in findings.contrasts.iter_mut().step_by(4) {
        contrast.quantity = undefined("no item was answered");
    }
    let place = findings.estimates[1].place.clone();
    findings.failures.push(FailedCell {
        place: place.clone(),
        seed: 43,
        variant: None,
        failure: Failure::new(FailureKind::Crashed, HOSTILE),
    });
    findings.cells.failed = 1;
    findings.cells.answered -= 1;
    let told = |about, what: &str| Caveat::new(about, Doubt::Told { what: what.into() });
    findings
        .caveats
        .push(told(About::Claim("H1.1".into()), "Beside a claim."));
    let pgd = Under::Ladder(name("pgd"));
    findings
        .caveats
        .push(told(About::Stress(pgd), "Beside a ladder."));
    findings.caveats.push(told(About::Study, HOSTILE));
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
