//! Stressors: what makes life harder.
