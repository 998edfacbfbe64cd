//! The contract from outside: versions that are read, ids, words of newer versions.

mod ids;
mod newer;
mod older;
mod schema;
