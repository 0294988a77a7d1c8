"""Writes docs/kill-matrix.md: matrix.py BIN FOLDER [--others N] [--jobs N] [--only NAME...].

Runs BIN/kill_matrix for every mutant of mutants.txt, one process each, and keeps its lines in
FOLDER/kill-matrix.tsv, so that a run that was cut short goes on (remove the file for a new one).
"""

import argparse
import concurrent.futures
import datetime
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "kill-matrix.md"
SEEDS = 3


def mutants():
    lines = (HERE / "mutants.txt").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")]
            for line in lines if line and not line.startswith("#")]
    return [row[0] for row in rows if row[3] != "-"]


def measured(binary, name, others):
    done = subprocess.run([binary, name, str(others)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"matrix.py: {name}: kill_matrix ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def row_of(line):
    name, kind, contract, killer, after, seconds, also, usual = line.split("\t")
    return {"name": name, "kind": kind, "contract": contract, "killer": killer,
            "after": after.split(" / "), "seconds": float(seconds), "also": also, "usual": usual}


def summary(rows):
    killed = [row for row in rows if "-" not in row["after"]]
    cases = [int(n) for row in rows for n in row["after"] if n != "-"]
    seconds = [row["seconds"] for row in rows]
    alone = sum("alone" in row["also"] for row in rows)
    usual = sum(row["usual"] == "passes" for row in rows)
    yield f"- {len(killed)} of {len(rows)} mutants are killed by their property with each of the seeds 1, 2, 3."
    yield (f"- Cases to the first FAIL: median {statistics.median(cases):.0f}, most {max(cases):,}; seconds of the "
           f"processor: median {statistics.median(seconds):.1f}, most {max(seconds):.0f}.")
    yield f"- {alone} are killed on some case that matches-reference passes."
    yield f"- {usual} of {len(rows)} pass the usual test."
    missed = [f"`{row['name']}` ({' / '.join(row['after'])})" for row in rows if "-" in row["after"]]
    if missed:
        yield "- Not killed with every seed: " + ", ".join(missed) + "."


def write_page(rows, others):
    text = PAGE.read_text()
    head = text[:text.index("<!-- table")]
    today = datetime.date.today().isoformat()
    lines = [f"<!-- table: scripts/nightly kill-matrix {others}, {today} -->", ""]
    lines += list(summary(rows)) + [""]
    lines += ["| mutant | class | wrong under | killed by | cases, seeds 1 / 2 / 3 | seconds | also killed by, seed 1 | usual test |",
              "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| `{row['name']}` | {row['kind']} | {row['contract']} | {row['killer']} | "
                     f"{' / '.join(row['after'])} | {row['seconds']:.1f} | {row['also']} | {row['usual']} |")
    PAGE.write_text(head + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--others", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    kept = options.folder / "kill-matrix.tsv"
    known = {}
    if kept.exists():
        known = {line.split("\t")[0]: line for line in kept.read_text().splitlines()}
    names = mutants()
    todo = [name for name in options.only or names if name in names and name not in known]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, kept.open("a") as out:
        for line in pool.map(lambda name: measured(options.bin / "kill_matrix", name, options.others), todo):
            out.write(line)
            out.flush()
            print(line.split("\t")[0], line.split("\t")[4], flush=True)
            known[line.split("\t")[0]] = line.rstrip("\n")
    if not options.only:
        write_page([row_of(known[name]) for name in names], options.others)


if __name__ == "__main__":
    main()
