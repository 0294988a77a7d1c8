"""Asks the C++ side (enclose.cpp) for enclosures, and reads them exactly: numbers are Fractions."""

import fractions
import json
import math
import os
import pathlib
import subprocess

from attention_problem import bits
from onnx_vectors import ROOT

HERE = pathlib.Path(__file__).resolve().parent
ENCLOSE = os.environ.get("QKVET_ENCLOSE", str(ROOT / "build/bin/conformance_enclose"))
CONTRACT = HERE / "onnx-reference.contract"


def exact(text):
    """A hex float as a Fraction; infinities stay floats."""
    x = float.fromhex(text)
    return fractions.Fraction(x) if math.isfinite(x) else x


def ask(questions, contract=CONTRACT):
    """Answers for [(problem, observed output or None)], in order; all in one run."""
    lines = []
    for problem, got in questions:
        observed = "" if got is None else ",".join(f"{word:x}" for word in bits(got))
        lines.append(f"{contract}\t{problem.text()}\t{observed}\n")
    process = subprocess.run([ENCLOSE], input="".join(lines), capture_output=True, text=True,
                             check=True, timeout=300)
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(answers) == len(questions), process.stderr
    return answers


def all_admitted(answer):
    """Is every observed output admitted, and do both oracles agree?

    False also for a problem that cannot be posed: a wrong reading may not even fit its tensors.
    """
    if "error" in answer:
        return False
    places = [place for row in answer["rows"] for place in row["o"]]
    return answer["oracles_agree"] and all(place["admitted"] for place in places)


def decided(answer):
    """Did the contract leave nothing open? An exempt or uncheckable place admits without a look."""
    kinds = {place["kind"] for row in answer["rows"] for place in row["o"]}
    return kinds <= {"checked", "exact"}


def worst(answer):
    """The largest error as a share of its bound."""
    return max(float.fromhex(place["ratio"]) for row in answer["rows"] for place in row["o"])
