//! Instruction sets: which kernels run, chosen when a network is compiled.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The vector instructions that the kernels use.
///
/// All of them give the same bits: every sum runs in the same order with the same fused steps, only
/// more of them side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstructionSet {
    /// 512 bits at a time, on x86-64.
    Avx512,
    /// 256 bits at a time with fused multiply-add, on x86-64.
    Avx2,
    /// Whatever the compiler may assume of every machine of the platform.
    Portable,
}

impl InstructionSet {
    /// The fastest this machine has.
    pub fn best_available() -> InstructionSet {
        InstructionSet::available()
            .first()
            .copied()
            .unwrap_or(InstructionSet::Portable)
    }

    /// All this machine has, fastest first.
    pub fn available() -> Vec<InstructionSet> {
        let all = [
            InstructionSet::Avx512,
            InstructionSet::Avx2,
            InstructionSet::Portable,
        ];
        all.into_iter().filter(|set| set.is_here()).collect()
    }

    fn is_here(self) -> bool {
        match self {
            InstructionSet::Portable => true,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f") && InstructionSet::Avx2.is_here()
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
            }
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx512 | InstructionSet::Avx2 => false,
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InstructionSet::Avx512 => "avx512",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Portable => "portable",
        })
    }
}
