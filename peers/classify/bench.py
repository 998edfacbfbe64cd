"""Measures the gauges of classifiers side by side: `duress gauge` on a file against scikit-learn + NumPy and torchmetrics in memory.

    .venv/classify/bin/python peers/classify/bench.py TARGET/release/duress [set] [bootstrap] [stream]

*set*: 1e6 × 10 probabilities; the whole set of clean, calibration and selective gauges. duress is timed as a process, with
starting and reading the file; the others on arrays that are in memory, without their imports. Interleaved, medians.
*bootstrap*: `duress gauge` with 1,000 resamples of every gauge on 1e5 items. *stream*: 1e8 rows of Parquet.
Peak memory of duress is what the system says of the process.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

DURESS = sys.argv[1]
WHAT = sys.argv[2:] or ["set", "bootstrap", "stream"]
SETTINGS = ["accuracy", "balanced-accuracy", "precision", "recall", "f1", "f1-weighted", "mcc", "auroc-macro", "brier", "nll", "ece", "mce",
            "aurc", "e-aurc", "augrc", "coverage", "selective-accuracy", "risk-accepted", "risk-rejected", "rejection-quality"]


def data(n, k, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    logits = rng.normal(size=(n, k)) * 1.5
    logits[np.arange(n), y] += 1.5
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True), y


def scikit(p, y):
    from sklearn import metrics as sk

    said, conf = p.argmax(axis=1), p.max(axis=1)
    right = said == y
    n, k = p.shape
    out = [
        sk.accuracy_score(y, said), sk.balanced_accuracy_score(y, said), sk.precision_score(y, said, average="macro"),
        sk.recall_score(y, said, average="macro"), sk.f1_score(y, said, average="macro"), sk.f1_score(y, said, average="weighted"),
        sk.matthews_corrcoef(y, said), sk.roc_auc_score(y, p, multi_class="ovr"), ((p - np.eye(k)[y]) ** 2).sum(axis=1).mean(),
        sk.log_loss(y, p),
    ]
    bins = np.clip(np.ceil(conf * 15).astype(int) - 1, 0, 14)
    count = np.bincount(bins, minlength=15)
    gap = np.abs(np.bincount(bins, conf, 15) - np.bincount(bins, right, 15))
    held = count > 0
    out += [gap.sum() / n, (gap[held] / count[held]).max()]
    order = np.argsort(-conf)
    wrong = ~right[order]
    errors = np.cumsum(wrong)
    area = (errors / np.arange(1, n + 1)).mean()
    e = errors[-1]
    out += [area, area - (np.arange(1, e + 1) / (n - e + np.arange(1, e + 1))).sum() / n]
    a = 1 - e / n
    out.append((1 - sk.roc_auc_score(right, conf)) * a * (1 - a) + 0.5 * (1 - a) ** 2)
    kept = conf > 0.8
    risk, refused = 1 - right[kept].mean(), 1 - right[~kept].mean()
    return out + [kept.mean(), right[kept].mean(), risk, refused, refused / risk]


def torch_metrics(p, y):
    import torch
    from torchmetrics.functional import classification as tm

    tp, ty = torch.from_numpy(p), torch.from_numpy(y)
    k = p.shape[1]
    return [
        tm.multiclass_accuracy(tp, ty, k, average="micro"), tm.multiclass_accuracy(tp, ty, k, average="macro"),
        tm.multiclass_precision(tp, ty, k), tm.multiclass_recall(tp, ty, k), tm.multiclass_f1_score(tp, ty, k),
        tm.multiclass_f1_score(tp, ty, k, average="weighted"), tm.multiclass_matthews_corrcoef(tp, ty, k),
        tm.multiclass_auroc(tp, ty, k), tm.multiclass_calibration_error(tp, ty, k, n_bins=15),
        tm.multiclass_calibration_error(tp, ty, k, n_bins=15, norm="max"),
        torch.nn.functional.nll_loss(tp.log(), ty), ((tp - torch.nn.functional.one_hot(ty, k)) ** 2).sum(1).mean(),
    ]


def duress(file, *flags):
    """Seconds, peak megabytes and output of a run. GNU time forks, so that the peak is not that of this process."""
    with tempfile.NamedTemporaryFile() as peak:
        start = time.perf_counter()
        command = ["/usr/bin/time", "-f", "%M", "-o", peak.name, DURESS, "gauge", str(file), *flags]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        return time.perf_counter() - start, int(peak.read()) / 1024, text


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def whole_set(folder):
    import json

    p, y = data(1_000_000, 10)
    file = folder / "answers.npz"
    np.savez(file, probs=p, label=y)
    flags = ["--no-intervals", "--classes", ",".join(map(str, range(10))), "--only", ",".join(SETTINGS)]
    ours, theirs, torchs, memory = [], [], [], []
    scikit(p[:1000], y[:1000]), torch_metrics(p[:1000], y[:1000])
    for _ in range(int(os.environ.get("REPEATS", 5))):
        seconds, peak, text = duress(file, *flags)
        ours.append(seconds), memory.append(peak)
        theirs.append(timed(lambda: scikit(p, y)))
        torchs.append(timed(lambda: torch_metrics(p, y)))
    read = {one["gauge"]: one["value"] for one in json.loads(duress(file, "--json", *flags)[2])["gauges"]}
    for name, value in zip(SETTINGS, scikit(p, y)):
        found = read[name]["value"] if isinstance(read[name], dict) else read[name]
        assert abs(found - value) < 1e-9, (name, found, value)
    a, b, c = map(statistics.median, (ours, theirs, torchs))
    print(f"1e6 × 10, {len(SETTINGS)} gauges: duress {a:.2f} s as a process; scikit-learn + NumPy {b:.2f} s ({b / a:.1f}×); "
          f"torchmetrics, 12 of them, {c:.2f} s ({c / a:.1f}×)")
    print(f"peak memory {max(memory):.0f} MB for an input of {(p.nbytes + y.nbytes) / 2**20:.0f} MB")


def bootstrap(folder):
    p, y = data(100_000, 10, 2)
    file = folder / "small.npz"
    np.savez(file, probs=p, label=y)
    seconds, peak, text = duress(file, "--resamples", "1000")
    print(f"1e5 × 10, every gauge with 1,000 resamples: {seconds:.1f} s, peak {peak:.0f} MB")


def stream(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file, rows, step = folder / "long.parquet", int(os.environ.get("ROWS", 100_000_000)), 2_000_000
    schema = pa.schema([("label", pa.int8()), ("prediction", pa.int8()), ("confidence", pa.float64())])
    rng, right_all, conf_sum = np.random.default_rng(3), 0, 0.0
    with pq.ParquetWriter(file, schema, compression="snappy", use_dictionary=["label", "prediction"]) as writer:
        for _ in range(rows // step):
            y = rng.integers(0, 5, step).astype(np.int8)
            conf = 0.2 + 0.8 * rng.random(step)
            right = rng.random(step) < conf
            said = np.where(right, y, (y + 1) % 5).astype(np.int8)
            right_all += int(right.sum())
            writer.write_table(pa.table([y, said, conf], schema=schema))
    print(f"{rows:.0e} rows, {file.stat().st_size / 2**30:.2f} GiB, accuracy {right_all / rows:.9f}")
    seconds, peak, text = duress(file, "--stream")
    print(f"streamed in {seconds:.1f} s, peak {peak:.0f} MB")
    print(text.decode()[:3000])


warnings.simplefilter("ignore")
with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
    for what in WHAT:
        {"set": whole_set, "bootstrap": bootstrap, "stream": stream}[what](pathlib.Path(folder))
