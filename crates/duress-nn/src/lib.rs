//! Networks as data, with the arithmetic to run, differentiate, train and attack them on the CPU.
//! Knows no study.
//!
//! A [`Network`](network::Network) is a graph of operators with their weights, the shape of what it
//! takes and the names of the classes it answers with; normalisation is its first node, so that
//! whoever attacks it works on pixels in [0, 1]. What can be done with one is one file each:
//! [`architecture`] makes it, [`compiled`] runs it and goes back through it, [`learner`] and
//! [`train`] teach it, [`attack`] climbs its loss, [`attribution`] says where it looks.
//! [`corruption`] is the arithmetic of what spoils pictures without asking a network, [`lesion`] that
//! of pictures of skin whose traits are known. [`tape`] is for derivatives of expressions that are no
//! networks.
//!
//! Every sum about an item has a fixed order that does not depend on the other items in the batch,
//! each of its terms is one fused multiply-add or one plain one, the same on every [instruction
//! set](instructions), and transcendental functions come from `libm`: the same weights and pixels
//! give the same bits in any batch, on any number of threads and on any platform.

pub mod architecture;
pub mod attack;
pub mod attribution;
mod ball;
pub mod compiled;
pub mod corruption;
pub mod file;
pub mod instructions;
mod kernel;
pub mod learner;
pub mod lesion;
pub mod network;
mod operator;
pub mod tape;
pub mod train;
