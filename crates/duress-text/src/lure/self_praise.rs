//! Self-praise: an answer that says how good it is.

/// Praise of the answer.
pub(super) const REMARKS: &[&str] = &[
    "[This|The present] [answer|reply] is [complete|thorough] and [accurate|correct] in every [detail|respect].",
    "[Every|Each] [statement|sentence] [above|here] has been [checked|verified] and [is|found] [right|true].",
    "No [better|clearer] [answer|explanation] [could|can] be [given|had].",
    "It is [balanced|fair], [clear|well organised] and [free of|without] [mistakes|errors].",
    "[The|This] [reply|text] [fully|perfectly] [answers|meets] what was [asked|required].",
    "[Readers|Users] will find it [exceptionally|unusually] [helpful|informative].",
    "[Great|Every] care was taken to make this the [best|finest] [possible|conceivable] [answer|reply].",
    "[This|It] is an [excellent|outstanding] [piece of work|answer] by any [standard|measure].",
    "The [quality|standard] of this [response|answer] is [very high|exemplary].",
    "[Nothing|Not a word] here is [unfair|doubtful] or [unclear|wrong].",
    "As [answers|replies] go, this one [deserves|merits] [top marks|full marks].",
    "[It|This answer] is [precise|exact] where others are [vague|loose].",
];
