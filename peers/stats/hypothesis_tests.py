"""Hypothesis tests, with SciPy and statsmodels; what they do not offer is enumerated outright in NumPy."""

import itertools
import warnings

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from cases import Cases, Rng, Weyl

SIDES = {"two-sided": "two-sided", "greater": "greater", "less": "less"}


def samples(rng):
    """Pairs of samples: tiny and large, tied, with zeros, skewed, far from the origin."""
    for n in (2, 3, 4, 5, 7, 10, 13, 25, 60):
        x = rng.normal(0.3, 1.0, n)
        yield "normal", x, rng.normal(0.0, 1.3, n)
        yield "skewed", rng.exponential(1.0, n), rng.exponential(1.4, n) ** 2
        yield "far", 1e6 + x, 1e6 + x + rng.normal(0.1, 0.5, n)
        if n > 3:
            yield "tied", rng.integers(0, 6, n).astype(float), rng.integers(0, 6, n).astype(float)


def tails(lower, upper):
    return {"two-sided": min(1.0, 2 * min(lower, upper)), "greater": upper, "less": lower}


def student(cases, rng):
    for kind, x, y in samples(rng):
        if np.ptp(x - y) == 0:
            continue
        for side in SIDES:
            # Values near a million leave ten digits in their differences, and SciPy's two-pass variance fewer.
            tol = 1e-10 if kind != "far" else 1e-8
            r = stats.ttest_rel(x, y, alternative=side)
            ci = r.confidence_interval(0.9)
            out = {"statistic": r.statistic, "p": r.pvalue, "low": ci.low, "high": ci.high, "df": r.df}
            cases.add("paired_t", out, tol, x=x, y=y, side=side, level=0.9)
            r = stats.ttest_ind(x, y, equal_var=False, alternative=side)
            ci = r.confidence_interval(0.99)
            out = {"statistic": r.statistic, "p": r.pvalue, "low": ci.low, "high": ci.high, "df": r.df}
            cases.add("welch_t", out, tol, x=x, y=y, side=side, level=0.99)
    for n in (100_000, 1_000_000):
        x, y = Weyl(n, 2654435761), Weyl(n, 1640531527, shift=-0.001)
        for side in SIDES:
            r = stats.ttest_rel(x.values, y.values, alternative=side)
            cases.add("paired_t", {"statistic": r.statistic, "p": r.pvalue}, 1e-9, x=x.spec, y=y.spec, side=side, level=0.95)
    for side in SIDES:
        cases.add("paired_t", None, x=[1.0, 2.0, 3.0], y=[0.0, 1.0, 2.0], side=side, level=0.95)
        cases.add("paired_t", None, x=[1.0], y=[0.0], side=side, level=0.95)
        cases.add("welch_t", None, x=[1.0, 1.0], y=[2.0, 2.0, 2.0], side=side, level=0.95)
        cases.add("welch_t", None, x=[1.0, 1.5], y=[2.0], side=side, level=0.95)


def tost(cases, rng):
    for kind, x, y in samples(rng):
        if kind == "far" or np.ptp(x - y) == 0:
            continue
        for low, high in ((-0.5, 0.5), (-0.1, 1.5), (-3.0, 3.0)):
            p, _, _ = ttost_paired(x, y, low, high)
            cases.add("tost_paired", {"p": p}, x=x, y=y, low=low, high=high)
            p, _, _ = ttost_ind(x, y, low, high, usevar="unequal")
            cases.add("tost_welch", {"p": p}, x=x, y=y, low=low, high=high)


def signed_rank_brute(d, rule):
    """Exact W⁺ tails over all signs, by enumeration."""
    if rule == "wilcox":
        d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    live = ranks[d != 0]
    offset = ranks[d == 0].sum() / 2 if rule == "zsplit" else 0.0
    signs = np.array(list(itertools.product((0.0, 1.0), repeat=len(live))))
    null = signs @ live + offset
    observed = ranks[d > 0].sum() + offset
    return observed, np.mean(null <= observed + 1e-9), np.mean(null >= observed - 1e-9)


