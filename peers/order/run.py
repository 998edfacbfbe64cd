"""Recomputes MDR, MDA, worst-per-item, S_seq, S_struct and S_rob on every distinct scramble of the idioms in
`studies/order/four-languages`, by its own reading of the files and its own arithmetic:
    cargo xtask peers order

Scores are made up from the characters and their places (`score`), so that nobody has to ship 65,695 of them; the test that compares makes the same. An
idiom takes part if it has four characters and, but for Japanese, which has none, an explanation; a scramble is a distinct string other than the
original, under the arrangement with the fewest inversions that gives it. Written to `crates/duress/tests/data/order.json`.
"""

import csv
import itertools
import json
import pathlib

import numpy

root = pathlib.Path(__file__).parents[2]
data = root / "studies/order/four-languages"
LETTERS = "ABCD"
ORDERS = list(itertools.permutations(range(4)))


def inversions(order):
    return sum(a > b for a, b in itertools.combinations(order, 2))


def score(text):
    total = sum(ord(c) * (place + 1) ** 2 * 31 for place, c in enumerate(text))
    return 0.05 + 0.9 * ((total * 2654435761) % 2**32) / 2**32


def rows(name):
    with open(data / name, encoding="utf-8-sig", newline="") as file:
        return [[cell.strip() for cell in row] for row in csv.reader(file)]


def scrambles(idiom):
    """The first arrangement with the fewest inversions for every distinct string."""
    found = {}
    for order in sorted(ORDERS, key=lambda order: (inversions(order), order)):
        found.setdefault("".join(idiom[i] for i in order), order)
    del found[idiom]
    return found


def metrics(name, explained):
    structure = {}
    for idiom, group in rows(f"{name}.structure.csv"):
        structure.setdefault(idiom, group)
    idioms = []
    for row in rows(f"{name}.csv"):
        if len(row[0]) == 4 and row[0] not in idioms and (not explained or row[1]):
            idioms.append(row[0])
    lost = {order: [] for order in ORDERS}
    worst, groups, count = [], {}, 0
    for idiom in idioms:
        own, original = [], score(idiom)
        for text, order in scrambles(idiom).items():
            degradation = (original - score(text)) / original
            lost[order].append(degradation)
            own.append(degradation)
            groups.setdefault(structure.get(idiom), []).append(score(text))
            count += 1
        worst.append(max(own))
    by_order = {"".join(LETTERS[i] for i in order): float(numpy.mean(of)) for order, of in lost.items() if of}
    groups.pop(None, None)
    means = {group: float(numpy.mean(of)) for group, of in sorted(groups.items())}
    mdr, mda = float(numpy.mean(list(by_order.values()))), max(by_order.values())
    s_seq = 1 - (0.5 * mdr + 0.5 * mda)
    s_struct = 1 - float(numpy.std(list(means.values()))) / 0.5
    return {
        "items": len(idioms),
        "scrambles": count,
        "mdr": mdr,
        "mda": mda,
        "worst-per-item": float(numpy.mean(worst)),
        "s-seq": s_seq,
        "s-struct": s_struct,
        "s-rob": 2 * s_seq * s_struct / (s_seq + s_struct),
        "d": by_order,
        "means": means,
    }


names = {
    "chinese_explanations": True,
    "traditional_chinese_explanations": True,
    "japanese_explanations": False,
    "korean_explanations": True,
}
found = {name: metrics(name, explained) for name, explained in names.items()}
print({name: (of["items"], of["scrambles"]) for name, of in found.items()})
assert sum(found[name]["scrambles"] for name, explained in names.items() if explained) == 65_695
target = root / "crates/duress/tests/data/order.json"
target.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
