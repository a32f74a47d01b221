#!/usr/bin/env python3
"""Makes the reference figures of this directory: `python3 make.py` (numpy 2.4, scipy 1.17, statsmodels 0.15, mpmath 1.4).

Nothing here is computed by bench-bot. Where a library has the statistic, the library is used; where none has it, the
definition is evaluated by brute force in exact integers, without any of the short cuts that the program takes.

  order.json         quantiles: numpy `median_unbiased`; medians: numpy; order-statistic intervals: the growing rule in
                     exact fractions
  mann_whitney.json  untied exact and normal p: scipy; tied exact p: every division of the pooled values (small samples)
                     or a count in whole numbers over a dictionary (larger ones); shift: numpy; interval: every gap
                     tested at its middle by moving the values
  permutation.json   p: all 6^k labellings; interval: every gap tested at its middle by moving the values and counting in
                     whole numbers; effect, noise: numpy
  multiplicity.json  Holm: statsmodels; Benjamini-Hochberg: scipy
  other.json         normal distribution: mpmath; Wilson: statsmodels; geometric mean: scipy
  real.json          p-values of the two measured files below: blocks by counting in whole numbers, side after side by scipy

Measured data, not made here: `aa-blocks.txt` (300 comparisons) and `aa-side-after-side.txt` (539) are runs of a C program
(an arithmetic loop, a sort of 64 KiB, a pointer chase through 1 MiB; 25 to 80 ms each) whose two binaries were identical,
pinned to one CPU of a shared virtual machine with two. `benchstat-vectors.json` holds figures printed by the real benchstat
and by its statistics library (golang.org/x/perf at 712aea8).
"""
import itertools
import json
import math
import pathlib
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

HERE = pathlib.Path(__file__).parent
RNG = np.random.default_rng(20240607)


def save(name, value):
    (HERE / name).write_text(json.dumps(value, indent=None, separators=(",", ":")).replace("},{", "},\n{") + "\n")


def floats(values):
    return [float(v) for v in values]


# ---------- order statistics ----------
def median_interval(n, confidence):
    """Grows from the middle towards the likelier neighbour, ties to the left; exact fractions."""
    pmf = [Fraction(math.comb(n, k), 2**n) for k in range(n + 1)]
    lo = math.ceil((n + 1) / 2) - 1
    hi = lo + 1
    want = Fraction(confidence).limit_denominator(10**6)
    while sum(pmf[lo:hi]) < want and (lo > 0 or hi <= n):
        left = pmf[lo - 1] if lo > 0 else 0
        right = pmf[hi] if hi <= n else 0
        if left >= right:
            lo -= 1
        else:
            hi += 1
    return lo, hi, float(sum(pmf[lo:hi]))


def order():
    cases = []
    for n in (1, 2, 3, 4, 5, 8, 16, 31):
        x = floats(RNG.lognormal(0, 0.2, n))
        qs = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]
        cases.append({
            "x": x,
            "median": float(np.median(x)),
            "quantiles": [[q, float(np.quantile(x, q, method="median_unbiased"))] for q in qs],
        })
    intervals = []
    for n in range(1, 31):
        for confidence in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
            lo, hi, coverage = median_interval(n, confidence)
            intervals.append([n, confidence, lo, hi, coverage])
    save("order.json", {"samples": cases, "intervals": intervals})


# ---------- two independent samples ----------
def doubled_ranks(values):
    """Twice the mid-ranks, by counting."""
    return [2 * sum(v < w for v in values) + sum(v == w for v in values) + 1 for w in values]


def tails(ranks, m, observed):
    """Number of subsets of size m with sum <= and >= observed, counted over a dictionary of (size, sum)."""
    counts = Counter({(0, 0): 1})
    for r in ranks:
        for (size, total), ways in list(counts.items()):
            if size < m:
                counts[(size + 1, total + r)] += ways
    sums = {total: ways for (size, total), ways in counts.items() if size == m}
    everything = sum(sums.values())
    low = sum(w for s, w in sums.items() if s <= observed)
    high = sum(w for s, w in sums.items() if s >= observed)
    return Fraction(low, everything), Fraction(high, everything)


