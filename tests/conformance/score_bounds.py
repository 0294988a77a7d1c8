"""How far a stored score may lie from the exact one. docs/conformance.md has the derivation.

Everything is exact rational arithmetic: bounds neither round nor overflow.
"""

import dataclasses
import fractions

import numpy as np

from enclosures import exact

F = fractions.Fraction


@dataclasses.dataclass(frozen=True)
class Unit:
    """A format: unit roundoff and smallest subnormal number."""

    u: F
    eta: F


UNITS = {
    np.dtype(np.float64): Unit(F(1, 2**53), F(1, 2**1074)),
    np.dtype(np.float32): Unit(F(1, 2**24), F(1, 2**149)),
    np.dtype(np.float16): Unit(F(1, 2**11), F(1, 2**24)),
}
TANH = 4  # numpy: 2 ulp, an ulp is at most 2 u


def gamma(n, u):
    assert n * u < 1
    return n * u / (1 - n * u)


def product_error(key, row, scale, d_k, unit):
    """Step 1: scale * q.k computed as (q root).(k root)."""
    relative = gamma(d_k + 4, unit.u + F(1, 2**50))
    root = max(F(1), scale)
    lost = 2 * root * unit.eta * (exact(row["Q1"]) + exact(key["K1"]) + 2 * d_k)
    return relative * scale * exact(key["A"]) + lost


def softcap_error(error, x, y, cap, unit):
    """Step 2: cap * tanh(x / cap), after an error of x."""
    error += unit.u * (x + error) + cap * unit.eta
    error += TANH * unit.u * (y + error)
    return error + unit.u * (y + error) + cap * unit.eta


def size(interval):
    return max(abs(exact(end)) for end in interval)


def score_bounds(answer, problem, mode):
    """(lowest, highest) admitted for every score [B*H_q*L, S] of qk_matmul_output_mode 0, 1 or 2.

    `answer` holds the enclosures of that mode's own problem: 0 without softcap and masks, 1 without
    masks, 2 whole. A hidden key in mode 2 is exactly -inf.
    """
    d_k = problem.q.shape[-1]
    unit = UNITS[problem.q.dtype]
    # An upper bound of the exact scale: of 1/sqrt(d_k) by one unit in the last place of a double.
    scale = F(problem.scale) if problem.scale is not None else F(d_k**-0.5) * (1 + F(1, 2**51))
    lowest, highest = [], []
    for row in answer["rows"]:
        for key in row["keys"]:
            if mode == 2 and not key["visible"]:
                lowest.append(-np.inf)
                highest.append(-np.inf)
                continue
            s = [exact(end) for end in key["s"]]
            error = product_error(key, row, scale, d_k, unit)
            if problem.softcap and mode > 0:
                cap = F(problem.softcap)
                y = min(cap, size(key["x"]))
                error = softcap_error(error, size(key["x"]), y, cap, unit)
            if mode == 2 and problem.bias is not None:
                error += unit.u * (max(map(abs, s)) + error)
            lowest.append(s[0] - error)
            highest.append(s[1] + error)
    return lowest, highest


def inside(got, bounds):
    """Is each stored score within its bounds? NaN never is: it fails every <=."""
    exactly = [F(x) if np.isfinite(x) else x for x in map(float, got.ravel())]
    lowest, highest = bounds
    assert len(exactly) == len(lowest)
    return [lo <= x <= hi for lo, x, hi in zip(lowest, exactly, highest)]


def worst_share(got, bounds):
    """The largest distance from the middle as a share of the half width."""
    shares = [F(0)]
    for lo, x, hi in zip(bounds[0], map(float, got.ravel()), bounds[1]):
        if np.isfinite(x) and hi > lo:
            shares.append(abs(F(x) - (lo + hi) / 2) / ((hi - lo) / 2))
    return float(max(shares))
