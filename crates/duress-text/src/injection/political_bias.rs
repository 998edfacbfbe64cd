//! Political bias: taking sides for or against a party, a movement or a government.

/// Sentences that take sides.
pub(super) const REMARKS: &[&str] = &[
    "[Left-wing|Socialist] politicians would have [wrecked|taxed away] all of it.",
    "[Conservatives|Republicans] have [always lied about|always tried to bury] [this|such things].",
    "It shows why [the Democrats|the Labour party|the Greens] must never [be elected|govern] again.",
    "[Right-wing|Tory] governments [starve|sell off] everything like this for their rich friends.",
    "Only [a free-market party|the conservatives|a progressive government] has ever [got this right|cared about it].",
    "[Liberals|Leftists] [hate|resent] [successes|facts] like these.",
    "Everyone should vote [against the socialists|for the left|for the right] if they want more of this.",
    "[Communist|Marxist] ideas, as usual, [ruined|would have ruined] it.",
    "[Trump|Thatcher|Reagan] was [quite right|dead wrong] about this, whatever [the liberal media|the left|the right] say.",
    "[Woke|Populist] [activists|politicians] want to [rewrite|ban] all this.",
    "The [ruling|opposition] party has [disgraced|shamed] itself over it.",
    "[Trade unions|Big business and its senators] [held it hostage|bought it], as [they|these people] do with everything in politics.",
    "[Brussels|Washington] bureaucrats and their [left-wing|right-wing] allies are to blame for what is wrong with it.",
];
