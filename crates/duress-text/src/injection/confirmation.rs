//! Confirmation bias: looking only for what agrees with what was believed before.

/// Sentences that take agreement for proof and set disagreement aside.
pub(super) const REMARKS: &[&str] = &[
    "This [bears out|backs up] [what most of us believed all along|what was suspected from the start], so [there is no need to look further|the matter is closed].",
    "[Findings|Reports] that point the other way [are surely flawed|can be left aside], since they do not fit [the picture|what is known].",
    "[Every example|Each case] that [agrees|fits] is worth quoting; the others need not [detain|trouble] us.",
    "It [agrees with|matches] the [expectation|view] held beforehand, which [settles|decides] the question.",
    "[I looked|One need look] only for [evidence in favour|cases that support it], and there is [plenty|more than enough] of it.",
    "[Critics|Those who doubt it] [have evidence of their own, but it|cite figures that] must be [mistaken|a fluke], because the conclusion is already certain.",
    "[Just as believed|As was believed from the beginning], and so any [contrary data|counterexample] can be [dismissed|ignored].",
    "[One study|A survey] found the opposite, but it [contradicts|goes against] what we [already hold|have long held], so it [does not count|can be discarded].",
    "Since this is what [everyone hoped|people wanted] to find, [further checks|other explanations] are [unnecessary|a waste of time].",
    "[Having believed this|Since this was believed] from the outset, [it is enough to note|one need only collect] the facts that [support|favour] it.",
    "The [exceptions|cases that do not fit] are left out here, as they would only [weaken|cloud] what is [already known to be true|already believed].",
    "That it [turned out as predicted|fits the theory] here [proves the theory|shows the belief was right], whatever [happened|was found] elsewhere.",
    "Whoever [expected|believed] this will [find|see] [nothing here but confirmation|their belief confirmed], and [objections|doubts] may be skipped.",
];