def exact_p(base, head):
    ranks = doubled_ranks(base + head)
    low, high = tails(ranks, len(base), sum(ranks[: len(base)]))
    return min(Fraction(1), 2 * min(low, high))


def enumerated_p(base, head):
    ranks = doubled_ranks(base + head)
    observed = sum(ranks[: len(base)])
    sums = [sum(c) for c in itertools.combinations(ranks, len(base))]
    low = Fraction(sum(s <= observed for s in sums), len(sums))
    high = Fraction(sum(s >= observed for s in sums), len(sums))
    return min(Fraction(1), 2 * min(low, high))


def gaps(points):
    points = sorted(set(points))
    inner = [(a + b) / 2 for a, b in zip(points, points[1:])]
    return points, [points[0] - 1.0, *inner, points[-1] + 1.0]


def hull(points, middles, accepted):
    ends = [-math.inf, *points, math.inf]
    good = [i for i, s in enumerate(middles) if accepted(s)]
    return None if not good else (ends[good[0]], ends[good[-1] + 1])


def number(x):
    return "inf" if x == math.inf else "-inf" if x == -math.inf else float(x)


def shift_interval(base, head, level):
    points, middles = gaps([y - x for y in head for x in base])
    bound = 1 - Fraction(level).limit_denominator(1000)
    return hull(points, middles, lambda s: exact_p(base, [y - s for y in head]) > bound)


def mann_whitney():
    tests = []

    def add(base, head, p, method):
        tests.append({"base": floats(base), "head": floats(head), "p": float(p), "method": method})

    for n1, n2 in ((1, 1), (3, 3), (4, 4), (5, 3), (6, 6), (10, 9), (8, 20), (20, 20), (50, 50)):
        base, head = RNG.normal(100, 3, n1), RNG.normal(102, 3, n2)
        add(base, head, stats.mannwhitneyu(base, head, method="exact").pvalue, "exact")
    for n1, n2 in ((1, 5), (5, 2), (2, 5), (4, 4), (6, 6), (6, 5), (7, 4), (8, 8), (5, 8)):
        for _ in range(2):
            base, head = floats(RNG.integers(0, 4, n1)), floats(RNG.integers(0, 5, n2))
            if len(set(base + head)) > 1:
                add(base, head, enumerated_p(base, head), "exact")
    for n1, n2, high in ((10, 9, 6), (10, 10, 12), (20, 20, 9), (25, 25, 30), (30, 12, 5)):
        base, head = floats(RNG.integers(0, high, n1)), floats(RNG.integers(0, high + 2, n2))
        add(base, head, exact_p(base, head), "exact")
    for n1, n2 in ((101, 101), (120, 130), (30, 400)):
        for rounded in (False, True):
            base, head = RNG.normal(100, 3, n1), RNG.normal(100.5, 3, n2)
            if rounded:
                base, head = base.round(), head.round()
            add(base, head, stats.mannwhitneyu(base, head, method="asymptotic", use_continuity=True).pvalue, "normal")
    shifts = []
    for n1, n2, digits in ((1, 1, 9), (3, 4, 9), (4, 4, 9), (6, 6, 9), (8, 8, 9), (6, 6, 0), (8, 7, 0), (9, 9, 1)):
        base, head = floats(RNG.normal(10, 2, n1).round(digits)), floats(RNG.normal(11, 2, n2).round(digits))
        case = {"base": base, "head": head, "shift": float(np.median(np.subtract.outer(head, base)))}
        for level in (0.9, 0.95):
            found = shift_interval(base, head, level)
            case[str(level)] = None if found is None else [number(x) for x in found]
        shifts.append(case)
    large = []
    for n1, n2 in ((150, 120), (40, 300), (105, 99)):
        base, head = floats(RNG.normal(10, 2, n1).round(2)), floats(RNG.normal(10.4, 2, n2).round(2))
        large.append({"base": base, "head": head, "shift": float(np.median(np.subtract.outer(head, base)))})
    save("mann_whitney.json", {"tests": tests, "shifts": shifts, "large": large})


