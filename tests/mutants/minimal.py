"""Writes docs/minimal-cases.md: how small the minimiser makes the first finding of every mutant.

minimal.py QKVET MUTANTS FOLDER [--seed N] [--every N] [--jobs N] [--only NAME...] [--print]

Runs `QKVET check MUTANTS/NAME.so` in the ci profile, with the property that mutants.txt names, to its
first finding, which qkvet makes small as it does for everybody; reports and cases go to FOLDER. A
scalar counts if it is an element of q, k or v that is neither 0 nor 1 nor -1. --print: to stdout,
the page stays.
"""

import argparse
import concurrent.futures
import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "minimal-cases.md"
PLAIN = {"0", "-0", "1", "-1"}
LINE = 300  # characters of a case that is still one line
GOAL_SCALARS, GOAL_LINES = 8, 0.95


def mutants():
    lines = (HERE / "mutants.txt").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line and not line.startswith("#")]
    return [(row[0], row[3]) for row in rows if row[3] != "-"]


def scalars(case):
    """Elements of q, k and v that are neither 0 nor 1 nor -1; `2*3` is three of them."""
    count = 0
    for field in case.split("/")[1:]:
        if not re.match(r"[qkv]:", field):
            continue
        for item in filter(None, field[2:].split(",")):
            value, _, times = item.partition("*")
            count += 0 if value in PLAIN else int(times or 1)
    return count


def measured(options, name, killer):
    folder = options.folder / name
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    begun = time.monotonic()
    done = subprocess.run(
        [options.qkvet, "check", options.mutants / f"{name}.so", "--profile", "ci", "--prop", killer,
         "--stop-first", "--no-corpus", "--seed", str(options.seed), "--out", folder, "--json", report],
        capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begun
    if done.returncode not in (0, 1):
        raise SystemExit(f"minimal.py: {name}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    findings = json.loads(report.read_text())["findings"]
    return {"name": name, "killer": killer, "seconds": seconds, "found": findings[0] if findings else None}


def lines_of(rows, seed):
    """The figures, then the table."""
    found = [row for row in rows if row["found"]]
    small = [row for row in found if not row["found"]["state_dependent"]]
    counts = [scalars(row["found"]["case"]) for row in small]
    lengths = [len(row["found"]["case"]) for row in small]
    calls = [row["found"]["calls"] for row in small]
    short = sum(length < LINE for length in lengths) / len(lengths)
    median = statistics.median(counts)
    yield (f"- {len(small)} of {len(rows)} mutants, seed {seed}: found in the ci profile and made small"
           f" ({len(found) - len(small)} depend on earlier calls and are kept as drawn,"
           f" {len(rows) - len(found)} were not found).")
    yield (f"- Scalars of q, k and v that are neither 0 nor 1 nor -1: median {median:g} (goal {GOAL_SCALARS}),"
           f" mean {statistics.mean(counts):.1f}, most {max(counts)}.")
    yield (f"- One line of fewer than {LINE} characters: {100 * short:.1f} % (goal {100 * GOAL_LINES:.0f} %);"
           f" median {statistics.median(lengths):g} characters, longest {max(lengths)}.")
    yield (f"- Calls of the minimiser: median {statistics.median(calls):g}, most {max(calls)};"
           f" {sum(row['found']['exhausted'] for row in small)} ended by its budget.")
    ruled = sum(bool(row["found"]["rule"]) for row in small)
    yield f"- A rule about pass and fail near the case: {ruled} of {len(small)}."
    yield ""
    yield "| mutant | property | scalars | characters | calls | rule | case |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        one = row["found"]
        if one is None:
            yield f"| `{row['name']}` | {row['killer']} | - | - | - | not found | |"
            continue
        case = one["case"]
        shown = f"`{case}`" if len(case) < LINE else f"`{case[:60]}`..."
        rule = "state-dependent" if one["state_dependent"] else one["rule"]
        yield (f"| `{row['name']}` | {row['killer']} | {scalars(case)} | {len(case)} | {one['calls']} |"
               f" {rule} | {shown} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qkvet", type=pathlib.Path)
    parser.add_argument("mutants", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="every Nth mutant of the list")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    rows = mutants()
    unknown = set(options.only) - {name for name, _ in rows}
    if unknown:
        parser.error(f"--only: no mutant of mutants.txt: {', '.join(sorted(unknown))}")
    chosen = [row for row in rows if not options.only or row[0] in options.only][::max(options.every, 1)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = []
        for row in pool.map(lambda one: measured(options, *one), chosen):
            print(f"{row['name']}: {row['seconds']:.1f} s", file=sys.stderr, flush=True)
            results.append(row)
    lines = list(lines_of(results, options.seed))
    if options.print:
        print("\n".join(lines))
        return
    today = datetime.date.today().isoformat()
    text = PAGE.read_text()
    head = text[:text.index("<!-- table")]
    PAGE.write_text(f"{head}<!-- table: scripts/nightly minimal-cases {options.seed}, {today} -->\n\n"
                    + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
