//! Networks for classifiers: what they learn, their checkpoints, and keys that contradict each other.

use super::*;

#[test]
fn digits_are_the_same_for_every_seed_and_a_larger_share_keeps_the_smaller() {
    let ids = |share: f64| {
        let loaded = load(&[("fit-share", Raw::Number(share))], 1);
        loaded.fit().unwrap().items().ids().to_vec()
    };
    let (half, most) = (ids(0.5), ids(0.9));
    assert!(half.iter().all(|id| most.contains(id)));
    assert_eq!(load(&[], 1).test(), load(&[], 2).test());
    assert_eq!(
        DIGITS.fit().unwrap().items().len() + DIGITS.test().items().len(),
        1797
    );
    assert_eq!(
        DIGITS.test().columns()["class"].len(),
        DIGITS.test().items().len()
    );
}

#[test]
fn trained_networks_read_digits_they_have_not_seen() {
    let check = |keys: &[(&str, Raw)], least: f64| {
        let fitted = fit_on_digits(keys, 7);
        let right = accuracy(fitted.as_ref(), &DIGITS, DIGITS.test().items());
        assert!(right > least, "{keys:?}: {right}");
    };
    check(&[], 0.95);
    check(&[("network", text("linear"))], 0.9);
    check(&[("validation", Raw::Number(0.2))], 0.95);
    check(
        &[("network", text("residual")), ("epochs", Raw::Whole(10))],
        0.95,
    );
}

#[test]
fn a_network_taught_under_attack_withstands_more_of_it() {
    let robust = |keys: &[(&str, Raw)]| {
        let fitted = fit_on_digits(keys, 7);
        let pgd = attack(&stressors::pgd::PART, &[]);
        let severity = [Severity::parse("16/255").unwrap()];
        let climbed = climb(
            pgd.as_ref(),
            fitted.as_ref(),
            DIGITS.test(),
            &severity,
            Seed::new(1),
        );
        accuracy(fitted.as_ref(), &DIGITS, &climbed.unwrap().rungs[0])
    };
    let (plain, taught) = (robust(&[]), robust(&[("adversarial", text("16/255"))]));
    assert!(taught > plain + 0.05, "{taught} {plain}");
}

#[test]
fn a_checkpoint_answers_with_the_same_bits_and_hostile_bytes_are_refused() {
    let trained = subject(&subjects::trained::PART, &[]);
    let checkpoint = MLP.checkpoint();
    let restored = trained.restore(&checkpoint).unwrap();
    assert_eq!(restored.checkpoint(), checkpoint);
    let items = DIGITS.test().items();
    assert_eq!(
        restored.answer(Question::Classes, items),
        MLP.answer(Question::Classes, items)
    );
    for hostile in hostile_checkpoints(&checkpoint) {
        let shown = String::from_utf8_lossy(&hostile[..hostile.len().min(200)]).into_owned();
        match trained.restore(&hostile) {
            Ok(_) => panic!("restored from {shown}"),
            Err(failure) => assert_eq!(failure.kind, FailureKind::Unable, "{shown}: {failure}"),
        }
    }
}

fn hostile_checkpoints(sound: &[u8]) -> Vec<Vec<u8>> {
    let sound_text = String::from_utf8(sound.to_vec()).unwrap();
    let mut hostile: Vec<Vec<u8>> = vec![
        vec![],
        vec![0xff; 64],
        b"null".to_vec(),
        "[".repeat(100_000).into_bytes(),
        sound_text
            .replacen("[1,8,8]", "[18446744073709551615,8,8]", 1)
            .into_bytes(),
        sound_text
            .replacen("[1,8,8]", "[4294967296,4294967296,1]", 1)
            .into_bytes(),
        sound_text.replacen("[1,8,8]", "[1,8,9]", 1).into_bytes(),
        sound_text
            .replacen("\"outputs\":64", "\"outputs\":9223372036854775807", 1)
            .into_bytes(),
        sound_text
            .replacen("\"weights\":[", "\"weights\":[1e39,", 1)
            .into_bytes(),
        sound_text
            .replacen("\"weights\":[", "\"weights\":[null,", 1)
            .into_bytes(),
    ];
    hostile.extend([1, sound.len() / 2, sound.len() - 1].map(|length| sound[..length].to_vec()));
    hostile
}

