//! Networks as data, with the arithmetic to run, differentiate and train them on the CPU. Knows no study.
