//! Unclear explanations: words that explain nothing.

/// Vague, circular or garbled sentences.
pub(super) const REMARKS: &[&str] = &[
    "It [does|did] this by [doing|means of] the [thing|part] that makes it do [that|so], more or less.",
    "[Basically|Roughly], there is a [thing|bit] that goes with the other [thing|bit], and then it [sort of happens|comes about].",
    "The [reason|cause] is [just|simply] the way in which it is what it is.",
    "[Various|Certain] [factors|aspects] [do|did] [various|certain] things to [each other|one another], and [that is roughly how|so] it goes.",
    "How [this|it] comes about is [a matter of|down to] [stuff|things] happening in [a kind of way|some manner].",
    "It is [like that|so] because of [what it does|how it is], which in turn is [because it is like that|because of how it is].",
    "This then [links|relates] to that, which [affects|influences] it, so that it [changes|moves] the one with the other one.",
    "[Something|A thing] about the [process|whole] makes it [behave|act] in [that|this] sort of [fashion|way], if that makes any sense.",
    "The [first|one] part is [somewhat|rather] [different|separate] from the [second|other], except where it is not, which is what [matters|counts].",
    "One could say [that it works|it happens] [in a manner of speaking|as it were], and [this|that] is [kind of the point|the idea, or near enough].",
    "It [goes|runs] from there to [wherever|the place] it [ends up|gets to], by whatever [means|way] it is that [does it|gets it there].",
    "[This|That] is [explained|accounted for] by [how|the way] it [functions|works], in that it functions [accordingly|that way].",
    "[They|These] are [connected|tied up] with it in [one way or another|a way that is hard to put], and that [explains|does] it.",
];
