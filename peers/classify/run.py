"""Reference values for the gauges of classifiers, from other software and from formulas written down again.

Writes crates/duress-parts/tests/data/classify.jsonl: one header with the names of what is compared, then one case per line.
Probabilities are small whole numbers over their sum and logits are 64ths, so that both sides start from the same bits.
A value is a number, null where it must be undefined, or "-" where the peer cannot be asked. `bench.py` measures.
"""

import json
import pathlib
import sys
import warnings
from fractions import Fraction

import numpy as np
import torch
from netcal.metrics import ECE
from scipy.optimize import brentq
from scipy.special import log_softmax, logsumexp, softmax
from scipy.stats import foldnorm
from sklearn import metrics as sk
from torchmetrics.functional import classification as tm

OUT = pathlib.Path(__file__).parents[2] / "crates/duress-parts/tests/data/classify.jsonl"
CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 2400
EPS = float(np.finfo(np.float64).eps)


def aurc(confidence, right):
    """Mean risk over every k, ties in expectation: exact in fractions."""
    groups = {}
    for c, r in zip(confidence, right):
        size, wrong = groups.get(c, (0, 0))
        groups[c] = (size + 1, wrong + (not r))
    total, before, errors = Fraction(0), 0, Fraction(0)
    for c in sorted(groups, reverse=True):
        size, wrong = groups[c]
        for j in range(1, size + 1):
            total += (errors + Fraction(wrong * j, size)) / (before + j)
        before, errors = before + size, errors + wrong
    return total / before


def fd_shifts(confidence, right):
    """Trapezoids over distinct confidences, flat to coverage 0."""
    order = np.argsort(confidence, kind="stable")
    c, wrong = confidence[order], (~right[order]).astype(float)
    n, left = len(c), wrong.sum()
    coverages, risks = [1.0], [left / n]
    for i in range(n - 1):
        left -= wrong[i]
        if c[i] != c[i + 1]:
            coverages.append((n - 1 - i) / n)
            risks.append(left / (n - 1 - i))
    coverages.append(0.0)
    risks.append(risks[-1])
    return float(-np.trapezoid(risks, coverages))


def torch_uncertainty(confidence, right):
    n = len(right)
    if n < 2:
        return None
    order = np.argsort(-confidence, kind="stable")
    risks = np.cumsum(~right[order]) / np.arange(1, n + 1)
    return float(np.trapezoid(risks, np.arange(1, n + 1) / n) / (1 - 1 / n))


def augrc(confidence, right):
    a = right.mean()
    ranked = 1.0 if a in (0.0, 1.0) else sk.roc_auc_score(right, confidence)
    return float((1 - ranked) * a * (1 - a) + 0.5 * (1 - a) ** 2)


def gaps(confidence, right, bins):
    """Items of each bin (lo, hi], the first closed below."""
    held = []
    for b in range(bins):
        inside = (confidence <= (b + 1) / bins) & ((confidence > b / bins) | (b == 0))
        if inside.any():
            held.append((inside.sum(), confidence[inside].mean(), right[inside].mean()))
    return held


def debiased(held, n):
    total = 0.0
    for m, conf, acc in held:
        gap, s = abs(conf - acc), np.sqrt(acc * (1 - acc) / m)
        folded = gap if s == 0 else foldnorm.mean(gap / s, scale=s)
        total += m / n * (2 * gap - folded)
    return total


