"""Intervals, effect sizes, corrections, power, bootstrap limits, statistics of weighted items and curves."""

import itertools
import warnings

import numpy as np
import pingouin as pg
from scipy import optimize, special, stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from cases import Cases, Rng, Weyl


def intervals(cases, rng):
    for n in (1, 2, 5, 10, 33, 100, 1000, 1_000_000):
        for share in (0.0, 0.1, 0.5, 0.83, 1.0):
            k = round(n * share)
            for level in (0.8, 0.95, 0.999):
                low, high = proportion_confint(k, n, 1 - level, method="wilson")
                # statsmodels reports the ends 0 and 1 only up to rounding.
                out = [0.0 if k == 0 else low, 1.0 if k == n else high]
                cases.add("wilson", out, successes=k, trials=n, level=level)
                low, high = proportion_confint(k, n, 1 - level, method="beta")
                out = [0.0 if k == 0 else low, 1.0 if k == n else high]
                cases.add("clopper_pearson", out, successes=k, trials=n, level=level)
    for n in (2, 3, 10, 200):
        x = rng.normal(2, 3, n)
        for level in (0.5, 0.95, 0.999):
            cases.add("student_t", stats.t.interval(level, n - 1, x.mean(), stats.sem(x)), x=x, level=level)
    for ask in ("wilson", "clopper_pearson"):
        cases.add(ask, None, successes=0, trials=0, level=0.95)
        cases.add(ask, None, successes=3, trials=2, level=0.95)
        cases.add(ask, None, successes=1, trials=2, level=1.0)
    cases.add("student_t", None, x=[4.0], level=0.95)
    cases.add("student_t", None, x=[4.0, 4.0], level=0.95)


def effects(cases, rng):
    for n, m in ((2, 2), (3, 3), (5, 8), (20, 20), (150, 90)):
        for levels in (0, 4):
            x = rng.normal(0.5, 1, n) if not levels else rng.integers(0, levels, n).astype(float)
            y = rng.normal(0, 1.4, m) if not levels else rng.integers(0, levels, m).astype(float)
            if np.ptp(x) == 0 and np.ptp(y) == 0:
                continue
            d = pg.compute_effsize(x, y, paired=False, eftype="cohen")
            cases.add("d_pooled", d, x=x, y=y)
            df = n + m - 2
            factor = np.exp(special.gammaln(df / 2) - special.gammaln((df - 1) / 2)) / np.sqrt(df / 2)
            cases.add("hedges_g", d * factor, x=x, y=y)
            cl = pg.compute_effsize(x, y, paired=False, eftype="CLES")
            cases.add("common_language", cl, x=x, y=y)
            cases.add("rank_biserial", 2 * cl - 1, 1e-9, x=x, y=y)
            if n == m:
                cases.add("d_av", pg.compute_effsize(x, y, paired=True, eftype="cohen"), x=x, y=y)
                if np.ptp(x - y) > 0:
                    cases.add("d_z", (x - y).mean() / (x - y).std(ddof=1), x=x, y=y)
                if np.any(x != y):
                    rbc = pg.wilcoxon(x, y)["RBC"].iloc[0] if n > 2 else None
                    if rbc is not None and np.isfinite(rbc):
                        cases.add("rank_biserial_paired", rbc, x=x, y=y)
    for ask in ("d_pooled", "d_av", "hedges_g", "d_z"):
        cases.add(ask, None, x=[1.0, 1.0], y=[2.0, 2.0])


def corrections(cases, rng):
    names = {"holm": "holm", "holm_sidak": "holm-sidak", "hommel": "hommel", "bh": "fdr_bh", "by": "fdr_by"}
    families = [[0.03], [0.5, 0.5], [0.0, 1.0, 0.01], [1e-12, 1e-3, 0.04, 0.04]]
    families += [rng.uniform(0, 0.2, m) ** 2 for m in (2, 3, 5, 11, 40)]
    families += [np.round(rng.uniform(0, 0.3, 12), 2)]
    for p in families:
        for ask, name in names.items():
            cases.add(ask, multipletests(np.asarray(p, float), method=name)[1], p=p)
    for ask in names:
        cases.add(ask, None, p=[0.5, 1.2])


def power(cases):
    sides = {"two-sided": "two-sided", "greater": "larger"}
    for n in (2, 3, 5, 10, 34, 200):
        for d in (0.1, 0.5, 1.2):
            for alpha in (0.05, 0.002):
                for side, name in sides.items():
                    value = TTestPower().power(d, n, alpha, alternative=name)
                    if np.isfinite(value):  # the peer gives NaN in a corner of its noncentral t
                        cases.add("paired_t_power", value, 1e-8, d=d, n=n, alpha=alpha, side=side)
    for n in (5, 10, 34, 200):
        for side, name in sides.items():
            # solve_power itself stops at 1e-6.
            d = optimize.brentq(lambda d: TTestPower().power(d, n, 0.05, alternative=name) - 0.8, 0.01, 8.0 / n**0.5, xtol=1e-14)
            cases.add("detectable", d, 1e-8, n=n, alpha=0.05, power=0.8, side=side)
    for d in (0.2, 0.5, 1.0, 2.5):
        for side, name in sides.items():
            n = next(n for n in itertools.count(2) if TTestPower().power(d, n, 0.05, alternative=name) >= 0.8)
            cases.add("needed", n, d=d, alpha=0.05, power=0.8, side=side)
    for n, m, alpha in ((3, 5, 0.01), (5, 3, 0.05), (10, 20, 0.05)):
        cases.add("critical_t", stats.t.isf(alpha / m, n - 1), n=n, claims=m, alpha=alpha, side="greater")
        cases.add("critical_t", stats.t.isf(alpha / m / 2, n - 1), n=n, claims=m, alpha=alpha, side="two-sided")


