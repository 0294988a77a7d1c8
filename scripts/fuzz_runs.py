"""Measures the fuzzers: `plants` proves that they find, `speed` says how fast they are.

fuzz_runs.py plants BIN SEEDS OUT SECONDS [RUNS]: each planted fault in the target that must find it,
guided from the committed seeds and then blind for as long, with RUNS seeds; a Markdown table on stdout.
fuzz_runs.py deep BIN SEEDS OUT SECONDS [RUNS]: each deep fault, with our mutators and feedback and with
the engine's own mutators: the same target, seeds and dictionary; a time-out counts as the limit.
fuzz_runs.py speed BIN SEEDS OUT [RUNS]: executions per second of tiny differential, best of RUNS.
All times are those of the processor, so that a busy machine does not decide.
"""

import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys

# Plant, the target that must find it.
PLANTS = [("nan_of_two_masks", "fully_masked"), ("no_maximum", "overflow"),
          ("sentinel", "differential")]
# Deep fault, flags of the target.
DEEP = [("deep_empty_row", []), ("deep_wrong_key", ["--size=tiles"]), ("deep_sentinel", [])]
ENGINES = [("ours", "", []), ("default", "_default", ["--feedback=no"])]
DICTIONARY = pathlib.Path(__file__).resolve().parents[1] / "fuzz" / "dictionaries" / "draw.dict"
BLIND_LEAST = 6.0  # seconds
FLAGS = ["-max_len=4096", "-use_counters=0", "-reduce_inputs=0", "-entropic=0",
         "-reload=0", "-print_final_stats=1"]


def start(command, folder, log, seconds):
    """Starts a program that ends by itself, by a find, or after so many seconds of the processor."""
    limit = int(seconds) + 1
    return subprocess.Popen(
        command, cwd=folder, stdout=log, stderr=subprocess.STDOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))


