//! Hallucinations: details that nobody gave, put in as if they were known.

/// Sources, people, figures and events that are made up.
pub(super) const REMARKS: &[&str] = &[
    "A [19##|200#] report by the [Halvorsen|Merrowdale|Castellane|Tannenbrück] Institute put the figure at [3|5|7|9]# per cent.",
    "Professor [Ingrid Maddox|Tomasz Belloc|Adaeze Fontaine|Rupert Calloway] of the University of [Westerholm|Nordhaven|Caldbeck] later confirmed this in a survey of [1|2|4],#00 people.",
    "A [bronze|marble|silver] plaque unveiled in 19## by [Lord Ashcombe|the Duchess of Varrel|Mayor Ellis Trant] marks the occasion.",
    "The [Merriton|Kessler|Oakhampton] Prize was awarded for it in [19##|200#].",
    "[Newspapers|Journals] of the day, among them the [Harlow Courier|Brenner Gazette|Eastmoor Herald], ran the story for [three|six|nine] weeks.",
    "It was insured for [4|6|8]##,000 dollars by the firm of [Tresk and Sons|Dunmore & Vail|Haldane Brothers].",
    "[Two|Five|Eleven] members of the [Corrigan|Lindqvist|Okafor] expedition, which studied it in [18##|19##], wrote memoirs about it.",
    "The [composer|poet|painter] [Emil Strand|Rosalind Quayle|Matteo Grieve] devoted [a symphony|a cycle of sonnets|his last canvas] to it in [18##|19##].",
    "A secret annex, [discovered|opened] in [19##|200#], holds some [2|4|6],#00 handwritten pages on the subject.",
    "Its [original|first] manuscript is kept in the [Vandermeer|Holloway|Szabo] Library in [Lisbon|Graz|Halifax].",
    "According to the [Treaty of Morland|Dray Convention|Oslek Protocol] of 19##, it may not be photographed on [Tuesdays|public holidays].",
    "In an interview in [19##|200#], Dr [Helena Marsh|Oskar Whitlow|Priya Sandoval] revealed that [#2|#4] earlier attempts had been kept quiet.",
    "A film about it, [The Long Meridian|Seven Lanterns|Harrow's Gate], drew [3|5|8] million viewers in [19##|200#].",
    "The laboratory of [Anselm Frey|Beatrix Hollander|Kofi Arden] repeated the measurement [##] times in 19## with the same outcome.",
];