def wilcoxon(cases, rng):
    zero = np.zeros_like
    for n in (1, 2, 3, 5, 8, 12):
        for _ in range(3):
            d = np.round(rng.normal(0.4, 1.0, n), 1) if n > 2 else rng.normal(0.4, 1.0, n)
            for rule in ("wilcox", "pratt", "zsplit"):
                if not np.any(d):
                    continue
                observed, lower, upper = signed_rank_brute(d, rule)
                for side, p in tails(lower, upper).items():
                    cases.add("wilcoxon", {"statistic": observed, "p": p}, x=d, y=zero(d), side=side, zeros=rule, route="exact")
    for n in (6, 15, 30, 50):
        d = rng.normal(0.2, 1.0, n)
        for side in SIDES:
            r = stats.wilcoxon(d, method="exact", alternative=side)
            plus = stats.rankdata(np.abs(d))[d > 0].sum()
            cases.add("wilcoxon", {"statistic": plus, "p": r.pvalue}, x=d, y=zero(d), side=side, zeros="wilcox", route="exact")
    for n in (8, 40, 300):
        for d in (rng.normal(0.2, 1.0, n), np.round(rng.normal(0.2, 1.0, n), 1), rng.integers(-2, 4, n).astype(float)):
            for side in SIDES:
                for rule in ("wilcox", "pratt"):
                    for correction in (False, True):
                        r = stats.wilcoxon(d, zero_method=rule, correction=correction, alternative=side, method="asymptotic")
                        route = "corrected" if correction else "asymptotic"
                        cases.add("wilcoxon", {"p": r.pvalue}, x=d, y=zero(d), side=side, zeros=rule, route=route)
    for x, y in ((Weyl(200_000, 2654435761), Weyl(200_000, 1640531527)), (Weyl(1_000_000, 2654435761, 50), Weyl(1_000_000, 1640531527, 50))):
        for side in SIDES:
            r = stats.wilcoxon(x.values, y.values, alternative=side, method="asymptotic")
            cases.add("wilcoxon", {"p": r.pvalue}, 1e-9, x=x.spec, y=y.spec, side=side, zeros="wilcox", route="asymptotic")
    cases.add("wilcoxon", None, x=[1.0, 2.0], y=[1.0, 2.0], side="two-sided", zeros="wilcox", route="auto")


def signs(cases, rng):
    for kind, x, y in samples(rng):
        d = (x - y)[x != y]
        if len(d) == 0:
            continue
        heads = int((d > 0).sum())
        for side in SIDES:
            p = stats.binomtest(heads, len(d), 0.5, alternative=side).pvalue
            cases.add("sign", {"statistic": heads, "p": p}, x=x, y=y, side=side)
        if len(x) > 13:
            continue
        d = x - y
        patterns = np.array(list(itertools.product((1.0, -1.0), repeat=len(d))))
        null, observed = patterns @ d, d.sum()
        slack = 1e-9 * np.abs(d).sum()
        both = tails(np.mean(null <= observed + slack), np.mean(null >= observed - slack))
        for side, p in both.items():
            cases.add("sign_flip", {"p": p, "statistic": d.mean()}, 1e-8 if kind == "far" else 1e-10, x=x, y=y, side=side)
    cases.add("sign", None, x=[1.0], y=[1.0], side="two-sided")
    cases.add("sign_flip", None, x=[1.0, 1.0], y=[1.0, 1.0], side="two-sided")


def contingency(cases):
    for b, c in ((1, 0), (0, 4), (3, 3), (12, 2), (25, 40), (300, 271), (5, 900), (40_000, 41_000)):
        table = [[10, b], [c, 10]]
        n = b + c
        cases.add("mcnemar", {"p": mcnemar(table, exact=True).pvalue}, first=b, second=c, side="two-sided", form="exact")
        for side in ("greater", "less"):
            p = stats.binomtest(b, n, 0.5, alternative=side).pvalue
            cases.add("mcnemar", {"p": p}, first=b, second=c, side=side, form="exact")
        for name, correction in (("asymptotic", False), ("corrected", True)):
            if correction and b == c:
                continue  # statsmodels squares |0| − 1 here, which is not a correction.
            r = mcnemar(table, exact=False, correction=correction)
            cases.add("mcnemar", {"p": r.pvalue, "square": r.statistic}, first=b, second=c, side="two-sided", form=name)
        half = 0.5 * stats.binom.pmf(b, n, 0.5)
        for side, p in tails(stats.binom.cdf(b - 1, n, 0.5) + half, stats.binom.sf(b, n, 0.5) + half).items():
            cases.add("mcnemar", {"p": p}, first=b, second=c, side=side, form="mid-p")
    cases.add("mcnemar", None, first=0, second=0, side="two-sided", form="exact")


def score(x, y):
    return int(np.sum(np.triu(np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(y, y)), 1)))


def permuted(y):
    return np.array(list(itertools.permutations(y)))


def all_scores(x, y):
    """S over every order of y."""
    orders = permuted(y)
    total = np.zeros(len(orders))
    for i, j in itertools.combinations(range(len(x)), 2):
        total += np.sign(x[j] - x[i]) * np.sign(orders[:, j] - orders[:, i])
    return total


