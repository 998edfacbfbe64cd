//! The parts for scrambled order: what every part must pass, and values worked out by hand. A new
//! part is tested by adding one line.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;
use std::sync::Arc;

use duress_core::answer::{Answers, RatingAnswers, TextAnswers};
use duress_core::data::{Dataset, Inputs, Items, Source, Split, Text};
use duress_core::gauge::{
    Columns, Detail, Gauge, Mean, Meter, Rung, SealedCell, Undefined, Views, detail, open_cell,
};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::place::Under;
use duress_core::question::Question;
use duress_core::rater::{Rater, rate};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor};
use duress_core::subject::{Circumstances, Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::{Sealed, Truth};
use duress_parts::order::{datasets, gauges, raters, stressors, subjects};
use duress_parts::shared;

use crate::built::{cell, gauge};

type Keys<'a> = &'a [(&'a str, Raw)];

const DATASETS: &[(&Part, Keys<'_>)] = &[
    (&datasets::idioms::PART, &[]),
    (&datasets::idioms::PART, &[("unlabelled", Raw::Whole(50))]),
];

const SUBJECTS: &[&Part] = &[&subjects::lookup::PART];

/// Raters, with a key and the words it takes.
const RATERS: &[(&Part, &[(&str, &str)])] = &[
    (&raters::lexical::PART, &[("over", "mean")]),
    (&raters::lexical::PART, &[("over", "max")]),
    (&raters::lexical::PART, &[("tokens", "triples")]),
    (&raters::recovery::PART, &[("how", "mentions")]),
    (&raters::recovery::PART, &[("how", "equals")]),
];

/// Gauges of single cells, with the dimension they read.
const CELL_GAUGES: &[(&Part, &str)] = &[
    (&gauges::recovery_rate::PART, "recovery"),
    (&gauges::s_acc::PART, "s-acc"),
];

const LADDER_GAUGES: &[(&Part, Keys<'_>)] = &[
    (&gauges::mda::PART, &[]),
    (&gauges::mda::PART, ALL_ITEMS),
    (&gauges::mdr::PART, &[]),
    (&gauges::mdr::PART, ALL_ITEMS),
    (&gauges::s_seq::PART, &[]),
    (&gauges::s_seq::PART, ALL_ITEMS),
    (&gauges::worst_per_item::PART, &[]),
];

const SUBJECT_GAUGES: &[(&Part, Keys<'_>)] = &[
    (&gauges::s_rob::PART, &[]),
    (&gauges::s_rob::PART, ALL_ITEMS),
    (&gauges::s_struct::PART, &[]),
];

/// Gauges of groups that need two items in each.
const NET_GAUGES: &[&Part] = &[&gauges::s_struct_net::PART];

const ALL_ITEMS: Keys<'_> = &[("min-s-orig", Raw::Number(0.0))];

pub(crate) fn checked() -> Vec<&'static Part> {
    let with_keys = DATASETS.iter().chain(LADDER_GAUGES).chain(SUBJECT_GAUGES);
    with_keys
        .map(|(part, _)| *part)
        .chain(SUBJECTS.iter().copied())
        .chain([&stressors::arrangement::PART])
        .chain(NET_GAUGES.iter().copied())
        .chain(RATERS.iter().map(|(part, ..)| *part))
        .chain(CELL_GAUGES.iter().map(|(part, _)| *part))
        .collect()
}

#[test]
fn every_part_keeps_the_rules_of_its_kind() {
    for (part, keys) in DATASETS {
        testkit::check_source(dataset(part, keys).as_ref());
    }
    let data = idioms(&[("unlabelled", Raw::Whole(50))]);
    let words = texts(&[
        "one two three four",
        "to be or not to be",
        "four different words here",
    ]);
    let part = &stressors::arrangement::PART;
    let every = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    testkit::check_blind(arrangement(part, &[]).as_ref(), data.test(), &every);
    let of_words = arrangement(part, &[("units", text("words"))]);
    testkit::check_blind(of_words.as_ref(), &words, &[1.0, 6.0]);
    let around = arrangement(part, &[("orders", text("cyclic"))]);
    testkit::check_blind(around.as_ref(), data.test(), &[3.0, 4.0]);
    let sampled = [
        ("units", text("words")),
        ("orders", text("sampled")),
        ("length", Raw::Whole(0)),
    ];
    testkit::check_blind(
        arrangement(part, &sampled).as_ref(),
        &words,
        &[1.0, 3.0, 6.0],
    );
    for part in SUBJECTS {
        testkit::check_subject(lookup(part).as_ref(), data.test(), data.test().items());
    }
    let answers = lookup_answers(data.test().items());
    for (part, keys) in RATERS {
        let Build::Rater(build) = part.build else {
            panic!("{} is no rater", part.name)
        };
        let keys: Vec<(&str, Raw)> = keys.iter().map(|(key, word)| (*key, text(word))).collect();
        let rater = build(&params(part, &keys)).unwrap();
        testkit::check_rater(rater.as_ref(), data.test(), &answers);
    }
    for (part, dimension) in CELL_GAUGES {
        let case = |values: &[f64]| (Truth::Nothing, ratings(dimension, values));
        testkit::check_cell_gauge(
            cell(part, &[]).as_ref(),
            &[case(&[0.0, 1.0, 1.0, 0.0, 1.0])],
            &case(&[1.0, 1.0]),
        );
    }
}

#[test]
fn every_gauge_of_a_ladder_keeps_the_rules() {
    let through = cell(&gauges::s_acc::PART, &[]).scale();
    let case = |rungs: Vec<Rung>| testkit::LadderCase {
        rungs,
        columns: Columns::new(),
    };
    for (part, keys) in LADDER_GAUGES {
        let Gauge::Ladder(gauge) = gauge(part, keys) else {
            panic!("{} reads no ladder", part.name)
        };
        testkit::check_ladder_gauge(
            gauge.as_ref(),
            &through,
            &[case(toy()), case(toy()[..2].to_vec())],
            &case(unharmed()),
        );
    }
}

#[test]
fn every_gauge_of_a_subject_keeps_the_rules() {
    let through = cell(&gauges::s_acc::PART, &[]).scale();
    let case = |rungs: Vec<Rung>| testkit::SubjectCase {
        ladders: vec![(Name::new("scrambled").unwrap(), rungs)],
        columns: groups(&["a", "b", "unlabelled"]),
    };
    for (part, keys) in SUBJECT_GAUGES {
        let Gauge::Subject(gauge) = gauge(part, keys) else {
            panic!("{} reads no subject", part.name)
        };
        testkit::check_subject_gauge(
            gauge.as_ref(),
            &through,
            &[case(toy()), case(toy()[..2].to_vec())],
            &case(unharmed()),
        );
    }
}

/// Six items of two groups, of which the second scores lower; three arrangements.
fn grouped() -> (Vec<Rung>, Columns) {
    let scores = [
        [0.9, 0.8, 0.7, 0.9, 0.8, 0.9],
        [0.6, 0.5, 0.7, 0.2, 0.3, 0.1],
        [0.7, 0.6, 0.6, 0.3, 0.2, 0.2],
        [0.5, 0.6, 0.8, 0.1, 0.3, 0.2],
    ];
    let names = [None, Some("ABDC"), Some("ACBD"), Some("BACD")];
    let rung = |(at, scores): (usize, &[f64; 6])| Rung {
        severity: severity(f64::from(u8::from(at > 0))),
        variant: at.saturating_sub(1),
        name: names[at].map(String::from),
        meter: Arc::new(Mean::over(scores.map(Some).to_vec())) as Arc<dyn Meter>,
    };
    let rungs = scores.iter().enumerate().map(rung).collect();
    (rungs, groups(&["a", "a", "a", "b", "b", "b"]))
}

#[test]
fn the_net_spread_keeps_the_rules_of_its_kind() {
    let through = cell(&gauges::s_acc::PART, &[]).scale();
    let case = |rungs: Vec<Rung>| testkit::SubjectCase {
        ladders: vec![(Name::new("scrambled").unwrap(), rungs)],
        columns: grouped().1,
    };
    let even: Vec<Rung> = grouped()
        .0
        .into_iter()
        .map(|rung| Rung {
            meter: Arc::new(Mean::over(vec![Some(0.5); 6])),
            ..rung
        })
        .collect();
    for part in NET_GAUGES {
        let Gauge::Subject(gauge) = gauge(part, &[]) else {
            panic!("{} reads no subject", part.name)
        };
        let cases = [case(grouped().0), case(grouped().0[..2].to_vec())];
        testkit::check_subject_gauge(gauge.as_ref(), &through, &cases, &case(even.clone()));
    }
}

#[test]
fn arrangements_have_their_degradation_by_name_and_group_and_groups_their_means_beside_chance() {
    let (rungs, columns) = grouped();
    let Gauge::Ladder(mdr) = gauge(&gauges::mdr::PART, &[]) else {
        panic!("a ladder gauge")
    };
    let Some(Detail::Grid(grid)) = mdr.detail(&rungs, &columns) else {
        panic!("a grid")
    };
    assert_eq!(grid.rows, ["ABDC", "ACBD", "BACD"]);
    assert_eq!(grid.columns, ["all", "a", "b"]);
    let value = |row: usize, column: usize| grid.cells[row * 3 + column].value.clone().unwrap();
    // (0.9 - 0.6)/0.9, (0.8 - 0.5)/0.8 and (0.7 - 0.7)/0.7 of group a.
    let of_a = (0.3 / 0.9 + 0.3 / 0.8) / 3.0;
    assert!((value(0, 1) - of_a).abs() < 1e-12, "{}", value(0, 1));
    let all = read_ladder(&gauges::mdr::PART, &[], &rungs, &[1; 6]).unwrap();
    let mean = (value(0, 0) + value(1, 0) + value(2, 0)) / 3.0;
    assert!((all - mean).abs() < 1e-12);
    assert_eq!(grid.cells[1].n, 3);

    let Gauge::Subject(even) = gauge(&gauges::s_struct::PART, &[]) else {
        panic!("a subject gauge")
    };
    let ladders = [(Name::new("scrambled").unwrap(), rungs.clone())];
    let Some(Detail::Spread(spread)) = even.detail(&ladders, &columns) else {
        panic!("a spread")
    };
    let means: Vec<f64> = spread
        .groups
        .iter()
        .map(|group| group.value.clone().unwrap())
        .collect();
    assert!((means[0] - 5.6 / 9.0).abs() < 1e-12 && (means[1] - 1.9 / 9.0).abs() < 1e-12);
    assert!((spread.spread - (means[0] - means[1]) / 2.0).abs() < 1e-12);
    let net = spread.net_spread.unwrap();
    assert!(net < spread.spread && net > 0.1);
    // Of the 20 ways to deal six items to two groups of three, two part them as they are.
    assert!((spread.p - 0.1).abs() < 0.02, "p = {}", spread.p);
    let found = read_subject(&gauges::s_struct::PART, &[], &rungs, &columns, &[1; 6]).unwrap();
    assert!(spread.floor > found, "shuffled groups are more even");

    // Of a group of one item nobody knows how far its mean is off.
    let alone = groups(&["a", "a", "a", "a", "a", "b"]);
    let Some(Detail::Spread(spread)) = even.detail(&ladders, &alone) else {
        panic!("a spread")
    };
    assert_eq!(spread.net_spread, None);
}

/// Scores that no arrangement changes, the same in every group.
fn unharmed() -> Vec<Rung> {
    let rung = |value: f64| Rung {
        severity: severity(value),
        variant: 0,
        name: None,
        meter: Arc::new(Mean::over(vec![Some(0.5); 3])) as Arc<dyn Meter>,
    };
    vec![rung(0.0), rung(1.0), rung(2.0)]
}

#[test]
fn at_least_60_idioms_have_a_structure_in_six_groups_and_all_have_an_explanation() {
    let data = idioms(&[]);
    let structures = &data.test().columns()["structure"];
    let mut groups: Vec<&String> = structures.iter().collect();
    groups.sort();
    groups.dedup();
    let six = [
        "complementary",
        "modifier-head",
        "parallel",
        "serial-verb",
        "subject-predicate",
        "verb-object",
    ];
    assert_eq!(groups, six);
    assert!(structures.len() >= 60);
    let every = six
        .iter()
        .all(|group| structures.iter().filter(|own| own == group).count() >= 30);
    assert!(every, "every group has 30 idioms");
    let all = idioms(&[("unlabelled", Raw::Whole(100))]);
    assert_eq!(all.test().items().len(), data.test().items().len() + 100);
    assert!(
        all.remarks()[0].contains("100 of 341"),
        "{:?}",
        all.remarks()
    );
}

#[test]
fn an_own_file_is_read_and_its_mistakes_are_named_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let load = |table: &str| {
        std::fs::write(folder.path().join("own.csv"), table).unwrap();
        let params = Params::of(
            &datasets::idioms::PART,
            &[("file", text("own.csv"))],
            folder.path(),
        )
        .unwrap();
        let Build::Dataset(build) = datasets::idioms::PART.build else {
            panic!("a dataset")
        };
        build(&params).and_then(|source| source.load(Seed::new(1)))
    };
    let good =
        load("idiom,explanation,structure\n甲乙丙丁, one || two ,parallel\n戊己庚辛,three,\n")
            .unwrap();
    assert_eq!(good.test().items().ids(), ["甲乙丙丁", "戊己庚辛"]);
    assert_eq!(
        good.test().columns()["structure"],
        ["parallel", "unlabelled"]
    );
    let answers = said(&["one", "three"]);
    let Answers::Ratings(rated) = rate(
        lexical("max").as_ref(),
        good.test().items(),
        good.test().truth(),
        &answers,
    )
    .unwrap() else {
        panic!("ratings")
    };
    assert_eq!(
        rated.rating(0, "s-acc"),
        Some(1.0),
        "the best of two references"
    );
    let check = |table: &str, expected: &str| {
        let problem = load(table).unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    check("idiom,meaning\n甲乙丙丁,x\n", "no column `explanation`");
    check("成语,含义\n甲乙丙丁,x\n", "no column `explanation`");
    check("名称,含义\n甲乙丙丁,x\n", "no column `idiom`");
    check("\n\n  \n", "a file without a header has idioms");
    let many_letters = format!("{}\nx\n", "D".repeat(5000));
    let problem = load(&many_letters).unwrap_err().to_string();
    assert!(problem.len() < 500, "{problem}");
    for unexplained in ["idiom\n甲乙丙丁\n", "idiom,structure\n甲乙丙丁,parallel\n"] {
        let dataset = load(unexplained).unwrap();
        assert_eq!(
            dataset.test().columns()["explained"],
            ["no"],
            "{unexplained}"
        );
    }
    let remarks = |table: &str| load(table).unwrap().remarks().join("; ");
    let unseen = remarks("idiom,explanation\n水\u{200b}滴石,x\n画蛇添足,y\n");
    assert!(
        unseen.contains("1 of 2 have a character in them that nobody sees"),
        "{unseen}"
    );
    let codes = remarks("idiom,explanation\n水\u{0}滴石,x\n画蛇添足,y\n");
    assert!(codes.contains("nobody sees"), "{codes}");
    let page = "蛇".repeat(30_000);
    let long = remarks(&format!("idiom,explanation\n{page},x\n画蛇添足,y\n"));
    assert!(long.contains("(30000 characters)"), "{}", long.len());
    assert!(long.len() < 2000, "{}", long.len());
    let odd = remarks("\u{feff}甲乙丙丁,x\n甲乙丙丁 ,y\n戊己庚辛,||\n壬癸,zdic解释\n");
    for told in [
        "there is no header",
        "1 rows repeat an idiom (甲乙丙丁)",
        "1 of 3 are not of four characters",
        "1 of 3 have no explanation",
        "1 of 3 have an explanation that looks like a placeholder (壬癸)",
    ] {
        assert!(odd.contains(told), "{told} in {odd}");
    }
}

/// What the four files of the shipped study hold, counted by another program
/// (`peers/order/run.py`).
#[test]
fn the_files_of_four_languages_are_read_as_they_are_and_told_of() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/order/four-languages");
    let load = |file: &str| {
        let part = &datasets::idioms::PART;
        let params = Params::of(part, &[("file", text(file))], &folder).unwrap();
        let Build::Dataset(build) = part.build else {
            panic!("a dataset")
        };
        build(&params).unwrap().load(Seed::new(1)).unwrap()
    };
    let check = |file: &str, language: &str, items: usize, scrambles: usize, told: &[&str]| {
        let data = load(file);
        let split = data.test();
        assert_eq!(split.items().len(), items, "{file}");
        assert_eq!(split.columns()["language"][0], language);
        let blind = arrangement(&stressors::arrangement::PART, &[]);
        let asked = (1..=6).flat_map(|k| {
            let rung = severity(f64::from(k));
            (0..blind.variants(&rung)).map(move |variant| (rung.clone(), variant))
        });
        let asked: Vec<(Severity, usize)> = asked.collect();
        let distinct = |item: usize| {
            let takes = |(rung, variant): &&(Severity, usize)| {
                blind.takes_part(split.items(), item, rung, *variant)
            };
            asked.iter().filter(takes).count()
        };
        let all: usize = (0..items).map(distinct).sum();
        assert_eq!(all, scrambles, "{file}");
        let remarks = data.remarks().join("; ");
        for told in told {
            assert!(remarks.contains(told), "{told} in {remarks}");
        }
    };
    check(
        "chinese_explanations.csv",
        "simplified-chinese",
        1000,
        21_903,
        &[
            "no header",
            "13 rows repeat",
            "1 of 1000 are not of four",
            "1 of 1000 have no explanation",
            "have two structures there",
        ],
    );
    check(
        "traditional_chinese_explanations.csv",
        "traditional-chinese",
        1554,
        35_028,
        &[
            "looks like a placeholder (一毛不拔)",
            "959 of 1554 have a reference in simplified characters",
        ],
    );
    check(
        "japanese_explanations.csv",
        "japanese",
        465,
        9_946,
        &["82 rows repeat", "465 of 465 have no explanation"],
    );
    check(
        "korean_explanations.csv",
        "korean",
        417,
        8_764,
        &["15 rows repeat", "1 of 417 are not of four"],
    );
}

#[test]
fn recorded_texts_belong_to_items_by_id_and_a_missing_one_has_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("clean.csv"),
        "id,text\n1,two words\n0,\n",
    )
    .unwrap();
    let keys = [("files", text("clean.csv")), ("form", text("texts"))];
    let params = Params::of(&shared::subjects::recorded::PART, &keys, folder.path()).unwrap();
    let Build::Subject(build) = shared::subjects::recorded::PART.build else {
        panic!("a subject")
    };
    let Ok(SubjectPart::Recorded(recording)) = build(&params) else {
        panic!("recorded")
    };
    assert_eq!(recording.answers(), [Question::Text]);
    let at = Circumstances {
        subject: Name::new("mine").unwrap(),
        seed: 1,
        under: Under::Clean,
        variant: None,
    };
    let items = texts(&["a", "b", "c"]).items().clone();
    let Ok(Answers::Texts(found)) = recording.look_up(&at, recording.answers()[0], &items) else {
        panic!("texts")
    };
    assert_eq!(
        found.texts[..2],
        [Ok(String::new()), Ok("two words".into())]
    );
    assert!(
        found.texts[2]
            .as_ref()
            .unwrap_err()
            .why
            .contains("clean.csv")
    );
}

#[test]
fn arrangements_are_variants_and_each_distinct_scramble_is_asked_once() {
    let blind = arrangement(&stressors::arrangement::PART, &[]);
    let counts: Vec<usize> = (1..=6)
        .map(|k| blind.variants(&severity(f64::from(k))))
        .collect();
    assert_eq!(counts, [3, 5, 6, 5, 3, 1]);
    let items = texts(&["ABCD", "ABAC", "AAAA", "ABC"]).items().clone();
    let mut seen: Vec<Vec<String>> = vec![Vec::new(); 4];
    for (k, variants) in (1..=6).zip(counts) {
        let rung = severity(f64::from(k));
        for variant in 0..variants {
            let pressed = Pressed {
                items: &items,
                truth: None,
                variant,
            };
            let pressed = blind.press(pressed, &rung, Seed::new(1)).unwrap();
            for i in (0..4).filter(|&i| blind.takes_part(&items, i, &rung, variant)) {
                seen[i].push(pressed.texts().unwrap()[i].text.clone());
            }
        }
    }
    assert_eq!(
        seen.iter().map(Vec::len).collect::<Vec<_>>(),
        [23, 11, 0, 0]
    );
    assert_eq!(seen[0][..3], ["ABDC", "ACBD", "BACD"]);
    assert_eq!(seen[0][22], "DCBA");
    for (scrambles, original) in seen.iter_mut().zip(["ABCD", "ABAC", "AAAA", "ABC"]) {
        let all = scrambles.len();
        assert!(!scrambles.iter().any(|text| text == original));
        scrambles.sort();
        scrambles.dedup();
        assert_eq!(scrambles.len(), all, "{original}");
    }
    let half = blind.press(
        Pressed {
            items: &items,
            truth: None,
            variant: 0,
        },
        &severity(1.5),
        Seed::new(1),
    );
    assert!(half.unwrap_err().why.contains("are 1, 2, 3, 4, 5, 6"));
}

#[test]
fn the_reader_is_right_in_order_and_says_nothing_where_no_pair_is_known() {
    let data = idioms(&[]);
    let score = |answers: &Answers| {
        let rated = rate(
            lexical("mean").as_ref(),
            data.test().items(),
            data.test().truth(),
            answers,
        )
        .unwrap();
        let meter = open_cell(
            cell(&gauges::s_acc::PART, &[]).as_ref(),
            data.test().truth(),
            &rated,
        )
        .unwrap();
        meter.plain().unwrap()
    };
    assert!((score(&lookup_answers(data.test().items())) - 1.0).abs() < 1e-12);
    assert_eq!(lookup_answers(texts(&["ABCD"]).items()), said(&[""]));
}

#[test]
fn an_order_is_recovered_letter_for_letter_or_not_at_all() {
    let words = texts(&[
        "one two three",
        "one two three",
        "one two three",
        "one two three",
    ]);
    let said = [
        "it was: one two three.",
        " one two three ",
        "one three two",
        "",
    ];
    let answers = Answers::Texts(TextAnswers {
        texts: said.map(|said| Ok(said.into())).into(),
    });
    let rates = |how: &str| {
        let rated = rate(
            recovery(how).as_ref(),
            words.items(),
            words.truth(),
            &answers,
        )
        .unwrap();
        let meter = open_cell(
            cell(&gauges::recovery_rate::PART, &[]).as_ref(),
            words.truth(),
            &rated,
        )
        .unwrap();
        meter.plain().unwrap()
    };
    assert_eq!(rates("mentions"), 0.5);
    assert_eq!(rates("equals"), 0.25);
    let other = rate(
        lexical("mean").as_ref(),
        words.items(),
        words.truth(),
        &answers,
    );
    assert!(other.is_err(), "these have no references");
}

#[test]
fn the_components_of_s_acc_that_are_missing_are_named() {
    let rows = vec![Ok(vec![0.5, 1.0, 0.7])];
    let names = ["lexical-cosine", "f2", "s-acc"].map(String::from).to_vec();
    let answers = Answers::Ratings(RatingAnswers::new(names, rows));
    let gauge = cell(&gauges::s_acc::PART, &[]);
    let Some(Detail::Groups(groups)) = detail(
        gauge.as_ref(),
        SealedCell::new(&Sealed::new(Truth::Nothing), &answers, &Views::default()),
    ) else {
        panic!("its components")
    };
    let there: Vec<(&str, bool)> = groups
        .iter()
        .map(|group| (group.name.as_str(), group.value.is_ok()))
        .collect();
    let missing = ["cross-encoder", "token-match", "embedding-cosine"].map(|name| (name, false));
    assert_eq!(
        there,
        [
            missing.as_slice(),
            &[("lexical-cosine", true), ("f2", true)]
        ]
        .concat()
    );
    let other = cell(&gauges::s_acc::PART, &[("dimension", text("quality"))]);
    let why = open_cell(other.as_ref(), &Sealed::new(Truth::Nothing), &answers)
        .err()
        .unwrap()
        .why;
    assert!(why.contains("lexical-cosine, f2, s-acc"), "{why}");
}

/// Three items, two arrangements. Item 2 takes no part in the second; item 3 scores .04 without
/// stress and is left out of ratios.
fn toy() -> Vec<Rung> {
    let rung = |value: f64, variant, scores: [Option<f64>; 3]| Rung {
        severity: severity(value),
        variant,
        name: None,
        meter: Arc::new(Mean::over(scores.to_vec())) as Arc<dyn Meter>,
    };
    vec![
        rung(0.0, 0, [Some(0.8), Some(0.5), Some(0.04)]),
        rung(1.0, 0, [Some(0.4), Some(0.6), Some(0.04)]),
        rung(2.0, 0, [Some(0.2), None, Some(0.0)]),
    ]
}

#[test]
fn what_chance_alone_makes_worse_is_known_to_count_it() {
    let counts = |part| gauge(part, &[]).counts_noise();
    assert!(counts(&gauges::mda::PART) && counts(&gauges::s_seq::PART));
    assert!(counts(&gauges::s_struct::PART) && counts(&gauges::s_rob::PART));
    assert!(!counts(&gauges::mdr::PART) && !counts(&gauges::s_struct_net::PART));
}

#[test]
fn mdr_mda_and_s_seq_agree_with_a_table_worked_out_by_hand() {
    // d(1) = mean(0.5, −0.2) = 0.15; d(2) = 0.75.
    let close = |part: &'static Part, keys: Keys<'_>, expected: f64| {
        let value = read_ladder(part, keys, &toy(), &[1, 1, 1]).unwrap();
        assert!(
            (value - expected).abs() < 1e-12,
            "{} {keys:?}: {value}",
            part.name
        );
    };
    close(&gauges::mdr::PART, &[], 0.45);
    close(&gauges::mda::PART, &[], 0.75);
    close(&gauges::s_seq::PART, &[], 1.0 - (0.225 + 0.375));
    // Each item's own worst: 0.75 and −0.2.
    close(&gauges::worst_per_item::PART, &[], 0.275);
    // With the third item: d(1) = mean(0.5, −0.2, 0) = 0.1; d(2) = mean(0.75, 1) = 0.875.
    close(
        &gauges::mdr::PART,
        &[("min-s-orig", Raw::Number(0.0))],
        0.4875,
    );
    // Ratio of means: d(1) = 0.3 / 1.34; d(2) = 0.64 / 0.84.
    close(
        &gauges::mdr::PART,
        &[("ratio", text("ratio-of-means"))],
        (0.3 / 1.34 + 0.64 / 0.84) / 2.0,
    );
    let twice = read_ladder(&gauges::mdr::PART, &[], &toy(), &[2, 1, 1]).unwrap();
    assert!(
        (twice - ((1.0 - 0.2) / 3.0 + 0.75) / 2.0).abs() < 1e-12,
        "weights count items: {twice}"
    );
}

#[test]
fn s_struct_and_s_rob_agree_with_a_table_worked_out_by_hand() {
    let columns = groups(&["a", "b", "unlabelled"]);
    let read = |part: &'static Part, keys: Keys<'_>| {
        read_subject(part, keys, &toy(), &columns, &[1, 1, 1]).unwrap()
    };
    // Group a: mean(0.4, 0.2) = 0.3; group b: 0.6; σ = 0.15.
    assert!((read(&gauges::s_struct::PART, &[]) - 0.7).abs() < 1e-12);
    assert!((read(&gauges::s_struct::PART, &[("normalize", text("range"))]) - 0.5).abs() < 1e-12);
    // S_seq = 0.4, S_struct = 0.7.
    assert!((read(&gauges::s_rob::PART, &[]) - 2.0 * 0.4 * 0.7 / 1.1).abs() < 1e-12);
    // With the third group: means 0.3, 0.6 and 0.02.
    let all = read(
        &gauges::s_struct::PART,
        &[("except", Raw::List(Vec::new()))],
    );
    let centre = 0.92 / 3.0;
    let spread =
        ((0.3_f64 - centre).powi(2) + (0.6 - centre).powi(2) + (0.02 - centre).powi(2)) / 3.0;
    assert!((all - (1.0 - spread.sqrt() / 0.5)).abs() < 1e-12, "{all}");
}

#[test]
fn the_range_form_of_s_struct_says_little_whatever_the_spread() {
    let six: Vec<String> = (0..6).map(|group| group.to_string()).collect();
    let columns = groups(&six.iter().map(String::as_str).collect::<Vec<_>>());
    let mut draws = Seed::new(9).draws();
    for _ in 0..500 {
        let width = draws.uniform();
        let scores: Vec<Option<f64>> = (0..6).map(|_| Some(width * draws.uniform())).collect();
        let rung = |value: f64| Rung {
            severity: severity(value),
            variant: 0,
            name: None,
            meter: Arc::new(Mean::over(scores.clone())) as Arc<dyn Meter>,
        };
        let keys = [("normalize", text("range"))];
        let value = read_subject(
            &gauges::s_struct::PART,
            &keys,
            &[rung(0.0), rung(1.0)],
            &columns,
            &[1; 6],
        )
        .unwrap();
        // σ is at least √2/√24 of the range (four groups in the middle) and at most half of it.
        assert!((0.5 - 1e-12..=0.711_325).contains(&value), "{value}");
    }
}

#[test]
fn what_cannot_be_computed_is_undefined_with_a_reason() {
    let why = |read: Result<f64, Undefined>, expected: &str| {
        let why = read.unwrap_err().why;
        assert!(why.contains(expected), "{why}");
    };
    let pressed: Vec<Rung> = toy().into_iter().skip(1).collect();
    why(
        read_ladder(&gauges::mdr::PART, &[], &pressed, &[1; 3]),
        "S_orig is not known",
    );
    why(
        read_ladder(&gauges::mdr::PART, &[], &toy()[..1], &[1; 3]),
        "no rung but the clean one",
    );
    why(
        read_ladder(
            &gauges::mdr::PART,
            &[("min-s-orig", Raw::Number(0.9))],
            &toy(),
            &[1; 3],
        ),
        "no item has a score",
    );
    why(
        read_ladder(&gauges::s_seq::PART, &[], &toy(), &[0; 3]),
        "no item takes part",
    );
    let columns = groups(&["a", "a", "unlabelled"]);
    why(
        read_subject(&gauges::s_struct::PART, &[], &toy(), &columns, &[1; 3]),
        "1 group",
    );
    why(
        read_subject(
            &gauges::s_struct::PART,
            &[("column", text("x"))],
            &toy(),
            &columns,
            &[1; 3],
        ),
        "there is: structure",
    );
    let two = groups(&["a", "b", "unlabelled"]);
    why(
        read_subject(&gauges::s_rob::PART, &[], &toy(), &two, &[0, 1, 1]),
        "takes part",
    );
    why(
        read_subject(
            &gauges::s_rob::PART,
            &[("ladder", text("x"))],
            &toy(),
            &two,
            &[1; 3],
        ),
        "no ladder `x`",
    );
}

fn read_ladder(
    part: &'static Part,
    keys: Keys<'_>,
    rungs: &[Rung],
    weights: &[u32],
) -> Result<f64, Undefined> {
    match gauge(part, keys) {
        Gauge::Ladder(gauge) => gauge.open(rungs, &Columns::new())?.read(weights),
        _ => panic!("{} reads a ladder", part.name),
    }
}

fn read_subject(
    part: &'static Part,
    keys: Keys<'_>,
    rungs: &[Rung],
    columns: &Columns,
    weights: &[u32],
) -> Result<f64, Undefined> {
    match gauge(part, keys) {
        Gauge::Subject(gauge) => gauge
            .open(
                &[(Name::new("scrambled").unwrap(), rungs.to_vec())],
                columns,
            )?
            .read(weights),
        _ => panic!("{} reads a subject", part.name),
    }
}

#[test]
fn chinese_words_need_a_segmenter_or_a_list() {
    let Build::Rater(build) = raters::lexical::PART.build else {
        panic!("a rater")
    };
    let built = build(&params(
        &raters::lexical::PART,
        &[("tokens", text("jieba"))],
    ));
    #[cfg(feature = "jieba")]
    testkit::check_rater(
        built.unwrap().as_ref(),
        idioms(&[]).test(),
        &lookup_answers(idioms(&[]).test().items()),
    );
    #[cfg(not(feature = "jieba"))]
    assert!(
        built
            .err()
            .unwrap()
            .to_string()
            .contains("has no segmenter")
    );
}

fn groups(values: &[&str]) -> Columns {
    [(
        "structure".to_string(),
        values.iter().map(ToString::to_string).collect(),
    )]
    .into()
}

fn ratings(dimension: &str, values: &[f64]) -> Answers {
    let rows = values.iter().map(|value| Ok(vec![*value])).collect();
    Answers::Ratings(RatingAnswers::new(vec![dimension.into()], rows))
}

fn said(texts: &[&str]) -> Answers {
    Answers::Texts(TextAnswers {
        texts: texts.iter().map(|text| Ok((*text).into())).collect(),
    })
}

fn texts(texts: &[&str]) -> Split {
    let ids = (0..texts.len()).map(|i| i.to_string()).collect();
    let items = Items::new(
        ids,
        Inputs::Texts(texts.iter().map(|text| Text::new(*text)).collect()),
    )
    .unwrap();
    Split::new(items, Truth::Nothing).unwrap()
}

fn severity(value: f64) -> Severity {
    Severity::new(value).unwrap()
}

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn lookup_answers(items: &Items) -> Answers {
    let split = Split::new(items.clone(), Truth::Nothing).unwrap();
    fit(
        lookup(&subjects::lookup::PART).as_ref(),
        &split,
        Seed::new(1),
    )
    .unwrap()
    .answer(Question::Text, items)
    .unwrap()
}

fn params(part: &Part, keys: Keys<'_>) -> Params {
    Params::of(part, keys, Path::new(""))
        .unwrap_or_else(|problems| panic!("{}: {problems:?}", part.name))
}

fn dataset(part: &Part, keys: Keys<'_>) -> Box<dyn Source> {
    let Build::Dataset(build) = part.build else {
        panic!("{} is no dataset", part.name)
    };
    build(&params(part, keys)).unwrap()
}

fn idioms(keys: Keys<'_>) -> Dataset {
    let source = dataset(&datasets::idioms::PART, keys);
    source.load(Seed::new(1)).unwrap()
}

fn arrangement(part: &Part, keys: Keys<'_>) -> Box<dyn Blind> {
    let Build::Stressor(build) = part.build else {
        panic!("{} is no stressor", part.name)
    };
    match build(&params(part, keys)).unwrap() {
        Stressor::Blind(blind) => blind,
        _ => panic!("it is blind"),
    }
}

fn lookup(part: &Part) -> Box<dyn Subject> {
    let Build::Subject(build) = part.build else {
        panic!("{} is no subject", part.name)
    };
    match build(&params(part, &[])).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("it is asked here"),
    }
}

fn recovery(how: &str) -> Box<dyn Rater> {
    let Build::Rater(build) = raters::recovery::PART.build else {
        panic!("a rater")
    };
    build(&params(&raters::recovery::PART, &[("how", text(how))])).unwrap()
}

fn lexical(over: &str) -> Box<dyn Rater> {
    let Build::Rater(build) = raters::lexical::PART.build else {
        panic!("a rater")
    };
    build(&params(&raters::lexical::PART, &[("over", text(over))])).unwrap()
}
