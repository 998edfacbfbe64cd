//! Networks of dense layers.

use duress_core::seed::Seed;

use crate::architecture::drawn;
use crate::network::{Dense, ItemShape, Malformed, Network, Normalise, Operator};

impl Network {
    /// A network of dense layers with fresh weights; without `hidden` layers it is linear in its
    /// normalised input.
    ///
    /// Weights are normal with variance 2/inputs before a ReLU (He et al., 2015) and 1/inputs at
    /// the end, where there is none.
    ///
    /// ```
    /// use duress_core::seed::Seed;
    /// use duress_nn::network::{Network, Normalise};
    /// let classes = vec!["cat".to_string(), "dog".to_string()];
    /// let network = Network::fresh([1, 2, 2], classes, Normalise::identity(1), &[3], Seed::new(1)).unwrap();
    /// assert_eq!(network.classes().len(), 2);
    /// ```
    pub fn fresh(
        input: ItemShape,
        classes: Vec<String>,
        normalise: Normalise,
        hidden: &[usize],
        seed: Seed,
    ) -> Result<Network, Malformed> {
        let mut operators = vec![Operator::Normalise(normalise), Operator::Flatten];
        let mut inputs = input.iter().product();
        for (depth, &outputs) in hidden.iter().chain([&classes.len()]).enumerate() {
            let last = depth == hidden.len();
            let gain = if last { 1.0 } else { 2.0 };
            let weights = drawn(
                inputs * outputs,
                gain,
                inputs,
                seed.child(depth.to_string()),
            );
            operators.push(Operator::Dense(Dense {
                inputs,
                outputs,
                weights,
                bias: vec![0.0; outputs],
            }));
            operators.extend((!last).then_some(Operator::Relu));
            inputs = outputs;
        }
        Network::chain(input, classes, operators)
    }
}