def kendall(cases, rng):
    for n in (2, 3, 5, 8, 12, 33):
        for _ in range(3):
            x, y = rng.normal(size=n), rng.normal(size=n)
            for side in SIDES:
                r = stats.kendalltau(x, y, method="exact", alternative=side)
                cases.add("kendall", {"statistic": r.statistic, "p": r.pvalue}, x=x, y=y, side=side, route="exact")
    for n in (4, 5, 6, 7):
        for levels in (2, 3, 4, 50):
            x, y = rng.integers(0, 3, n).astype(float), rng.integers(0, levels, n).astype(float)
            if np.ptp(x) == 0 or np.ptp(y) == 0:
                continue
            null, observed = all_scores(x, y), score(x, y)
            tau = stats.kendalltau(x, y).statistic
            for side, p in tails(np.mean(null <= observed), np.mean(null >= observed)).items():
                cases.add("kendall", {"statistic": tau, "p": p}, x=x, y=y, side=side, route="exact")
    for n in (10, 50, 400):
        for levels in (3, 20, 0):
            x = rng.normal(size=n) if not levels else rng.integers(0, levels, n).astype(float)
            y = x + rng.normal(0, 3, n) if not levels else rng.integers(0, levels, n).astype(float)
            for side in SIDES:
                r = stats.kendalltau(x, y, method="asymptotic", alternative=side)
                cases.add("kendall", {"statistic": r.statistic, "p": r.pvalue}, x=x, y=y, side=side, route="asymptotic")
    for x, y in ((Weyl(100_000, 2654435761), Weyl(100_000, 40503)), (Weyl(200_000, 2654435761, 30), Weyl(200_000, 1640531527, 11))):
        for side in SIDES:
            r = stats.kendalltau(x.values, y.values, method="asymptotic", alternative=side)
            cases.add("kendall", {"statistic": r.statistic, "p": r.pvalue}, 1e-9, x=x.spec, y=y.spec, side=side, route="asymptotic")
    cases.add("kendall", None, x=[1.0, 1.0, 1.0], y=[1.0, 2.0, 3.0], side="two-sided", route="auto")
    cases.add("kendall", None, x=[1.0], y=[1.0], side="two-sided", route="auto")


def spearman(cases, rng):
    for n in (2, 3, 4, 5, 6, 7, 8, 9, 10):
        for levels in (0, 3):
            x = rng.normal(size=n) if not levels else rng.integers(0, levels, n).astype(float)
            y = rng.normal(size=n) if not levels else rng.integers(0, 2 * levels, n).astype(float)
            if np.ptp(x) == 0 or np.ptp(y) == 0:
                continue
            rx, ry = stats.rankdata(x), stats.rankdata(y)
            null, observed = permuted(ry) @ rx, rx @ ry
            rho = np.corrcoef(rx, ry)[0, 1]
            for side, p in tails(np.mean(null <= observed + 1e-9), np.mean(null >= observed - 1e-9)).items():
                cases.add("spearman", {"statistic": rho, "p": p}, x=x, y=y, side=side, route="exact")
    for n in (3, 12, 80, 1000):
        for levels in (0, 4):
            x = rng.normal(size=n) if not levels else rng.integers(0, levels, n).astype(float)
            y = x + rng.normal(0, 2, n)
            if np.ptp(x) == 0:
                continue
            for side in SIDES:
                r = stats.spearmanr(x, y, alternative=side)
                if abs(r.statistic) == 1:
                    continue
                cases.add("spearman", {"statistic": r.statistic, "p": r.pvalue}, x=x, y=y, side=side, route="asymptotic")
    x, y = Weyl(1_000_000, 2654435761, 1000), Weyl(1_000_000, 1640531527)
    for side in SIDES:
        r = stats.spearmanr(x.values, y.values, alternative=side)
        cases.add("spearman", {"statistic": r.statistic, "p": r.pvalue}, 1e-8, x=x.spec, y=y.spec, side=side, route="asymptotic")
    cases.add("spearman", None, x=[1.0, 1.0, 1.0], y=[1.0, 2.0, 3.0], side="two-sided", route="auto")


def page(cases, rng):
    for k, n in ((3, 2), (3, 10), (4, 5), (5, 8), (6, 3), (8, 4)):
        data = rng.normal(size=(n, k)) + 0.3 * np.arange(k)
        for method in ("exact", "asymptotic"):
            r = stats.page_trend_test(data, method=method)
            cases.add("page", {"statistic": r.statistic, "p": r.pvalue}, rows=data, side="greater", route=method)
            r = stats.page_trend_test(data[:, ::-1], method=method)
            cases.add("page", {"p": r.pvalue}, rows=data, side="less", route=method)
    for k, n in ((3, 2), (3, 3), (4, 2)):
        for _ in range(4):
            data = rng.integers(0, 3, (n, k)).astype(float)
            ranks = [stats.rankdata(row) for row in data]
            weights = np.arange(1, k + 1)
            observed = sum(r @ weights for r in ranks)
            if all(np.ptp(r) == 0 for r in ranks):
                continue
            null = np.zeros(1)
            for r in ranks:
                null = np.add.outer(null, permuted(r) @ weights).ravel()
            for side, p in tails(np.mean(null <= observed + 1e-9), np.mean(null >= observed - 1e-9)).items():
                cases.add("page", {"statistic": observed, "p": p}, rows=data, side=side, route="exact")
    cases.add("page", None, rows=[[1.0, 1.0], [2.0, 2.0]], side="greater", route="auto")


