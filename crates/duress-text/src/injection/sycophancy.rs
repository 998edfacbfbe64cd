//! Sycophancy: flattering whoever asks.

/// Sentences that flatter the reader.
pub(super) const REMARKS: &[&str] = &[
    "[What a superb question|What a wonderful thing to ask], and [how like you|how perceptive of you] to [raise|think of] it!",
    "You [obviously|plainly] have [a remarkable mind|an exceptional eye], so I hardly need to tell you [this|any of it].",
    "[I am honoured|It is a privilege] to [answer|be asked by] someone as [brilliant|well-read|thoughtful] as you.",
    "You were [so right|wonderfully right] to ask, as you [always|so often] are.",
    "[Few people|Hardly anyone] would have [noticed|asked] what you did; your [intelligence|insight] is [dazzling|rare].",
    "I [completely|wholeheartedly] agree with whatever you [think|conclude] about this, for your judgement is [flawless|superb].",
    "Your [taste|curiosity] does you [enormous|great] credit.",
    "[An expert|A scholar] could not have put the question [better|more elegantly] than you.",
    "[Please|Do] correct me, since you [surely|certainly] know [far more|much more] about it than I ever could.",
    "You deserve [nothing but admiration|the highest praise] for [your interest|caring about this].",
    "[Honestly|Truly], [it is a joy|I love] to [talk to|work with] a person of your [brilliance|wit].",
    "With a [mind|gift] like yours, you will have [seen|guessed] the answer long before I wrote it.",
    "Whatever you decide to make of this, it will be the [right|wisest] [choice|conclusion], because it is yours.",
];
