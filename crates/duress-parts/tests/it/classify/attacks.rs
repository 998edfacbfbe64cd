//! Attacks against networks whose worst case is known.

use super::*;

/// Two classes, random weights and images: each pixel's worst value within ε and the box is known,
/// so is the worst margin.
#[test]
fn fgsm_reaches_the_known_optimum_of_a_linear_network_in_linf() {
    let (network, split, labels) = linear(2, 400);
    let severities = severities(&[0.02, 0.05, 0.1, 0.2]);
    let climbed = run(
        attack(&stressors::fgsm::PART, &[]).as_ref(),
        network.as_ref(),
        &split,
        &severities,
    );
    for (rung, severity) in climbed.rungs.iter().zip(&severities) {
        let said = answers(network.as_ref(), rung);
        for (i, &label) in labels.iter().enumerate() {
            let image = split.items().images().unwrap().image(i);
            let worst = worst_margin(
                network.as_ref(),
                image,
                label as usize,
                1 - label as usize,
                severity.value(),
            );
            assert_eq!(
                said.label(i) == Some(label),
                worst > 0.0,
                "item {i} at {severity}: {worst}"
            );
        }
    }
}

/// With more classes the optimum is the worst over rivals: PGD may miss it, but must never claim
/// more, and seldom less.
#[test]
fn pgd_breaks_nothing_that_is_provably_safe_and_nearly_all_that_is_not() {
    let (network, split, labels) = linear(4, 300);
    let severities = severities(&[0.02, 0.05, 0.1]);
    let keys = [("restarts", Raw::Whole(3)), ("steps", Raw::Whole(20))];
    let climbed = run(
        attack(&stressors::pgd::PART, &keys).as_ref(),
        network.as_ref(),
        &split,
        &severities,
    );
    let (mut breakable, mut broken) = (0, 0);
    for (rung, severity) in climbed.rungs.iter().zip(&severities) {
        let said = answers(network.as_ref(), rung);
        for (i, &label) in labels.iter().enumerate() {
            let image = split.items().images().unwrap().image(i);
            let rivals = (0..4).filter(|&rival| rival != label as usize);
            let margin = |rival| {
                worst_margin(
                    network.as_ref(),
                    image,
                    label as usize,
                    rival,
                    severity.value(),
                )
            };
            let safe = rivals.map(margin).fold(f64::INFINITY, f64::min) > 1e-5;
            let fell = said.label(i) != Some(label);
            assert!(!(safe && fell), "item {i} is safe at {severity}");
            breakable += usize::from(!safe);
            broken += usize::from(fell);
        }
    }
    assert!(
        broken as f64 >= 0.95 * breakable as f64,
        "{broken} of {breakable}"
    );
}

#[test]
fn accuracy_never_rises_with_severity_and_pgd_is_no_weaker_than_fgsm() {
    let rungs: Vec<f64> = (1..=8).map(|k| 0.04 * f64::from(k)).collect();
    let read = |attack: Box<dyn Aware>| -> Vec<f64> {
        let climbed = run(
            attack.as_ref(),
            MLP.as_ref(),
            DIGITS.test(),
            &severities(&rungs),
        );
        assert!(climbed.doubts.is_empty(), "{:?}", climbed.doubts);
        climbed
            .rungs
            .iter()
            .map(|rung| accuracy(MLP.as_ref(), &DIGITS, rung))
            .collect()
    };
    let fgsm = read(attack(&stressors::fgsm::PART, &[]));
    let pgd = read(attack(&stressors::pgd::PART, &[]));
    for curve in [&fgsm, &pgd] {
        assert!(curve.windows(2).all(|pair| pair[1] <= pair[0]), "{curve:?}");
    }
    assert!(
        pgd.iter().zip(&fgsm).all(|(pgd, fgsm)| pgd <= fgsm),
        "{pgd:?} {fgsm:?}"
    );
    assert!(pgd[7] < 0.05, "{pgd:?}");
}