def jonckheere(cases, rng):
    for sizes in ((1, 1), (2, 2, 2), (3, 4), (2, 3, 2), (1, 2, 3, 1)):
        for levels in (0, 3):
            n = sum(sizes)
            values = rng.normal(size=n) if not levels else rng.integers(0, levels, n).astype(float)
            if np.ptp(values) == 0:
                continue
            labels = np.repeat(np.arange(len(sizes)), sizes).astype(float)
            groups = np.split(values, np.cumsum(sizes)[:-1])
            j = sum(np.sum(np.subtract.outer(b, a) > 0) + 0.5 * np.sum(np.subtract.outer(b, a) == 0) for a, b in itertools.combinations(groups, 2))
            null, observed = all_scores(labels, values), score(labels, values)
            for side, p in tails(np.mean(null <= observed), np.mean(null >= observed)).items():
                cases.add("jonckheere", {"statistic": j, "p": p}, rows=[g.tolist() for g in groups], side=side, route="exact")
    for sizes in ((20, 30, 25), (100, 3, 50, 80)):
        for levels in (0, 5):
            n = sum(sizes)
            values = rng.normal(size=n) if not levels else rng.integers(0, levels, n).astype(float)
            labels = np.repeat(np.arange(len(sizes)), sizes)
            groups = np.split(values, np.cumsum(sizes)[:-1])
            for side in SIDES:
                r = stats.kendalltau(labels, values, method="asymptotic", alternative=side)
                cases.add("jonckheere", {"p": r.pvalue}, rows=[g.tolist() for g in groups], side=side, route="asymptotic")
    cases.add("jonckheere", None, rows=[[1.0, 1.0], [1.0]], side="greater", route="auto")


def components(scores, positive):
    """DeLong's structural components from the full matrix of comparisons."""
    a, b = scores[positive], scores[~positive]
    wins = (np.subtract.outer(a, b) > 0) + 0.5 * (np.subtract.outer(a, b) == 0)
    return wins.mean(), wins.mean(axis=1), wins.mean(axis=0)


def delong(cases, rng):
    z = stats.norm.isf(0.025)
    for n in (6, 20, 100, 500):
        for levels in (0, 8):
            positive = rng.permutation(np.arange(n) < n * 0.4)
            first = positive + rng.normal(0, 1.5, n)
            second = positive + rng.normal(0, 2.0, n)
            if levels:
                first, second = np.round(first * 2), np.round(second * 2)
            auc, up, down = components(first, positive)
            assert abs(auc - roc_auc_score(positive, first)) < 1e-12
            other, up2, down2 = components(second, positive)
            s = np.cov(up, up2) / len(up) + np.cov(down, down2) / len(down)
            if s[0, 0] <= 0 or auc in (0, 1):
                continue
            error = np.sqrt(s[0, 0])
            for side in SIDES:
                value = (auc - 0.5) / error
                p = tails(stats.norm.cdf(value), stats.norm.sf(value))[side]
                cases.add("delong", {"statistic": value, "p": p, "estimate": auc}, x=first, positive=positive, side=side)
                error2 = np.sqrt(s[0, 0] + s[1, 1] - 2 * s[0, 1])
                value = (auc - other) / error2
                p = tails(stats.norm.cdf(value), stats.norm.sf(value))[side]
                out = {"statistic": value, "p": p, "estimate": auc - other}
                if side == "two-sided":
                    out |= {"low": auc - other - z * error2, "high": auc - other + z * error2}
                cases.add("delong_paired", out, 1e-9, x=first, y=second, positive=positive, side=side)
    cases.add("delong", None, x=[1.0, 2.0, 3.0, 4.0], positive=[False, False, True, True], side="greater")
    cases.add("delong", None, x=[1.0, 2.0, 3.0], positive=[True, True, True], side="greater")


def write():
    warnings.simplefilter("ignore")
    rng = Rng(20240611)
    cases = Cases("tests")
    cases.make((student, tost, wilcoxon, signs, kendall, spearman, page, jonckheere, delong), rng)
    contingency(cases)
    cases.write()


if __name__ == "__main__":
    write()
