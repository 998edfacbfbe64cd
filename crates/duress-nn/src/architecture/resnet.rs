//! Residual networks (He et al., 2016), with the names torchvision gives their weights.

use duress_core::seed::Seed;

use crate::architecture::Nodes;
use crate::network::{
    BatchNorm, Dense, ItemShape, Malformed, Network, Normalise, Operator, Window,
};

/// What a residual network is made of.
///
/// ```
/// use duress_core::seed::Seed;
/// use duress_nn::architecture::Residual;
/// use duress_nn::network::Normalise;
/// let classes = ["a", "b", "c"].map(String::from).to_vec();
/// let network = Residual::small(16, 1).network([1, 8, 8], classes, Normalise::identity(1), Seed::new(1)).unwrap();
/// assert!(network.nodes().iter().any(|node| node.name == "layer3.0.downsample.0"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// How many blocks each stage has; every stage after the first halves the image and doubles the
    /// channels.
    pub blocks: Vec<usize>,
    /// How many channels the first stage has.
    pub width: usize,
    /// Whether blocks narrow their channels, convolve, and widen them fourfold (ResNet-50), or
    /// convolve twice (ResNet-18).
    pub bottleneck: bool,
    /// The side of the first convolution's window: 7 for large images, 3 for small ones.
    pub first_side: usize,
    /// What it does beside that.
    pub stem: Stem,
    /// Where blocks that narrow their channels halve the image.
    pub stride_in: StrideIn,
    /// What batch norms add to a variance.
    pub epsilon: f32,
}

/// How an image comes to the first block: what no shape of a weight tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stem {
    /// The stride of the first convolution.
    pub stride: usize,
    /// Whether a max-pool follows it.
    pub pool: bool,
}

impl Stem {
    /// Stride 2 and a pool, as torchvision has it.
    pub const LARGE: Stem = Stem {
        stride: 2,
        pool: true,
    };

    /// Stride 1 and no pool, as for small images.
    pub const SMALL: Stem = Stem {
        stride: 1,
        pool: false,
    };
}

/// Which convolution of a block that narrows its channels has the stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrideIn {
    /// The 1 × 1 at the beginning, as in the first publication (Caffe, MSRA).
    Narrowing,
    /// The 3 × 3 in the middle, as torchvision has it ("v1.5").
    Middle,
}

/// What batch norms add to a variance where nobody says otherwise, as in PyTorch.
pub const EPSILON: f32 = 1e-5;

/// ResNet-18, -34, -50, -101 or -152 for square images with three channels, normalised as
/// torchvision's weights expect.
///
/// Weights are fresh; [`Network::filled`] puts those of a state dict in their place.
pub fn resnet(
    depth: usize,
    classes: Vec<String>,
    size: usize,
    seed: Seed,
) -> Result<Network, Malformed> {
    let (blocks, bottleneck) = match depth {
        18 => ([2, 2, 2, 2], false),
        34 => ([3, 4, 6, 3], false),
        50 => ([3, 4, 6, 3], true),
        101 => ([3, 4, 23, 3], true),
        152 => ([3, 8, 36, 3], true),
        _ => {
            return Err(Malformed::new(format!(
                "there is no ResNet-{depth}; there are 18, 34, 50, 101, 152"
            )));
        }
    };
    let deviation = [0.229_f32, 0.224, 0.225];
    let scale = deviation.iter().map(|deviation| 1.0 / deviation).collect();
    let normalise = Normalise {
        mean: vec![0.485, 0.456, 0.406],
        scale,
        order: Vec::new(),
    };
    Residual::large(&blocks, bottleneck).network([3, size, size], classes, normalise, seed)
}

impl Residual {
    /// Three stages of `blocks` plain blocks for small images, the first with `width` channels.
    pub fn small(width: usize, blocks: usize) -> Residual {
        Residual {
            blocks: vec![blocks; 3],
            width,
            bottleneck: false,
            first_side: 3,
            stem: Stem::SMALL,
            stride_in: StrideIn::Middle,
            epsilon: EPSILON,
        }
    }

    /// Stages of so many blocks as torchvision has them, the first with 64 channels.
    pub fn large(blocks: &[usize], bottleneck: bool) -> Residual {
        Residual {
            blocks: blocks.to_vec(),
            width: 64,
            bottleneck,
            first_side: 7,
            stem: Stem::LARGE,
            stride_in: StrideIn::Middle,
            epsilon: EPSILON,
        }
    }

    /// Such a network with fresh weights.
    pub fn network(
        &self,
        input: ItemShape,
        classes: Vec<String>,
        normalise: Normalise,
        seed: Seed,
    ) -> Result<Network, Malformed> {
        self.made(input, classes, normalise, Some(seed))
    }

    /// Such a network with zeros for weights, to be filled: drawing millions of them takes seconds.
    pub(crate) fn blank(
        &self,
        input: ItemShape,
        classes: Vec<String>,
        normalise: Normalise,
    ) -> Result<Network, Malformed> {
        self.made(input, classes, normalise, None)
    }

