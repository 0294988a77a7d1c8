#!/usr/bin/env python3
"""Draws the committed seeds of a kernel's fuzz target anew, after `draw` has changed.

fuzz_seeds.py BIN CORPUS TARGET...: for each target the draws of BIN/fuzz_TARGET_replay from number 1 on
that are small and show something that none before shows become CORPUS/TARGET/drawn-N.case; the old ones
go. CORPUS is corpus/fuzz.
"""

import pathlib
import re
import subprocess
import sys

MOST_TEXT = 480  # characters of a case
MOST_SEEDS = 12
MOST_DRAWS = 300


def shows(case):
    """What a case shows, in words: fields of its text, its format, how its extents compare."""
    shape, form, *fields = case.split("/")
    extent = {name: int(size) for name, size in re.findall(r"(b|hq|hk|l|s|dk|dv)(\d+)", shape[4:])}
    if 0 in extent.values():
        return set()
    words = {form, "L>S" if extent["l"] > extent["s"] else "L<S" if extent["l"] < extent["s"] else "L=S"}
    if extent["b"] > 1:
        words.add("batches")
    if extent["hq"] > extent["hk"]:
        words.add("grouped")
    if extent["dk"] != extent["dv"]:
        words.add("d_v!=d_k")
    for field in fields:
        name = re.split(r"[:+]", field)[0]
        if name not in ("q", "k", "v"):
            words.add(field if name == "causal" else name)
    return words


def draw_seeds(replay, folder):
    for old in folder.glob("drawn-*.case"):
        old.unlink()
    seen, seeds = set(), 0
    for number in range(1, MOST_DRAWS):
        case = subprocess.run([replay, "--draw", str(number)], capture_output=True, text=True,
                              check=True).stdout.strip()
        words = shows(case)
        if len(case) > MOST_TEXT or not words - seen:
            continue
        seen |= words
        (folder / f"drawn-{number:03d}.case").write_text(
            f"{case}\n# drawn: {number}\n# reason: {', '.join(sorted(words))}\n")
        seeds += 1
        if seeds == MOST_SEEDS:
            break
    return seeds


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    for target in sys.argv[3:]:
        folder = pathlib.Path(sys.argv[2]) / target
        replay = pathlib.Path(sys.argv[1]) / f"fuzz_{target}_replay"
        print(f"{folder}: {draw_seeds(replay, folder)} seeds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
