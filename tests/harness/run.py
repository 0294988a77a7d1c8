"""Turns each fault on in turn and asks the tests: `run.py BIN [--only NAME...] [--again]`.

BIN holds the programs harness_test_ROOM (and some others), built by target harness_mutants. For each
fault the tests of its own room run first, then the others, until one fails. What noticed it goes to
BIN/../harness-results.json, from which `page.py` writes the table of docs/harness.md. A run goes on
where an earlier one ended; --again starts over. Exit 1 if a fault survives that the list does not
call equivalent (or if one that it does was noticed).

`run.py BIN --ci`: the faults for CI, each with the one test that has to notice it.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

import faults as listed

# Programs in the order in which they are asked, cheap ones first, with their arguments.
PROGRAMS = {"test_num": [], "test_check": [], "test_bound": [], "test_problem": [],
            "test_oracle": [], "test_ladder": [], "test_campaign": [], "test_report": [], "test_properties": [],
            "test_mutants": [], "test_corpus": [],
            "fleet_run": ["--cases", "60"],
            "draw_digests": [str(listed.ROOT / "tests/problem/digests/golden.txt")]}
LAST_RUN = re.compile(r"^\[ RUN      \] (\S+)", re.MULTILINE)
FAILED = re.compile(r"^\[  FAILED  \] ([^\s,]+)", re.MULTILINE)


class Answer:
    """How one program ended."""

    def __init__(self, test, how, reached, seconds):
        self.test, self.how, self.reached, self.seconds = test, how, reached, seconds


def ask(command, number, cpu_limit, wall_limit=900):
    """Runs one program with a fault on (-1: none); `test` is empty if it passed."""
    with tempfile.TemporaryDirectory() as folder:
        reached = pathlib.Path(folder) / "reached"
        environment = {**os.environ, "QKVET_HARNESS_FAULT": str(number),
                       "QKVET_HARNESS_REACHED": str(reached)}

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 5))
            resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        before = time.monotonic()
        how = ""
        try:
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  preexec_fn=limits, timeout=wall_limit, check=False)
            output, code = done.stdout.decode(errors="replace"), done.returncode
        except subprocess.TimeoutExpired as late:
            output, code, how = (late.stdout or b"").decode(errors="replace"), 1, "no end"
        seconds = time.monotonic() - before
        if code == 0:
            return Answer("", "", reached.exists(), seconds)
        failed, started = FAILED.findall(output), LAST_RUN.findall(output)
        if code in (-24, -9):
            how = "no end"
        elif code < 0 or (not failed and started):
            how = how or "stopped"
        name = failed[0] if failed and how == "" else (started or [""])[-1]
        program = pathlib.Path(command[0]).name.replace("harness_ci_", "").replace("harness_", "")
        return Answer(f"{program}: {name}" if name else program, how or "failed", True, seconds)


def order_for(room):
    own = f"test_{room}"
    # The golden digests of drawing notice every change of it, so they are asked last.
    return sorted(PROGRAMS, key=lambda name: (name != own, list(PROGRAMS).index(name)))


def command_of(binaries, program):
    words = [str(binaries / f"harness_{program}"), *PROGRAMS[program]]
    return words + ["--gtest_fail_fast"] if program.startswith("test_") else words


def all_faults(options):
    binaries, kept = options.binaries, options.binaries.parent / "harness-results.json"
    results = json.loads(kept.read_text()) if kept.exists() and not options.again else {}
    chosen = [f for f in listed.read_faults() if not options.only or f.name in options.only]
    todo = [f for f in chosen if options.only or f.name not in results or
            (options.survivors and not results[f.name]["noticed"])]
    programs = options.programs or list(PROGRAMS)
    limits, limits_lock = {}, threading.Lock()
    failing = []  # programs that fail without any fault: nothing can be said then

    def limit_of(program):
        """Seconds of processor time for a program, from a run without a fault; None: not built."""
        with limits_lock:
            if program not in limits:
                limits[program] = None
                if (binaries / f"harness_{program}").exists():
                    answer = ask(command_of(binaries, program), -1, 900, 3600)
                    if answer.test:
                        failing.append(f"{answer.test} {answer.how} without any fault")
                        print(failing[-1], flush=True)
                        return None
                    limits[program] = int(5 * answer.seconds) + 10
                else:
                    print(f"{program} was not built: left out", flush=True)
            return limits[program]

    lock = threading.Lock()

    def one(fault):
        reached = False
        outcome = {"noticed": "", "how": "", "reached": False}
        try:
            listed.line_of(fault)
        except listed.Stale as stale:
            outcome["how"] = f"stale: {stale}"
        else:
            for program in order_for(fault.room):
                if options.own and program != f"test_{fault.room}":
                    continue
                limit = limit_of(program) if program in programs else None
                if limit is None:
                    continue
                answer = ask(command_of(binaries, program), fault.number, limit)
                reached = reached or answer.reached
                if answer.test:
                    outcome = {"noticed": answer.test, "how": answer.how}
                    break
            outcome["reached"] = reached
        with lock:
            results[fault.name] = outcome
            kept.write_text(json.dumps(results, indent=1))
            print(f"{fault.name}: {outcome['noticed'] or 'SURVIVES'} {outcome['how']}"
                  f"{'' if reached else ' (never reached)'}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, todo))
    return verdict(chosen, results) or (1 if failing else 0)


def verdict(chosen, results):
    bad = 0
    for fault in chosen:
        outcome = results[fault.name]
        if outcome["how"].startswith("stale"):
            print(f"{fault.name} is {outcome['how']}")
            bad += 1
        elif not outcome["noticed"] and not fault.equivalent:
            print(f"{fault.name} survives: {fault.file}:{listed.line_of(fault)}")
            bad += 1
        elif outcome["noticed"] and fault.equivalent:
            print(f"{fault.name} is called equivalent, but {outcome['noticed']} noticed it")
            bad += 1
    noticed = sum(1 for f in chosen if results[f.name]["noticed"])
    print(f"{len(chosen)} faults: {noticed} noticed, "
          f"{sum(1 for f in chosen if f.equivalent)} equivalent, {bad} wrong")
    return 1 if bad else 0


def for_ci(options):
    """Each fault of CI: its test passes without it and fails with it."""
    bad = 0
    chosen = [fault for fault in listed.read_faults() if fault.ci]
    for fault in chosen:
        program, test = fault.ci
        command = [str(options.binaries / f"harness_ci_{program}"), f"--gtest_filter={test}"]
        try:
            listed.line_of(fault)
        except listed.Stale as stale:
            print(f"{stale}. Say in tests/harness/*.toml where it is now.")
            bad += 1
            continue
        clean, spoilt = ask(command, -1, 60), ask(command, fault.number, 60)
        right = not clean.test and bool(spoilt.test)
        bad += not right
        print(f"{'ok ' if right else 'BAD'} {fault.name}: {program} {test} "
              f"{'fails without the fault' if clean.test else spoilt.how or 'does not notice'}")
    print(f"{len(chosen)} faults, {len(chosen) - bad} noticed")
    return 1 if bad or not chosen else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--again", action="store_true", help="forget earlier results")
    parser.add_argument("--only", nargs="+", default=[], help="names of faults")
    parser.add_argument("--programs", nargs="+", default=[], choices=list(PROGRAMS),
                        help="ask these only")
    parser.add_argument("--own", action="store_true", help="ask the tests of the own room only")
    parser.add_argument("--survivors", action="store_true",
                        help="go on with those that nothing has noticed yet")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.binaries = options.binaries.resolve()
    return for_ci(options) if options.ci else all_faults(options)


if __name__ == "__main__":
    sys.exit(main())
