"""Mutated files that we read: pandas and NumPy must read the same from the same bytes.

For each format the fuzz harness writes mutants beside what our reader made of them (columns, or
why it refused) and whether that is what an undamaged file says. A peer reads the same bytes. Good
is: both refuse, the values are equal, or we refuse what the peer takes. Everything else is counted
and listed: the peer refuses what we read, or the values differ; each told apart by whether what we
read is what the file said before it was damaged, which cannot be a wrong number.

    python peers/mutants/run.py [--count 10000] [FORMAT...]
"""

import json
import math
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import safetensors.numpy

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ["csv", "npy", "npz", "parquet", "safetensors", "xlsx"]


def mutants(fmt, count, folder):
    words = ["cargo", "test", "--release", "--quiet", "--package", "duress-cli", "--test", "fuzz"]
    words += ["--", "mutants", fmt, str(count), str(folder)]
    subprocess.run(words, cwd=ROOT, check=True)


def read_csv(file):
    frame = pd.read_csv(file, dtype=str, na_filter=False, index_col=False, encoding_errors="strict")
    return {str(name): list(frame[name]) for name in frame.columns}


def read_xlsx(file):
    # A header is the first row that has anything, as it is with us.
    sheets = pd.read_excel(file, sheet_name=None, header=None, na_filter=False, dtype=object)
    full = [sheet for sheet in sheets.values() if sheet.astype(str).map(str.strip).ne("").any(axis=None)]
    if len(full) != 1:
        raise ValueError("not one sheet")
    rows = [row for row in full[0].values.tolist() if any(str(cell).strip() for cell in row)]
    return {str(name).strip(): [row[at] for row in rows[1:]] for at, name in enumerate(rows[0]) if str(name).strip()}


def read_parquet(file):
    frame = pd.read_parquet(file)
    if frame.index.name is not None or not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    return {str(name): list(frame[name]) for name in frame.columns}


def read_array(file):
    loaded = np.load(file, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return {"array": loaded}
    return {name: loaded[name] for name in loaded.files}


def read_safetensors(file):
    return safetensors.numpy.load_file(file)


READERS = {
    "csv": read_csv,
    "npy": read_array,
    "npz": read_array,
    "parquet": read_parquet,
    "safetensors": read_safetensors,
    "xlsx": read_xlsx,
}


def number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def same(ours, theirs):
    """Whether one value is the other, as text or as number."""
    if str(ours) == str(theirs):
        return True
    if isinstance(theirs, (bytes, np.bytes_)):
        return str(ours) == theirs.decode("utf-8", "replace")
    a, b = number(ours), number(theirs)
    if a is None or b is None:
        # Blanks at the ends of a cell are no part of a header or a class with us.
        return str(ours).strip() == str(theirs).strip()
    return a == b or (math.isnan(a) and math.isnan(b))


def flat(values):
    for value in values:
        if isinstance(value, (list, tuple, np.ndarray)) and not isinstance(value, str):
            yield from flat(np.asarray(value).reshape(-1).tolist())
        else:
            yield value.item() if isinstance(value, np.generic) else value


def compare(ours, theirs):
    """What differs; None when nothing does."""
    for column in ours["columns"]:
        name = column["name"]
        match = [key for key in theirs if str(key).strip() == name.strip()]
        if not match and name.split(".")[0] in theirs:
            match = [name.split(".")[0]]
        if not match and not name.strip():
            # pandas gives a column without a name one of its own.
            match = [key for key in theirs if str(key).startswith("Unnamed: ")]
        if not match:
            return f"column {name!r} is not there"
        expected = list(flat(theirs[match[0]]))
        read = column.get("numbers", column.get("texts"))
        if len(read) != len(expected):
            return f"column {name!r}: {len(read)} values, the peer has {len(expected)}"
        for at, (one, other) in enumerate(zip(read, expected)):
            if not same(one, other):
                return f"column {name!r}, value {at}: {one!r}, the peer has {other!r}"
    return None


def beside(ours):
    return ", we read the undamaged values" if ours["undamaged"] else ""


def judge(fmt, file):
    ours = json.loads(file.with_suffix(".json").read_text())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = READERS[fmt](file)
    except Exception as error:  # a peer may fail in any way
        if "refused" in ours:
            return "both refuse", None
        why = f"{type(error).__name__}: {error}"[:200]
        return "only the peer refuses" + beside(ours), why
    if "refused" in ours:
        return "only we refuse", None
    what = compare(ours, theirs)
    return ("equal", None) if what is None else ("differ" + beside(ours), what)


def main():
    args = sys.argv[1:]
    count = int(args[args.index("--count") + 1]) if "--count" in args else 10_000
    formats = [arg for arg in args if arg in FORMATS] or FORMATS
    for fmt in formats:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            mutants(fmt, count, folder)
            counts, examples = Counter(), []
            for at in range(count):
                kind, what = judge(fmt, folder / f"{at}.{fmt}")
                counts[kind] += 1
                if what:
                    examples.append((kind, f"  {fmt} {at}: {kind}: {what}"))
        print(fmt, dict(counts))
        # What may be a wrong number without a word, all of it; of the rest, some.
        other = [line for kind, line in examples if "undamaged" not in kind]
        rest = [line for kind, line in examples if "undamaged" in kind]
        print("\n".join(other + rest[:40]), flush=True)


if __name__ == "__main__":
    main()
