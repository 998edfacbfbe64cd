"""Packs scikit-learn's copy of the UCI optical digits for `crates/duress-parts/data/digits.bin`.

Needs scikit-learn, which ships the data; downloads nothing itself:
    cargo xtask peers data

Each of the 1797 records has 65 bytes: the 64 pixels of an 8x8 image row by row, 0 to 16, then the digit, 0 to 9.
"""

import pathlib

import numpy
from sklearn.datasets import load_digits

digits = load_digits()
records = numpy.column_stack([digits.data, digits.target])
packed = records.astype(numpy.uint8)
assert (packed == records).all(), "pixels and labels must be whole numbers"
assert packed.shape == (1797, 65) and packed[:, :64].max() == 16 and packed[:, 64].max() == 9
assert len(numpy.unique(packed[:, :64], axis=0)) == 1797, "no two images may be equal: one could be fitted, its twin tested"
target = pathlib.Path(__file__).parents[2] / "crates/duress-parts/data/digits.bin"
target.write_bytes(packed.tobytes())
