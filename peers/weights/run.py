"""Writes the files with weights that crates/duress-nn/tests/it/file.rs and networks.rs read back, with the software people write them with.

    cargo xtask peers weights

Then compares whole networks, too large to be committed, with torch and ONNX Runtime.
"""

import tempfile
from pathlib import Path

import torch

import digits
import networks
import saved
import whole

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "crates/duress-nn/tests/fixtures"


def main():
    torch.manual_seed(42)
    OUT.mkdir(parents=True, exist_ok=True)
    saved.write(OUT)
    networks.write(OUT)
    digits.write(OUT / "digits")
    print(f"wrote {sum(file.stat().st_size for file in OUT.rglob('*') if file.is_file())} bytes to {OUT.relative_to(ROOT)}")
    with tempfile.TemporaryDirectory() as folder:
        whole.check(Path(folder))


main()
