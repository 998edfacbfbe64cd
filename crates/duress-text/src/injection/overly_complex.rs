//! Overly complex wording: a plain word said with many long ones.

use crate::dose::page::Page;
use crate::dose::site::Site;

/// Plain words, and what they can be blown up to.
const PLAIN: &[(&str, &[&str])] = &[
    (
        "about",
        &[
            "in approximate numerical proximity to",
            "within the quantitative neighbourhood of",
        ],
    ),
    (
        "after",
        &[
            "subsequent to the temporal completion of",
            "at a juncture chronologically posterior to",
        ],
    ),
    (
        "all",
        &[
            "the exhaustive totality of",
            "each and every constituent member of",
        ],
    ),
    (
        "also",
        &[
            "additionally and in supplementation of the foregoing",
            "correlatively and in like manner",
        ],
    ),
    (
        "and",
        &[
            "and, concomitantly with the aforesaid,",
            "as well as, in conjunctive correlation therewith,",
        ],
    ),
    (
        "are",
        &[
            "are, ontologically considered,",
            "find themselves constituted as being",
        ],
    ),
    (
        "because",
        &[
            "by virtue of the causally antecedent circumstance that",
            "in consequence of the operative fact that",
        ],
    ),
    (
        "before",
        &[
            "at a juncture chronologically anterior to",
            "prior to the temporal instantiation of",
        ],
    ),
    (
        "began",
        &[
            "underwent its inaugural phase of commencement",
            "was initiated in respect of its inceptive operations",
        ],
    ),
    (
        "built",
        &[
            "brought to structural realisation by constructional means",
            "subjected to processes of edificatory assembly",
        ],
    ),
    (
        "but",
        &[
            "albeit with the countervailing qualification that",
            "notwithstanding which, however,",
        ],
    ),
    (
        "by",
        &[
            "through the instrumental agency of",
            "by dint of the operative intermediation of",
        ],
    ),
    (
        "can",
        &[
            "is possessed of the dispositional capacity to",
            "stands in a position of enablement to",
        ],
    ),
    (
        "ended",
        &[
            "reached the terminal stage of its completion",
            "arrived at its ultimate cessation",
        ],
    ),
    (
        "for",
        &[
            "for the teleological furtherance of",
            "in functional subservience to",
        ],
    ),
    (
        "from",
        &[
            "originating from the initial locus of",
            "proceeding outwardly from",
        ],
    ),
    (
        "has",
        &[
            "is characterised by the possession of",
            "exhibits, by way of attribute,",
        ],
    ),
    (
        "have",
        &[
            "are characterised by the possession of",
            "exhibit, by way of attribute,",
        ],
    ),
    (
        "holds",
        &[
            "maintains in a condition of structural retention",
            "sustains within its containing compass",
        ],
    ),
    (
        "is",
        &[
            "is, in its essential constitution,",
            "may be predicated as being",
        ],
    ),
    (
        "large",
        &[
            "of considerable dimensional magnitude",
            "characterised by substantial spatial extension",
        ],
    ),
    (
        "made",
        &[
            "brought into fabricated existence",
            "rendered into manufactured actuality",
        ],
    ),
    (
        "many",
        &[
            "a numerically non-negligible plurality of",
            "a considerable multiplicity of",
        ],
    ),
    (
        "most",
        &[
            "the preponderant proportion of",
            "the quantitatively dominant majority of",
        ],
    ),
    (
        "on",
        &[
            "in superjacent relation to",
            "upon the supporting surface constituted by",
        ],
    ),
    (
        "over",
        &[
            "across the intervening extent of",
            "in transversal relation to",
        ],
    ),
    (
        "until",
        &[
            "up to and including the terminal point constituted by",
            "for a duration whose upper bound is",
        ],
    ),
    (
        "used",
        &[
            "subjected to instrumental utilisation",
            "deployed in an operational capacity",
        ],
    ),
    (
        "was",
        &[
            "was, in point of factual actuality,",
            "came to be constituted as being",
        ],
    ),
    (
        "were",
        &[
            "were, in point of factual actuality,",
            "came to be constituted as being",
        ],
    ),
    (
        "when",
        &[
            "at such temporal juncture as",
            "upon the occurrence of the circumstance that",
        ],
    ),
    (
        "while",
        &[
            "during the concurrent temporal interval in which",
            "simultaneously with the circumstance that",
        ],
    ),
    (
        "with",
        &[
            "in conjunctive association with",
            "accompanied, in the manner of an adjunct, by",
        ],
    ),
];

/// Every plain word that can be blown up, but for the first of a sentence, whose capital it is.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let all = page
        .sentences
        .iter()
        .flat_map(|sentence| page.words_of(sentence));
    all.filter_map(|(at, word)| {
        let wordings = PLAIN.iter().filter(|(plain, _)| *plain == word);
        let wordings = wordings.flat_map(|(_, wordings)| wordings.iter());
        let wordings: Vec<String> = wordings.map(ToString::to_string).collect();
        Site::of_mistakes(at..at + word.len(), vec![wordings])
    })
    .collect()
}
