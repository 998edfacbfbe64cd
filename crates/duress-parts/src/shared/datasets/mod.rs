//! Datasets whose items come with the answers about them.

pub mod logged_items;
