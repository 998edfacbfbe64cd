//! Dosed noise in texts: what every kind of it must pass, and what each does to a text.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;

use duress_core::data::{Inputs, Items, Split, Text};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor, edit_distance, realised};
use duress_core::testkit;
use duress_core::truth::Truth;
use duress_parts::order::stressors;

/// Kinds of noise, with a text each of them can change.
const NOISES: &[(&Part, &str)] = &[
    (
        &stressors::chinese_form::PART,
        "万马奔腾，掩耳盜鈴，鱼目混珠",
    ),
    (&stressors::homoglyph::PART, "copy the exact phrase, Peter"),
    (&stressors::jamo::PART, "작심삼일 천고마비 어부지리"),
    (&stressors::keyboard::PART, "Strike the right Key, please"),
    (
        &stressors::letter_case::PART,
        "Small and LARGE letters alike",
    ),
    (&stressors::look_alike::PART, "己未土日人大天干刀午王"),
    (&stressors::ocr::PART, "morning clouds 2015 return lightly"),
    (
        &stressors::punctuation::PART,
        "One, two; three: four. Five! 六，七。",
    ),
    (
        &stressors::spacing::PART,
        "words with gaps between all of them",
    ),
    (
        &stressors::typo::PART,
        "several longer words stand here today",
    ),
    (&stressors::width::PART, "ABC 123 カタカナ ｶﾅ"),
    (
        &stressors::word_drop::PART,
        "one two three four five six seven",
    ),
    (
        &stressors::word_swap::PART,
        "one two three four five six seven",
    ),
    (&stressors::zero_width::PART, "nobody sees 123"),
];

pub(crate) fn checked() -> Vec<&'static Part> {
    let noises = NOISES.iter().map(|(part, _)| *part);
    noises.chain([&stressors::instruction::PART]).collect()
}

#[test]
fn every_kind_of_noise_keeps_the_rules_and_goes_on_from_where_it_stopped() {
    for (part, text) in NOISES {
        let blind = built(part, &[]);
        let split = texts(&[text, &format!("{text} {text}"), "—"]);
        testkit::check_blind(blind.as_ref(), &split, &[0.1, 0.3, 0.6, 1.0]);
        let mut before = 0;
        for severity in [0.1, 0.3, 0.6, 1.0] {
            let pressed = press(blind.as_ref(), &split, severity);
            let edits = edit_distance(text, &pressed);
            assert!(edits >= before, "{} at {severity}: {pressed}", part.name);
            before = edits;
        }
        assert!(before > 0, "{} changes {text}", part.name);
        let rung = Severity::new(1.0).unwrap();
        assert!(
            !blind.takes_part(split.items(), 2, &rung, 0),
            "{}",
            part.name
        );
    }
}

#[test]
fn what_a_press_came_to_is_told_in_edits() {
    let split = texts(&["one two three four five six seven", "—"]);
    let blind = built(&stressors::keyboard::PART, &[]);
    let pressed = Pressed {
        items: split.items(),
        truth: None,
        variant: 0,
    };
    let rung = Severity::new(0.2).unwrap();
    let after = blind.press(pressed, &rung, Seed::new(3)).unwrap();
    let found = realised(split.items(), &after).unwrap();
    // 27 letters, of which a fifth are struck wrong: six.
    assert_eq!((found.changed, found.edits), (0.5, Some(6.0)));
}

#[test]
fn noise_does_to_a_text_what_it_is_called_after() {
    let check = |part: &Part, text: &str, expected: &str| {
        let split = texts(&[text]);
        assert_eq!(
            press(built(part, &[]).as_ref(), &split, 1.0),
            expected,
            "{}",
            part.name
        );
    };
    check(&stressors::chinese_form::PART, "马到成功", "馬到成功");
    check(&stressors::jamo::PART, "한국어 a", "ㅎㅏㄴㄱㅜㄱㅇㅓ a");
    check(&stressors::width::PART, "A1 ア", "Ａ１ ｱ");
    check(&stressors::letter_case::PART, "Aß b", "aß B");
    check(&stressors::look_alike::PART, "未来", "末来");
    check(&stressors::ocr::PART, "modern", "rnoclcm");
    check(
        &stressors::word_swap::PART,
        "one two  three",
        "two one  three",
    );
    let left = press(
        built(&stressors::word_drop::PART, &[]).as_ref(),
        &texts(&["one two three"]),
        1.0,
    );
    assert_eq!(left.split_whitespace().count(), 1, "one word stays");
}

#[test]
fn paraphrases_stand_beside_the_text_and_press_equally_hard() {
    let words = ["Explain it.", "What does it mean?"]
        .map(String::from)
        .to_vec();
    let blind = built(
        &stressors::instruction::PART,
        &[(
            "instructions",
            Raw::List(words.iter().cloned().map(Raw::Text).collect()),
        )],
    );
    let split = texts(&["一心一意", "水滴石穿"]);
    testkit::check_blind(blind.as_ref(), &split, &[1.0]);
    let rung = Severity::new(1.0).unwrap();
    assert_eq!(blind.variants(&rung), 2);
    let pressed = Pressed {
        items: split.items(),
        truth: None,
        variant: 1,
    };
    let after = blind.press(pressed, &rung, Seed::new(1)).unwrap();
    let first = &after.texts().unwrap()[0];
    assert_eq!(
        (first.text.as_str(), first.beside("instruction")),
        ("一心一意", Some(words[1].as_str()))
    );
    let half = Severity::new(0.5).unwrap();
    assert!(blind.press(pressed, &half, Seed::new(1)).is_err());
}

fn press(blind: &dyn Blind, split: &Split, severity: f64) -> String {
    let pressed = Pressed {
        items: split.items(),
        truth: None,
        variant: 0,
    };
    let rung = Severity::new(severity).unwrap();
    let after = blind.press(pressed, &rung, Seed::new(7)).unwrap();
    after.texts().unwrap()[0].text.clone()
}

fn texts(texts: &[&str]) -> Split {
    let ids = (0..texts.len()).map(|i| i.to_string()).collect();
    let texts = texts.iter().map(|text| Text::new(*text)).collect();
    let items = Items::new(ids, Inputs::Texts(texts)).unwrap();
    Split::new(items, Truth::Nothing).unwrap()
}

fn built(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Blind> {
    let Build::Stressor(build) = part.build else {
        panic!("{} is no stressor", part.name)
    };
    let params = Params::of(part, keys, Path::new("")).unwrap();
    match build(&params).unwrap() {
        Stressor::Blind(blind) => blind,
        _ => panic!("it is blind"),
    }
}
