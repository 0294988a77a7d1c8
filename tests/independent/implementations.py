"""Implementations by other hands, and how each is checked. As a program it checks them all:

    python tests/independent/implementations.py [--cases N] [--wide] [--seed N] [NAME ...]

`small` are the problems of scripts/test: short, so that 2,000 of them take a few seconds. `wide`
are those of scripts/nightly. Both are finite; scores are as `check` draws them, large ones among
them. JAX compiles each shape anew (0.2 s), hence its few shapes.
"""

import argparse
import dataclasses
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("QKVET_ROOT", HERE.parents[1]))
QKVET = os.environ.get("QKVET", str(ROOT / "build/bin/qkvet"))
SMALL = "nonfinite=no,B=1..3,H_q=1..4,S=1..40,L=1..12,d_k=1..16,d_v=1..16"


@dataclasses.dataclass(frozen=True)
class Implementation:
    """One candidate and the options of `qkvet check` for it."""

    candidate: str
    needs: str  # the module without which it cannot run
    options: tuple
    features: tuple  # that must be among the accepted problems
    small: str = SMALL
    wide: str = "nonfinite=no"
    formats: tuple = ()

    def check(self, cases, *more, wide=False):
        """The finished process and its report (None if there is none)."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            command = [QKVET, "check", self.candidate, *self.options, "--python", sys.executable,
                       "--prop", "matches-reference", "--cases", str(cases), "--json", str(report),
                       "--out", os.path.join(folder, "out"), "--load-timeout", "120s",
                       "--dtype", ",".join(self.formats),
                       "--where", self.wide if wide else self.small, *more]
            process = subprocess.run(command, capture_output=True, text=True, check=False,
                                     stdin=subprocess.DEVNULL)
            return process, json.loads(report.read_text()) if report.exists() else None

    def installed(self):
        return importlib.util.find_spec(self.needs) is not None


def python(file):
    return f"py:{file}:attention"


JAX = "nonfinite=no,empty_rows=no,window=no,key_range=no,lse=no"  # see jax_attention.py
COMMON = "bool-mask", "bias", "causal", "grouped-heads", "explicit-scale"
ALL = {
    "numpy": Implementation(
        python(HERE / "plain_numpy.py"), "numpy",
        ("--like", str(HERE / "whole.json"), "--contract", str(HERE / "plain_numpy.contract")),
        (*COMMON, "softcap", "window", "key-range", "sinks", "alibi", "lse"),
        formats=("f32", "f64", "f16", "bf16")),
    "onnx.reference": Implementation(
        python(HERE / "onnx_reference.py"), "onnx",
        ("--like", "onnx", "--contract", str(HERE.parent / "conformance/onnx-reference.contract")),
        (*COMMON, "softcap"), formats=("f32", "f64", "f16")),
    "onnxruntime": Implementation(
        python(ROOT / "examples/onnxruntime_attention.py"), "onnxruntime", ("--like", "onnx"),
        (*COMMON, "softcap"), formats=("f32", "f64", "f16")),
    "jax": Implementation(
        python(HERE / "jax_attention.py"), "jax", ("--like", "jax"), COMMON, formats=("f32", "bf16"),
        small=f"{JAX},B=1,H_q=2,L=5,S=7,d_k=4,d_v=4",
        wide=f"{JAX},unequal_heads=no"),
}


def line(name, process, report):
    if report is None:
        return f"{name:15} exit {process.returncode}: {process.stderr.strip()[-200:]}"
    seen = report["properties"][0]
    return (f"{name:15} {seen['cases']:6} cases: pass {seen['pass']}, FAIL {seen['fail']}, "
            f"undecided {seen['undecided']}, refused {seen['refused']}; "
            f"worst error / bound {float(seen['worst_ratio']):.3f}")


def main():
    parser = argparse.ArgumentParser(description="Checks implementations by other hands.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(ALL)} (all)")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--wide", action="store_true", help="problems of every size")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(ALL))
    if unknown:
        parser.error(f"no implementation '{unknown[0]}'; there are {', '.join(ALL)}")
    codes = []
    for name in options.names or ALL:
        if not ALL[name].installed():
            print(f"{name:15} not installed")
            continue
        process, report = ALL[name].check(options.cases, "--seed", options.seed, wide=options.wide)
        print(line(name, process, report), flush=True)
        if process.returncode != 0:
            print(process.stdout)
        codes.append(process.returncode)
    return max(codes, default=3)


if __name__ == "__main__":
    sys.exit(main())