def finish(process):
    """Exit status and seconds of the processor."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return status, usage.ru_utime + usage.ru_stime


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "corpus").mkdir(parents=True)
    return folder


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def one_run(plant, target, seed, binaries, seeds, out, seconds):
    """A guided run, then a blind one for as long, or for BLIND_LEAST if the guided one was short."""
    folder = fresh(out / f"{plant}-{seed}")

    def run(name, command, limit):
        with open(folder / f"{name}.log", "w") as log:
            _, used = finish(start(command, folder, log, limit))
        text = (folder / f"{name}.log").read_text(errors="replace")
        tries = number(r"(?:number_of_executed_units:|blind:) (\d+)", text) or number(r"#(\d+)", text)
        return "qkvet fuzz: FAIL" in text, used, tries

    guided = run("guided", [str(binaries / f"fuzz_{target}_plant_{plant}"), *FLAGS,
                            f"-seed={seed}", f"-artifact_prefix={folder}/",
                            str(folder / "corpus"), str(seeds / target)], seconds)
    least = max(BLIND_LEAST, guided[1])
    blind = run("blind", [str(binaries / f"fuzz_{target}_blind_{plant}"), "--blind", str(seed),
                          str(least)], least + 5)
    return {"guided": guided, "blind": blind}


def words(found, used, tries, exact):
    count = f"{tries:,}" if exact else f"over {tries:,}"
    return f"found after {used:.1f} s, {count}" if found else f"nothing in {used:.0f} s, {count}"


def plants(binaries, seeds, out, seconds, runs):
    print("| plant | target | seed | guided: processor time, executions | blind: the same, draws |")
    print("| --- | --- | --- | --- | --- |")
    missed = 0
    for seed in range(1, runs + 1):
        for plant, target in PLANTS:
            seen = one_run(plant, target, seed, binaries, seeds, out, seconds)
            missed += not seen["guided"][0]
            print(f"| {plant} | {target} | {seed} | {words(*seen['guided'], exact=True)} | "
                  f"{words(*seen['blind'], exact=not seen['blind'][0])} |", flush=True)
    print(f"fuzz-plants: {len(PLANTS) * runs - missed} of {len(PLANTS) * runs} guided runs found "
          f"their plant within {seconds:g} s of the processor", file=sys.stderr)
    return 1 if missed else 0


def deep_run(fault, flags, seed, engine, binaries, seeds, out, seconds):
    """Whether the fault was found, the seconds of the processor, the executions."""
    name, program, own = engine
    folder = fresh(out / f"{fault}-{name}-{seed}")
    command = [str(binaries / f"fuzz_differential{program}_{fault}"), *FLAGS, *flags, *own,
               f"-dict={DICTIONARY}", f"-seed={seed}", f"-artifact_prefix={folder}/",
               str(folder / "corpus"), str(seeds / "differential")]
    with open(folder / "log", "w") as log:
        _, used = finish(start(command, folder, log, seconds))
    text = (folder / "log").read_text(errors="replace")
    found = "qkvet fuzz: FAIL" in text
    tries = number(r"number_of_executed_units: (\d+)", text) or number(r"#(\d+)", text)
    return found, min(used, seconds) if found else seconds, tries


def deep(binaries, seeds, out, seconds, runs):
    print("| fault | seed | our mutators and feedback | the engine's own mutators |")
    print("| --- | --- | --- | --- |")
    took = {(fault, name): [] for fault, _ in DEEP for name, _, _ in ENGINES}
    hits = dict.fromkeys(took, 0)
    for seed in range(1, runs + 1):
        for fault, flags in DEEP:
            cells = []
            for engine in ENGINES:
                found, used, tries = deep_run(fault, flags, seed, engine, binaries, seeds, out, seconds)
                took[fault, engine[0]].append(used)
                hits[fault, engine[0]] += found
                cells.append(words(found, used, tries, exact=False))
            print(f"| {fault} | {seed} | {cells[0]} | {cells[1]} |", flush=True)
    print(f"\nMedians of {runs} seeds, limit {seconds:g} s of the processor, a time-out counts as the limit:\n")
    print("| fault | ours: found, median | the engine's own: found, median | ratio |")
    print("| --- | --- | --- | --- |")
    for fault, _ in DEEP:
        ours, own = (statistics.median(took[fault, name]) for name in ("ours", "default"))
        at_least = "at least " if hits[fault, "default"] * 2 <= runs and hits[fault, "ours"] * 2 > runs else ""
        print(f"| {fault} | {hits[fault, 'ours']} of {runs}, {ours:.1f} s | "
              f"{hits[fault, 'default']} of {runs}, {own:.1f} s | {at_least}{own / ours:.1f} |")
    return 0


def speed(binaries, seeds, out, runs):
    for suffix, name, count in [("", "coverage", 150_000),
                                ("_san", "coverage, ASan and UBSan", 50_000)]:
        folder = fresh(out / f"speed{suffix}")
        best = 0.0
        for n in range(runs + 1):  # the first one makes a corpus to start from and is not counted
            command = [str(binaries / f"fuzz_differential{suffix}"), *FLAGS, f"-runs={count}",
                       f"-seed={n + 1}", str(folder / "corpus"), str(seeds / "differential")]
            with open(folder / "log", "w") as log:
                status, used = finish(start(command, folder, log, 600))
            if status != 0:
                print((folder / "log").read_text(errors="replace")[-2000:], file=sys.stderr)
                return 1
            if n > 0:
                best = max(best, count / used)
        print(f"tiny differential, {name}: {best:,.0f} executions a second of the processor "
              f"(best of {runs} runs of {count:,}, the start included)", flush=True)
    return 0


def main():
    if len(sys.argv) < 5 or sys.argv[1] not in ("plants", "deep", "speed"):
        print(__doc__, file=sys.stderr)
        return 2
    job, binaries, seeds, out = sys.argv[1], *(pathlib.Path(a).resolve() for a in sys.argv[2:5])
    out.mkdir(parents=True, exist_ok=True)
    rest = sys.argv[5:]
    if job == "speed":
        return speed(binaries, seeds, out, int(rest[0]) if rest else 3)
    if job == "deep":
        return deep(binaries, seeds, out, float(rest[0]) if rest else 60.0,
                    int(rest[1]) if len(rest) > 1 else 10)
    return plants(binaries, seeds, out, float(rest[0]) if rest else 60.0,
                  int(rest[1]) if len(rest) > 1 else 5)


if __name__ == "__main__":
    sys.exit(main())
