//! The standard normal distribution.

use crate::{UndefinedReason, check};

/// The standard normal distribution.
///
/// Tails by `erfc` (libm, below one unit in the last place); quantiles by Wichura's algorithm AS
/// 241 (*Applied Statistics* 37 (1988) 477–484), relative error about 1e-16.
///
/// ```
/// use duress_stats::dist::Normal;
///
/// assert!((Normal.quantile(0.975).unwrap() - 1.959963984540054).abs() < 1e-14);
/// assert!((Normal.sf(10.0) / 7.619853024160527e-24 - 1.0).abs() < 1e-13);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Normal;

impl Normal {
    /// Density at `z`.
    #[must_use]
    pub fn pdf(self, z: f64) -> f64 {
        const ROOT_TWO_PI: f64 = 2.506_628_274_631_000_2;
        libm::exp(-0.5 * z * z) / ROOT_TWO_PI
    }

    /// `P(Z ≤ z)`.
    #[must_use]
    pub fn cdf(self, z: f64) -> f64 {
        0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
    }

    /// `P(Z > z)`.
    #[must_use]
    pub fn sf(self, z: f64) -> f64 {
        self.cdf(-z)
    }

    /// The point below which a mass of `p` lies.
    ///
    /// # Errors
    /// `p` not strictly between 0 and 1.
    pub fn quantile(self, p: f64) -> Result<f64, UndefinedReason> {
        check::open_unit("p", p)?;
        Ok(quantile_inside(p))
    }

    /// The point above which a mass of `q` lies.
    ///
    /// # Errors
    /// `q` not strictly between 0 and 1.
    pub fn upper_quantile(self, q: f64) -> Result<f64, UndefinedReason> {
        self.quantile(q).map(|z| -z)
    }
}

fn quantile_inside(p: f64) -> f64 {
    let centred = p - 0.5;
    if libm::fabs(centred) <= 0.425 {
        let r = 0.180_625 - centred * centred;
        return centred * ratio(r, &CENTRE);
    }
    let tail = if centred < 0.0 { p } else { 1.0 - p };
    let r = libm::sqrt(-libm::log(tail));
    let z = if r <= 5.0 {
        ratio(r - 1.6, &MIDDLE)
    } else {
        ratio(r - 5.0, &FAR)
    };
    if centred < 0.0 { -z } else { z }
}

type Rational = ([f64; 8], [f64; 8]);

fn ratio(r: f64, (above, below): &Rational) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
    horner(above) / horner(below)
}

const CENTRE: Rational = (
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);

const MIDDLE: Rational = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR: Rational = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_879e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_7e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);
