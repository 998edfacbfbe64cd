//! Instruction sets: which kernels run, chosen when a network is compiled.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

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

/// The set that the process was told to use.
static CHOSEN: OnceLock<InstructionSet> = OnceLock::new();

impl InstructionSet {
    /// The set that networks are compiled for: the one chosen for the process, else the fastest
    /// this machine has.
    pub fn best_available() -> InstructionSet {
        let fastest = || InstructionSet::available().first().copied();
        let chosen = CHOSEN.get().copied();
        chosen.or_else(fastest).unwrap_or(InstructionSet::Portable)
    }

    /// Uses this set for every network that the process compiles from now on.
    ///
    /// For showing that the choice changes no bit; nobody gets other answers by it. It is the
    /// process's choice and not a study's, so that it cannot become part of a cell's identity.
    ///
    /// # Errors
    /// A sentence if this machine lacks the set, or another was chosen before.
    pub fn choose_for_process(self) -> Result<(), String> {
        if !self.is_here() {
            return Err(format!("this machine has no {self}"));
        }
        match *CHOSEN.get_or_init(|| self) {
            chosen if chosen == self => Ok(()),
            chosen => Err(format!("this process uses {chosen} already")),
        }
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
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && InstructionSet::Avx2.is_here()
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

impl FromStr for InstructionSet {
    type Err = String;

    fn from_str(word: &str) -> Result<InstructionSet, String> {
        let all = [
            InstructionSet::Avx512,
            InstructionSet::Avx2,
            InstructionSet::Portable,
        ];
        let found = all.into_iter().find(|set| set.to_string() == word);
        found.ok_or_else(|| "expected portable, avx2 or avx512".into())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_as_it_is_written() {
        for set in InstructionSet::available() {
            assert_eq!(set.to_string().parse(), Ok(set));
        }
        assert!("sse9".parse::<InstructionSet>().is_err());
    }
}
