//! A lesson: images, their labels, what each class counts, and which of them are held out.

use std::collections::HashMap;

use duress_core::data::Images;
use duress_core::seed::Seed;
use duress_core::truth::Labels;

use super::{ClassWeights, EarlyStopping};
use crate::network::Normalise;

/// What a network is taught.
#[derive(Clone, Copy, Debug)]
pub struct LabelledImages<'a> {
    pub images: &'a Images,
    pub labels: &'a Labels,
    /// The cluster of each image, where images belong together; an empty one is a cluster of its
    /// own. What belongs together is held out together.
    pub clusters: Option<&'a [String]>,
}

/// Images, labels, and what each class counts.
pub(super) struct TrainingSet<'a> {
    pub(super) images: &'a Images,
    pub(super) labels: &'a Labels,
    class_weights: Vec<f64>,
}

impl<'a> TrainingSet<'a> {
    pub(super) fn new(
        lesson: LabelledImages<'a>,
        taught: &[usize],
        weights: ClassWeights,
    ) -> TrainingSet<'a> {
        TrainingSet {
            images: lesson.images,
            labels: lesson.labels,
            class_weights: class_weights(lesson.labels, taught, weights),
        }
    }

    /// What each item of a batch counts in its cross-entropy; together one.
    pub(super) fn item_shares(&self, labels: &[u32]) -> Vec<f64> {
        let weight = |label: &u32| self.class_weights[*label as usize];
        let total: f64 = labels.iter().map(weight).sum();
        labels.iter().map(|label| weight(label) / total).collect()
    }
}

/// Which images are taught, and which are held out.
pub(super) fn divide(
    images: usize,
    clusters: Option<&[String]>,
    stopping: Option<EarlyStopping>,
    seed: Seed,
) -> (Vec<usize>, Vec<usize>) {
    let Some(stopping) = stopping else {
        return ((0..images).collect(), Vec::new());
    };
    let mut groups = together(images, clusters);
    seed.draws().shuffle(&mut groups);
    // At least one is held out, or there would be nothing to stop by.
    let wanted = ((images as f64 * stopping.share) as usize)
        .max(1)
        .min(images);
    let mut held_out = Vec::new();
    let mut taught = Vec::new();
    for group in groups {
        match held_out.len() < wanted {
            true => held_out.extend(group),
            false => taught.extend(group),
        }
    }
    (taught, held_out)
}

/// What belongs together, in the order of its first images.
fn together(images: usize, clusters: Option<&[String]>) -> Vec<Vec<usize>> {
    let Some(clusters) = clusters else {
        return (0..images).map(|image| vec![image]).collect();
    };
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (image, cluster) in clusters.iter().enumerate() {
        let next = groups.len();
        let group = match cluster.is_empty() {
            true => next,
            false => *known.entry(cluster).or_insert(next),
        };
        if group == next {
            groups.push(Vec::new());
        }
        groups[group].push(image);
    }
    groups
}

/// Mean zero and variance one over the images taught; a channel that never varies is only shifted.
pub(super) fn channel_scale(images: &Images, which: &[usize]) -> Normalise {
    let [channels, height, width] = images.shape();
    let plane = height * width;
    let mut normalise = Normalise::identity(channels);
    for channel in 0..channels {
        let values = || {
            let of = move |&i: &usize| &images.image(i)[channel * plane..(channel + 1) * plane];
            which.iter().flat_map(of).map(|&x| f64::from(x))
        };
        let n = (which.len() * plane) as f64;
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        normalise.mean[channel] = mean as f32;
        if variance > 1e-12 {
            normalise.scale[channel] = (1.0 / libm::sqrt(variance)) as f32;
        }
    }
    normalise
}

/// The items of each class that has some.
pub(super) fn items_by_class(labels: &Labels, which: &[usize]) -> Vec<Vec<usize>> {
    let mut classes = vec![Vec::new(); labels.classes().len()];
    which
        .iter()
        .for_each(|&item| classes[labels.of()[item] as usize].push(item));
    classes.retain(|items| !items.is_empty());
    classes
}

fn class_weights(labels: &Labels, which: &[usize], how: ClassWeights) -> Vec<f64> {
    let classes = labels.classes().len();
    if how == ClassWeights::Equal {
        return vec![1.0; classes];
    }
    let mut counts = vec![0_usize; classes];
    which
        .iter()
        .for_each(|&i| counts[labels.of()[i] as usize] += 1);
    // A class nobody is taught has no item whose weight could matter.
    counts
        .iter()
        .map(|&count| which.len() as f64 / (classes * count.max(1)) as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOPPING: Option<EarlyStopping> = Some(EarlyStopping {
        share: 0.3,
        patience: 1,
    });

    #[test]
    fn what_belongs_together_is_never_torn_apart_and_the_share_is_met() {
        let clusters: Vec<String> = (0..200).map(|image| format!("{}", image / 4)).collect();
        for seed in 0..20 {
            let (taught, held_out) = divide(200, Some(&clusters), STOPPING, Seed::new(seed));
            assert_eq!(held_out.len(), 60);
            assert_eq!(taught.len(), 140);
            let of = |which: &[usize]| -> std::collections::HashSet<String> {
                which.iter().map(|&image| clusters[image].clone()).collect()
            };
            assert!(of(&taught).is_disjoint(&of(&held_out)), "seed {seed}");
        }
    }

    #[test]
    fn images_without_a_cluster_stand_alone() {
        let clusters = vec![String::new(); 10];
        let alone = divide(10, None, STOPPING, Seed::new(3));
        assert_eq!(divide(10, Some(&clusters), STOPPING, Seed::new(3)), alone);
        assert_eq!(alone.1.len(), 3);
    }

    #[test]
    fn one_cluster_of_all_leaves_nothing_to_teach() {
        let clusters = vec!["one".to_string(); 10];
        let (taught, held_out) = divide(10, Some(&clusters), STOPPING, Seed::new(3));
        assert!(taught.is_empty() && held_out.len() == 10);
    }
}
