//! The keys of each section of a study: what they take, what they mean, what they are when left
//! out.
//!
//! The reader, the messages about unknown keys and the JSON schema all come from these tables.

use duress_core::word::Word;
use duress_findings::words::{
    ClaimSide, ClaimTest, Correction, FigureFormat, Layout, NumberForm, Scope, Units,
};

use super::{COUNTED_UNITS, Doubted, LadderKeeps, PRESSED_HERE, TextsShown, VariedDraw};

/// The JSON schema of a key's value.
#[derive(Clone, Copy)]
pub(super) enum Schema {
    /// The body of an object.
    Json(&'static str),
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// A list of these words.
    SomeOf(fn() -> Vec<&'static str>),
}

fn pressed_here() -> Vec<&'static str> {
    PRESSED_HERE.iter().map(|one| one.word()).collect()
}

fn counted_units() -> Vec<&'static str> {
    COUNTED_UNITS.iter().map(|one| one.word()).collect()
}

/// One key.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) schema: Schema,
    pub(super) doc: &'static str,
    pub(super) required: bool,
    /// Its name before, which is read for two minor versions more, and the minor version that reads
    /// it no longer.
    pub(super) was: Option<(&'static str, u32)>,
}

impl Key {
    /// The same where it may be left out.
    const fn optional(self) -> Key {
        Key {
            required: false,
            ..self
        }
    }
}

const fn key(name: &'static str, schema: Schema, doc: &'static str) -> Key {
    Key {
        name,
        schema,
        doc,
        required: false,
        was: None,
    }
}

const fn must(name: &'static str, schema: Schema, doc: &'static str) -> Key {
    Key {
        required: true,
        ..key(name, schema, doc)
    }
}

/// The keys of several tables, one after the other; `N` is how many there are.
const fn join<const N: usize>(tables: &[&[Key]]) -> [Key; N] {
    let mut all = [tables[0][0]; N];
    let mut filled = 0;
    let mut table = 0;
    while table < tables.len() {
        let mut at = 0;
        while at < tables[table].len() {
            all[filled] = tables[table][at];
            filled += 1;
            at += 1;
        }
        table += 1;
    }
    assert!(filled == N, "every key has its place");
    all
}

