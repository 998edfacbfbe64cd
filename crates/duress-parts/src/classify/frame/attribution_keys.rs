//! The keys by which a gauge says which map it reads, or which map is put to the test.

use duress_core::explanation::{Attribution, AttributionMethod, Explanation, Fill, Towards};
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::word::Word;

/// The keys of a gauge that is about a map, with its own behind them.
macro_rules! attribution_fields {
    ($($own:expr),* $(,)?) => {
        &[
            $crate::classify::frame::attribution_keys::ATTRIBUTION,
            $crate::classify::frame::attribution_keys::TOWARDS,
            $crate::classify::frame::attribution_keys::LAYER,
            $crate::classify::frame::attribution_keys::SAMPLES,
            $crate::classify::frame::attribution_keys::NOISE,
            $crate::classify::frame::attribution_keys::BASELINE,
            $crate::classify::frame::attribution_keys::PATCH,
            $crate::classify::frame::attribution_keys::DRAW,
            $crate::classify::frame::attribution_keys::ITEMS,
            $($own,)*
        ]
    };
}
pub(crate) use attribution_fields;

/// The key `attribution`.
pub(crate) const ATTRIBUTION: Field = Field {
    name: "attribution",
    takes: Takes::Choice(AttributionMethod::spellings),
    doc: "how maps are made; `centre-gaussian` and `edge-detector` ask no subject: they are floors",
    default: Some("grad-cam"),
};

/// The key `towards`.
pub(crate) const TOWARDS: Field = Field {
    name: "towards",
    takes: Takes::Text,
    doc: "the class a map is about: `clean-answer` (what is said of the image without stress), `answer` (what is said of the image shown), or the name of a class",
    default: Some("clean-answer"),
};

/// The key `layer`.
pub(crate) const LAYER: Field = Field {
    name: "layer",
    takes: Takes::Text,
    doc: "of `grad-cam` and `grad-cam++`: the layer that is looked at; by default the last that says where something is",
    default: Some(""),
};

/// The key `samples`.
pub(crate) const SAMPLES: Field = Field {
    name: "samples",
    takes: Takes::Whole(1, 10_000),
    doc: "of `integrated-gradients`: at how many points the gradient is taken (50); of `smooth-grad`: how many noisy copies (25)",
    default: Some(""),
};

/// The key `noise`.
pub(crate) const NOISE: Field = Field {
    name: "noise",
    takes: Takes::Number(0.0, 10.0),
    doc: "of `smooth-grad`: the deviation of the noise, in pixel units (0.1)",
    default: Some(""),
};

/// The key `baseline`.
pub(crate) const BASELINE: Field = Field {
    name: "baseline",
    takes: Takes::Choice(Fill::spellings),
    doc: "of `integrated-gradients`: where the way begins; of `occlusion`: what covers a patch (black)",
    default: Some(""),
};

/// The key `patch`.
pub(crate) const PATCH: Field = Field {
    name: "patch",
    takes: Takes::Whole(1, 1024),
    doc: "of `occlusion`: the side of the patch, in pixels (4); it moves by half of that",
    default: Some(""),
};

/// The key `draw`.
pub(crate) const DRAW: Field = Field {
    name: "draw",
    takes: Takes::Whole(0, 1_000_000),
    doc: "which of several draws of what is drawn by chance: maps of two draws show how much of a difference is noise",
    default: Some("0"),
};

/// The key `items`.
pub(crate) const ITEMS: Field = Field {
    name: "items",
    takes: Takes::Whole(0, i64::MAX),
    doc: "how many items are explained, evenly spread over the split; 0 for all",
    default: Some("256"),
};

/// How many items a key names: a number beyond all splits is all of them, and not what is left of it.
pub(crate) fn item_count(params: &Params, key: &str) -> u32 {
    u32::try_from(params.count(key)).unwrap_or(u32::MAX)
}

/// The class that the keys name.
pub(crate) fn towards(params: &Params) -> Towards {
    match params.text("towards") {
        "clean-answer" => Towards::CleanAnswer,
        "answer" => Towards::Answer,
        class => Towards::Class(class.into()),
    }
}

/// The map that the keys describe. A key that its method has no use for is refused: it would change
/// nothing.
pub(crate) fn attribution(params: &Params) -> Result<Attribution, Problem> {
    use AttributionMethod::{IntegratedGradients, Occlusion, SmoothGrad};
    let method: AttributionMethod = params.choice("attribution");
    let useful = [
        ("layer", method.has_layer()),
        (
            "samples",
            matches!(method, IntegratedGradients | SmoothGrad),
        ),
        ("noise", method == SmoothGrad),
        (
            "baseline",
            matches!(method, IntegratedGradients | Occlusion),
        ),
        ("patch", method == Occlusion),
    ];
    if let Some((key, _)) = useful.iter().find(|(key, of)| params.has(key) && !of) {
        let wrong = format!("`{key}` means nothing to `{method}`");
        return Err(Problem::new(wrong).expected("a key that the method has a use for"));
    }
    let count = |key: &str| params.count_if(key).map(|set| set as u32);
    let noise = params.number_if("noise").map(severity).transpose()?;
    with_usual_keys(Attribution {
        towards: towards(params),
        layer: params.text_if("layer").map(String::from),
        samples: count("samples"),
        noise,
        fill: params.choice_if("baseline"),
        patch: count("patch"),
        draw: params.count("draw") as u32,
        items: item_count(params, "items"),
        ..Attribution::new(method)
    })
}

/// The map with what its method has to know and is not set.
pub(crate) fn with_usual_keys(of: Attribution) -> Result<Attribution, Problem> {
    use AttributionMethod::{IntegratedGradients, Occlusion, SmoothGrad};
    let fill = Some(of.fill.unwrap_or(Fill::Black));
    Ok(match of.method {
        IntegratedGradients | Occlusion if fill == Some(Fill::NoisyLinear) => {
            return Err(not_whole());
        }
        IntegratedGradients => Attribution {
            samples: of.samples.or(Some(50)),
            fill,
            ..of
        },
        SmoothGrad => Attribution {
            samples: of.samples.or(Some(25)),
            noise: Some(of.noise.map_or_else(|| severity(0.1), Ok)?),
            ..of
        },
        Occlusion => Attribution {
            patch: of.patch.or(Some(4)),
            fill,
            ..of
        },
        _ => of,
    })
}

fn not_whole() -> Problem {
    Problem::new(
        "`baseline = \"noisy-linear\"` is made from neighbours, and a whole image has none",
    )
    .expected("`black`, `mean` or `blur`")
}

/// The question for the map that the keys describe.
pub(crate) fn map_question(params: &Params) -> Result<Question, Problem> {
    Ok(Question::explanation(Explanation::Map(attribution(
        params,
    )?)))
}

/// A number of a key as an exact amount.
pub(crate) fn severity(value: f64) -> Result<Severity, Problem> {
    Severity::new(value).map_err(|why| Problem::new(why.to_string()))
}
