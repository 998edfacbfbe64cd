//! Views: how one image sees a lesion.

use duress_core::seed::Seed;

/// How one image sees a lesion: turned, shifted, nearer or farther, in which light, with what grain.
#[derive(Clone, Copy, Debug)]
pub struct LesionView {
    /// Cosine and sine of the turn.
    turn: (f32, f32),
    shift: (f32, f32),
    zoom: f32,
    light: [f32; 3],
    grain: Seed,
}

/// How much grain changes a value at most.
const GRAIN: f32 = 0.025;

impl LesionView {
    /// A view from a seed.
    pub fn new(seed: Seed) -> LesionView {
        let mut draws = seed.draws();
        let turn = draws.between(0.0, std::f64::consts::TAU);
        let mut about =
            |middle: f64, stray: f64| draws.between(middle - stray, middle + stray) as f32;
        let shift = (about(0.0, 0.12), about(0.0, 0.12));
        let zoom = about(1.0, 0.1);
        let bright = about(1.0, 0.06);
        let light = [0.0; 3].map(|_: f32| bright * about(1.0, 0.02));
        LesionView {
            turn: (libm::cos(turn) as f32, libm::sin(turn) as f32),
            shift,
            zoom,
            light,
            grain: seed.child("grain"),
        }
    }

    /// Where on the skin a point of the image is; both go from −1 to 1 with the lesion about 0.
    pub(super) fn on_skin(&self, x: f32, y: f32) -> (f32, f32) {
        let right = (x - self.shift.0) / self.zoom;
        let down = (y - self.shift.1) / self.zoom;
        let (cosine, sine) = self.turn;
        (right * cosine + down * sine, down * cosine - right * sine)
    }

    /// The values of an image in this light, with this grain.
    pub(super) fn develop(&self, pixels: &mut [f32]) {
        let mut draws = self.grain.draws();
        let area = pixels.len() / 3;
        for (plane, light) in pixels.chunks_exact_mut(area).zip(self.light) {
            for pixel in plane {
                let grain = half_unit(draws.bits32()) + half_unit(draws.bits32());
                *pixel = (*pixel * light + GRAIN * grain).clamp(0.0, 1.0);
            }
        }
    }
}

/// Uniform in [−½, ½): the sum of two has a triangular law, which is grain enough and has no tail.
fn half_unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / (1_u32 << 24) as f32 - 0.5
}
