"""Reference cases: one JSON object a line, with what was asked, the answer, and the tolerance it deserves."""

import json
import math
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[2] / "crates" / "duress-stats" / "tests" / "data"


class Cases:
    """Collects cases and writes them to one file."""

    def __init__(self, name):
        self.path = DATA / f"{name}.jsonl"
        self.lines = []

    def add(self, ask, out, tol=1e-10, **given):
        """One case. `out` is a number, a list, or a dict of named numbers; None means: must be undefined."""
        self.lines.append(json.dumps({"ask": ask, **plain(given), "out": plain(out), "tol": tol}))

    def make(self, makers, rng):
        """The cases that each of these adds, and how many that are."""
        for make in makers:
            before = len(self.lines)
            make(self, rng)
            print(f"  {make.__name__}: {len(self.lines) - before}", flush=True)

    def write(self):
        DATA.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join(self.lines) + "\n")
        print(f"{self.path.name}: {len(self.lines)} cases")


def plain(value):
    """JSON without NumPy types; infinities as strings, since JSON has none."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (float, np.floating)):
        value = float(value)
        assert not math.isnan(value), "a reference value is never NaN"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return value
    return value


class Weyl:
    """A long sample both sides can make from four integers: ((i+1)·multiplier mod 2³²) / 2³², in `levels` steps."""

    def __init__(self, n, multiplier, levels=0, shift=0.0):
        self.spec = {"weyl": [n, multiplier, levels], "shift": shift}
        i = np.arange(1, n + 1, dtype=np.uint64)
        u = ((i * np.uint64(multiplier)) % np.uint64(1 << 32)).astype(float) / float(1 << 32)
        self.values = (np.floor(u * levels) if levels else u) + shift


class Rng:
    """A seeded generator whose real numbers have four decimals, so that the data stay small and exact in JSON."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __getattr__(self, name):
        draw = getattr(self.rng, name)
        return lambda *args, **named: np.round(draw(*args, **named), 4) if name in ("normal", "exponential", "uniform") else draw(*args, **named)
