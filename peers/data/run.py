"""Packs scikit-learn's copies of two UCI tables: the optical digits for `crates/duress-parts/data/digits.bin`, and the breast-cancer table for
the test `crates/duress-parts/tests/it/closed_form.rs`.

Needs scikit-learn, which ships the data; downloads nothing itself:
    cargo xtask peers data

Each of the 1797 records has 65 bytes: the 64 pixels of an 8x8 image row by row, 0 to 16, then the digit, 0 to 9.
The table is an npz file of `x`, 569 "images" of 5 × 6 features, each feature scaled to [0, 1] over the table, and `y`, the diagnosis in words.
"""

import pathlib

import numpy
from sklearn.datasets import load_breast_cancer, load_digits

digits = load_digits()
records = numpy.column_stack([digits.data, digits.target])
packed = records.astype(numpy.uint8)
assert (packed == records).all(), "pixels and labels must be whole numbers"
assert packed.shape == (1797, 65) and packed[:, :64].max() == 16 and packed[:, 64].max() == 9
assert len(numpy.unique(packed[:, :64], axis=0)) == 1797, "no two images may be equal: one could be fitted, its twin tested"
target = pathlib.Path(__file__).parents[2] / "crates/duress-parts/data/digits.bin"
target.write_bytes(packed.tobytes())

table = load_breast_cancer()
low, high = table.data.min(axis=0), table.data.max(axis=0)
scaled = ((table.data - low) / (high - low)).astype(numpy.float32)
assert scaled.shape == (569, 30) and scaled.min() == 0 and scaled.max() == 1
target = pathlib.Path(__file__).parents[2] / "crates/duress-parts/tests/fixtures/breast_cancer.npz"
numpy.savez_compressed(target, x=scaled.reshape(-1, 5, 6), y=table.target_names[table.target])
