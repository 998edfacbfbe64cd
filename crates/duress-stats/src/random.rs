//! Chance by counting: Philox4x32-10, where draw k of stream s under a seed is a function of (seed, s, k).
//!
//! Because nothing is carried from one stream to the next, resample 7 is the same whichever thread makes it.
//! Source: J. K. Salmon et al., *Parallel random numbers: as easy as 1, 2, 3*, SC11 (2011). Bounded integers by
//! N. Brackett-Rozinsky and D. Lemire, *Batched ranged random integer generation* (2024): several unbiased indices
//! from one 64-bit word.

/// Blocks made at a time; each holds two 64-bit words.
const LANES: usize = 8;

/// One Philox4x32-10 block.
fn philox<const N: usize>(mut counter: [[u32; N]; 4], seed: u64) -> [[u32; N]; 4] {
    let (mut k0, mut k1) = (seed as u32, (seed >> 32) as u32);
    for _ in 0..10 {
        let [c0, c1, c2, c3] = counter;
        for i in 0..N {
            let even = u64::from(c0[i]) * 0xD251_1F53;
            let odd = u64::from(c2[i]) * 0xCD9E_8D57;
            counter[0][i] = (odd >> 32) as u32 ^ c1[i] ^ k0;
            counter[1][i] = odd as u32;
            counter[2][i] = (even >> 32) as u32 ^ c3[i] ^ k1;
            counter[3][i] = even as u32;
        }
        k0 = k0.wrapping_add(0x9E37_79B9);
        k1 = k1.wrapping_add(0xBB67_AE85);
    }
    counter
}

/// An endless, addressable sequence of random words.
///
/// ```
/// use duress_stats::random::Stream;
///
/// let mut a = Stream::new(42, 7);
/// let mut b = Stream::new(42, 7);
/// assert_eq!(a.word(), b.word());
/// assert_ne!(Stream::new(42, 8).word(), Stream::new(42, 7).word());
/// assert!(a.below(10) < 10);
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    seed: u64,
    stream: u64,
    block: u64,
    words: [u64; 2 * LANES],
    used: usize,
}

impl Stream {
    /// Stream number `stream` under `seed`.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { seed, stream, block: 0, words: [0; 2 * LANES], used: 2 * LANES }
    }

    fn refill(&mut self) {
        let blocks: [u64; LANES] = std::array::from_fn(|lane| self.block + lane as u64);
        let counter = [
            blocks.map(|block| block as u32),
            blocks.map(|block| (block >> 32) as u32),
            [self.stream as u32; LANES],
            [(self.stream >> 32) as u32; LANES],
        ];
        let [w0, w1, w2, w3] = philox(counter, self.seed);
        for lane in 0..LANES {
            self.words[2 * lane] = u64::from(w0[lane]) | u64::from(w1[lane]) << 32;
            self.words[2 * lane + 1] = u64::from(w2[lane]) | u64::from(w3[lane]) << 32;
        }
        self.block += LANES as u64;
        self.used = 0;
    }

    /// The next 64 random bits.
    pub fn word(&mut self) -> u64 {
        if self.used == self.words.len() {
            self.refill();
        }
        let word = self.words[self.used];
        self.used += 1;
        word
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.word() >> 11) as f64 * STEP
    }

    /// An unbiased integer below `bound`, which must be positive.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "nothing lies below 0");
        let mut one = [0];
        self.batch(u64::from(bound), u64::from(bound), &mut one);
        one[0]
    }

    /// Calls `visit` with `count` unbiased, independent integers below `bound`.
    pub fn draw(&mut self, bound: u32, count: usize, mut visit: impl FnMut(u32)) {
        assert!(bound > 0, "nothing lies below 0");
        let bound = u64::from(bound);
        let mut left = count;
        // As many indices per word as fit into 48 bits: a word is then redrawn once in 65,536 at most.
        if bound <= 1 << 12 {
            self.draw_batches::<4>(bound, &mut left, &mut visit);
        } else if bound <= 1 << 16 {
            self.draw_batches::<3>(bound, &mut left, &mut visit);
        } else if bound <= 1 << 24 {
            self.draw_batches::<2>(bound, &mut left, &mut visit);
        }
        self.draw_batches::<1>(bound, &mut left, &mut visit);
    }

    fn draw_batches<const K: usize>(&mut self, bound: u64, left: &mut usize, visit: &mut impl FnMut(u32)) {
        let product = bound.pow(K as u32);
        let mut indices = [0; K];
        while *left >= K {
            self.batch(bound, product, &mut indices);
            indices.iter().for_each(|&i| visit(i));
            *left -= K;
        }
    }

    /// `K` indices below `bound` from one word; `product` is `bound` to the power `K`.
    #[inline]
    fn batch<const K: usize>(&mut self, bound: u64, product: u64, indices: &mut [u32; K]) {
        loop {
            let mut rest = self.word();
            for index in &mut *indices {
                let wide = u128::from(rest) * u128::from(bound);
                *index = (wide >> 64) as u32;
                rest = wide as u64;
            }
            if rest >= product || rest >= product.wrapping_neg() % product {
                return;
            }
        }
    }

    /// Puts a slice into random order (Fisher–Yates).
    ///
    /// # Panics
    /// More than `u32::MAX` items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        assert!(u32::try_from(items.len()).is_ok(), "at most 2³² − 1 items are shuffled");
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the Random123 library.
    #[test]
    fn philox_matches_its_published_answers() {
        let check = |counter: [u32; 4], key: u64, expected: [u32; 4]| {
            assert_eq!(philox(counter.map(|c| [c]), key), expected.map(|c| [c]));
        };
        check([0; 4], 0, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        check([u32::MAX; 4], u64::MAX, [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        check(
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            0x299f_31d0_a409_3822,
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        );
    }

    #[test]
    fn bounded_draws_are_uniform() {
        for bound in [3_u32, 1000, 70_000, 20_000_000] {
            let mut cells = [0_u32; 3];
            Stream::new(1, 2)
                .draw(bound, 60_000, |i| cells[(u64::from(i) * 3 / u64::from(bound)) as usize] += 1);
            assert_eq!(cells.iter().sum::<u32>(), 60_000);
            assert!(cells.iter().all(|&c| c.abs_diff(20_000) < 600), "{bound}: {cells:?}");
        }
    }
}