const TEXT: Schema = Schema::Json(r#""type": "string""#);
const TEXTS: Schema = Schema::Json(r#""type": "array", "items": {"type": "string"}"#);
const NUMBER: Schema = Schema::Json(r#""type": ["number", "string"]"#);
const SEVERITY: Schema = Schema::Json(r#""type": ["number", "string"], "minimum": 0"#);
const PRESS: Schema = Schema::Json(
    r#""type": "array", "items": {"type": "object", "required": ["use", "severity"]}"#,
);
const TABLE: Schema = Schema::Json(r#""type": "object""#);
const TABLES: Schema = Schema::Json(r#""type": "array""#);
const AT: Schema = Schema::Json(r#""type": ["string", "object"]"#);

/// At the top of the file.
pub(super) const TOP: &[Key] = &[
    must(
        "name",
        TEXT,
        "what the study is called; the run folder has this name",
    ),
    key(
        "format",
        Schema::Json(r#""const": 1"#),
        "the format of the study file; 1 when left out",
    ),
    key(
        "seeds",
        Schema::Json(
            r#""type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": true, "minItems": 1"#,
        ),
        "one replicate each; [1] when left out",
    ),
    key(
        "vary",
        Schema::SomeOf(VariedDraw::spellings),
        "which draws differ between replicates; all when left out",
    ),
    key(
        "dataset",
        TABLE,
        "what subjects are fitted and tested on, by name",
    ),
    key("subject", TABLE, "what is under test, by name"),
    key("ladder", TABLE, "one stressor over its severities, by name"),
    key("condition", TABLE, "several stressors at once, by name"),
    key(
        "rater",
        TABLE,
        "what rates the answers of other subjects, by name",
    ),
    key("gauge", TABLE, "a gauge with keys of its own, by name"),
    key("analysis", TABLE, "gauges, units and intervals"),
    key("run", TABLE, "limits"),
    key("report", TABLE, "how the report looks"),
    key(
        "contrast",
        TABLES,
        "paired differences to report beside the usual ones",
    ),
    key(
        "expectation",
        TABLES,
        "figures from elsewhere, shown beside the measured ones and marked",
    ),
    key("level", TABLES, "values to compare with, such as chance"),
    key("claim", TABLES, "hypotheses, written before the run"),
];

/// In `[dataset.NAME]`; the others belong to the part.
pub(super) const DATASET: &[Key] = &[
    key("use", TEXT, "the part that reads or generates it"),
    key(
        "base",
        TEXT,
        "the dataset it is derived from, instead of `use`",
    ),
    key(
        "preset",
        TEXT,
        "stressors under one name (`duress list`), baked in before those of `press`",
    ),
    key(
        "press",
        PRESS,
        "the stressors baked into a derived dataset, in order",
    ),
    key(
        "hold-out-regime",
        Schema::Json(r#""type": "integer", "minimum": 0"#),
        "the regime that is left out of what is fitted and is all that is tested, after `preset` and `press`",
    ),
    key(
        "cluster",
        TEXT,
        "the column that says which items belong together, such as those of one patient; `none` says that all are independent; what `base` or `[analysis]` says when left out",
    ),
];

/// In `[subject.NAME]`.
pub(super) const SUBJECT: &[Key] = &[
    must("use", TEXT, "the part"),
    key(
        "on",
        TEXT,
        "the dataset it is fitted on; may be left out when there is only one",
    ),
    key(
        "test-on",
        TEXTS,
        "the datasets it is tested on; the one it is fitted on when left out",
    ),
];

/// In `[ladder.NAME]`.
pub(super) const LADDER: &[Key] = &[
    must("use", TEXT, "the stressor"),
    must(
        "severities",
        Schema::Json(r#""type": "array", "items": {"type": ["number", "string"]}, "minItems": 1"#),
        "how hard, rising; the clean rung is always there",
    ),
    key(
        "on",
        Schema::OneOf(pressed_here),
        "where it acts: on the data fitted (`train`), tested (`test`) or `both`; `test` when left out",
    ),
    key(
        "subjects",
        TEXTS,
        "the subjects it presses; all that can take it when left out",
    ),
    key(
        "datasets",
        TEXTS,
        "the datasets it presses them on; all they are tested on when left out",
    ),
    key(
        "keep",
        Schema::OneOf(LadderKeeps::spellings),
        "what is kept of what it pressed: a few of the `worst` items for the report, or all `adversarial` images of an attack, for `duress report --images`",
    ),
];

/// In `[condition.NAME]`.
pub(super) const CONDITION: &[Key] = &[
    must(
        "press",
        PRESS,
        "the stressors, in order, each with its severity",
    ),
    key(
        "on",
        Schema::OneOf(pressed_here),
        "where they act; `test` when left out",
    ),
    key(
        "subjects",
        TEXTS,
        "the subjects they press; all that can take them when left out",
    ),
    key(
        "datasets",
        TEXTS,
        "the datasets they press them on; all they are tested on when left out",
    ),
];

/// In an entry of `press`.
pub(super) const PRESSED: &[Key] = &[
    must("use", TEXT, "the stressor"),
    must("severity", SEVERITY, "how hard"),
];

/// In `[rater.NAME]`.
pub(super) const RATER: &[Key] = &[
    must(
        "use",
        TEXT,
        "the rater, or a subject that answers ratings about texts",
    ),
    key(
        "on",
        TEXT,
        "the dataset it is fitted on, where it learns; the only one when left out",
    ),
    key(
        "subjects",
        TEXTS,
        "the subjects it rates; all whose answers it can read when left out",
    ),
];

/// In `[gauge.NAME]`.
pub(super) const GAUGE: &[Key] = &[
    must("use", TEXT, "the gauge"),
    key(
        "rater",
        TEXT,
        "the rater it reads through, for gauges of ratings; the first that rates the subject when left out",
    ),
    key(
        "temperature-on",
        TEXT,
        "a dataset of other items: answers are read at the temperature that fits the subject's clean answers there; as they are when left out",
    ),
    key(
        "chosen-on",
        TEXT,
        "a dataset of other items, for gauges that choose a threshold of their own: they choose it on the subject's clean answers there",
    ),
    key(
        "datasets",
        TEXTS,
        "the datasets it is read on; all that subjects are tested on when left out. An explanation that no gauge reads is not asked for",
    ),
    key(
        "at",
        Schema::Json(r#""type": ["string", "object", "array"]"#),
        "under what it is read: \"clean\", a ladder's or a condition's name, or { ladder = …, severity = … }, or a list of such; everywhere when left out. An explanation that no gauge reads is not asked for",
    ),
];

/// In `[analysis]`.
pub(super) const ANALYSIS: &[Key] = &[
    key("gauges", TEXTS, "the gauges to read, by name"),
    key(
        "units",
        Schema::OneOf(Units::spellings),
        "the older spelling of `scope`: `items`, `seeds` or `items-and-seeds`",
    ),
    key(
        "scope",
        Schema::OneOf(Scope::spellings),
        "for what numbers are meant: new items, new replicates, or both; `both`, and with one seed `items`",
    ),
    key(
        "cluster",
        TEXT,
        "the column that says which items of a dataset belong together, such as those of one patient; `none` says that all are independent",
    ),
    key(
        "slices",
        TEXTS,
        "columns of the datasets by whose values every gauge of items is read too; none when left out",
    ),
    key("level", NUMBER, "of every interval; 0.95"),
    key(
        "resamples",
        Schema::Json(r#""type": "integer", "minimum": 100"#),
        "of a bootstrap; 2000",
    ),
    key(
        "correction",
        Schema::OneOf(Correction::spellings),
        "of p-values over a family; `holm`",
    ),
    key(
        "reference",
        TEXT,
        "the subject the others are contrasted with; the first when left out",
    ),
    key(
        "floors",
        Schema::Json(r#""type": "boolean""#),
        "whether gauges of explanations are read beside their floors: maps that know nothing, and the same maps with other draws; true",
    ),
    key(
        "cliff-factor",
        NUMBER,
        "how many times as steep as all other steps together one step has to be shown to be, to be called a cliff; 4",
    ),
    key(
        "absent-at-most",
        NUMBER,
        "the share of answers that may be absent at a place before claims about it are undecided; 0.1",
    ),
    key(
        "looks",
        Schema::Json(
            r#""type": "array", "items": {"type": "integer", "minimum": 1}, "uniqueItems": true, "minItems": 1"#,
        ),
        "the numbers of seeds at which claims will be judged, rising: the level is shared out over them; judged once when left out",
    ),
];

/// In `[run]`.
pub(super) const RUN: &[Key] = &[
    key(
        "limit",
        NUMBER,
        "seconds a fit or a cell may take before it counts as failed; 3600",
    ),
    key(
        "expansion",
        Schema::Json(r#""type": "integer", "minimum": 64"#),
        "how many times its size a file may expand to when it is read, beyond 1 GiB; 64",
    ),
];

/// In `[report]`.
pub(super) const REPORT: &[Key] = &[
    key(
        "title",
        TEXT,
        "the heading of the report; the study's name when left out",
    ),
    key(
        "exhibits",
        Schema::Json(r#""type": "integer", "minimum": 0"#),
        "items shown per subject and ladder; 3",
    ),
    key(
        "figures",
        Schema::SomeOf(FigureFormat::spellings),
        "the formats figures are written in; all three when left out",
    ),
    key(
        "numbers",
        Schema::OneOf(NumberForm::spellings),
        "how tables write numbers: with `intervals`, or as mean ± standard deviation over seeds (`mean-sd`); `intervals`",
    ),
    key(
        "layouts",
        Schema::SomeOf(Layout::spellings),
        "files, names and columns that readers of a field look for, written beside the report's own; none when left out",
    ),
    key(
        "layouts-on",
        TEXT,
        "the dataset those files are about, so that models need not say theirs; all when left out",
    ),
    key(
        "texts",
        Schema::OneOf(TextsShown::spellings),
        "whether texts of items and replies are in findings and report: `show`, or `hide`; `show`",
    ),
];

/// The stress under which a place is.
const UNDER: Key = key(
    "at",
    AT,
    "where: \"clean\", a condition's name, or { ladder = …, severity = … }",
);

/// The dataset that a place is on.
const TESTED_ON: Key = key(
    "on",
    TEXT,
    "the dataset; may be left out when the subject is tested on one",
);

/// In `[[expectation]]`.
pub(super) const EXPECTATION: &[Key] = &[
    must("gauge", TEXT, "what is expected of"),
    must("of", TEXT, "the subject"),
    must("low", NUMBER, "the lower end of what is expected"),
    must(
        "high",
        NUMBER,
        "the upper end; the same as `low` for a single figure",
    ),
    must("source", TEXT, "who expects it: a paper, a brief"),
    UNDER,
    TESTED_ON,
];

/// In `[[level]]`.
pub(super) const LEVEL: &[Key] = &[
    must("name", TEXT, "what it is called, such as `chance`"),
    must("gauge", TEXT, "the gauge it is a value of"),
    must("value", NUMBER, "the value"),
    key("on", TEXT, "the dataset it holds on; all when left out"),
];

/// In `[[contrast]]`.
pub(super) const CONTRAST: &[Key] = &[
    must("gauge", TEXT, "what is compared"),
    must("of", TEXT, "the subject whose value counts positive"),
    must("against", TEXT, "the subject whose value counts negative"),
    UNDER,
    TESTED_ON,
];

const CLAIM_NAME: Key = must("name", TEXT, "what the claim is called");
const GAUGE_OF_CLAIM: Key = must("gauge", TEXT, "what it is about");
const OF: Key = must("of", TEXT, "the subject it is about");
const AGAINST: Key = key(
    "against",
    TEXT,
    "the subject it is compared with, \"clean\" for its own clean twin, or \"milder-rung\" for itself one rung before; left out: the value itself is judged",
);
const MINUS_ON: Key = key(
    "minus-on",
    TEXT,
    "a dataset of the same items whose reading is taken off first, for the subject and for what it is compared with; left out: nothing is",
);
const SIDE: Key = key(
    "side",
    Schema::OneOf(ClaimSide::spellings),
    "`greater`: by more than the margin; `less`: by more than the margin, downwards; `equivalent`: within the margin",
);
const MARGIN: Key = key("margin", NUMBER, "how far, in units of the gauge; 0");
const DOUBTED: Key = key(
    "doubted",
    Schema::OneOf(Doubted::spellings),
    "what becomes of it where an attack doubts the number it rests on: left `undecided`, or `judged` all the same; `undecided`",
);
const TEST: Key = key(
    "test",
    Schema::OneOf(ClaimTest::spellings),
    "how it is tested; `design`: as items and seeds were drawn. The others by name count the claim's unit and take the rest as fixed",
);
const SCOPE_OF_CLAIM: Key = key(
    "scope",
    Schema::OneOf(Scope::spellings),
    "for what the claim is meant: new items, new replicates, or both; that of the study when left out",
);
const UNIT: Key = key(
    "unit",
    Schema::OneOf(counted_units),
    "what a test by name counts; `items` when the study's scope is items, else `seeds`",
);
const ALPHA: Key = key(
    "alpha",
    NUMBER,
    "the level of the verdict, in each direction over the family; 0.05",
);
const FAMILY: Key = key(
    "family",
    TEXT,
    "claims of one family are corrected together; all claims are one family when left out",
);

/// The key by which a claim has parts.
pub(super) const PART: &str = "part";

/// What a claim says of its subject, and every part of a claim of its own.
const STATEMENT: &[Key] = &[
    AGAINST,
    UNDER,
    TESTED_ON,
    MINUS_ON,
    SIDE,
    MARGIN,
    TEST,
    SCOPE_OF_CLAIM,
    UNIT,
    DOUBTED,
];

/// In `[[claim]]`.
pub(super) const CLAIM: &[Key] = &join::<16>(&[
    &[CLAIM_NAME, GAUGE_OF_CLAIM, OF],
    STATEMENT,
    &[ALPHA, FAMILY],
    &[key(
        PART,
        TABLES,
        "the parts of a claim that says several things, `[[claim.part]]`; upheld when each part is, refuted when one is",
    )],
]);

/// In a `[[claim]]` that has parts: what its parts leave out, they take from it.
pub(super) const CLAIM_OF_PARTS: &[Key] = &join::<16>(&[
    &[CLAIM_NAME, GAUGE_OF_CLAIM.optional(), OF.optional()],
    STATEMENT,
    &[ALPHA, FAMILY],
    &[must(
        PART,
        Schema::Json(r#""type": "array", "minItems": 2"#),
        "the parts, `[[claim.part]]`: the claim is upheld when each part is, refuted when one is",
    )],
]);

/// In `[[claim.part]]`.
pub(super) const PART_OF_CLAIM: &[Key] = &join::<13>(&[
    &[
        must("name", TEXT, "what the part is called"),
        GAUGE_OF_CLAIM,
        OF,
    ],
    STATEMENT,
]);

/// In `at = { … }`.
pub(super) const AT_LADDER: &[Key] = &[
    must("ladder", TEXT, "the ladder"),
    key(
        "severity",
        SEVERITY,
        "one of its rungs; left out: the whole ladder, for ladder gauges",
    ),
];