#[test]
fn an_attack_is_spared_what_cannot_change_the_answer() {
    let few_steps = attack(&stressors::pgd::PART, &[]);
    let one = run(
        few_steps.as_ref(),
        MLP.as_ref(),
        DIGITS.test(),
        &severities(&[0.3]),
    )
    .spent;
    let many = run(
        few_steps.as_ref(),
        MLP.as_ref(),
        DIGITS.test(),
        &severities(&[0.3, 0.4, 0.5, 0.6]),
    )
    .spent;
    let total = |spent: &[Spent]| f64::from(spent.last().unwrap().queries.iter().sum::<u32>());
    assert!(
        total(&many) < 1.25 * total(&one),
        "{} {}",
        total(&many),
        total(&one)
    );
}

#[test]
fn a_subject_with_another_order_of_classes_is_not_attacked() {
    let (_, split, _) = linear(2, 4);
    let (network, ..) = linear(4, 4);
    let fgsm = attack(&stressors::fgsm::PART, &[]);
    let failure = climb(
        fgsm.as_ref(),
        network.as_ref(),
        &split,
        &severities(&[0.1]),
        Seed::new(1),
    );
    assert!(failure.unwrap_err().why.contains("the dataset's are"));
}

/// A linear network of 12 pixels with random weights and no normalisation, and items it gets right
/// or wrong by chance.
fn linear(k: usize, n: usize) -> (Box<dyn Fitted>, Split, Vec<u32>) {
    let mut draws = Seed::new(8).draws();
    let weights = (0..12 * k).map(|_| draws.normal() as f32).collect();
    let dense = Dense {
        inputs: 12,
        outputs: k,
        weights,
        bias: vec![0.0; k],
    };
    let names: Vec<String> = (0..k).map(|class| class.to_string()).collect();
    let operators = vec![
        Operator::Normalise(Normalise::identity(1)),
        Operator::Flatten,
        Operator::Dense(dense),
    ];
    let network = Network::chain([1, 3, 4], names.clone(), operators).unwrap();
    let checkpoint = serde_json::to_vec(&network).unwrap();
    let pixels = (0..12 * n).map(|_| draws.uniform() as f32).collect();
    let ids = (0..n).map(|i| i.to_string()).collect();
    let items = Items::new(ids, Inputs::Images(Images::new([1, 3, 4], pixels).unwrap())).unwrap();
    let fitted = subject(&subjects::trained::PART, &[])
        .restore(&checkpoint)
        .unwrap();
    // Mostly what the network says, so that there is something to break.
    let said = answers(fitted.as_ref(), &items);
    let label = |i: usize| {
        if i.is_multiple_of(10) {
            draws_below(k, i)
        } else {
            said.label(i).unwrap()
        }
    };
    let labels: Vec<u32> = (0..n).map(label).collect();
    let split = Split::new(
        items,
        Truth::Labels(Labels::new(names, labels.clone()).unwrap()),
    )
    .unwrap();
    (fitted, split, labels)
}

fn draws_below(k: usize, i: usize) -> u32 {
    Seed::new(i as u64).draws().below(k) as u32
}

/// The smallest lead of `label` over `rival` within `budget` in L∞ and the box, found pixel by
/// pixel.
fn worst_margin(
    network: &dyn Fitted,
    image: &[f32],
    label: usize,
    rival: usize,
    budget: f64,
) -> f64 {
    let network: Network = serde_json::from_slice(&network.checkpoint()).unwrap();
    let Operator::Dense(dense) = &network.nodes()[2].operator else {
        panic!("not linear")
    };
    let pixel = |(at, &x): (usize, &f32)| {
        let weight = |class: usize| f64::from(dense.weights[class * dense.inputs + at]);
        let lead = weight(label) - weight(rival);
        lead * (f64::from(x) - budget * lead.signum()).clamp(0.0, 1.0)
    };
    image.iter().enumerate().map(pixel).sum()
}
