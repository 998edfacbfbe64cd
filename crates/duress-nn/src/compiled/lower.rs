//! Lowering: from the nodes of a network to the steps of a program, with as much as possible done
//! in one step.
//!
//! A convolution takes the batch norm after it into its weights; any step adds, clips and masks on
//! its way to memory. The way back visits the same steps from the end; slopes that come to a value
//! from several sides are added on the way, and the last one to arrive lets only through what the
//! value's own clipping let through.

use std::sync::Arc;

use crate::compiled::activation::Activation;
use crate::compiled::product::{Product, cells};
use crate::compiled::program::{Bits, Buffer, CompiledProgram, ProgramStep, StepKernel};
use crate::compiled::tap_table::{TapTable, average_factors};
use crate::instructions::InstructionSet;
use crate::kernel::tile::ClipBounds;
use crate::network::{BatchNorm, Conv, Dense, ItemShape, Network, Operator, Window};

/// What a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Forward,
    /// Logits, and back to the pixels.
    Gradient,
    /// Logits with the statistics of the batch, and back to the weights.
    Teaching,
}

/// A program for a network.
pub(crate) fn lower(network: &Network, purpose: Purpose, set: InstructionSet) -> CompiledProgram {
    let mut lowering = Lowering::new(network, purpose, set);
    lowering.forward();
    let forward_steps = lowering.steps.len();
    let logits = lowering.values[network.nodes().len() - 1]
        .expect("the last node has a value")
        .buffer;
    let mut logit_gradient = None;
    let mut image_gradient = None;
    if purpose != Purpose::Forward {
        let last = lowering.value_owner(network.nodes().len() - 1);
        let slope = lowering.buffer(lowering.shape(last));
        logit_gradient = Some(slope);
        lowering.pass_gradient(last, slope);
        lowering.emit_backward();
        image_gradient = lowering.slopes[0]
            .buffer
            .map(|buffer| (buffer, lowering.cell.unwrap_or(1)));
    }
    let program = CompiledProgram {
        steps: lowering.steps,
        forward_steps,
        shapes: lowering.shapes,
        places: Vec::new(),
        room: 0,
        bits: lowering.bits,
        args: lowering.args,
        logits,
        logit_gradient,
        image_gradient,
    };
    program.placed()
}

/// A node's value: where it is, and what its clipping let through.
#[derive(Clone, Copy)]
struct NodeValue {
    buffer: Buffer,
    mask: Option<Bits>,
}

/// What is known of how the loss changes with a value.
#[derive(Clone, Copy, Default)]
struct Slope {
    buffer: Option<Buffer>,
    /// How many sides it is still to come from.
    missing: usize,
}

/// Nodes that became one step, forward.
struct Chain {
    /// The node that computes, and the batch norm that is in its weights.
    node: usize,
    norm: Option<usize>,
    /// What is added to it.
    add: Option<usize>,
    clip: Option<ClipBounds>,
    /// The node whose value it gives.
    end: usize,
    /// The nodes that came after it and are done with it.
    taken: Vec<usize>,
}

struct Lowering<'a> {
    network: &'a Network,
    purpose: Purpose,
    set: InstructionSet,
    users: Vec<Vec<usize>>,
    values: Vec<Option<NodeValue>>,
    /// Nodes that do nothing share the value of the node before.
    homes: Vec<usize>,
    slopes: Vec<Slope>,
    chains: Vec<Chain>,
    steps: Vec<ProgramStep>,
    shapes: Vec<ItemShape>,
    bits: usize,
    args: usize,
    /// The arguments of the maxima of each node.
    args_of: Vec<usize>,
    /// How large the cells are that the image's gradient comes in, and those on the way to it.
    cell: Option<usize>,
    /// How many learnt lists come before those of each node, and how many norms.
    learnt: Vec<[usize; 2]>,
}

