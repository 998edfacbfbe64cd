"""duress-stats beside its peers, in one run: each repeat times the peer and then the crate, and medians are compared.

The crate's side is `examples/tasks.rs`, built in release mode and fed task names; both sides make the same data."""

import os
import platform
import statistics
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy import stats
from sklearn.metrics import roc_auc_score

ROOT = Path(__file__).resolve().parents[2]


def column(n, number):
    """Uniform numbers by SplitMix64, as in examples/tasks.rs."""
    with np.errstate(over="ignore"):
        z = (np.arange(n, dtype=np.uint64) + np.uint64(number << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(float) / float(1 << 53)


N = 1_000_000
X = column(N, 1)
Y = 0.1 * X + column(N, 2)
POSITIVE = column(N, 3) < 0.25 + 0.5 * X


def bca_mean():
    r = stats.bootstrap((X[:1000],), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(0))
    return r.confidence_interval.low


def auroc_bootstrap():
    rng = np.random.default_rng(0)
    x, positive = X[:2000], POSITIVE[:2000]
    values = []
    for _ in range(1000):
        i = rng.integers(0, 2000, 2000)
        values.append(roc_auc_score(positive[i], x[i]))
    return np.quantile(values, 0.025)


def midrank(x):
    """The loop that every copy of the fast DeLong code holds (Sun and Xu's midranks)."""
    order = np.argsort(x)
    z = x[order]
    n = len(x)
    ranks = np.zeros(n)
    i = 0
    while i < n:
        j = i
        while j < n and z[j] == z[i]:
            j += 1
        ranks[i:j] = 0.5 * (i + j - 1)
        i = j
    out = np.empty(n)
    out[order] = ranks + 1
    return out


def delong():
    n = 100_000
    positive = POSITIVE[:n]
    order = np.argsort(~positive, kind="stable")
    scores = np.vstack((X[:n], Y[:n]))[:, order]
    m = int(positive.sum())
    rest = n - m
    tx = np.array([midrank(s[:m]) for s in scores])
    ty = np.array([midrank(s[m:]) for s in scores])
    tz = np.array([midrank(s) for s in scores])
    aucs = tz[:, :m].sum(axis=1) / m / rest - (m + 1.0) / 2.0 / rest
    v01 = (tz[:, :m] - tx) / rest
    v10 = 1.0 - (tz[:, m:] - ty) / m
    cov = np.cov(v01) / m + np.cov(v10) / rest
    contrast = np.array([1.0, -1.0])
    return contrast @ aucs / np.sqrt(contrast @ cov @ contrast)


# name, what, peer, function, repeats, bar, agreement (None: both are random)
TASKS = [
    ("bca_mean", "BCa interval of a mean, n = 1,000 × 9,999", "scipy.stats.bootstrap", bca_mean, 15, 8, None),
    ("auroc_bootstrap", "bootstrap of AUROC, n = 2,000 × 1,000", "loop over roc_auc_score", auroc_bootstrap, 5, 100, None),
    ("auroc", "AUROC, n = 10⁶", "roc_auc_score", lambda: roc_auc_score(POSITIVE, X), 15, 10, 1e-12),
    ("kendall", "Kendall τ-b, n = 10⁶", "scipy.stats.kendalltau", lambda: stats.kendalltau(X, Y).statistic, 7, 5, 1e-12),
    ("spearman", "Spearman ρ, n = 10⁶", "scipy.stats.spearmanr", lambda: stats.spearmanr(X, Y).statistic, 11, 5, 1e-11),
    ("wilcoxon", "Wilcoxon signed rank, n = 10⁶", "scipy.stats.wilcoxon", lambda: plus(stats.wilcoxon(X, Y, alternative="greater")), 11, 5, 1e-12),
    ("delong", "paired DeLong, n = 10⁵", "the usual NumPy form", delong, 9, 20, 1e-10),
]


def plus(result):
    return result.statistic


def crate():
    """The crate's side, built and waiting for task names."""
    cargo = ["cargo", "build", "--release", "-p", "duress-stats", "--example", "tasks", "--message-format=short"]
    workspace = Path(os.environ.get("DURESS_WORKSPACE", ROOT))
    subprocess.run(cargo, cwd=workspace, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", workspace / "target"))
    binary = target / "release" / "examples" / "tasks"
    return subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process, task):
    process.stdin.write(task + "\n")
    process.stdin.flush()
    nanoseconds, value = process.stdout.readline().split()
    return float(nanoseconds) * 1e-9, float(value)


def timed(function):
    start = time.perf_counter()
    value = function()
    return time.perf_counter() - start, value


def spread(times):
    """Median and the span of the middle half, in milliseconds."""
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle * 1e3:.3g} ({low * 1e3:.3g}–{high * 1e3:.3g})"


def main(*only):
    warnings.simplefilter("ignore")
    process = crate()
    print(f"{os.cpu_count()} cores · Python {platform.python_version()} · NumPy {np.__version__} · SciPy {scipy.__version__} · scikit-learn {sklearn.__version__}")
    print("median (middle half) in ms\n")
    print("| Task | Peer | Peer's time | duress-stats | Ratio of medians | of the fastest | Bar |\n|---|---|---|---|---|---|---|")
    for name, what, peer, function, repeats, bar, agreement in TASKS:
        if only and name not in only:
            continue
        theirs, ours = [], []
        for _ in range(repeats):
            seconds, expected = timed(function)
            theirs.append(seconds)
            seconds, value = ask(process, name)
            ours.append(seconds)
            close = abs(value - expected) <= (agreement or 0.02) * abs(expected)
            assert close, f"{name}: {value} is not {expected}"
        ratio = statistics.median(theirs) / statistics.median(ours)
        fastest = min(theirs) / min(ours)
        print(f"| {what} | {peer} | {spread(theirs)} | {spread(ours)} | **{ratio:.1f}×** | {fastest:.1f}× | {bar}× |", flush=True)
    if not only or "auroc_bca_large" in only:
        times = [ask(process, "auroc_bca_large")[0] for _ in range(3)]
        print(f"\nBCa interval of AUROC, n = 100,000 × 10,000 resamples: {statistics.median(times):.2f} s.")
    process.stdin.close()
    process.wait()


if __name__ == "__main__":
    import sys

    main(*sys.argv[1:])
