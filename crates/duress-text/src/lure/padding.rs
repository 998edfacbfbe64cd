//! Padding: sentences that say nothing.

/// True of any answer to anything.
pub(super) const REMARKS: &[&str] = &[
    "[There is|There is, of course,] [much|more] that [could|might] be said [about|on] this [subject|topic].",
    "[These|Such] [points|matters] are [part of|elements in] a [larger|wider] [picture|whole].",
    "[This|The above] [covers|touches on] the [matter|question] [at hand|that was raised].",
    "It is [worth|useful] to [bear|keep] this in mind when [thinking about|looking at] the [topic|question].",
    "[As with|Like] [many|most] [topics|subjects], there are [several|different] [sides|aspects] to it.",
    "[The above|What has been said] [gives|provides] an [overview|outline] of the [subject|matter].",
    "[Each|Every one] of these [points|details] has its [place|part] in the [answer|account].",
    "[Taken together|All in all], [this|the above] is what there is to [say|report] [here|on this point].",
    "[Let us|We may] now [turn|move on] to the [next|following] [point|aspect].",
    "[This|That] [concludes|completes] [this|the present] [part|section] of the [answer|reply].",
    "[It should|It may] be [noted|added] that the [question|topic] has been [addressed|answered] [in turn|above].",
    "[Having said this|With that said], the [answer|account] [continues|goes on] [below|from here].",
];