# ---------- blocks of four ----------
LABELS = [c for c in itertools.product((0, 1), repeat=4) if sum(c) == 2]


def residuals(blocks):
    out = []
    for base, head in blocks:
        four = [*base, *head]
        a, b, c, d = sorted(four)
        mean = (a + b + c + d) / 4
        out.append([v - mean for v in four])
    return out


def tied_ranks(values, tolerance):
    """Doubled mid-ranks with ties by chains of neighbours."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(values)
    groups = [[order[0]]]
    for previous, index in zip(order, order[1:]):
        if values[index] - values[previous] <= tolerance:
            groups[-1].append(index)
        else:
            groups.append([index])
    done = 0
    for group in groups:
        for index in group:
            ranks[index] = 2 * done + len(group) + 1
        done += len(group)
    return ranks


def block_ranks(residual_blocks, tolerance):
    flat = tied_ranks([v for block in residual_blocks for v in block], tolerance)
    return [flat[i : i + 4] for i in range(0, len(flat), 4)]


def enumerate_p(ranks):
    """All 6^k labellings, one by one."""
    total = sum(map(sum, ranks))
    observed = abs(2 * sum(r[2] + r[3] for r in ranks) - total)
    sums = [[sum(r for r, l in zip(block, labels) if l) for labels in LABELS] for block in ranks]
    hits = sum(abs(2 * sum(choice) - total) >= observed for choice in itertools.product(*sums))
    return Fraction(hits, 6 ** len(ranks))


def counted_p(ranks):
    """The same over a dictionary, in whole numbers."""
    total = sum(map(sum, ranks))
    observed = abs(2 * sum(r[2] + r[3] for r in ranks) - total)
    counts = Counter({0: 1})
    for block in ranks:
        following = Counter()
        for labels in LABELS:
            add = sum(r for r, l in zip(block, labels) if l)
            for value, ways in counts.items():
                following[value + add] += ways
        counts = following
    return Fraction(sum(w for s, w in counts.items() if abs(2 * s - total) >= observed), 6 ** len(ranks))


def block_interval(blocks, level):
    tolerance = 1e-12 * max(1.0, max(abs(v) for b in blocks for side in b for v in side))
    aligned = residuals(blocks)
    points = [h - b for i in aligned for j in aligned for h in i[2:] for b in j[:2]]
    # Breakpoints closer than the tolerance are one.
    distinct = []
    for p in sorted(points):
        if not distinct or p - distinct[-1] > tolerance:
            distinct.append(p)
    points, middles = gaps(distinct)
    bound = 1 - Fraction(level).limit_denominator(1000)

    def accepted(s):
        moved = [[r[0] + s / 2, r[1] + s / 2, r[2] - s / 2, r[3] - s / 2] for r in aligned]
        return counted_p(block_ranks(moved, tolerance)) > bound

    return hull(points, middles, accepted)


def permutation():
    cases = []

    def add(blocks, full, intervals):
        tolerance = 1e-12 * max(1.0, max(abs(v) for b in blocks for side in b for v in side))
        ranks = block_ranks(residuals(blocks), tolerance)
        p = enumerate_p(ranks) if full else counted_p(ranks)
        differences = [h - b for base, head in blocks for h in head for b in base]
        contrasts = [abs(side[0] - side[1]) for b in blocks for side in b]
        floor = float(np.median(contrasts))
        case = {
            "blocks": [[floats(base), floats(head)] for base, head in blocks],
            "p": float(p),
            "effect": float(np.median(differences)),
            "floor": floor,
            "sigma": 1.4826 * floor if floor > 0 else 1.2533 * float(np.mean(contrasts)),
        }
        if intervals:
            for level in (0.9, 0.95):
                found = block_interval(blocks, level)
                case[str(level)] = None if found is None else [number(x) for x in found]
        cases.append(case)

    for k in range(1, 7):
        for digits in (9, 2):
            for effect in (0.0, 0.04):
                values = RNG.normal(0, 0.02, (k, 4)).round(digits)
                values[:, 2:] += effect
                add([(v[:2], v[2:]) for v in values], True, k <= 4)
    for k in (5, 8, 12):
        values = RNG.normal(2, 0.02, (k, 4)) + RNG.normal(0, 0.1, (k, 1))
        values[:, 2:] += 0.015
        add([(v[:2], v[2:]) for v in values], False, True)
    for k in (8, 20):
        values = RNG.integers(100, 106, (k, 4)).astype(float)
        add([(v[:2], v[2:]) for v in values], False, k == 8)
    values = RNG.normal(2, 0.02, (50, 4))
    add([(v[:2], v[2:]) for v in values], False, False)
    save("permutation.json", cases)


# ---------- corrections ----------
def multiplicity():
    cases = []
    for n in (1, 2, 5, 30):
        p = floats(RNG.uniform(0, 1, n) ** 3)
        if n == 5:
            p[1] = p[3]
        cases.append({
            "p": p,
            "holm": floats(multipletests(p, method="holm")[1]),
            "padded": floats(multipletests([*p, 1.0, 1.0, 1.0], method="holm")[1][:n]),
            "bh": floats(stats.false_discovery_control(p, method="bh")),
        })
    save("multiplicity.json", cases)


# ---------- distributions ----------
def other():
    mpmath.mp.dps = 40
    z = [-38.0, -10.0, -5.5, -3.0, -1.96, -1.0, -0.1, 0.0, 0.3, 1.0, 2.5, 5.0, 8.0]
    cdf = [[x, float(mpmath.ncdf(x))] for x in z]
    p = [1e-300, 1e-20, 1e-9, 0.001, 0.0249, 0.2, 0.5, 0.9, 0.975, 0.9999]
    quantile = []
    for x in p:
        # Newton on a starting value good to 16 digits, in 40 digits.
        found = mpmath.findroot(lambda t, x=x: mpmath.ncdf(t) / mpmath.mpf(x) - 1, stats.norm.ppf(x))
        quantile.append([x, float(found)])
    wilson = []
    for hits, of in ((0, 300), (1, 20), (15, 300), (20, 20), (7, 2000)):
        low, high = proportion_confint(hits, of, alpha=0.05, method="wilson")
        wilson.append([hits, of, float(low), float(high)])
    geomean = []
    for n in (1, 2, 3, 4, 9, 30):
        ratios = RNG.lognormal(0.02, 0.1, n)
        logs = np.log(ratios)
        ends = [math.nan, math.nan]
        if n > 1:
            ends = np.exp(stats.t.interval(0.95, n - 1, loc=logs.mean(), scale=stats.sem(logs)))
        ends = None if n == 1 else floats(ends)
        geomean.append({"logs": floats(logs), "mean": float(stats.gmean(ratios)), "interval": ends})
    save("other.json", {"cdf": cdf, "quantile": quantile, "wilson": wilson, "geomean": geomean})


# ---------- measured data ----------
def real():
    blocks = {"wall": [], "cpu": []}
    for line in (HERE / "aa-blocks.txt").read_text().splitlines()[1:]:
        rounds = [(side, float(wall), float(cpu)) for side, wall, cpu in (r.split(":") for r in line.split()[1:])]
        for column, name in ((1, "wall"), (2, "cpu")):
            design = []
            for i in range(0, len(rounds), 4):
                four = rounds[i : i + 4]
                design.append(tuple([math.log(r[column]) for r in four if r[0] == side] for side in "AB"))
            ranks = block_ranks(residuals(design), 1e-12 * max(abs(v) for b in design for s in b for v in s))
            blocks[name].append(float(counted_p(ranks)))
    apart = []
    for line in (HERE / "aa-side-after-side.txt").read_text().splitlines()[1:]:
        base, head = ([float(v) for v in side.split(",")] for side in line.split()[1:])
        assert len(set(base + head)) == len(base + head)
        apart.append(float(stats.mannwhitneyu(base, head, method="exact").pvalue))
    save("real.json", {**blocks, "apart": apart})


if __name__ == "__main__":
    order()
    mann_whitney()
    permutation()
    multiplicity()
    other()
    real()