    fn made(
        &self,
        input: ItemShape,
        classes: Vec<String>,
        normalise: Normalise,
        seed: Option<Seed>,
    ) -> Result<Network, Malformed> {
        let mut nodes = Nodes {
            nodes: Vec::new(),
            seed,
            epsilon: self.epsilon,
        };
        let image = nodes.add("normalise", &[], Operator::Normalise(normalise));
        let side = self.first_side;
        let stem = Window::square(side, self.stem.stride, side / 2);
        let mut last = nodes.conv_norm(["conv1", "bn1"], image, [input[0], self.width], stem);
        last = nodes.add("relu", &[last], Operator::Relu);
        if self.stem.pool {
            last = nodes.add(
                "maxpool",
                &[last],
                Operator::MaxPool(Window::square(3, 2, 1)),
            );
        }
        let mut channels = self.width;
        for (stage, &blocks) in self.blocks.iter().enumerate() {
            for block in 0..blocks {
                let stride = if stage > 0 && block == 0 { 2 } else { 1 };
                let name = format!("layer{}.{block}", stage + 1);
                (last, channels) = self.block(
                    &mut nodes,
                    &name,
                    last,
                    channels,
                    self.width << stage,
                    stride,
                );
            }
        }
        last = nodes.add("avgpool", &[last], Operator::GlobalAvgPool);
        let outputs = classes.len();
        let weights = nodes.weights("fc", channels * outputs, 1.0, channels);
        let dense = Dense {
            inputs: channels,
            outputs,
            weights,
            bias: vec![0.0; outputs],
        };
        nodes.add("fc", &[last], Operator::Dense(dense));
        Network::new(input, classes, nodes.nodes)
    }

    /// One block: where it ends, and with how many channels.
    fn block(
        &self,
        nodes: &mut Nodes,
        name: &str,
        from: usize,
        channels: usize,
        width: usize,
        stride: usize,
    ) -> (usize, usize) {
        let [narrowing, middle] = match self.stride_in {
            StrideIn::Narrowing => [stride, 1],
            StrideIn::Middle => [1, stride],
        };
        let plan = if self.bottleneck {
            vec![
                ([channels, width], Window::square(1, narrowing, 0)),
                ([width, width], Window::square(3, middle, 1)),
                ([width, 4 * width], Window::square(1, 1, 0)),
            ]
        } else {
            vec![
                ([channels, width], Window::square(3, stride, 1)),
                ([width, width], Window::square(3, 1, 1)),
            ]
        };
        let outputs = plan[plan.len() - 1].0[1];
        let mut last = from;
        for (at, (channels, window)) in plan.into_iter().enumerate() {
            if at > 0 {
                last = nodes.add(format!("{name}.relu{at}"), &[last], Operator::Relu);
            }
            let names = [
                format!("{name}.conv{}", at + 1),
                format!("{name}.bn{}", at + 1),
            ];
            last = nodes.conv_norm(names, last, channels, window);
        }
        let mut past = from;
        if stride > 1 || channels != outputs {
            let names = [
                format!("{name}.downsample.0"),
                format!("{name}.downsample.1"),
            ];
            past = nodes.conv_norm(
                names,
                from,
                [channels, outputs],
                Window::square(1, stride, 0),
            );
        }
        last = nodes.add(format!("{name}.add"), &[last, past], Operator::Add);
        (
            nodes.add(format!("{name}.relu"), &[last], Operator::Relu),
            outputs,
        )
    }
}

impl Nodes {
    fn conv_norm(
        &mut self,
        [conv, norm]: [impl Into<String>; 2],
        from: usize,
        channels: [usize; 2],
        window: Window,
    ) -> usize {
        let last = self.conv(conv.into(), from, channels, window);
        let fresh = BatchNorm {
            epsilon: self.epsilon,
            ..BatchNorm::fresh(channels[1])
        };
        self.add(norm, &[last], Operator::BatchNorm(fresh))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(depth: usize) -> (usize, Vec<String>) {
        let classes = (0..1000).map(|class| class.to_string()).collect();
        let network = resnet(depth, classes, 64, Seed::new(1)).unwrap();
        let mut total = 0;
        let mut names = Vec::new();
        let _ = network.filled(|name, shape| {
            total += if name.contains("running") {
                0
            } else {
                shape.iter().product()
            };
            names.push(name.to_string());
            Ok::<_, String>(vec![1.0; shape.iter().product()])
        });
        (total, names)
    }

    /// The numbers of parameters that torchvision's documentation gives.
    #[test]
    fn resnets_have_as_many_weights_as_torchvisions_under_the_same_names() {
        let (total, names) = weights(18);
        assert_eq!(total, 11_689_512);
        assert_eq!(names[0], "conv1.weight");
        assert!(
            names
                .iter()
                .any(|name| name == "layer2.0.downsample.1.running_var")
        );
        let (total, names) = weights(50);
        assert_eq!(total, 25_557_032);
        assert!(
            names
                .iter()
                .any(|name| name == "layer1.0.downsample.0.weight")
        );
        assert!(names.iter().any(|name| name == "layer4.2.bn3.bias"));
        assert!(resnet(19, vec!["a".into(), "b".into()], 64, Seed::new(1)).is_err());
    }
}