def bootstrap(cases, rng):
    for n in (12, 25):
        for shape in (rng.normal(size=n), rng.exponential(size=n)):
            for level in (0.9, 0.99):
                for method in ("percentile", "basic", "BCa"):
                    r = stats.bootstrap((shape,), np.mean, n_resamples=199, confidence_level=level, method=method, rng=np.random.default_rng(n + 1))
                    # A resample that is a permutation of the data would test the rounding of a sum.
                    assert np.abs(r.bootstrap_distribution - shape.mean()).min() > 1e-12
                    cases.add(
                        f"bootstrap.{method}",
                        [r.confidence_interval.low, r.confidence_interval.high],
                        x=shape,
                        resamples=np.sort(r.bootstrap_distribution),
                        level=level,
                    )


def weighted(cases, rng):
    for n in (4, 30, 200):
        for levels in (0, 5):
            score = rng.uniform(size=n) if not levels else rng.integers(0, levels + 1, n) / levels
            truth = rng.uniform(size=n) < 0.3 + 0.4 * score
            truth[:2] = [True, False]
            for weights in (np.ones(n, int), rng.multinomial(n, np.ones(n) / n), rng.integers(0, 4, n)):
                weights[:2] += 1
                given = {"x": score, "positive": truth, "weights": weights}
                # roc_auc_score integrates a curve; this much is lost on the way.
                cases.add("auroc", roc_auc_score(truth, score, sample_weight=weights), 1e-10, **given)
                cases.add("ece", ece(score, truth, weights, 15), bins=15, **given)
                cases.add("aurc", aurc(np.repeat(score, weights), np.repeat(truth, weights)), **given)
    x = Weyl(200_000, 2654435761)
    truth = Weyl(200_000, 1640531527).values < 0.3 + 0.4 * x.values
    cases.add("auroc_large", roc_auc_score(truth, x.values), 1e-10, x=x.spec, other=Weyl(200_000, 1640531527).spec)
    cases.add("auroc", None, x=[0.1, 0.2], positive=[True, True], weights=[1, 1])
    cases.add("ece", None, x=[0.1, 1.2], positive=[True, True], weights=[1, 1], bins=15)
    cases.add("aurc", None, x=[0.1, 0.2], positive=[True, True], weights=[0, 0])


def ece(confidence, correct, weights, bins):
    edges = [k / bins for k in range(bins + 1)]
    total = 0.0
    for k in range(bins):
        inside = (confidence > edges[k]) & (confidence <= edges[k + 1])
        if k == 0:
            inside |= confidence == 0
        w = weights[inside]
        if w.sum():
            total += abs(np.sum(w * correct[inside]) - np.sum(w * confidence[inside]))
    return total / weights.sum()


def aurc(confidence, correct):
    """Mean risk over all coverages; inside a tie the expected number of errors grows linearly."""
    order = np.argsort(-confidence, kind="stable")
    confidence, wrong = confidence[order], ~correct[order]
    errors, risks, start = 0.0, [], 0
    while start < len(confidence):
        stop = start
        while stop < len(confidence) and confidence[stop] == confidence[start]:
            stop += 1
        here = wrong[start:stop].sum()
        risks += [(errors + here * (j + 1) / (stop - start)) / (start + j + 1) for j in range(stop - start)]
        errors += here
        start = stop
    return np.mean(risks)


def curves(cases, rng):
    for k in (2, 3, 6):
        for _ in range(4):
            severity = np.concatenate([[0.0], np.cumsum(rng.uniform(0.1, 3, k - 1))])
            value = 0.95 - np.cumsum(np.concatenate([[0.0], rng.uniform(-0.05, 0.3, k - 1)]))
            drop = value[0] - value[1:]
            out = {
                "area": np.trapezoid(value, severity) / severity[-1],
                "largest": np.max(-np.diff(value)),
                "total": drop[-1],
                "mean": 100 * np.mean(drop / value[0]),
                "max": 100 * np.max(drop / value[0]),
            }
            if k > 2:
                out["tau"] = stats.kendalltau(severity, value).statistic
            cases.add("curve", out, x=severity, y=value)
    cases.add("curve", None, x=[0.0, 1.0, 1.0], y=[1.0, 0.5, 0.2])
    cases.add("curve", None, x=[0.0], y=[1.0])


def write():
    warnings.simplefilter("ignore")
    rng = Rng(20240612)
    cases = Cases("estimates")
    cases.make((intervals, effects, corrections, bootstrap, weighted, curves), rng)
    power(cases)
    cases.write()


if __name__ == "__main__":
    write()
