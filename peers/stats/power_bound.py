"""The power that any test can have that is valid however much seeds differ: an upper limit, by linear programming.

With many items, what items add to the error (k) and what is left (1, the unit here) are known, and what seeds add is not: b, at least 1, is told
by S readings alone. The difference T is normal with variance k + b, and the mean square of seeds is b times a chi-square with S - 1 degrees of
freedom over S - 1. Of all rejection regions in (mean square, T) whose size is at most 5 % for every b, which finds a difference of 2.5 standard
errors most often? Cells of a grid are rejected wholly, partly or not at all, so this is a linear program, and its optimum a limit up to the grid.
Beside it: the test of somebody who knows b.
"""

import numpy as np
import scipy.optimize
import scipy.stats

ALPHA = 0.05
APART = 2.5
ITEMS = 200
STUDIES = 400
# Standard deviations of items, of a subject's own items, of seeds and of the rest, as in the simulation (`SPREADS`).
SPREADS = {
    "items": (1.0, 0.5, 0.02, 0.5),
    "seeds": (1.0, 0.1, 0.35, 0.5),
    "both": (1.0, 0.5, 0.1, 0.5),
    "residual": (0.0, 0.0, 0.0, 1.0),
}
SEED_ERRORS = np.concatenate([np.linspace(0, 4, 81), np.geomspace(4.1, 60, 40)])
DIFFERENCES = np.concatenate([np.linspace(-1, 8, 91), np.geomspace(8.2, 150, 40)])
SEED_SQUARES = np.concatenate([np.linspace(1, 3, 21), np.geomspace(3.2, 400, 30)])


def chances(seeds, k, b, mean):
    """The chance of each cell."""
    freedom = seeds - 1
    square = scipy.stats.chi2.cdf(SEED_ERRORS**2 * freedom / b, freedom)
    difference = scipy.stats.norm.cdf((DIFFERENCES - mean) / np.sqrt(k + b))
    return np.outer(np.append(np.diff(square), 1 - square[-1]), np.append(np.diff(difference), 1 - difference[-1])).ravel()


def limit(seeds, k, b):
    """The largest power at b of a test that is valid for every b."""
    there = chances(seeds, k, b, APART * np.sqrt(k + b))
    sizes = np.array([chances(seeds, k, other, 0.0) for other in SEED_SQUARES])
    found = scipy.optimize.linprog(-there, A_ub=sizes, b_ub=np.full(len(sizes), ALPHA), bounds=(0, 1), method="highs")
    return -found.fun


def squares(spread, seeds, draws):
    """Mean squares of items, seeds and the rest of the difference of two subjects that are equal."""
    item, own, seed, noise = spread
    edge = np.sqrt(np.square(spread).sum()) * scipy.stats.norm.ppf(0.8)
    items = draws.normal(size=ITEMS) * item

    def right():
        of_items = items + draws.normal(size=ITEMS) * own
        rest = draws.normal(size=(seeds, 1)) * seed + draws.normal(size=(seeds, ITEMS)) * noise
        return (edge + of_items + rest > 0).astype(float)

    x = right() - right()
    rows, columns = x.mean(1) - x.mean(), x.mean(0) - x.mean()
    rest = x - x.mean() - rows[:, None] - columns
    return (
        seeds * (columns**2).sum() / (ITEMS - 1),
        ITEMS * (rows**2).sum() / (seeds - 1),
        (rest**2).sum() / ((seeds - 1) * (ITEMS - 1)),
    )


def main():
    knowing = scipy.stats.norm.sf(scipy.stats.norm.ppf(1 - ALPHA) - APART)
    print("| dominates | seeds | what items add | what seeds add | at most | who knows b | ratio |\n|---|---|---|---|---|---|---|")
    draws = np.random.default_rng(1)
    for name, spread in SPREADS.items():
        for seeds in (3, 5, 10):
            a, b, c = np.mean([squares(spread, seeds, draws) for _ in range(STUDIES)], axis=0)
            k, b = max(a / c - 1, 0), max(b / c, 1)
            best = limit(seeds, k, b)
            print(f"| {name} | {seeds} | {k:.2f} | {b:.2f} | {best:.3f} | {knowing:.3f} | {best / knowing:.2f} |", flush=True)
