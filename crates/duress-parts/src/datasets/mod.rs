//! Datasets: where items come from.
