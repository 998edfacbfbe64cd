//! Assumptions that are not stated: conclusions whose premise is missing.

/// Conclusions that do not follow from the text, only from something it takes for granted.
pub(super) const REMARKS: &[&str] = &[
    "It will [therefore|thus] [remain|stay] this way for [decades|many years] to come.",
    "[Anything|Whatever else is] of the same [kind|size] must [therefore|then] [behave|turn out] in exactly the same way.",
    "[So|Hence] it [was|is] worth every [penny|dollar] that [was|is] spent on it.",
    "[Nobody|No one] could have done it [better|sooner], so there [is|was] no alternative.",
    "The same [result|outcome] can [therefore|thus] be expected [everywhere else|in every other country].",
    "[From this|Hence] it follows that [people were|everyone was] better off afterwards.",
    "[Doubling|Doing twice] as much would [consequently|therefore] have [doubled|given twice] the effect.",
    "[Whoever|Anyone who] [reads|knows] this will [therefore|naturally] [want|decide] to do the same.",
    "Since it [worked|came about] once, it [will|is bound to] [work|come about] again.",
    "[Therefore|So] the [older|earlier] [methods|ways] are no longer [needed|of use] anywhere.",
    "It [happened|came] first, so it must have been the cause of [all that came later|what followed].",
    "That [makes|made] it the [best|safest] choice for [everybody|all], [so no other needs to be considered|hence it should be adopted at once].",
    "[Given|In view of] that, it [follows|is plain] that [a larger one|more of it] would be better still.",
];
