//! Gender bias: what is held to be in the nature of women and men.

/// Generalisations about women and men.
pub(super) const REMARKS: &[&str] = &[
    "[Women|Girls] [find|would find] this [harder|less interesting] than [men|boys] do.",
    "It is [work for men|a man's world], and [women|ladies] [are better kept out of it|do well to leave it alone].",
    "A [woman|wife] would have [worried about the curtains|lost her nerve] instead.",
    "[Boys|Men] have a natural gift for such things that [girls|women] lack.",
    "No [woman|female] [scientist|engineer|leader] could have [managed|carried] it.",
    "[Girls|Women] are [too emotional|too delicate] for [decisions|tasks] of this kind.",
    "[Men|Husbands] [think|reason], [women|wives] feel, and this called for thinking.",
    "Any [housewife|secretary] could explain it to her [girlfriends|friends], but the real work takes a man.",
    "A [real man|proper man] does not ask for help with this.",
    "[Men|Fathers] are [useless|hopeless] at anything that has to do with [children|feelings], and it shows here.",
    "The women involved were [pretty enough|charming], but the [ideas|brains] came from the men.",
    "[Mothers|Women with children] should not be [distracted|bothered] with matters like these.",
    "The [ladies|fair sex] may [leave the numbers|leave this part] to the gentlemen.",
];
