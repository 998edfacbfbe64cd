"""Reference values of `duress_stats::agreement`: scikit-learn and statsmodels (kappa), SciPy (tau), krippendorff (alpha).

    cargo xtask peers agreement

Writes crates/duress-stats/tests/data/agreement.jsonl. Gwet's AC1 and the corrected rates have no package among these: they are derived
again here from their definitions, item by item in exact fractions, where duress works with counts in closed form.
"""

import json
import pathlib
from fractions import Fraction

import krippendorff
import numpy as np
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

target = pathlib.Path(__file__).parents[2] / "crates/duress-stats/tests/data/agreement.jsonl"
random = np.random.default_rng(20261117)


def gwet(one, other, k):
    n = len(one)
    observed = Fraction(sum(a == b for a, b in zip(one, other)), n)
    shares = [Fraction(sum(a == c for a in one) + sum(b == c for b in other), 2 * n) for c in range(k)]
    chance = sum(share * (1 - share) for share in shares) / (k - 1)
    return float((observed - chance) / (1 - chance))


def pairs(k, n, agree):
    """Two raters who agree with some chance, the categories skewed."""
    weights = 1.0 / (1 + np.arange(k))
    one = random.choice(k, n, p=weights / weights.sum())
    other = np.where(random.random(n) < agree, one, random.choice(k, n, p=weights / weights.sum()))
    return one.tolist(), other.tolist()


def pair_case(k, n, agree):
    one, other = pairs(k, n, agree)
    labels = list(range(k))
    counts = np.zeros((k, k), int)
    for a, b in zip(one, other):
        counts[a, b] += 1
    plain = cohen_kappa_score(one, other, labels=labels)
    assert abs(plain - cohens_kappa(counts).kappa) < 1e-12
    return {
        "what": "pair",
        "categories": k,
        "counts": counts.flatten().tolist(),
        "kappa": plain,
        "linear": cohen_kappa_score(one, other, labels=labels, weights="linear"),
        "quadratic": cohen_kappa_score(one, other, labels=labels, weights="quadratic"),
        "ac1": gwet(one, other, k),
        "tau": kendalltau(one, other).statistic,
    }


def alpha_case(raters, n, k, gaps):
    truth = random.integers(1, k + 1, n)
    said = np.where(random.random((raters, n)) < 0.7, truth, random.integers(1, k + 1, (raters, n))).astype(float)
    said[random.random((raters, n)) < gaps] = np.nan
    units = [[float(x) for x in said[:, i] if not np.isnan(x)] for i in range(n)]
    return {
        "what": "alpha",
        "units": units,
        "nominal": krippendorff.alpha(said, level_of_measurement="nominal"),
        "ordinal": krippendorff.alpha(said, level_of_measurement="ordinal"),
        "interval": krippendorff.alpha(said, level_of_measurement="interval"),
    }


def rate_case(tp, fn, fp, tn, up, uf):
    """Item by item: labels y and verdicts f, and the judge's verdicts without labels."""
    y = [1] * tp + [1] * fn + [0] * fp + [0] * tn
    f = [1] * tp + [0] * fn + [1] * fp + [0] * tn
    u = [1] * up + [0] * uf
    n, m = len(y), len(u)
    tpr, tnr, q = Fraction(tp, tp + fn), Fraction(tn, tn + fp), Fraction(up, m)
    rogan = (q + tnr - 1) / (tpr + tnr - 1)
    y, f, u = (np.array(x, float) for x in (y, f, u))
    covariance = np.cov(y, f, ddof=1)[0, 1]
    helps = np.clip(covariance / ((1 + n / m) * np.var(np.concatenate([f, u]), ddof=1)), 0, 1)
    rate = y.mean() + helps * (u.mean() - f.mean())
    error = np.sqrt(np.var(y - helps * f, ddof=1) / n + helps**2 * np.var(u, ddof=1) / m)
    return {
        "what": "rate",
        "counts": [tp, fn, fp, tn, up, uf],
        "rogan_gladen": float(min(max(rogan, 0), 1)),
        "powered": float(min(max(rate, 0), 1)),
        "standard_error": float(error),
    }


cases = [pair_case(k, n, agree) for k, n, agree in [(2, 40, 0.8), (2, 500, 0.6), (3, 60, 0.7), (5, 200, 0.5), (5, 30, 0.9), (7, 400, 0.1)]]
cases += [alpha_case(*case) for case in [(2, 40, 2, 0.0), (3, 50, 4, 0.2), (5, 30, 5, 0.4), (4, 80, 7, 0.1)]]
cases += [rate_case(*case) for case in [(45, 5, 10, 40, 550, 450), (20, 2, 1, 7, 300, 60), (8, 4, 3, 25, 90, 410), (150, 30, 40, 180, 2000, 1500)]]
target.write_text("".join(json.dumps(case) + "\n" for case in cases))
print(f"{len(cases)} cases")
