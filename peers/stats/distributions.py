"""Distributions, with mpmath: tails by quadrature of the density at 40 digits, which shares nothing with the crate's
series and continued fractions. Quantiles are corrected to first order for the rounding of the probability."""

import mpmath as mp
from scipy import stats

from cases import Cases

mp.mp.dps = 40
LEAST = mp.mpf("1e-290")


def falling(log_density, u0, step):
    """Integral of exp(log_density) from −∞ to u0 in pieces that double, for a log-concave density."""
    top = log_density(u0)
    total, high, width = mp.mpf(0), u0, step
    while True:
        low = high - width
        piece = mp.quad(lambda u: mp.exp(log_density(u) - top), [low, high], maxdegree=8)
        total += piece
        if piece < total * mp.mpf("1e-30"):
            return total * mp.exp(top)
        high, width = low, width * 2


def scale(log_density, u, curvature):
    """A step on which the density changes by a factor of about e."""
    h = mp.mpf("1e-12")
    slope = abs(log_density(u + h) - log_density(u - h)) / (2 * h)
    return 1 / mp.sqrt(slope * slope + curvature)


def beta_tails(a, b, ratio):
    """(lower, upper, density in the logit) of the beta law where x/(1−x) = ratio."""
    a, b, u = mp.mpf(a), mp.mpf(b), mp.log(ratio)
    constant = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)

    def log_density(v):
        return constant - a * mp.log1p(mp.exp(-v)) - b * mp.log1p(mp.exp(v))

    step = scale(log_density, u, a * b / (a + b))
    if ratio <= a / b:
        lower = falling(log_density, u, step)
        return lower, 1 - lower, mp.exp(log_density(u))
    upper = falling(lambda v: log_density(-v), -u, step)
    return 1 - upper, upper, mp.exp(log_density(u))


def gamma_tails(a, x):
    """(lower, upper, density in ln x) of the gamma law."""
    a, u = mp.mpf(a), mp.log(x)
    constant = -mp.loggamma(a)

    def log_density(v):
        return constant + a * v - mp.exp(v)

    step = scale(log_density, u, a)
    if x <= a:
        lower = falling(log_density, u, step)
        return lower, 1 - lower, mp.exp(log_density(u))
    upper = falling(lambda v: log_density(-v), -u, step)
    return 1 - upper, upper, mp.exp(log_density(u))


def tolerance(p):
    return 1e-12 if p > 1e-30 else 1e-9


def add_tails(cases, law, parameters, x, lower, upper, density):
    """cdf, sf and the quantile of the smaller tail; density is per unit of x."""
    if min(lower, upper) < LEAST:
        return
    small = min(lower, upper)
    cases.add(f"{law}.cdf", float(lower), tolerance(lower), at=parameters, x=x)
    cases.add(f"{law}.sf", float(upper), tolerance(upper), at=parameters, x=x)
    rounded = mp.mpf(float(small))
    if lower <= upper:
        exact = mp.mpf(x) + (rounded - small) / density
        cases.add(f"{law}.quantile", float(exact), tolerance(small), at=parameters, x=float(rounded))
    else:
        exact = mp.mpf(x) - (rounded - small) / density
        cases.add(f"{law}.upper_quantile", float(exact), tolerance(small), at=parameters, x=float(rounded))


DF = [0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 30.0, 100.0, 1e4, 1e6, 1e8]


def student(cases):
    for df in DF:
        for t in [1e-8, 0.3, 0.97, 1.0, 1.1, 2.0, 4.5, 12.0, 35.0, 1e4]:
            m, t2 = mp.mpf(df), mp.mpf(t) ** 2
            lower, _, density = beta_tails(m / 2, mp.mpf("0.5"), m / t2)
            # d(logit)/dt = −2/t, and half of the two-sided tail lies on each side.
            add_tails(cases, "student_t", [df], t, 1 - lower / 2, lower / 2, density / mp.mpf(t))


def chi_squared(cases):
    for df in DF:
        spread = (2 * df) ** 0.5
        points = [df + z * spread for z in (-30, -5, -2, -0.3, 0.0, 0.3, 2.0, 8.0, 30.0)] + [df / 3, df * 3]
        for x in sorted(p for p in points if p > 0):
            lower, upper, density = gamma_tails(mp.mpf(df) / 2, mp.mpf(x) / 2)
            add_tails(cases, "chi_squared", [df], x, lower, upper, density / mp.mpf(x))