def equal_mass(confidence, right, bins):
    n, total = len(right), 0.0
    bin_of = np.array([bins * int((confidence < c).sum()) // n for c in confidence])
    for b in np.unique(bin_of):
        inside = bin_of == b
        total += inside.sum() / n * abs(confidence[inside].mean() - right[inside].mean())
    return float(total)


def selective(confidence, right, accepted):
    def share(of, inside):
        return float(of[inside].mean()) if inside.any() else None

    acc, wrong = share(right, accepted), ~right
    kept, refused = share(wrong, accepted), share(wrong, ~accepted)
    quality = refused / kept if kept not in (None, 0.0) and refused is not None else None
    gain = None if acc is None else acc - float(right.mean())
    return [float(accepted.mean()), acc, gain, kept, refused, quality]


def covering(confidence, share):
    """The fewest of the surest that make up the share, equal confidences together; and the highest refused."""
    need = int(np.ceil(share * len(confidence) - 1e-9))
    for c in sorted(set(confidence), reverse=True):
        if (confidence >= c).sum() >= need:
            refused = confidence[confidence < c]
            return confidence >= c, (float(refused.max()) if len(refused) else None)


def maybe(call):
    try:
        value = float(call())
        return value if np.isfinite(value) else "-"
    except Exception:
        return "-"


def agree(name, a, b, within=1e-10):
    """Two peers that define the same thing must say the same."""
    assert abs(a - b) < within, (name, a, b)
    return a


KINDS = ["entropy", "margin", "max-logit", "energy"]
TEMPERATURE = 2.5


def by_kind(logits, right):
    p = softmax(logits, axis=1)
    ordered = np.sort(p, axis=1)
    entropy = -(p * np.log(p)).sum(axis=1)
    scores = {
        "entropy": 1 - entropy / np.log(p.shape[1]),
        "margin": ordered[:, -1] - ordered[:, -2],
        "max-logit": logits.max(axis=1),
        "energy": logsumexp(logits, axis=1),
    }
    scaled = softmax(logits / TEMPERATURE, axis=1).max(axis=1)
    return [float(aurc(scores[kind], right)) for kind in KINDS] + [float(aurc(scaled, right))]


NAMES = (
    ["accuracy", "balanced-accuracy", "precision", "recall", "f1", "f1-weighted", "mcc", "auroc-macro", "brier", "nll", "nll clip",
     "ece", "mce", "ece-debiased", "ece-equal-mass", "ece-torchmetrics", "ece-netcal", "ece-torchmetrics-binary",
     "aurc", "e-aurc", "aurc-minus-error-rate", "augrc", "aurc-fd-shifts", "aurc-torch-uncertainty"]
    + [f"{what} {gate}" for gate in ("0.8", "at 0.9") for what in
       ("coverage", "selective-accuracy", "selective-improvement", "risk-accepted", "risk-rejected", "rejection-quality")]
    + ["selective-threshold at 0.9"]
    + [f"aurc {kind}" for kind in KINDS + ["temperature-scaled"]]
)


def expected(rows, logits, y, k):
    p = softmax(rows, axis=1) if logits else rows
    said = rows.argmax(axis=1)
    right = said == y
    conf = np.minimum(p.max(axis=1), 1.0)
    n, there = len(y), np.unique(y)
    tp, ty = torch.tensor(p, dtype=torch.float64), torch.tensor(y)
    areas = [sk.roc_auc_score(y == c, p[:, c]) for c in there if len(there) > 1]
    either = np.union1d(y, said)
    onehot = np.eye(k)[y]
    lp = log_softmax(rows, axis=1)[np.arange(n), y] if logits else None
    plain = p[np.arange(n), y]
    held = gaps(conf, right, 15)
    base = float(aurc(conf, right))
    oracle = float(aurc(np.arange(n)[::-1], np.sort(right)[::-1]))
    one = len(there) == 1 or len(np.unique(said)) == 1
    full = len(there) == k
    mcc = None if one else sk.matthews_corrcoef(y, said)
    if not one:  # torchmetrics computes this one in float32 whatever it is given
        agree("mcc", mcc, float(tm.multiclass_matthews_corrcoef(torch.tensor(said), ty, k)), 1e-6)
    auroc = None if len(there) < 2 else float(np.mean(areas))
    if full and k > 2:
        agree("auroc", auroc, sk.roc_auc_score(y, p, multi_class="ovr", labels=range(k)))
        agree("auroc tm", auroc, float(tm.multiclass_auroc(tp, ty, k)), 1e-6)  # its curve is float32
    brier = float(((p - onehot) ** 2).sum(axis=1).mean())
    if k > 2:
        agree("brier", brier, sk.brier_score_loss(y, p, labels=range(k), scale_by_half=False))
    clipped = float(-lp.mean()) if logits else float(sk.log_loss(y, p, labels=range(k)))
    values = [
        sk.accuracy_score(y, said),
        sk.balanced_accuracy_score(y, said),
        sk.precision_score(y, said, labels=either, average="macro", zero_division=0),
        sk.recall_score(y, said, labels=there, average="macro"),
        sk.f1_score(y, said, average="macro", zero_division=0),
        sk.f1_score(y, said, average="weighted", zero_division=0),
        mcc,
        auroc,
        brier,
        float(-lp.mean()) if logits else (None if (plain == 0).any() else float(-np.log(plain).mean())),
        clipped,
        float(sum(m / n * abs(c - a) for m, c, a in held)),
        float(max(abs(c - a) for m, c, a in held)),
        float(debiased(held, n)),
        equal_mass(conf, right, 15),
        maybe(lambda: tm.multiclass_calibration_error(tp, ty, k, n_bins=15, norm="l1")) if not logits else "-",
        maybe(lambda: ECE(bins=10).measure(p, y)) if not logits and n > 1 else "-",
        None if k != 2 else "-" if logits else maybe(lambda: tm.binary_calibration_error(tp[:, 1].float(), ty, n_bins=15, norm="l1")),
        base,
        base - oracle,
        base - float((~right).mean()),
        augrc(conf, right),
        fd_shifts(conf, right),
        torch_uncertainty(conf, right),
    ]
    values += selective(conf, right, conf > 0.8)
    accepted, threshold = covering(conf, 0.9)
    values += selective(conf, right, accepted) + [threshold]
    values += by_kind(rows, right) if logits else ["-"] * 5
    return values


def rows_of(rng, kind, n, k):
    if kind == "smooth":
        return rng.integers(0, 1000, (n, k))
    if kind == "ties":
        return rng.integers(0, 4, (n, k))
    if kind == "saturated":
        rows = np.zeros((n, k), int)
        rows[np.arange(n), rng.integers(0, k, n)] = 1
        loose = rng.random(n) < 0.3
        rows[loose] = rng.integers(0, 50, (int(loose.sum()), k))
        return rows
    total = 15 if kind == "fifteenths" else 10
    return rng.multinomial(total, rng.dirichlet(np.ones(k) * 0.4, n))


def case(rng):
    n = int(rng.choice([1, 2, 3, 5, 8, 13, 20, 40], p=[0.08, 0.08, 0.08, 0.16, 0.2, 0.2, 0.14, 0.06]))
    k = int(rng.choice([2, 3, 4, 7], p=[0.25, 0.35, 0.25, 0.15]))
    logits = bool(rng.random() < 0.2)
    if logits:
        whole = rng.integers(-500, 500, (n, k))
        rows = whole / 64
    else:
        whole = rows_of(rng, rng.choice(["smooth", "ties", "saturated", "fifteenths", "tenths"]), n, k)
        whole[whole.sum(axis=1) == 0, 0] = 1
        rows = whole / whole.sum(axis=1, keepdims=True)
    y = np.where(rng.random(n) < rng.choice([0.3, 0.6, 0.9, 1.0]), rows.argmax(axis=1), rng.integers(0, k, n))
    if rng.random() < 0.15:
        y = np.minimum(y, k - 2)
    if rng.random() < 0.08:
        y[:] = y[0]
    return whole, rows, logits, y, k


def fitted_temperature(logits, y):
    """Where the derivative of the likelihood changes sign; none where it does not."""

    def slope(b):
        p = softmax(b * logits, axis=1)
        return float(((p * logits).sum(axis=1) - logits[np.arange(len(y)), y]).mean())

    low, high = 1e-3, 1e3
    return None if slope(low) >= 0 or slope(high) <= 0 else 1 / brentq(slope, low, high, xtol=1e-15, rtol=1e-14)


def number(value):
    return value if value is None or isinstance(value, str) else float(f"{value:.14g}")


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(6)
    lines = [json.dumps({"names": NAMES, "clip": EPS, "temperature": TEMPERATURE})]
    for _ in range(CASES):
        whole, rows, logits, y, k = case(rng)
        one = {"k": k, "y": y.tolist(), "logits" if logits else "counts": whole.ravel().tolist()}
        one["expected"] = [number(value) for value in expected(rows, logits, y, k)]
        if logits:
            one["fitted"] = number(fitted_temperature(rows, y))
        lines.append(json.dumps(one, separators=(",", ":")))
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n")
    print(f"{CASES} cases, {OUT.stat().st_size / 1e6:.2f} MB")


main()
