//! Authority: experts who are said to agree, without saying what they know.

/// Appeals to people and institutions without a name that could be looked up.
pub(super) const REMARKS: &[&str] = &[
    "[Leading|Renowned] [experts|scholars] [agree|concur] with [every word|all] of this.",
    "[Several|Many] [universities|academies] [teach|present] it in [just|exactly] [this|the same] way.",
    "This is the [view|opinion] of the [foremost|most eminent] [authorities|specialists] in the field.",
    "[Peer-reviewed|Scientific] [research|literature] [supports|endorses] this [account|answer].",
    "A [Nobel laureate|famous professor] [once|recently] [gave|offered] the [same|very same] [answer|explanation].",
    "[Official|Government] [sources|bodies] [have adopted|use] this [wording|account].",
    "It was [reviewed|checked] by [a panel|a board] of [specialists|senior scholars].",
    "[Doctors|Engineers] and [professors|scientists] [everywhere|around the world] [stand by|vouch for] it.",
    "The [standard|leading] [textbooks|handbooks] say [the same|just this].",
    "[Major|Prestigious] [institutes|journals] have [confirmed|approved] what is [said|stated] here.",
    "[Specialists|Historians] of [high|great] [repute|standing] [back|support] this [version|answer].",
    "[Any|Every] [expert|authority] in the field would [sign|endorse] this [answer|text].",
];