def fisher(cases):
    for d1 in (0.5, 2.0, 9.0, 300.0, 1e6, 1e8):
        for d2 in (0.5, 3.0, 40.0, 1e5, 1e8):
            for f in (1e-3, 0.3, 0.98, 1.0, 1.0002, 1.4, 6.0, 500.0):
                m1, m2 = mp.mpf(d1), mp.mpf(d2)
                lower, upper, density = beta_tails(m1 / 2, m2 / 2, m1 * mp.mpf(f) / m2)
                add_tails(cases, "fisher_f", [d1, d2], f, lower, upper, density / mp.mpf(f))


def beta(cases):
    for a in (0.25, 1.0, 2.5, 40.0, 1e4):
        for b in (0.5, 3.0, 77.0, 1e4):
            for x in (1e-6, 0.02, 0.31, 0.5, 0.93):
                m = mp.mpf(x)
                lower, upper, density = beta_tails(a, b, m / (1 - m))
                add_tails(cases, "beta", [a, b], x, lower, upper, density / (m * (1 - m)))


def binomial(cases):
    for n in (1, 2, 7, 40, 1000, 100_000):
        for p in (1e-6, 0.03, 0.5, 0.9):
            for share in (0.0, 0.02, 0.25, 0.5, 0.6, 0.97):
                k = int(n * share)
                m = mp.mpf(p)
                if k >= n:
                    continue
                lower, upper, _ = beta_tails(mp.mpf(k + 1), mp.mpf(n - k), m / (1 - m))
                mass = mp.binomial(n, k) * m**k * (1 - m) ** (n - k)
                if min(lower, upper, mass) < LEAST:
                    continue
                cases.add("binomial.cdf", float(upper), tolerance(upper), at=[n, p], x=k)
                cases.add("binomial.sf", float(lower), tolerance(lower), at=[n, p], x=k)
                cases.add("binomial.pmf", float(mass), tolerance(mass), at=[n, p], x=k)
    for n in (5, 60, 1000):
        for p in (0.1, 0.5, 0.77):
            for q in (0.001, 0.05, 0.5, 0.9, 0.999):
                cases.add("binomial.quantile", float(stats.binom.ppf(q, n, p)), at=[n, p], x=q)


def normal(cases):
    for z in (1e-9, 0.1, 0.5, 1.0, 1.96, 3.0, 5.0, 8.0, 15.0, 25.0, 36.0):
        m = mp.mpf(z)
        upper = mp.erfc(m / mp.sqrt(2)) / 2
        add_tails(cases, "normal", [], z, 1 - upper, upper, mp.npdf(m))
        add_tails(cases, "normal", [], -z, upper, 1 - upper, mp.npdf(m))


def noncentral_t(cases):
    mp.mp.dps = 25
    for df in (1.0, 2.0, 9.0, 50.0, 1000.0):
        for delta in (-1.0, 0.0, 0.5, 2.8, 9.0):
            for t in (-1.0, 0.5, 2.0, 5.0, 20.0):
                m = mp.mpf(df)
                constant = mp.log(2) + m / 2 * mp.log(m / 2) - mp.loggamma(m / 2)

                def integrand(s):
                    if s == 0:
                        return mp.mpf(0) if df > 1 else mp.exp(constant) * mp.ncdf(-delta)
                    return mp.exp(constant + (m - 1) * mp.log(s) - m * s * s / 2) * mp.ncdf(t * s - delta)

                width = 12 / mp.sqrt(2 * m)
                low, high = max(mp.mpf(0), 1 - width), 1 + width
                turn = delta / t
                cuts = sorted({low, high, mp.mpf(1)} | {c for c in (turn, turn - 3 / abs(t), turn + 3 / abs(t)) if low < c < high})
                value = mp.quad(integrand, cuts)
                cases.add("noncentral_t.cdf", float(value), 1e-9 if value > 1e-4 else 1e-6, at=[df, delta], x=t)
    mp.mp.dps = 40


def write():
    cases = Cases("dist")
    for law in (normal, student, chi_squared, fisher, beta, binomial, noncentral_t):
        before = len(cases.lines)
        law(cases)
        print(f"  {law.__name__}: {len(cases.lines) - before}", flush=True)
    cases.write()


if __name__ == "__main__":
    write()
