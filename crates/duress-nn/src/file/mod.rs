//! Files with networks in them, read without executing anything.

pub mod network;
mod onnx;
mod state_dict;
