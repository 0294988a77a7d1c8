"""Runs the proofs of docs/proofs: 0 if every claim is proved again, else 1 and what was not.

Exists so that a changed constant or script cannot leave a stale claim behind.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROOFS = ROOT / "docs" / "proofs"
FACTS = 6  # lines "proved:" of exp.sollya


def run(program, script):
    """Standard output and error of one proof."""
    done = subprocess.run([program, str(script)], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    failures = []
    code, text = run("sollya", PROOFS / "exp.sollya")
    proved = re.findall(r"^proved: (.*)$", text, re.MULTILINE)
    for fact in proved:
        print(f"proved (Sollya): {fact}")
    if len(proved) != FACTS or "NOT PROVED" in text:
        failures.append(f"exp.sollya: {len(proved)} facts of {FACTS}, code {code}\n{text}")
    for name in "exp_reduction.gappa", "exp_polynomial.gappa":
        code, text = run("gappa", PROOFS / name)
        if code != 0 or text.strip():
            failures.append(f"{name}: code {code}\n{text}")
        else:
            print(f"proved (Gappa): all goals of {name}")
    header = (ROOT / "src/qkvet/loops/exp_constants.hpp").read_text(encoding="ascii")
    scripts = "".join((PROOFS / name).read_text(encoding="ascii")
                      for name in ("exp.sollya", "exp_reduction.gappa", "exp_polynomial.gappa"))
    constants = re.findall(r"-?0x1[.\w]*p[-+]?\d+", header)
    missing = [c for c in constants if c != "0x1p-52" and c not in scripts]
    if missing or len(constants) != 15:
        failures.append(f"constants of exp_constants.hpp that no proof names: {missing}"
                        f" ({len(constants)} found, 15 expected)")
    else:
        print("every constant of exp_constants.hpp stands in the proofs")
    print("\n".join(failures), end="\n" if failures else "", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