#[test]
fn what_a_subject_cannot_do_is_a_failure_that_says_so() {
    let images = Images::new([1, 2, 2], vec![0.5; 4]).unwrap();
    let other = Items::new(vec!["x".into()], Inputs::Images(images)).unwrap();
    let check = |answer: Result<Answers, Failure>, expected: &str| {
        let failure = answer.unwrap_err();
        assert!(failure.why.contains(expected), "{failure}");
    };
    check(MLP.answer(Question::Classes, &other), "images of [1, 2, 2]");
    check(
        MLP.answer(Question::Graph, DIGITS.test().items()),
        "asked for graph",
    );
    // A decay that overshoots zero a hundredfold at every step.
    let tenfold = |key| (key, Raw::Number(10.0));
    let wild = [
        ("optimiser", text("sgd")),
        tenfold("learning-rate"),
        tenfold("weight-decay"),
    ];
    let wild = subject(&subjects::trained::PART, &wild);
    let failure = fit(wild.as_ref(), DIGITS.fit().unwrap(), Seed::new(1))
        .err()
        .unwrap();
    assert!(failure.why.contains("diverged"), "{failure}");
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let check = |part: &'static Part, keys: &[(&str, Raw)], expected: &str| {
        let params = params(part, keys);
        let problem = match &part.build {
            Build::Subject(build) => build(&params).err(),
            Build::Stressor(build) => build(&params).err(),
            _ => None,
        };
        let problem = problem.unwrap().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    let hidden = |widths: &[i64]| {
        (
            "hidden",
            Raw::List(widths.iter().map(|&w| Raw::Whole(w)).collect()),
        )
    };
    check(
        &subjects::trained::PART,
        &[("network", text("linear")), hidden(&[5])],
        "in a linear network",
    );
    check(
        &subjects::trained::PART,
        &[hidden(&[])],
        "at least one hidden layer",
    );
    let trained = &subjects::trained::PART;
    let objective = |word: &str| ("objective", text(word));
    let reach = ("adversarial", Raw::Number(0.1));
    let beta = ("beta", Raw::Number(2.0));
    check(trained, &[objective("trades")], "without `adversarial`");
    check(
        trained,
        &[objective("baseline"), reach.clone()],
        "one or the other",
    );
    check(
        trained,
        std::slice::from_ref(&beta),
        "`objective = \"trades\"`, or no `beta`",
    );
    check(
        trained,
        &[objective("tri-objective"), reach.clone(), beta],
        "belongs to another objective",
    );
    let concepts = ("concepts", Raw::List(vec![text("hair"), text("wigs")]));
    check(
        trained,
        &[objective("trades"), reach.clone(), concepts.clone()],
        "`concepts` belongs to another objective",
    );
    check(
        trained,
        &[objective("tri-objective"), reach, concepts],
        "some of ink-marks, hair",
    );
    check(trained, &[("network", text("from-file"))], "without `file`");
    check(trained, &[("file", text("a.pth"))], "or no `file`");
    let restarts = [
        ("restarts", Raw::Whole(2)),
        ("random-start", Raw::Flag(false)),
    ];
    check(&stressors::pgd::PART, &restarts, "from the same start");
}

#[test]
fn what_was_taught_tells_how_and_goes_on_as_a_file_that_is_read_again() {
    let trained = subject(
        &subjects::trained::PART,
        &[("epochs", Raw::Whole(3)), ("validation", Raw::Number(0.2))],
    );
    let fitted = fit(trained.as_ref(), DIGITS.fit().unwrap(), Seed::new(1)).unwrap();
    let checkpoint = fitted.checkpoint();
    let curve = trained.learning_curve(&checkpoint).unwrap();
    let names: Vec<&str> = curve.series.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["loss", "validation", "learning rate"]);
    assert!(curve.series.iter().all(|one| one.values.len() == 3));
    assert!(curve.kept.is_some());
    let weights = trained.exported(&checkpoint).unwrap();
    assert_eq!(weights.ending, "safetensors");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mlp_seed1_best.safetensors");
    std::fs::write(&file, weights.bytes).unwrap();
    let path = text(file.to_str().unwrap());
    let again = subject(&subjects::network::PART, &[("file", path)]);
    let again = fit(again.as_ref(), DIGITS.fit().unwrap(), Seed::new(9)).unwrap();
    let items = DIGITS.test().items();
    assert_eq!(
        again.answer(Question::Classes, items),
        fitted.answer(Question::Classes, items)
    );
    assert!(trained.learning_curve(b"{}").is_none());
}

#[test]
fn networks_that_were_taught_before_are_taken_from_a_folder_by_one_key() {
    let quick = ("epochs", Raw::Whole(1));
    let teacher = subject(&subjects::trained::PART, std::slice::from_ref(&quick));
    let taught = fit(teacher.as_ref(), DIGITS.fit().unwrap(), Seed::new(1)).unwrap();
    let weights = teacher.exported(&taught.checkpoint()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baseline_seed0_best.safetensors");
    std::fs::write(&file, weights.bytes).unwrap();
    let path = folder.path().display().to_string();
    let keys = [quick, ("checkpoints", Raw::Text(path))];
    let taker = subject(&subjects::trained::PART, &keys);
    assert_eq!(taker.sources(0).unwrap(), [file]);
    let taken = fit(taker.as_ref(), DIGITS.fit().unwrap(), Seed::new(2)).unwrap();
    let items = FEW.test().items();
    let asked = |fitted: &dyn Fitted| fitted.answer(Question::Classes, items).unwrap();
    assert_eq!(asked(taken.as_ref()), asked(taught.as_ref()));
    assert!(taker.learning_curve(&taken.checkpoint()).is_none());
    let told = taker.sources(7).unwrap_err().to_string();
    assert!(
        told.contains("no baseline_seed7_best.safetensors"),
        "{told}"
    );
}
