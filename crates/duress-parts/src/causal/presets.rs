//! Presets: stressors in a named order that people press together, to be baked into any dataset.

/// Some stressors in order, under one name.
pub struct Preset {
    /// What a study calls it.
    pub name: &'static str,
    /// What it is like, in one sentence.
    pub doc: &'static str,
    /// The stressors, in order.
    pub press: &'static [PresetPress],
}

/// One stressor of a preset.
pub struct PresetPress {
    /// The part.
    pub stressor: &'static str,
    /// How hard it presses.
    pub severity: f64,
    /// Its keys that are not at their default, all whole numbers.
    pub keys: &'static [(&'static str, i64)],
}

const fn press(stressor: &'static str, severity: f64) -> PresetPress {
    PresetPress {
        stressor,
        severity,
        keys: &[],
    }
}

const fn with(
    stressor: &'static str,
    severity: f64,
    keys: &'static [(&'static str, i64)],
) -> PresetPress {
    PresetPress {
        stressor,
        severity,
        keys,
    }
}

/// All presets. Regimes come first, then bias, drift, noise and outliers, as signals meet them on
/// their way; gaps come last.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "compound_full",
        doc: "gaps that depend on other variables, noise that grows with the signal, outliers, drift, gains and 3 regimes",
        press: &[
            with("regimes", 0.5, &[("regimes", 3)]),
            press("bias-multiplicative", 0.15),
            press("drift", 0.01),
            press("noise-heteroscedastic", 0.3),
            with("outliers", 0.03, &[("scale", 5)]),
            press("missing-structural", 0.25),
        ],
    },
    Preset {
        name: "compound_mnar_bias",
        doc: "gaps that depend on other variables, and gains; it adds no regime, so it is meant for a base with one, which none can be left out of",
        press: &[
            press("bias-multiplicative", 0.2),
            press("missing-structural", 0.25),
        ],
    },
    Preset {
        name: "extreme",
        doc: "as compound_full but harder: 40 % gaps, outliers of 10 standard deviations, a cubic bias, 5 regimes",
        press: &[
            with("regimes", 0.5, &[("regimes", 5)]),
            press("bias-cubic", 0.2),
            press("drift", 0.05),
            press("noise-heteroscedastic", 0.5),
            with("outliers", 0.1, &[("scale", 10)]),
            press("missing-structural", 0.4),
        ],
    },
    Preset {
        name: "moderate",
        doc: "gaps at random given others, some noise that grows with the signal, offsets, 2 regimes",
        press: &[
            with("regimes", 0.5, &[("regimes", 2)]),
            press("bias-additive", 0.2),
            press("noise-heteroscedastic", 0.2),
            press("missing-mar", 0.2),
        ],
    },
    Preset {
        name: "sensor_failure",
        doc: "sensors that saturate, with a little noise, gains and 2 regimes",
        press: &[
            with("regimes", 0.5, &[("regimes", 2)]),
            press("bias-multiplicative", 0.1),
            press("noise-heteroscedastic", 0.1),
            press("missing-mnar-threshold", 0.25),
        ],
    },
    Preset {
        name: "mcar_20",
        doc: "a fifth of all values gone, whatever they are",
        press: &[press("missing-mcar", 0.2)],
    },
    Preset {
        name: "mcar_40",
        doc: "two fifths of all values gone, whatever they are",
        press: &[press("missing-mcar", 0.4)],
    },
    Preset {
        name: "mnar_structural",
        doc: "a fifth of all values gone, by what other variables are",
        press: &[press("missing-structural", 0.2)],
    },
    Preset {
        name: "noise_0.5",
        doc: "noise of half the size of the signal",
        press: &[press("noise", 0.5)],
    },
    Preset {
        name: "regimes_5",
        doc: "5 regimes with means N(0, 1) and scales U(0.5, 1.5)",
        press: &[with("regimes", 1.0, &[("regimes", 5)])],
    },
];

/// The preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
