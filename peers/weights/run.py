"""Writes the files with tensors and networks that the tests of duress-tensors and duress-nn read back, with the software people write them with.

    cargo xtask peers weights

Then compares whole networks, too large to be committed, with torch and ONNX Runtime.
"""

import tempfile
from pathlib import Path

import torch

import bends
import digits
import networks
import saved
import whole

ROOT = Path(__file__).resolve().parents[2]
TENSORS = ROOT / "crates/duress-tensors/tests/fixtures"
NETWORKS = ROOT / "crates/duress-nn/tests/fixtures"


def main():
    torch.manual_seed(42)
    for out in [TENSORS, NETWORKS]:
        out.mkdir(parents=True, exist_ok=True)
    saved.write(TENSORS)
    networks.write(NETWORKS)
    bends.write(NETWORKS)
    digits.write(NETWORKS / "digits")
    for out in [TENSORS, NETWORKS]:
        print(f"wrote {sum(file.stat().st_size for file in out.rglob('*') if file.is_file())} bytes to {out.relative_to(ROOT)}")
    with tempfile.TemporaryDirectory() as folder:
        whole.check(Path(folder))


main()
