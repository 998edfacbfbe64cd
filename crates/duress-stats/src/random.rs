//! Chance by counting: Philox2x64-10, where word k of stream s under a seed is a function of (seed,
//! s, k).
//!
//! Because nothing is carried from one stream to the next, resample 7 is the same whichever thread
//! makes it. Source: J. K. Salmon et al., *Parallel random numbers: as easy as 1, 2, 3*, SC11
//! (2011). Bounded integers by N. Brackett-Rozinsky and D. Lemire, *Batched ranged random integer
//! generation* (2024): several unbiased indices from one 64-bit word.

/// Blocks made at a time, so that their multiplications overlap.
const LANES: usize = 4;
/// Each block holds two words.
const WORDS: usize = 2 * LANES;

/// Philox2x64-10 on `N` counters under one key.
fn philox<const N: usize>(
    mut low: [u64; N],
    mut high: [u64; N],
    mut key: u64,
) -> ([u64; N], [u64; N]) {
    for _ in 0..10 {
        for i in 0..N {
            let wide = u128::from(low[i]) * 0xD2B7_4407_B1CE_6E93;
            low[i] = (wide >> 64) as u64 ^ key ^ high[i];
            high[i] = wide as u64;
        }
        key = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }
    (low, high)
}

/// An endless, addressable sequence of random words.
///
/// ```
/// use duress_stats::random::RandomStream;
///
/// let mut a = RandomStream::new(42, 7);
/// let mut b = RandomStream::new(42, 7);
/// assert_eq!(a.next_word(), b.next_word());
/// assert_ne!(RandomStream::new(42, 8).next_word(), RandomStream::new(42, 7).next_word());
/// assert!(a.below(10) < 10);
/// ```
#[derive(Debug, Clone)]
pub struct RandomStream {
    seed: u64,
    stream: u64,
    block: u64,
    words: [u64; WORDS],
    used: usize,
}

impl RandomStream {
    /// Stream number `stream` under `seed`.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        Self {
            seed,
            stream,
            block: 0,
            words: [0; WORDS],
            used: WORDS,
        }
    }

    fn refill(&mut self) {
        let blocks = std::array::from_fn(|lane| self.block + lane as u64);
        let (low, high) = philox(blocks, [self.stream; LANES], self.seed);
        for (pair, (low, high)) in self
            .words
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(low.into_iter().zip(high))
        {
            *pair = [low, high];
        }
        self.block += LANES as u64;
        self.used = 0;
    }

    /// The next 64 random bits.
    pub fn next_word(&mut self) -> u64 {
        if self.used == WORDS {
            self.refill();
        }
        let word = self.words[self.used];
        self.used += 1;
        word
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn next_unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_word() >> 11) as f64 * STEP
    }

    /// An unbiased integer below `bound`, which must be positive.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "nothing lies below 0");
        let mut index = 0;
        self.draw_below(bound, 1, |i| index = i);
        index
    }

    /// Calls `visit` with `count` unbiased, independent integers below `bound`.
    pub fn draw_below(&mut self, bound: u32, count: usize, mut visit: impl FnMut(u32)) {
        self.draw_groups(bound, count, |indices| {
            indices.iter().for_each(|&i| visit(i))
        });
    }

    /// Like [`RandomStream::draw_below`], but hands over the few indices that came out of one word at a time.
    pub(crate) fn draw_groups(&mut self, bound: u32, count: usize, mut visit: impl FnMut(&[u32])) {
        assert!(bound > 0, "nothing lies below 0");
        let bound = u64::from(bound);
        // As many indices per word as fit into 52 bits: a word is then passed over once in 4,096 at
        // most.
        let left = match bound {
            0..=1_351 => self.draw_batches::<5>(bound, count, &mut visit),
            1_352..=8_192 => self.draw_batches::<4>(bound, count, &mut visit),
            8_193..=165_140 => self.draw_batches::<3>(bound, count, &mut visit),
            165_141..=67_108_864 => self.draw_batches::<2>(bound, count, &mut visit),
            _ => count,
        };
        self.draw_batches::<1>(bound, left, &mut visit);
    }

    /// Draws in batches of `K` and returns how many draws are left over.
    fn draw_batches<const K: usize>(
        &mut self,
        bound: u64,
        count: usize,
        visit: &mut impl FnMut(&[u32]),
    ) -> usize {
        let product = bound.pow(K as u32);
        // Words that would favour some combinations end below this.
        let favoured = product.wrapping_neg() % product;
        let mut left = count;
        while left >= K {
            if self.used == WORDS {
                self.refill();
            }
            let from = self.used;
            for &word in &self.words[from..] {
                self.used += 1;
                let (indices, rest) = split::<K>(word, bound);
                if rest < favoured {
                    continue;
                }
                visit(&indices);
                left -= K;
                if left < K {
                    break;
                }
            }
        }
        left
    }

    /// Puts a slice into random order (Fisher–Yates).
    ///
    /// # Panics
    /// More than `u32::MAX` items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        assert!(
            u32::try_from(items.len()).is_ok(),
            "at most 2³² − 1 items are shuffled"
        );
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// `K` indices below `bound` from one word, and the remainder that tells whether the word was fair.
fn split<const K: usize>(word: u64, bound: u64) -> ([u32; K], u64) {
    let mut rest = word;
    let mut indices = [0; K];
    for index in &mut indices {
        let wide = u128::from(rest) * u128::from(bound);
        *index = (wide >> 64) as u32;
        rest = wide as u64;
    }
    (indices, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the Random123 library.
    #[test]
    fn philox_matches_its_published_answers() {
        let check = |low: u64, high: u64, key: u64, expected: (u64, u64)| {
            let (a, b) = philox([low], [high], key);
            assert_eq!((a[0], b[0]), expected);
        };
        check(0, 0, 0, (0xca00_a045_9843_d731, 0x66c2_4222_c9a8_45b5));
        check(
            u64::MAX,
            u64::MAX,
            u64::MAX,
            (0x65b0_21d6_0cd8_310f, 0x4d02_f322_2f86_df20),
        );
        let pi = (
            0x243f_6a88_85a3_08d3,
            0x1319_8a2e_0370_7344,
            0xa409_3822_299f_31d0,
        );
        check(
            pi.0,
            pi.1,
            pi.2,
            (0x0a5e_742c_2997_341c, 0xb0f8_83d3_8000_de5d),
        );
    }

    #[test]
    fn bounded_draws_are_uniform() {
        for bound in [3_u32, 1000, 5000, 70_000, 20_000_000, 3_000_000_000] {
            let mut cells = [0_u32; 3];
            RandomStream::new(1, 2).draw_below(bound, 60_000, |i| {
                cells[(u64::from(i) * 3 / u64::from(bound)) as usize] += 1
            });
            assert_eq!(cells.iter().sum::<u32>(), 60_000);
            assert!(
                cells.iter().all(|&c| c.abs_diff(20_000) < 600),
                "{bound}: {cells:?}"
            );
        }
    }
}