impl<'a> Lowering<'a> {
    fn new(network: &'a Network, purpose: Purpose, set: InstructionSet) -> Lowering<'a> {
        let nodes = network.nodes();
        let n = nodes.len();
        let mut users = vec![Vec::new(); n];
        for at in (0..n).rev() {
            // What nobody needs uses nothing.
            if at + 1 == n || !users[at].is_empty() {
                nodes[at]
                    .inputs
                    .iter()
                    .for_each(|&from| users[from].push(at));
            }
        }
        let mut learnt = vec![[0, 0]];
        for node in nodes {
            let [lists, norms] = learnt[learnt.len() - 1];
            let (more, norm) = match &node.operator {
                Operator::Conv(Conv { bias, .. }) | Operator::Dense(Dense { bias, .. }) => {
                    (1 + usize::from(!bias.is_empty()), 0)
                }
                Operator::BatchNorm(_) => (2, 1),
                _ => (0, 0),
            };
            learnt.push([lists + more, norms + norm]);
        }
        Lowering {
            network,
            purpose,
            set,
            users,
            values: vec![None; n],
            homes: (0..n).collect(),
            slopes: vec![Slope::default(); n],
            chains: Vec::new(),
            steps: Vec::new(),
            shapes: Vec::new(),
            bits: 0,
            args: 0,
            args_of: vec![0; n],
            cell: None,
            learnt,
        }
    }

    fn shape(&self, node: usize) -> ItemShape {
        self.network.shapes()[node]
    }

    fn value_owner(&self, node: usize) -> usize {
        self.homes[node]
    }

    fn value(&self, node: usize) -> NodeValue {
        self.values[self.value_owner(node)].expect("nodes come after what they take")
    }

    fn operator(&self, node: usize) -> &'a Operator {
        &self.network.nodes()[node].operator
    }

    fn input(&self, node: usize, which: usize) -> usize {
        self.network.nodes()[node].inputs[which]
    }

