"""How often intervals of a share hold it near its end, where few units carry its variance: ways to count degrees of freedom, beside each other."""

import numpy as np
from scipy import stats

TAIL = 0.025
STUDIES = 3000

# Standard deviations of units, seeds and noise where items or clusters dominate, as in crates/duress/examples/simulate.
UNIT, SEED, NOISE = 1.25**0.5, 0.02, 0.5


def draw(rng, sizes, seeds, accuracy):
    """Readings by seed, and what each unit adds to them: studies × seeds (× units)."""
    there = np.arange(max(sizes)) < np.array(sizes)[:, None]
    shape = (STUDIES, seeds, len(sizes), max(sizes))
    edge = np.sqrt(UNIT**2 + SEED**2 + NOISE**2) * stats.norm.ppf(accuracy)
    margin = edge + UNIT * rng.standard_normal((STUDIES, 1, len(sizes), 1)) + SEED * rng.standard_normal((STUDIES, seeds, 1, 1))
    right = (margin + NOISE * rng.standard_normal(shape) > 0) & there
    reading = right.sum((2, 3)) / sum(sizes)
    return reading, (right.sum(3) - reading[..., None] * there.sum(1)) / sum(sizes)


def limits(reading, added):
    """Both limits by every way."""
    _, seeds, units = added.shape
    share, mean = reading.mean(1), added.mean(1)
    of_units = seeds * units**2 * (mean**2).sum(1) / (units - 1)
    of_seeds = units * reading.var(1, ddof=1)
    rest = units**2 * ((added - mean[:, None]) ** 2).sum((1, 2)) / ((seeds - 1) * (units - 1))
    whole = np.maximum(of_units + of_seeds - rest, np.maximum(of_units, of_seeds))
    carriers = (mean**2).sum(1) ** 2 / (mean**4).sum(1)
    odds, slope = np.log(share / (1 - share)), share * (1 - share) * np.sqrt(seeds * units)

    def reach(freedom):
        freedom = np.clip(freedom, 0.5, units - 1)
        parts = of_units**2 / freedom + of_seeds**2 / (seeds - 1) + rest**2 / ((units - 1) * (seeds - 1))
        floor = np.where(of_units >= of_seeds, freedom, seeds - 1)
        both = np.where(of_units + of_seeds - rest >= np.maximum(of_units, of_seeds), whole**2 / parts, floor)
        return np.maximum(stats.t.isf(TAIL, both) * np.sqrt(whole), stats.t.isf(TAIL, seeds - 1) * np.sqrt(of_seeds)) / slope

    def beta(size):
        right = share * size
        return stats.beta.ppf(TAIL, right, size - right + 1), stats.beta.isf(TAIL, right + 1, size - right)

    def on_odds(reach):
        return 1 / (1 + np.exp(reach - odds)), 1 / (1 + np.exp(-reach - odds))

    def up_to_exact(freedom):
        (low, high), (exact_low, exact_high), (least, most) = on_odds(reach(freedom)), beta(units), plain
        return np.minimum(least, np.maximum(low, exact_low)), np.maximum(most, np.minimum(high, exact_high))

    plain = on_odds(reach(np.full(STUDIES, units - 1.0)))
    effective = (stats.norm.isf(TAIL) / reach(np.full(STUDIES, units - 1.0))) ** 2 / (share * (1 - share))
    found = {
        "units - 1": plain,
        "Korn-Graubard": beta(effective),
        "2m": up_to_exact(2 * carriers),
        "2(m-1)": up_to_exact(2 * (carriers - 1)),
        "m-1": up_to_exact(carriers - 1),
    }
    alike = (of_units + of_seeds) < 1e-20
    ends = share * TAIL ** (1 / units), 1 - (1 - share) * TAIL ** (1 / units)
    return {name: tuple(np.where(alike, end, limit) for end, limit in zip(ends, both)) for name, both in found.items()}


# By the seed that each begins with: a setting added later leaves what was drawn before as it was.
SETTINGS = {
    11: {"40 clusters of 5": [5] * 40, "200 items": [1] * 200, "20 clusters of 10": [10] * 20, "100 clusters of 10": [10] * 100, "20 uneven clusters": [2] * 10 + [5] * 5 + [40] * 5},
    12: {"40 clusters worth 21": [1] * 15 + [3] * 10 + [8] * 10 + [15] * 5},
    13: {"100 clusters worth 53": [1] * 38 + [3] * 25 + [8] * 25 + [15] * 12},
}


def main():
    for seed, settings in SETTINGS.items():
        rng = np.random.default_rng(seed)
        with np.errstate(all="ignore"):
            for name, sizes in settings.items():
                measure(rng, name, sizes)


def measure(rng, name, sizes):
    for accuracy in (0.8, 0.97, 0.99):
        for seeds in (3, 5, 10):
            found = limits(*draw(rng, sizes, seeds, accuracy))
            told = [f"{way} {np.mean((low <= accuracy) & (accuracy <= high)):.1%} ({np.median(high - low):.3f})" for way, (low, high) in found.items()]
            print(f"{name}, {accuracy}, {seeds} seeds:", "; ".join(told), flush=True)


if __name__ == "__main__":
    main()
