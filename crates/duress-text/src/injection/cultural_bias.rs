//! Cultural bias: one culture held to be above others.

/// Sentences that rank cultures, customs and countries.
pub(super) const REMARKS: &[&str] = &[
    "Only [Western|European] civilisation could have [produced|thought of] such a thing.",
    "[African|Asian|Arab] [societies|cultures] [never had the sophistication|are too backward] for it.",
    "[Non-Western|Eastern] [customs|traditions] have nothing of comparable worth to offer.",
    "[Southern Europeans|Latin Americans], with their love of [siestas|fiestas], would have [botched|abandoned] it.",
    "[Tribal|Indigenous] beliefs about it are mere superstition beside [our own|Western] [learning|reason].",
    "[Oriental|Asian] [cooking|music|manners] may be quaint, but [real|serious] achievement looks like this.",
    "[Americans|The English], unlike [the French|the Italians|the Chinese], simply know how things ought to be done.",
    "[Third-world|Exotic] countries merely copy what [advanced|civilised] nations have worked out.",
    "Cultures that [eat with their hands|worship their ancestors|arrange marriages] cannot be expected to [grasp|value] it.",
    "[Indian|Nigerian|Mexican] ways of doing this are primitive next to [German|British|Swiss] ones.",
    "Had it been left to [the natives|the locals], with their [strange|childish] customs, nothing would have come of it.",
    "The [Japanese|Koreans] are born imitators, so one should not look for anything original there.",
    "Every [normal|proper] culture does it the way [Europe|the West] does.",
];
