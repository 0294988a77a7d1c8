"""binary16 and bfloat16 against numpy, ml_dtypes and exact fractions: ml_dtypes_test.py PROGRAM."""

import subprocess
import sys
from fractions import Fraction

try:
    import ml_dtypes
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FORMATS = {"f16": (np.float16, 11, -14), "bf16": (ml_dtypes.bfloat16, 8, -126)}


def ask(format, what, array):
    """The program's answer for a whole array."""
    done = subprocess.run([sys.argv[1], format, what], input=array.tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout, np.uint16 if what == "encode" else np.float64)


def rounded(x, dtype, precision, e_min):
    """x rounded once, ties to even, by exact arithmetic; the finite result as a number of dtype."""
    size = abs(Fraction(x))
    exponent = e_min
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    quantum = Fraction(2) ** (exponent - precision + 1)
    return dtype(float(round(size / quantum) * quantum * (-1 if x < 0 else 1)))  # round: ties to even


def compare(format, what, got, want):
    bad = np.flatnonzero(got != want)
    assert bad.size == 0, f"{format} {what}: {bad.size} differ, the first at {bad[0]}: {got[bad[0]]} for {want[bad[0]]}"


def check(format):
    dtype, precision, e_min = FORMATS[format]
    every = np.arange(65536, dtype=np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        theirs = every.view(dtype).astype(np.float64)
    compare(format, "decode", np.nan_to_num(ask(format, "decode", every), nan=1.5), np.nan_to_num(theirs, nan=1.5))

    # From f32, where both libraries round once: every sign and exponent, random fractions.
    random = np.random.default_rng(4)
    bits = random.integers(0, 1 << 32, 400_000, dtype=np.uint32)
    singles = bits.view(np.float32)
    singles = singles[~np.isnan(singles)]
    with np.errstate(over="ignore"):
        want = singles.astype(dtype).view(np.uint16)
    compare(format, "encode f32", ask(format, "encode", singles.astype(np.float64)), want)

    # From f64: just beside the middle of two neighbours, where rounding through f32 goes wrong.
    finite = np.sort(theirs[np.isfinite(theirs) & (theirs > 0)])
    middles = (finite[:-1] + finite[1:]) / 2
    beside = np.concatenate([middles * (1 + 2.0**-45), middles * (1 - 2.0**-45), middles])
    beside = beside[beside > 0]
    got = ask(format, "encode", beside)
    if format == "f16":  # numpy rounds a double once; ml_dtypes does not
        compare(format, "encode f64", got, beside.astype(np.float16).view(np.uint16))
    some = np.arange(0, beside.size, 97)
    exact = np.array([rounded(x, dtype, precision, e_min) for x in beside[some]], dtype).view(np.uint16)
    compare(format, "encode f64 exactly", got[some], exact)
    twice = beside.astype(np.float32).astype(dtype).view(np.uint16)
    assert np.count_nonzero(got != twice) > 1000, "no value tells one rounding from two"


for name in FORMATS:
    check(name)
print("agree: decode of all encodings, encode of 400,000 f32 and of all middles in f64")
