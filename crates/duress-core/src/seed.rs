//! Chance: every draw comes from a seed, and a seed has children by label.
//!
//! Draws are counter-based (Philox 4×32-10; Salmon et al., "Parallel random numbers: as easy as 1,
//! 2, 3", SC'11), so a stream depends on its seed alone: never on the order of work, the number of
//! threads, or whether a run was resumed. The samplers are our own, on `libm`, so that they give
//! the same bits on every platform.

/// The origin of a stream of draws.
///
/// ```
/// use duress_core::seed::Seed;
/// let study = Seed::new(42);
/// let noise = study.child("stress").child("gaussian-noise");
/// assert_eq!(noise, Seed::new(42).child("stress").child("gaussian-noise"));
/// assert_ne!(noise.child("item-1"), noise.child("item-2"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    key: u64,
    stream: u64,
}

impl Seed {
    /// The seed a user wrote.
    pub fn new(number: u64) -> Seed {
        Seed {
            key: number,
            stream: 0,
        }
        .child("duress")
    }

    /// The seed of something inside: a purpose, a ladder, an item.
    #[must_use]
    pub fn child(self, label: impl AsRef<str>) -> Seed {
        let bytes = label.as_ref().as_bytes();
        // The length goes in last, so that no label is the beginning of another.
        let words = bytes
            .chunks(8)
            .map(little_endian)
            .chain([bytes.len() as u64]);
        words.fold(self, |seed, word| {
            let [a, b, c, d] = philox(seed.key, [seed.stream, word]);
            Seed {
                key: join(a, b),
                stream: join(c, d),
            }
        })
    }

    /// The stream of draws that starts here.
    pub fn draws(self) -> Draws {
        Draws {
            seed: self,
            block: 0,
            words: [0; 4],
            used: 4,
        }
    }

    /// The same stream, from where so many words of 32 bits [were drawn](Draws::drawn): what was
    /// kept half done goes on there.
    pub fn draws_after(self, words: u64) -> Draws {
        let mut draws = self.draws();
        draws.block = words / 4;
        for _ in 0..words % 4 {
            draws.bits32();
        }
        draws
    }
}

/// A stream of draws from one [`Seed`].
///
/// ```
/// use duress_core::seed::Seed;
/// let mut draws = Seed::new(7).draws();
/// let x = draws.uniform();
/// assert!((0.0..1.0).contains(&x));
/// ```
#[derive(Clone, Debug)]
pub struct Draws {
    seed: Seed,
    block: u64,
    words: [u32; 4],
    used: usize,
}

impl Draws {
    /// How many words of 32 bits were drawn.
    pub fn drawn(&self) -> u64 {
        4 * self.block + self.used as u64 - 4
    }

    /// 32 random bits.
    pub fn bits32(&mut self) -> u32 {
        if self.used == 4 {
            self.words = philox(self.seed.key, [self.block, self.seed.stream]);
            self.block += 1;
            self.used = 0;
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// 64 random bits.
    pub fn bits64(&mut self) -> u64 {
        let low = self.bits32();
        join(low, self.bits32())
    }

    /// Uniform in [0, 1), with 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// A whole number below `bound`, without bias (Lemire's multiplication, with rejection).
    ///
    /// # Panics
    /// When `bound` is 0: there is no such number.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no whole number is below 0");
        let bound = bound as u64;
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.bits64()) * u128::from(bound);
            if wide as u64 >= threshold {
                return (wide >> 64) as usize;
            }
        }
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Standard normal (Box–Muller; one of the pair, so that a draw never depends on what was drawn
    /// before it).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Puts `things` into a random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

fn little_endian(chunk: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(word)
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// One block of Philox 4×32-10.
fn philox(key: u64, counter: [u64; 2]) -> [u32; 4] {
    let mut key = [key as u32, (key >> 32) as u32];
    let mut c = [
        counter[0] as u32,
        (counter[0] >> 32) as u32,
        counter[1] as u32,
        (counter[1] >> 32) as u32,
    ];
    for _ in 0..10 {
        let a = u64::from(c[0]) * 0xD251_1F53;
        let b = u64::from(c[2]) * 0xCD9E_8D57;
        c = [
            (b >> 32) as u32 ^ c[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ c[3] ^ key[1],
            a as u32,
        ];
        key = [
            key[0].wrapping_add(0x9E37_79B9),
            key[1].wrapping_add(0xBB67_AE85),
        ];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_known_answers_of_its_authors() {
        assert_eq!(
            philox(0, [0, 0]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox(u64::MAX, [u64::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    #[test]
    fn a_stream_goes_on_where_it_was_left() {
        let seed = Seed::new(5);
        let mut draws = seed.draws();
        for words in 0..13 {
            assert_eq!(draws.drawn(), words);
            let mut later = seed.draws_after(words);
            assert_eq!(later.drawn(), words);
            assert_eq!(later.bits64(), draws.clone().bits64());
            draws.bits32();
        }
    }

    #[test]
    fn a_label_is_not_the_beginning_of_another() {
        let seed = Seed::new(1);
        assert_ne!(seed.child("a"), seed.child("a\0"));
        assert_ne!(seed.child("ab").child("c"), seed.child("a").child("bc"));
        assert_ne!(seed.child(""), seed);
    }

    #[test]
    fn the_moments_of_the_draws_are_those_of_the_law() {
        let n = 200_000;
        let mut draws = Seed::new(3).draws();
        let normal: Vec<f64> = (0..n).map(|_| draws.normal()).collect();
        let mean = normal.iter().sum::<f64>() / n as f64;
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
        let mut counts = [0_u32; 7];
        (0..n).for_each(|_| counts[draws.below(7)] += 1);
        assert!(
            counts
                .iter()
                .all(|&c| (f64::from(c) - n as f64 / 7.0).abs() < 800.0),
            "{counts:?}"
        );
    }

    #[test]
    fn a_shuffle_keeps_everything() {
        let mut things: Vec<usize> = (0..100).collect();
        Seed::new(5).draws().shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<_>>());
    }
}