    fn buffer(&mut self, shape: ItemShape) -> Buffer {
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    fn is_needed(&self, node: usize) -> bool {
        node + 1 == self.network.nodes().len() || !self.users[node].is_empty()
    }

    // Forward.

    fn forward(&mut self) {
        for node in 0..self.network.nodes().len() {
            let taken = self.chains.iter().any(|chain| chain.taken.contains(&node));
            if !self.is_needed(node) || taken {
                continue;
            }
            if self.does_nothing(node) {
                self.homes[node] = self.value_owner(self.input(node, 0));
                self.values[node] = self.values[self.homes[node]];
            } else {
                self.emit_forward(node);
            }
        }
    }

    fn does_nothing(&self, node: usize) -> bool {
        match self.operator(node) {
            Operator::Dropout(share) => self.purpose != Purpose::Teaching || *share == 0.0,
            Operator::Flatten => {
                let [_, height, width] = self.shape(self.input(node, 0));
                height * width == 1
            }
            _ => false,
        }
    }

    /// Which of the dropouts a node is.
    fn dropout(&self, node: usize) -> usize {
        let before = &self.network.nodes()[..node];
        before.iter().filter(|node| drops(&node.operator)).count()
    }

    /// The only user of a node, if it has but one.
    fn only_user(&self, node: usize) -> Option<usize> {
        match self.users[node][..] {
            [user] => Some(user),
            _ => None,
        }
    }

    /// Whether a value is the image, or what factors and shifts alone make of it, and one node takes
    /// it: its gradient can come in cells.
    fn is_scaled_image(&self, node: usize) -> bool {
        let scaled = || {
            self.purpose == Purpose::Gradient
                && matches!(self.operator(node), Operator::BatchNorm(_))
                && self.is_scaled_image(self.value_owner(self.input(node, 0)))
        };
        self.only_user(node).is_some() && (node == 0 || scaled())
    }

    /// As many nodes as one step can do, beginning with this one.
    fn chain(&self, node: usize) -> Chain {
        let mut chain = Chain {
            node,
            norm: None,
            add: None,
            clip: None,
            end: node,
            taken: Vec::new(),
        };
        let operator = self.operator(node);
        if let Some(bounds) = bounds(operator) {
            chain.clip = Some(bounds);
            return chain;
        }
        if node == 0 {
            return chain;
        }
        if *operator == Operator::Add {
            chain.add = Some(self.input(node, 1));
        }
        let folds = self.purpose != Purpose::Teaching && matches!(operator, Operator::Conv(_));
        if let Some(user) = self.only_user(chain.end)
            && folds
            && matches!(self.operator(user), Operator::BatchNorm(_))
        {
            chain.norm = Some(user);
            chain.take_node(user);
        }
        if let Some(user) = self.only_user(chain.end)
            && chain.add.is_none()
            && *self.operator(user) == Operator::Add
        {
            let inputs = &self.network.nodes()[user].inputs;
            let other = if inputs[0] == chain.end {
                inputs[1]
            } else {
                inputs[0]
            };
            if self.values[self.value_owner(other)].is_some() {
                chain.add = Some(other);
                chain.take_node(user);
            }
        }
        if let Some(user) = self.only_user(chain.end)
            && let Some(bounds) = bounds(self.operator(user))
        {
            chain.clip = Some(bounds);
            chain.take_node(user);
        }
        chain
    }

    fn emit_forward(&mut self, node: usize) {
        let chain = self.chain(node);
        let shape = self.shape(chain.end);
        let keep = (chain.clip.is_some() && self.purpose != Purpose::Forward).then(|| {
            self.bits += words(shape);
            Bits(self.bits - words(shape))
        });
        let mut steps = self.steps_of(&chain);
        let buffer = if node == 0 {
            self.buffer(self.image_shape())
        } else {
            self.buffer(shape)
        };
        if steps.len() > 1 && !matches!(steps[0], StepKernel::Measure { .. }) {
            // The groups of a convolution: their channels need not begin where words of bits do.
            let joined = self.buffer(shape);
            self.push(steps, joined, None, None);
            steps = vec![StepKernel::Copy { from: joined }];
        }
        let add = chain.add.map(|other| self.value(other).buffer);
        let last = steps.pop().expect("every operator has a step");
        self.push(steps, buffer, None, None);
        self.steps.push(ProgramStep {
            kernel: last,
            out: buffer,
            add,
            mask: None,
            clip: chain.clip,
            keep,
        });
        self.values[chain.end] = Some(NodeValue { buffer, mask: keep });
        let mut sides = self.network.nodes()[node].inputs.clone();
        if *self.operator(node) != Operator::Add {
            sides.extend(chain.add);
        }
        sides
            .into_iter()
            .for_each(|side| self.slopes[self.homes[side]].missing += 1);
        self.chains.push(chain);
    }

    fn push(
        &mut self,
        kernels: Vec<StepKernel>,
        out: Buffer,
        add: Option<Buffer>,
        mask: Option<Bits>,
    ) {
        let steps = kernels.into_iter().map(|kernel| ProgramStep {
            kernel,
            out,
            add,
            mask,
            clip: None,
            keep: None,
        });
        self.steps.extend(steps);
    }

    /// The borders that the image is given, when only a convolution takes it.
    fn borders(&self) -> Option<[usize; 4]> {
        let Operator::Conv(conv) = self.operator(self.only_user(0)?) else {
            return None;
        };
        (conv.groups == 1 && conv.window.dilation[1] == 1 && conv.inputs <= 4)
            .then_some(conv.window.padding)
    }

    /// Whether a convolution takes the image with its borders.
    fn is_padded(&self, node: usize) -> bool {
        self.input(node, 0) == 0 && self.borders().is_some()
    }

    fn image_shape(&self) -> ItemShape {
        let [channels, height, width] = self.network.input();
        let [top, bottom, left, right] = self.borders().unwrap_or_default();
        [channels, height + top + bottom, width + left + right]
    }

    fn steps_of(&mut self, chain: &Chain) -> Vec<StepKernel> {
        let node = chain.node;
        if node == 0 {
            return vec![StepKernel::Image {
                padding: self.borders().unwrap_or_default(),
            }];
        }
        let given = self.input(node, 0);
        let from = self.value(given).buffer;
        let shape = self.shape(given);
        let image = [shape[1], shape[2]];
        match self.operator(node) {
            Operator::Normalise(_) => unreachable!("only the first node takes the image"),
            Operator::Conv(conv) if conv.is_depthwise() => {
                let (weights, bias) = depthwise(self.network, conv, chain.norm);
                let table = Arc::new(TapTable::of_windows(&conv.window, image));
                vec![StepKernel::Depthwise {
                    table,
                    node,
                    norm: chain.norm,
                    weights: Arc::new(weights),
                    bias: Arc::new(bias),
                    from,
                }]
            }
            Operator::Conv(conv) => self.convolutions(conv, chain, image, from),
            Operator::Dense(dense) => {
                let mut product = Product::forward(&as_conv(dense), 0, [1; 2], false);
                product.pack_weights(self.set, &dense.weights, None, Some(&dense.bias));
                vec![StepKernel::Product {
                    product: Arc::new(product),
                    node,
                    norm: None,
                    from,
                }]
            }
            Operator::BatchNorm(_) if self.purpose == Purpose::Teaching => {
                let norm = self.learnt[node][1];
                vec![
                    StepKernel::Measure { norm, from },
                    StepKernel::Norm { norm, from },
                ]
            }
            Operator::BatchNorm(norm) => {
                let (scale, shift) = folded(norm, &[]);
                vec![StepKernel::Affine {
                    node,
                    scale: Arc::new(scale),
                    shift: Some(Arc::new(shift)),
                    from,
                }]
            }
            Operator::MaxPool(window) => {
                let size: usize = self.shape(node).iter().product();
                self.args_of[node] = self.args;
                let args = (self.purpose != Purpose::Forward).then_some(self.args);
                self.args += if args.is_some() { size } else { 0 };
                vec![StepKernel::Max {
                    table: Arc::new(TapTable::of_windows(window, image)),
                    args,
                    from,
                }]
            }
            Operator::AvgPool {
                window,
                count_outside,
            } => {
                let shares = Arc::new(average_factors(window, image, *count_outside));
                vec![StepKernel::Sums {
                    table: Arc::new(TapTable::of_windows(window, image)),
                    shares,
                    back: false,
                    from,
                }]
            }
            Operator::GlobalAvgPool => {
                let (table, shares) = whole(image);
                vec![StepKernel::Sums {
                    table: Arc::new(table),
                    shares: Arc::new(shares),
                    back: false,
                    from,
                }]
            }
            Operator::Add | Operator::Relu | Operator::Clip { .. } => {
                vec![StepKernel::Copy { from }]
            }
            Operator::Dropout(_) => {
                let dropout = self.dropout(node);
                vec![StepKernel::Drop { dropout, from }]
            }
            Operator::Mul => {
                let by = self.input(node, 1);
                vec![StepKernel::Times {
                    wide: self.shape(by) != shape,
                    by: self.value(by).buffer,
                    from,
                }]
            }
            Operator::Concat => {
                let part = |&from: &usize| (self.value(from).buffer, self.shape(from)[0]);
                vec![StepKernel::Join {
                    from: self.network.nodes()[node].inputs.iter().map(part).collect(),
                }]
            }
            Operator::Pick(channels) => {
                vec![StepKernel::Pick {
                    channels: channels.clone(),
                    of: shape[0],
                    from,
                }]
            }
            Operator::Flatten => vec![StepKernel::Flatten { shape, from }],
            operator => {
                vec![StepKernel::Activation {
                    activation: activation(operator).expect("what is left is an activation"),
                    from,
                }]
            }
        }
    }

    fn convolutions(
        &self,
        conv: &Conv,
        chain: &Chain,
        image: [usize; 2],
        from: Buffer,
    ) -> Vec<StepKernel> {
        let node = chain.node;
        let padded = self.is_padded(chain.node);
        let (factor, bias) = folded_with(self.network, conv, chain.norm);
        let group = |group: usize| {
            let mut product = Product::forward(conv, group, image, padded);
            product.pack_weights(self.set, &conv.weights, factor.as_deref(), Some(&bias));
            StepKernel::Product {
                product: Arc::new(product),
                node,
                norm: chain.norm,
                from,
            }
        };
        (0..conv.groups).map(group).collect()
    }

    // Back.

    fn emit_backward(&mut self) {
        for chain in std::mem::take(&mut self.chains)
            .into_iter()
            .rev()
            .filter(|chain| chain.node > 0)
        {
            let Some(above) = self.slopes[chain.end].buffer else {
                continue;
            };
            if let Some(other) = chain
                .add
                .filter(|_| *self.operator(chain.node) != Operator::Add)
            {
                self.pass_gradient(other, above);
            }
            self.back_through(&chain, above);
        }
    }

    /// The way back from means over windows: each pixel sums what the windows that see it say.
    fn average_back(&mut self, given: usize, above: Buffer, table: &TapTable, shares: Vec<f32>) {
        let kernel = StepKernel::Sums {
            table: Arc::new(table.transposed()),
            shares: Arc::new(shares),
            back: true,
            from: above,
        };
        self.contribute(given, vec![kernel]);
    }

    /// Slopes that are those of another value, as they are.
    fn pass_gradient(&mut self, node: usize, above: Buffer) {
        let slope = &mut self.slopes[self.homes[node]];
        // The very first slope, that of the logits, comes from outside.
        let left = slope.missing.saturating_sub(1);
        let mask = self.values[self.homes[node]].and_then(|value| value.mask);
        if slope.buffer.is_none() && (left > 0 || mask.is_none()) {
            (slope.missing, slope.buffer) = (left, Some(above));
        } else {
            self.contribute(node, vec![StepKernel::Copy { from: above }]);
        }
    }

    /// Slopes that one or several steps compute.
    fn contribute(&mut self, node: usize, whats: Vec<StepKernel>) {
        let home = self.value_owner(node);
        let cells = self.cell.filter(|_| self.is_scaled_image(home));
        let shape = cells.map_or(self.shape(home), |side| cell_shape(self.shape(home), side));
        let out = self.buffer(shape);
        let slope = &mut self.slopes[home];
        slope.missing = slope.missing.saturating_sub(1);
        let last = slope.missing == 0;
        let add = slope.buffer.replace(out);
        let mask = self.values[home]
            .and_then(|value| value.mask)
            .filter(|_| last);
        self.push(whats, out, add, mask);
    }

    /// Whether anyone wants to know how the loss changes with a value.
    fn is_wanted(&self, node: usize) -> bool {
        // Before the first weights there is nothing to teach.
        self.purpose == Purpose::Gradient || self.learnt[self.value_owner(node) + 1][0] > 0
    }

    fn back_through(&mut self, chain: &Chain, above: Buffer) {
        let node = chain.node;
        let given = self.input(node, 0);
        if self.purpose == Purpose::Teaching {
            self.teach(node, given, above);
        }
        if !self.network.nodes()[node]
            .inputs
            .iter()
            .any(|&from| self.is_wanted(from))
        {
            return;
        }
        let shape = self.shape(given);
        let image = [shape[1], shape[2]];
        match self.operator(node) {
            Operator::Conv(conv) if conv.is_depthwise() => {
                let (weights, _) = depthwise(self.network, conv, chain.norm);
                let table = Arc::new(TapTable::of_windows(&conv.window, image).transposed());
                let bias = Arc::new(vec![0.0; conv.inputs]);
                self.contribute(
                    given,
                    vec![StepKernel::Depthwise {
                        table,
                        node,
                        norm: chain.norm,
                        weights: Arc::new(weights),
                        bias,
                        from: above,
                    }],
                );
            }
            Operator::Conv(conv) => self.convolutions_back(conv, chain, above),
            Operator::Dense(dense) => {
                let conv = as_conv(dense);
                let products = Product::backward(&conv, 0, [1; 2]);
                self.products_back(&conv, products, chain, above);
            }
            Operator::BatchNorm(_) if self.purpose == Purpose::Teaching => {
                let norm = self.learnt[node][1];
                let at = self.value(given).buffer;
                self.contribute(
                    given,
                    vec![StepKernel::NormBack {
                        norm,
                        at,
                        from: above,
                    }],
                );
            }
            Operator::BatchNorm(norm) => {
                let scale = Arc::new(folded(norm, &[]).0);
                self.contribute(
                    given,
                    vec![StepKernel::Affine {
                        node,
                        scale,
                        shift: None,
                        from: above,
                    }],
                );
            }
            Operator::MaxPool(window) => {
                let table = Arc::new(TapTable::of_windows(window, image).transposed());
                self.contribute(
                    given,
                    vec![StepKernel::MaxBack {
                        table,
                        args: self.args_of[node],
                        from: above,
                    }],
                );
            }
            Operator::AvgPool {
                window,
                count_outside,
            } => {
                let shares = average_factors(window, image, *count_outside);
                let table = TapTable::of_windows(window, image);
                self.average_back(given, above, &table, shares);
            }
            Operator::GlobalAvgPool => {
                let (table, shares) = whole(image);
                self.average_back(given, above, &table, shares);
            }
            Operator::Add => {
                self.pass_gradient(given, above);
                self.pass_gradient(self.input(node, 1), above);
            }
            Operator::Relu | Operator::Clip { .. } => self.pass_gradient(given, above),
            Operator::Mul => self.product_back(node, above),
            Operator::Concat => {
                let mut first = 0;
                for part in self.network.nodes()[node].inputs.clone() {
                    let channels = self.shape(node)[0];
                    let wide = self.shape(part)[0];
                    self.contribute(
                        part,
                        vec![StepKernel::Split {
                            first,
                            channels,
                            from: above,
                        }],
                    );
                    first += wide;
                }
            }
            Operator::Pick(channels) => {
                self.contribute(
                    given,
                    vec![StepKernel::PickBack {
                        channels: channels.clone(),
                        from: above,
                    }],
                );
            }
            Operator::Flatten => {
                self.contribute(given, vec![StepKernel::Unflatten { shape, from: above }])
            }
            Operator::Dropout(_) => {
                let dropout = self.dropout(node);
                let from = above;
                self.contribute(given, vec![StepKernel::Drop { dropout, from }]);
            }
            Operator::Normalise(_) => unreachable!("no step of its own"),
            operator => {
                let activation = activation(operator).expect("what is left is an activation");
                let at = self.value(given).buffer;
                self.contribute(
                    given,
                    vec![StepKernel::ActivationBack {
                        activation,
                        at,
                        from: above,
                    }],
                );
            }
        }
    }

    fn product_back(&mut self, node: usize, above: Buffer) {
        let [a, b] = [self.input(node, 0), self.input(node, 1)];
        let shape = self.shape(a);
        let wide = self.shape(a) != self.shape(b);
        let first = self.value(a).buffer;
        let second = self.value(b).buffer;
        self.contribute(
            a,
            vec![StepKernel::Times {
                wide,
                by: second,
                from: above,
            }],
        );
        let what = if wide {
            StepKernel::TimesSum {
                pixels: shape[1] * shape[2],
                by: first,
                from: above,
            }
        } else {
            StepKernel::Times {
                wide: false,
                by: first,
                from: above,
            }
        };
        self.contribute(b, vec![what]);
    }

    fn convolutions_back(&mut self, conv: &Conv, chain: &Chain, above: Buffer) {
        let given = self.input(chain.node, 0);
        let shape = self.shape(given);
        let image = [shape[1], shape[2]];
        let products = match cells(conv, shape).filter(|_| self.is_scaled_image(given)) {
            Some(side) => {
                self.cell = Some(side);
                let mut product = Product::backward_in_cells(conv, side, image);
                if given != 0 {
                    // Behind a norm sums have the order that they have without cells, which then
                    // change no bit. (Next to the image they have the other one.)
                    product.reverse_taps();
                }
                vec![product]
            }
            None => (0..conv.groups)
                .flat_map(|group| Product::backward(conv, group, image))
                .collect(),
        };
        self.products_back(conv, products, chain, above);
    }

    fn products_back(
        &mut self,
        conv: &Conv,
        mut products: Vec<Product>,
        chain: &Chain,
        above: Buffer,
    ) {
        let Chain { node, norm, .. } = *chain;
        let given = self.input(node, 0);
        let (factor, _) = folded_with(self.network, conv, norm);
        for product in &mut products {
            product.pack_weights(self.set, &conv.weights, factor.as_deref(), None);
        }
        let what = |product| StepKernel::Product {
            product: Arc::new(product),
            node,
            norm,
            from: above,
        };
        let whats = products.into_iter().map(what).collect();
        if conv.groups > 1 {
            let joined = self.buffer(self.shape(given));
            self.push(whats, joined, None, None);
            self.contribute(given, vec![StepKernel::Copy { from: joined }]);
        } else {
            self.contribute(given, whats);
        }
    }

    /// The steps that find how the loss changes with a node's own weights. They write to no buffer.
    fn teach(&mut self, node: usize, given: usize, above: Buffer) {
        let [weights, norm] = self.learnt[node];
        let at = self.value(given).buffer;
        let shape = self.shape(given);
        let of = |bias: &Vec<f32>| (!bias.is_empty()).then_some(weights + 1);
        let whats = match self.operator(node) {
            Operator::Conv(conv) if conv.is_depthwise() => {
                let table = Arc::new(TapTable::of_windows(&conv.window, [shape[1], shape[2]]));
                vec![StepKernel::DepthwiseGradients {
                    table,
                    at,
                    from: above,
                    weights,
                    bias: of(&conv.bias),
                }]
            }
            Operator::Conv(conv) => {
                let padded = self.is_padded(node);
                let slopes = |group: usize| {
                    let mut product = Product::forward(conv, group, [shape[1], shape[2]], padded);
                    product.list_offsets();
                    StepKernel::ProductGradients {
                        product: Arc::new(product),
                        at,
                        from: above,
                        weights,
                        bias: of(&conv.bias).filter(|_| group == 0),
                    }
                };
                (0..conv.groups).map(slopes).collect()
            }
            Operator::Dense(dense) => {
                let product = Arc::new(Product::forward(&as_conv(dense), 0, [1; 2], false));
                vec![StepKernel::ProductGradients {
                    product,
                    at,
                    from: above,
                    weights,
                    bias: of(&dense.bias),
                }]
            }
            Operator::BatchNorm(_) => vec![StepKernel::NormGradients {
                norm,
                at,
                from: above,
            }],
            _ => return,
        };
        self.push(whats, above, None, None);
    }
}

impl Chain {
    fn take_node(&mut self, node: usize) {
        self.taken.push(node);
        self.end = node;
    }
}

/// How many words of bits a value needs.
fn words([channels, height, width]: ItemShape) -> usize {
    channels.div_ceil(16) * height * width
}

/// An image in cells of `side` × `side` pixels.
fn cell_shape([channels, height, width]: ItemShape, side: usize) -> ItemShape {
    [
        channels * side * side,
        height.div_ceil(side),
        width.div_ceil(side),
    ]
}

fn as_conv(dense: &Dense) -> Conv {
    Conv {
        inputs: dense.inputs,
        outputs: dense.outputs,
        groups: 1,
        window: Window::square(1, 1, 0),
        weights: dense.weights.clone(),
        bias: dense.bias.clone(),
    }
}

/// One window over the whole image.
fn whole(image: [usize; 2]) -> (TapTable, Vec<f32>) {
    let window = Window {
        kernel: image,
        ..Window::square(1, 1, 0)
    };
    (
        TapTable::of_windows(&window, image),
        average_factors(&window, image, false),
    )
}

/// Whether it forgets some of what it is given while it is taught.
pub(crate) fn drops(operator: &Operator) -> bool {
    matches!(operator, Operator::Dropout(share) if *share > 0.0)
}

/// The bounds of an operator that clips.
fn bounds(operator: &Operator) -> Option<ClipBounds> {
    match operator {
        Operator::Relu => Some((0.0, f32::INFINITY)),
        Operator::Clip { low, high } => Some((*low, *high)),
        _ => None,
    }
}

fn activation(operator: &Operator) -> Option<Activation> {
    match operator {
        Operator::LeakyRelu(by) => Some(Activation::Leaky(*by)),
        Operator::Sigmoid => Some(Activation::Sigmoid),
        Operator::Silu => Some(Activation::Silu),
        Operator::HardSigmoid => Some(Activation::HardSigmoid),
        Operator::HardSwish => Some(Activation::HardSwish),
        Operator::Bend(bend) => Some(Activation::Bend(*bend)),
        _ => None,
    }
}

/// What a convolution's weights are multiplied with, and its bias, when the norm after it is taken
/// in.
pub(crate) fn folded_with(
    network: &Network,
    conv: &Conv,
    norm: Option<usize>,
) -> (Option<Vec<f32>>, Vec<f32>) {
    match norm.map(|norm| &network.nodes()[norm].operator) {
        Some(Operator::BatchNorm(norm)) => {
            let (scale, shift) = folded(norm, &conv.bias);
            (Some(scale), shift)
        }
        _ => (None, conv.bias.clone()),
    }
}

/// Weights of a depthwise convolution as taps × channels, and its bias.
pub(crate) fn depthwise(
    network: &Network,
    conv: &Conv,
    norm: Option<usize>,
) -> (Vec<f32>, Vec<f32>) {
    let (factor, mut bias) = folded_with(network, conv, norm);
    let channels = conv.outputs;
    let taps = conv.window.kernel.iter().product::<usize>();
    let mut weights = vec![0.0; channels * taps];
    for (at, weight) in conv.weights.iter().enumerate() {
        let factor = factor.as_ref().map_or(1.0, |factor| factor[at / taps]);
        weights[at % taps * channels + at / taps] = weight * factor;
    }
    bias.resize(channels, 0.0);
    (weights, bias)
}

/// A batch norm as a factor and a shift, after a convolution with this bias.
pub(crate) fn folded(norm: &BatchNorm, bias: &[f32]) -> (Vec<f32>, Vec<f32>) {
    let each = |at: usize| {
        let scale = f64::from(norm.scale[at])
            / libm::sqrt(f64::from(norm.variance[at]) + f64::from(norm.epsilon));
        let before =
            f64::from(bias.get(at).copied().unwrap_or_default()) - f64::from(norm.mean[at]);
        (
            scale as f32,
            (f64::from(norm.shift[at]) + before * scale) as f32,
        )
    };
    (0..norm.scale.len()).map(each).unzip()
}
