"""Measures the gauges of classifiers side by side: duress against scikit-learn + NumPy and torchmetrics.

    .venv/classify/bin/python peers/classify/bench.py TARGET/release/duress [set] [files] [memory] [bootstrap] [stream]

*set*: 1e6 × 10 probabilities that are in memory on all sides; the whole set of clean, calibration and selective gauges, in turn. Ours is
`TARGET/release/examples/gauges` (`cargo build --release -p duress --example gauges`). *files*: the same from an npz, a Parquet and a CSV
file, each side a process of its own that reads and computes; beside the whole process, Python's time without its imports. *memory*: the peak of
`duress gauge` with every gauge that applies, from the same three files. *bootstrap*: `duress gauge` with 1,000 resamples of every gauge on 1e5
items. *stream*: 1e8 rows of Parquet (`ROWS`). Peak memory is what the system says of the process. Files are made aside and
removed; with `BENCH_DIR` they are kept there and used again, and *make* makes them beforehand.
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
WHAT = sys.argv[2:] or ["set", "files", "memory", "bootstrap", "stream"]
REPEATS = int(os.environ.get("REPEATS", 5))
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


ALL = ["--no-intervals", "--classes", ",".join(map(str, range(10))), "--only", ",".join(SETTINGS)]


def spread(seconds):
    return f"{statistics.median(seconds):.3f} s ({min(seconds):.3f}–{max(seconds):.3f})"


def agree(file, p, y):
    import json

    read = {one["gauge"]: one["value"]["value"] for one in json.loads(duress(file, "--json", *ALL)[2])["gauges"]}
    for name, value in zip(SETTINGS, scikit(p, y)):
        assert abs(read[name] - value) < 1e-9, (name, read[name], value)


def whole_set(folder):
    p, y = data(1_000_000, 10)
    file = answers(folder, p, y)[0]
    agree(file, p, y)
    gauges = pathlib.Path(DURESS).parent / "examples" / "gauges"
    command = [gauges, file, ",".join(map(str, range(10))), ",".join(SETTINGS)]
    ours, theirs, torchs = [], [], []
    scikit(p[:1000], y[:1000]), torch_metrics(p[:1000], y[:1000])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(REPEATS):
            process.stdin.write("\n"), process.stdin.flush()
            ours.append(float(process.stdout.readline().split()[0]))
            theirs.append(timed(lambda: scikit(p, y)))
            torchs.append(timed(lambda: torch_metrics(p, y)))
        process.stdin.close()
    a, b, c = map(statistics.median, (ours, theirs, torchs))
    print(f"1e6 × 10 in memory, {len(SETTINGS)} gauges, {REPEATS} in turn: duress {spread(ours)}; "
          f"scikit-learn + NumPy {spread(theirs)}, {b / a:.1f}×; torchmetrics, 12 of them, {spread(torchs)}, {c / a:.1f}×")


def python(file, side):
    """Seconds of a Python process that reads and computes: all of it, without its imports; and its peak megabytes."""
    with tempfile.NamedTemporaryFile() as peak:
        start = time.perf_counter()
        command = ["/usr/bin/time", "-f", "%M", "-o", peak.name, sys.executable, __file__, DURESS, side, str(file)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        return time.perf_counter() - start, float(said), int(peak.read()) / 1024


def read_and_compute(side, file):
    if side == "scikit":
        import sklearn.metrics  # noqa: F401
    else:
        import torch
        import torchmetrics.functional.classification  # noqa: F401
        torch.set_num_threads(os.cpu_count())
    import pyarrow.csv
    import pyarrow.parquet

    start = time.perf_counter()
    if file.endswith(".npz"):
        read = np.load(file)
        p, y = read["probs"], read["label"]
    else:
        table = pyarrow.csv.read_csv(file) if file.endswith(".csv") else pyarrow.parquet.read_table(file)
        p = np.stack([table[str(c)].to_numpy() for c in range(10)], axis=1)
        y = table["label"].to_numpy()
    (scikit if side == "scikit" else torch_metrics)(p, y)
    print(time.perf_counter() - start)


def answers(folder, p, y):
    """The same answers as npz, Parquet and CSV, the last two with a column per class."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    table = pa.table({**{str(c): p[:, c] for c in range(10)}, "label": y})
    write = {"npz": lambda file: np.savez(file, probs=p, label=y), "parquet": lambda file: pq.write_table(table, file),
             "csv": lambda file: pc.write_csv(table, file)}
    files = [folder / f"answers.{ending}" for ending in write]
    for file, make in zip(files, write.values()):
        file.exists() or make(file)
    return files


