//! Brightness, contrast and saturation.

use super::Picture;

/// Adds light: `more` to the value of every pixel in HSV, hue and saturation kept; to every channel
/// of a picture that is not in colour.
pub fn brighter(picture: &mut Picture<'_>, more: f64) {
    let more = more as f32;
    let Some(planes) = picture.red_green_blue() else {
        picture.pixels.iter_mut().for_each(|pixel| *pixel += more);
        return;
    };
    // Hue and saturation are ratios of the channels: to keep them is to scale all three alike.
    each_colour(planes, |colour| {
        let value = largest(colour);
        let wanted = (value + more).clamp(0.0, 1.0);
        if value > 0.0 {
            colour.map(|channel| channel * (wanted / value))
        } else {
            [wanted; 3]
        }
    });
}

/// Multiplies the saturation of every pixel in HSV and adds to it; a grey pixel, which has no hue,
/// is taken for red. A picture that is not in colour has no saturation and stays.
pub fn saturate(picture: &mut Picture<'_>, times: f64, plus: f64) {
    let times = times as f32;
    let plus = plus as f32;
    let Some(planes) = picture.red_green_blue() else {
        return;
    };
    each_colour(planes, |colour| {
        let value = largest(colour);
        let least = colour.into_iter().fold(f32::INFINITY, f32::min);
        if value == 0.0 {
            return colour;
        }
        let saturation = (value - least) / value;
        let wanted = (saturation * times + plus).clamp(0.0, 1.0);
        if saturation > 0.0 {
            colour.map(|channel| value - (value - channel) * (wanted / saturation))
        } else {
            [value, value * (1.0 - wanted), value * (1.0 - wanted)]
        }
    });
}

/// Draws every channel towards its own mean: what is left of each difference is `kept`.
pub fn contrast(picture: &mut Picture<'_>, kept: f64) {
    for plane in picture.planes() {
        let sum: f64 = plane.iter().map(|pixel| f64::from(*pixel)).sum();
        let mean = sum / plane.len() as f64;
        for pixel in plane.iter_mut() {
            *pixel = ((f64::from(*pixel) - mean) * kept + mean) as f32;
        }
    }
}

/// Multiplies all light.
pub fn light(picture: &mut Picture<'_>, factor: f64) {
    let factor = factor as f32;
    picture.pixels.iter_mut().for_each(|pixel| *pixel *= factor);
}

/// Stretches or shrinks all channels about the mean brightness of the whole picture, which is
/// rounded to a level of eight bits as Pillow's `ImageEnhance.Contrast` does it.
pub fn contrast_about_brightness(picture: &mut Picture<'_>, factor: f64) {
    let brightness = picture.brightness();
    let sum: f64 = brightness.iter().map(|value| f64::from(*value)).sum();
    let mean = sum / brightness.len() as f64;
    let mean = libm::floor(mean * 255.0 + 0.5) / 255.0;
    for pixel in picture.pixels.iter_mut() {
        *pixel = ((f64::from(*pixel) - mean) * factor + mean) as f32;
    }
}

fn largest(colour: [f32; 3]) -> f32 {
    colour.into_iter().fold(0.0, f32::max)
}

fn each_colour(planes: [&mut [f32]; 3], change: impl Fn([f32; 3]) -> [f32; 3]) {
    let [red, green, blue] = planes;
    for ((red, green), blue) in red.iter_mut().zip(green).zip(blue) {
        [*red, *green, *blue] = change([*red, *green, *blue]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::luma;
    use super::*;

    fn changed(pixels: [f32; 3], act: impl Fn(&mut Picture<'_>)) -> [f32; 3] {
        let mut pixels = pixels;
        act(&mut Picture::new(&mut pixels, [3, 1, 1]));
        pixels
    }

    #[test]
    fn light_keeps_the_ratios_of_a_colour_and_makes_black_grey() {
        let lit = changed([0.4, 0.2, 0.1], |picture| brighter(picture, 0.2));
        assert!(
            lit.iter()
                .zip([0.6, 0.3, 0.15])
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
        assert_eq!(
            changed([0.0; 3], |picture| brighter(picture, 0.5)),
            [0.5; 3]
        );
        assert_eq!(
            changed([1.0; 3], |picture| brighter(picture, 0.5)),
            [1.0; 3]
        );
    }

    #[test]
    fn without_saturation_all_channels_are_the_brightest_one() {
        let grey = changed([0.4, 0.2, 0.1], |picture| saturate(picture, 0.0, 0.0));
        assert_eq!(grey, [0.4; 3]);
        let red = changed([0.5; 3], |picture| saturate(picture, 5.0, 0.1));
        assert!((luma(red) - luma([0.5, 0.45, 0.45])).abs() < 1e-6);
        let kept = changed([0.4, 0.2, 0.1], |picture| saturate(picture, 1.0, 0.0));
        assert!(
            kept.iter()
                .zip([0.4, 0.2, 0.1])
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
    }

    #[test]
    fn contrast_keeps_means() {
        let mut pixels = [0.0, 1.0, 0.2, 0.4];
        contrast(&mut Picture::new(&mut pixels, [2, 1, 2]), 0.5);
        let wanted = [0.25, 0.75, 0.25, 0.35];
        assert!(pixels.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
