"""Clustered and crossed variances: cluster-robust errors of statsmodels, and its analysis of variance."""

import warnings

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats

from cases import Cases, Rng


def one_replicate(cases, rng):
    """The mean of items in clusters: statsmodels' OLS on a constant with errors by cluster."""
    for sizes in ([3] * 8, [1, 2, 5, 9, 1, 4], [2, 2], [1] * 12, [30, 1, 1, 1, 7]):
        groups = np.repeat(np.arange(len(sizes)), sizes)
        for shift in (0.0, 2.0):
            x = rng.normal(0.4, 1, len(groups)) + shift * np.round(rng.normal(0, 1, len(sizes)), 4)[groups]
            fit = sm.OLS(x, np.ones_like(x)).fit(cov_type="cluster", cov_kwds={"groups": groups})
            freedom = len(sizes) - 1
            half = stats.t.ppf(0.975, freedom) * fit.bse[0]
            out = {"estimate": x.mean(), "error": fit.bse[0], "freedom": freedom, "low": x.mean() - half, "high": x.mean() + half}
            cases.add("clustered", out, x=[x], groups=groups)
    cases.add("clustered", None, x=[[1.0, 2.0, 3.0]], groups=[0, 0, 0])


def squares(frame, formula):
    table = sm.stats.anova_lm(smf.ols(formula, frame).fit(), typ=1)
    return table["sum_sq"], table["df"]


def replicates(cases, rng):
    """Clusters of one size crossed with replicates: the two-way analysis of variance of their means."""
    for replicates, clusters, each in ((3, 6, 4), (5, 4, 2), (2, 9, 3), (4, 5, 1)):
        for by_replicate in (0.1, 1.0):
            groups = np.repeat(np.arange(clusters), each)
            y = (
                rng.normal(0, 1, (replicates, len(groups)))
                + by_replicate * rng.normal(0, 1, (replicates, 1))
                + rng.normal(0, 1, clusters)[groups]
            )
            means = y.reshape(replicates, clusters, each).mean(axis=2)
            s, k = np.indices(means.shape)
            frame = pd.DataFrame({"y": means.ravel(), "s": s.ravel(), "k": k.ravel()})
            sums, freedom = squares(frame, "y ~ C(s) + C(k)")
            of_s, of_k, rest = (sums.iloc[i] / freedom.iloc[i] for i in range(3))
            whole = max(of_k + of_s - rest, of_k, of_s)
            if of_k + of_s - rest >= max(of_k, of_s):
                df = whole**2 / (of_k**2 / (clusters - 1) + of_s**2 / (replicates - 1) + rest**2 / ((clusters - 1) * (replicates - 1)))
            else:
                df = clusters - 1 if of_k >= of_s else replicates - 1
            out = {"estimate": y.mean(), "error": np.sqrt(whole / means.size), "freedom": df}
            cases.add("crossed", out, 1e-9, x=y, groups=groups)


def absent(cases, rng):
    """Answers that are not there: what each item adds to the mean of those that are, in NumPy."""
    for replicates, items in ((3, 40), (5, 25)):
        y = rng.normal(0, 1, (replicates, items)) + rng.normal(0, 1, items)
        there = rng.rng.random((replicates, items)) > 0.1
        groups = np.arange(items) // 5
        readings = np.array([row[own].mean() for row, own in zip(y, there)])
        added = np.where(there, (y - readings[:, None]) / there.sum(axis=1)[:, None], 0.0)
        added = np.stack([added[:, groups == k].sum(axis=1) for k in range(groups.max() + 1)], axis=1)
        k = added.shape[1]
        of_k = (added.mean(axis=0) ** 2).sum() * k / (k - 1)
        of_s = readings.var(ddof=1) / replicates
        both = ((added - added.mean(axis=0)) ** 2).sum() * k / ((k - 1) * (replicates - 1) * replicates)
        out = {"estimate": readings.mean(), "error": np.sqrt(max(of_k + of_s - both, of_k, of_s))}
        values = [[v if t else "inf" for v, t in zip(row, own)] for row, own in zip(y, there)]
        cases.add("absent", out, x=values, groups=groups)


