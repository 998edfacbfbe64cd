//! Resizing with a triangle filter that widens as a picture shrinks, so that nothing is skipped
//! over.
//!
//! This is what Pillow calls `BILINEAR` and torchvision bilinear with antialiasing: columns first,
//! then rows; where samples are whole levels, weights are rounded to 22 binary places and each pass
//! rounds to whole levels. All sums are exact in `f64`, so 8-bit pictures come out as Pillow's do,
//! level by level, on every machine.

use super::picture::{Depth, Picture};

/// The picture at another size.
pub(super) fn resize(picture: &Picture, width: usize, height: usize) -> Picture {
    let width = width.max(1);
    let height = height.max(1);
    let narrowed = if width == picture.width {
        picture.clone()
    } else {
        columns(picture, width)
    };
    if height == picture.height {
        narrowed
    } else {
        rows(&narrowed, height)
    }
}

/// The middle square of a picture, rounded as torchvision rounds it: halves to even.
pub(super) fn middle(picture: &Picture, side: usize) -> Picture {
    let start = |length: usize| {
        let spare = length.saturating_sub(side);
        spare / 2 + usize::from(spare % 4 == 3)
    };
    let (left, top, channels) = (
        start(picture.width),
        start(picture.height),
        picture.channels,
    );
    let row = |y: usize| {
        let from = ((top + y) * picture.width + left) * channels;
        &picture.samples[from..from + side * channels]
    };
    let samples = (0..side).flat_map(row).copied().collect();
    Picture {
        width: side,
        height: side,
        samples,
        ..*picture
    }
}

/// What one new sample is made of: old ones from `from` on, each with its weight.
struct Taps {
    from: usize,
    weights: Vec<f64>,
}

/// For each of `to` samples along a line of `from`.
fn taps(from: usize, to: usize, depth: Depth) -> Vec<Taps> {
    let scale = from as f64 / to as f64;
    let reach = scale.max(1.0);
    let at = |new: usize| {
        let centre = (new as f64 + 0.5) * scale;
        let first = (centre - reach + 0.5).max(0.0) as usize;
        let end = ((centre + reach + 0.5) as usize).min(from);
        let triangle = |old: usize| (1.0 - ((old as f64 - centre + 0.5) / reach).abs()).max(0.0);
        let weights: Vec<f64> = (first..end).map(triangle).collect();
        let sum: f64 = weights.iter().sum();
        let share = |weight: &f64| match depth {
            Depth::Levels(_) => (weight / sum * UNIT + 0.5).floor() / UNIT,
            Depth::Real => weight / sum,
        };
        Taps {
            from: first,
            weights: weights.iter().map(share).collect(),
        }
    };
    (0..to).map(at).collect()
}

/// One in fixed point: with 8 bits of level and a sign it fills 32 bits, which is why others chose
/// it.
const UNIT: f64 = (1 << 22) as f64;

fn columns(picture: &Picture, width: usize) -> Picture {
    let channels = picture.channels;
    let taps = taps(picture.width, width, picture.depth);
    let mut samples = Vec::with_capacity(width * picture.height * channels);
    for row in picture.samples.chunks_exact(picture.width * channels) {
        for taps in &taps {
            let near = &row[taps.from * channels..];
            for channel in 0..channels {
                let old = near[channel..].iter().step_by(channels);
                let sum: f64 = taps
                    .weights
                    .iter()
                    .zip(old)
                    .map(|(weight, &old)| weight * f64::from(old))
                    .sum();
                samples.push(picture.depth.nearest(sum));
            }
        }
    }
    Picture {
        width,
        samples,
        ..*picture
    }
}

fn rows(picture: &Picture, height: usize) -> Picture {
    let length = picture.width * picture.channels;
    let mut samples = Vec::with_capacity(height * length);
    let mut sums = vec![0.0; length];
    for taps in taps(picture.height, height, picture.depth) {
        sums.fill(0.0);
        for (weight, row) in taps
            .weights
            .iter()
            .zip(picture.samples[taps.from * length..].chunks_exact(length))
        {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, &old)| *sum += weight * f64::from(old));
        }
        samples.extend(sums.iter().map(|&sum| picture.depth.nearest(sum)));
    }
    Picture {
        height,
        samples,
        ..*picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(width: usize, depth: Depth, samples: &[f32]) -> Picture {
        let height = samples.len() / width;
        Picture {
            width,
            height,
            channels: 1,
            depth,
            samples: samples.to_vec(),
        }
    }

    #[test]
    fn a_picture_of_its_own_size_stays_and_one_of_one_colour_keeps_it() {
        let picture = grey(2, Depth::Levels(255.0), &[0.0, 10.0, 200.0, 255.0]);
        assert_eq!(resize(&picture, 2, 2), picture);
        for depth in [Depth::Levels(255.0), Depth::Levels(65535.0), Depth::Real] {
            let plain = grey(5, depth, &[1.0; 15]);
            for (width, height) in [(1, 1), (3, 7), (50, 2)] {
                let resized = resize(&plain, width, height);
                assert!(
                    resized.samples.iter().all(|x| (x - 1.0).abs() < 1e-6),
                    "{depth:?} {resized:?}"
                );
                assert_eq!(resized.samples.len(), width * height);
            }
        }
    }

    #[test]
    fn halving_takes_the_neighbours_along() {
        // A triangle over two samples on each side, at distances 0.25 and 0.75 of its reach: 1/8,
        // 3/8, 3/8, 1/8.
        let halved = resize(
            &grey(8, Depth::Real, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
            4,
            1,
        );
        assert_eq!(halved.samples, [0.0, 0.375, 0.125, 0.0]);
    }

    #[test]
    fn the_middle_is_where_torchvision_finds_it() {
        // torchvision: int(round((length - side) / 2)), halves to even.
        let check = |length: usize, side: usize, first: f32| {
            let line: Vec<f32> = (0..length * side).map(|at| (at % length) as f32).collect();
            assert_eq!(
                middle(&grey(length, Depth::Levels(255.0), &line), side).samples[0],
                first,
                "{length}"
            );
        };
        check(5, 5, 0.0);
        check(6, 5, 0.0);
        check(7, 5, 1.0);
        check(8, 5, 2.0);
        check(10, 5, 2.0);
        check(12, 5, 4.0);
    }
}
