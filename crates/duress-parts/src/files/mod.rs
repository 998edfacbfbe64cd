//! Files: how the tables people already have are read.