def memory(folder):
    p, y = data(1_000_000, 10)
    numbers = (p.nbytes + y.nbytes) / 2**20
    for file in answers(folder, p, y):
        seconds, peak, _ = zip(*[duress(file, "--no-intervals") for _ in range(REPEATS)])
        print(f"{file.name}: every gauge, {spread(seconds)}, peak {max(peak):.0f} MiB for {numbers:.0f} MiB of numbers, {max(peak) / numbers:.2f}×")


def from_files(folder):
    p, y = data(1_000_000, 10)
    for file in answers(folder, p, y):
        agree(file, p, y)
        sides = {"duress": [], "scikit": [], "torch": []}
        for _ in range(REPEATS):
            sides["duress"].append(duress(file, *ALL)[:2])
            sides["scikit"].append(python(file, "scikit"))
            sides["torch"].append(python(file, "torch"))
        a = statistics.median(one[0] for one in sides["duress"])
        memory = max(one[1] for one in sides["duress"])
        print(f"{file.name}: duress {spread([one[0] for one in sides['duress']])}, peak {memory:.0f} MB "
              f"for {(p.nbytes + y.nbytes) / 2**20:.0f} MB of numbers")
        for side in ["scikit", "torch"]:
            whole, inner, peak = zip(*sides[side])
            b, c = statistics.median(whole), statistics.median(inner)
            print(f"  {side}: process {spread(whole)}, {b / a:.1f}×; without imports {spread(inner)}, {c / a:.1f}×; peak {max(peak):.0f} MB")


def bootstrap(folder):
    p, y = data(100_000, 10, 2)
    file = folder / "small.npz"
    np.savez(file, probs=p, label=y)
    seconds, peak, text = duress(file, "--resamples", "1000")
    print(f"1e5 × 10, every gauge with 1,000 resamples: {seconds:.1f} s, peak {peak:.0f} MB")


def long_table(folder):
    """A table of what was said, how sure, and what is true, and beside it how many were right."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file, told, step, right_all = folder / "long.parquet", folder / "long.txt", 2_000_000, 0
    if told.exists():
        return file, *map(int, told.read_text().split())
    schema = pa.schema([("label", pa.int8()), ("prediction", pa.int8()), ("confidence", pa.float64())])
    rng, rows = np.random.default_rng(3), int(os.environ.get("ROWS", 100_000_000)) // step * step
    with pq.ParquetWriter(file, schema, compression="snappy", use_dictionary=["label", "prediction"]) as writer:
        for _ in range(rows // step):
            y = rng.integers(0, 5, step).astype(np.int8)
            conf = 0.2 + 0.8 * rng.random(step)
            right = rng.random(step) < conf
            said = np.where(right, y, (y + 1) % 5).astype(np.int8)
            right_all += int(right.sum())
            writer.write_table(pa.table([y, said, conf], schema=schema))
    told.write_text(f"{rows} {right_all}")
    return file, rows, right_all


def stream(folder):
    file, rows, right = long_table(folder)
    print(f"{rows:.0e} rows, {file.stat().st_size / 2**30:.2f} GiB, accuracy {right / rows:.9f}")
    seconds, peak, text = duress(file, "--stream")
    print(f"streamed in {seconds:.1f} s, peak {peak:.0f} MB")
    print(text.decode()[:3000])


def make(folder):
    answers(folder, *data(1_000_000, 10)), long_table(folder)


warnings.simplefilter("ignore")
if WHAT[0] in ("scikit", "torch"):
    read_and_compute(*WHAT)
    sys.exit()
STEPS = {"set": whole_set, "files": from_files, "memory": memory, "bootstrap": bootstrap, "stream": stream, "make": make}
with tempfile.TemporaryDirectory() as aside:
    for what in WHAT:
        STEPS[what](pathlib.Path(os.environ.get("BENCH_DIR", aside)))