def sources(cases, rng):
    """Clusters, their items, replicates and what is left: mean squares of the nested analysis of variance."""
    for sizes in ([4] * 7, [2, 3, 5, 8, 2], [6, 1, 1, 9]):
        for replicates in (2, 4):
            groups = np.repeat(np.arange(len(sizes)), sizes)
            n, k, s = len(groups), len(sizes), replicates
            y = (
                2 * rng.normal(0, 1, k)[groups]
                + 1.5 * rng.normal(0, 1, n)
                + rng.normal(0, 1, (s, 1))
                + 0.5 * rng.normal(0, 1, (s, k))[:, groups]
                + rng.normal(0, 1, (s, n))
            )
            at_s, at_j = np.indices(y.shape)
            frame = pd.DataFrame({"y": y.ravel(), "s": at_s.ravel(), "j": at_j.ravel(), "k": groups[at_j.ravel()]})
            sums, _ = squares(frame, "y ~ C(s) + C(k)")
            of_s, of_k = sums.iloc[0] / (s - 1), sums.iloc[1] / (k - 1)
            sums, _ = squares(frame, "y ~ C(s) + C(j)")
            of_i = (sums.iloc[1] - of_k * (k - 1)) / (n - k)
            rest = sums.iloc[2]
            sums, _ = squares(frame, "y ~ C(s) * C(k)")
            of_both = sums.iloc[2] / ((s - 1) * (k - 1))
            of_rest = (rest - sums.iloc[2]) / ((s - 1) * (n - k))
            m = (np.array(sizes) ** 2).sum() / n
            n0 = (n - m) / (k - 1)
            both = max((of_both - of_rest) / n0, 0)
            out = {
                "cluster": max((of_k - of_i - of_both + of_rest) / (s * n0), 0),
                "item": max((of_i - of_rest) / s, 0),
                "replicate": max((of_s - m * both - of_rest) / n, 0),
                "rest": both + of_rest,
            }
            cases.add("sources", {name: value for name, value in out.items() if value > 0}, 1e-8, x=y, groups=groups)


def few(cases, rng):
    """A share near its end, of which few clusters carry the variance: Student's t of log-odds, and Clopper and Pearson's limits, by SciPy."""
    for replicates, clusters, each, errors in (
        (1, 40, 5, {3: 2, 17: 1}),
        (1, 30, 4, {0: 1}),
        (5, 40, 5, {3: 3, 9: 1, 17: 1}),
        (10, 25, 8, {2: 1}),
        (3, 60, 2, {k: 1 for k in range(0, 60, 4)}),
        (4, 12, 3, {k: 2 for k in range(0, 12, 2)}),
    ):
        groups = np.repeat(np.arange(clusters), each)
        x = np.ones((replicates, clusters, each))
        for cluster, wrong in errors.items():
            x[:, cluster, :wrong] = 0
        # Replicates differ in one answer each of the first cluster that errs.
        first = min(errors)
        for replicate in range(1, replicates, 2):
            x[replicate, first, -1] = 0
        x = x.reshape(replicates, -1)
        readings = x.mean(axis=1)
        share = readings.mean()
        means = x.reshape(replicates, clusters, each).mean(axis=2)
        added = (means - readings[:, None]).mean(axis=0)
        of_k = replicates * (added**2).sum() / (clusters - 1)
        of_s = clusters * readings.var(ddof=1) if replicates > 1 else 0.0
        rest = ((means - readings[:, None] - added) ** 2).sum() / max((replicates - 1) * (clusters - 1), 1)
        whole = max(of_k + of_s - rest, of_k, of_s)
        carried = min(clusters - 1, max(2 * ((added**2).sum() ** 2 / (added**4).sum() - 1), 0.5))

        def freedom(of_units):
            if replicates == 1:
                return of_units
            if of_k + of_s - rest < max(of_k, of_s):
                return of_units if of_k >= of_s else replicates - 1
            both = (clusters - 1) * (replicates - 1)
            return whole**2 / (of_k**2 / of_units + of_s**2 / (replicates - 1) + rest**2 / both)

        def reach(of_units):
            terms = [stats.t.isf(0.025, freedom(of_units)) * np.sqrt(whole)]
            if replicates > 1:
                terms.append(stats.t.isf(0.025, replicates - 1) * np.sqrt(of_s))
            return max(terms) / np.sqrt(replicates * clusters) / (share * (1 - share))

        right = clusters * share
        exact = stats.beta.ppf(0.025, right, clusters - right + 1), stats.beta.isf(0.025, right + 1, clusters - right)
        odds = np.log(share / (1 - share))
        at = [1 / (1 + np.exp(-(odds + sign * reach(of)))) for of in (clusters - 1, carried) for sign in (-1, 1)]
        out = {"estimate": share, "low": min(at[0], max(at[2], exact[0])), "high": max(at[1], min(at[3], exact[1]))}
        cases.add("few", out, x=x, groups=groups)


def write():
    warnings.simplefilter("ignore")
    rng = Rng(20261117)
    cases = Cases("clusters")
    cases.make((one_replicate, replicates, absent, sources, few), rng)
    cases.write()


if __name__ == "__main__":
    write()
