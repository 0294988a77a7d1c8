"""Renews the tables of docs/trust.md and their summary in README.md: `trust.py BIN PART...`.

soundness: BIN/fleet_run in every format (--cases N problems each; a tenth as many with values that
follow the weights; SUSPECT on a hundredth). detection: the means of docs/detection.md as it stands.
cost: BIN/bench_ladder. Each part replaces its own section; the others stay as they were. Exit 1 if
an honest kernel failed, or too much could not be judged, or too many were suspect.
"""

import argparse
import concurrent.futures
import datetime
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE, README, DETECTION = (ROOT / name for name in ("docs/trust.md", "README.md",
                                                    "docs/detection.md"))
FORMATS = ("f64", "f32", "bf16", "f16")
SEED = 20261130


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def when_and_where(binaries):
    """Date, compiler and processor in words; the compiler is that of the build."""
    cache = (binaries.parent / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE).group(1)
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    words = re.sub(r" \(.*?\)", "", version.stdout.splitlines()[0])
    return f"{datetime.date.today()}, {words.split('/')[-1]}, {processor()}"


def replaced(text, name, body):
    """`text` with the section between the markers of `name` replaced."""
    begin, end = f"<!-- {name}: scripts/nightly trust -->", f"<!-- end of {name} -->"
    if begin not in text or end not in text:
        raise SystemExit(f"trust.py: no section '{name}' to put the figures in")
    return text[:text.index(begin)] + f"{begin}\n{body}\n{end}" + text[text.index(end) + len(end):]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


# --- soundness


def muster(binaries, format_name, cases, hostile, suspects):
    """One run of the fleet: (what it printed, its exit status, its JSON)."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "fleet.json"
        done = subprocess.run(
            [str(binaries / "fleet_run"), "--format", format_name, "--cases", str(cases),
             "--seed", str(SEED), "--values", "hostile" if hostile else "drawn",
             "--suspects", str(suspects), "--json", str(report)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if not report.exists():
            raise SystemExit(f"fleet_run {format_name}: {done.stdout}{done.stderr}")
        return done.stdout, done.returncode, json.loads(report.read_text())


def by_contract(drawn, hostile):
    """Rows of the table of one format."""
    groups = {}
    for index, run in enumerate((drawn, hostile)):
        for kernel in run["kernels"]:
            if kernel["cases"] == 0:  # it does not take the format
                continue
            group = groups.setdefault(kernel["contract"], {
                "kernels": set(), "judged": 0, "open": 0, "all": 0, "failures": 0,
                "worst": [(0, ""), (0, "")]})
            group["kernels"].add(kernel["name"])
            group["judged"] += kernel["judged"]
            group["open"] += kernel["uncheckable"]
            group["all"] += kernel["judged"] + kernel["exempt"] + kernel["uncheckable"]
            group["failures"] += kernel["failures"]
            group["worst"][index] = max(group["worst"][index], (kernel["worst"], kernel["name"]))
    for contract, group in groups.items():
        worst = [f"{ratio:.3f} ({name})" if ratio > 0 else "0" for ratio, name in group["worst"]]
        yield (drawn["format"], contract, len(group["kernels"]), f"{group['judged']:,}",
               f"{100 * group['open'] / max(group['all'], 1):.1f} %", group["failures"], *worst)


def soundness(binaries, cases, jobs):
    """(the section's text, the README's line, 1 if anything is wrong)."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {(name, hostile): pool.submit(
            muster, binaries, name, max(cases // 10, 1) if hostile else cases, hostile,
            0 if hostile else max(cases // 100, 20))
                for name in FORMATS for hostile in (False, True)}
    rows, summary, wrong = [], [], 0
    suspects = []
    for name in FORMATS:
        answers = [runs[name, hostile].result() for hostile in (False, True)]
        for text, status, _ in answers:
            if status != 0:
                print(text)
                wrong = 1
        drawn, hostile = (answer[2] for answer in answers)
        rows += by_contract(drawn, hostile)
        kernels = drawn["kernels"] + hostile["kernels"]
        summary.append((name, sum(1 for k in drawn["kernels"] if k["cases"] > 0), f"{sum(k['judged'] for k in kernels):,}",
                        sum(k["failures"] for k in kernels),
                        f"{max(k['worst'] for k in kernels):.4f}"))
        if "suspects" in drawn:
            s = drawn["suspects"]
            suspects.append((name, s["cases"], f"{s['pairs']:,}", s["above"], s["suspect"],
                             f"{100 * s['above'] / max(s['pairs'], 1):.2g} %",
                             f"{100 * s['stated']:.2g} %"))
    head = (f"{when_and_where(binaries)}; {cases:,} problems of each format, seed {SEED}, and "
            f"{max(cases // 10, 1):,} with values that follow the weights.")
    text = "\n\n".join([
        head,
        table(("format", "contract", "kernels", "outputs and LSEs judged", "uncheckable",
               "violations", "largest error / bound", "the same, hostile values"), rows),
        "SUSPECT on the same kernels, seed 99 (no critical values exist for f64):",
        table(("format", "cases", "pairs of case and kernel", "above at first sight", "suspect",
               "rate above", "stated"), suspects)])
    short = table(("format", "honest kernels", "outputs judged", "violations",
                   "largest error / bound"), summary)
    return text, f"{head}\n\n{short}", wrong


# --- detection


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def detection():
    """(the section's text, the README's table)."""
    text = DETECTION.read_text(encoding="utf-8")
    full, short, header = [], [], []
    for name in FORMATS:
        part = re.search(rf"^### {name}\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL)
        lines = [line for line in (part.group(1) if part else "").splitlines()
                 if line.startswith("|")]
        kept = [cells(line) for line in lines
                if line.startswith(("| **mean over the list", "| *false alarms"))]
        if len(kept) != 2 or (header and header != cells(lines[0])[2:]):
            raise SystemExit(f"trust.py: docs/detection.md has no table of {name} that is known here")
        header = cells(lines[0])[2:]
        mean, alarms = ([cell.replace("**", "") for cell in row] for row in kept)
        full.append((name, f"wrong kernels rejected, mean over {mean[1]}", *mean[2:]))
        full.append((name, alarms[0].strip("*").replace("false alarms, ", "runs rejected of "),
                     *alarms[2:]))
        # Of our columns the third figure: outputs, LSEs and the run on probe values.
        short.append((name, *[cell.split(" \u00b7 ")[2] if " \u00b7 " in cell else cell
                              for cell in mean[2:]]))
    ours = [column if "`" in column else f"qkvet, {column}" for column in header]
    return table(("format", "", *header), full), table(("format", *ours), short)


# --- cost


def cost(binaries):
    done = subprocess.run([str(binaries / "bench_ladder")], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    rows = "\n".join(line for line in lines if line.startswith("|"))
    rungs = "\n".join("- " + line.strip() for line in lines if line.startswith("  "))
    return f"{when_and_where(binaries)}.\n\n{rows}\n\nWhich rung decided:\n\n{rungs}", rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("parts", nargs="+", choices=("soundness", "detection", "cost"))
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.cases < 1 or options.jobs < 1:
        parser.error("--cases and --jobs must be at least 1")
    wrong = 0
    for part in options.parts:
        if part == "soundness":
            full, short, wrong = soundness(options.binaries, options.cases, options.jobs)
        else:
            full, short = detection() if part == "detection" else cost(options.binaries)
        for path, text in ((PAGE, full), (README, short)):
            old = path.read_text(encoding="utf-8")
            path.write_text(replaced(old, part, text), encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
