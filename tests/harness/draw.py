"""Draws the sample of faults: `draw.py SEED > drawn.toml`, run from a configured build folder's root.

Every room gets its number, the operators take turns, and within an operator each site is as likely
as any other. A drawn fault that does not compile is replaced by the next one. The sample is kept in
drawn.toml rather than drawn anew, so that a fault keeps its name while the sources change; draw
again when many are stale.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import faults as listed
import plant
import sites

ROOMS = {"bound": 21, "check": 14, "oracle": 18, "problem": 12, "campaign": 10}
# Templates of the oracles are in headers that only their own room includes.
HEADERS = ("oracle/attention.hpp", "oracle/arb_balls.ipp", "oracle/arb_row.ipp")
NOT_OURS = ("oracle/misread.cpp",)  # plants faults itself
OPERATORS = ("comparison", "term dropped", "halved", "sign", "index", "rounding direction",
             "constant")


def near_of(text, start, end):
    """Whole lines around a span that occur once: those of the span, then more before it."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    while True:
        near = text[first:last + 1]
        if text.count(near) == 1 or first == 0:
            return near
        first = text.rfind("\n", 0, first - 1) + 1


def candidates(room):
    """Sites of a room by operator: (file, near, was, nth, now)."""
    found = {operator: [] for operator in OPERATORS}
    names = sorted(p.relative_to(listed.SOURCES).as_posix()
                   for p in (listed.SOURCES / room).glob("*.cpp"))
    for name in names + [h for h in HEADERS if h.startswith(room + "/")]:
        if name in NOT_OURS:
            continue
        text = (listed.SOURCES / name).read_text(encoding="ascii")
        for site in sites.sites_of(text):
            near = near_of(text, site.start, site.end)
            was = text[site.start:site.end]
            nth = near[:site.start - text.index(near) + len(was)].count(was)
            inner, steps = -1, 0
            while inner != site.start - text.index(near):
                inner = near.find(was, inner + 1)
                steps += 1
            nth = steps
            found[site.operator].append((name, near, was, nth, site.now))
    return found


def command_of(name, build):
    """The compiler's command line for a source, without its outputs."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] == str(listed.SOURCES / name):
            words = [w for w in entry["command"].split() if "ccache" not in w]
            keep, skip = [], False
            for word in words:
                if skip or word in ("-c", str(listed.SOURCES / name), "-Werror"):
                    skip = False
                elif word in ("-o", "-MF", "-MT"):
                    skip = True
                elif word != "-MD":
                    keep.append(word.replace('\\"', '"'))
            return keep
    raise SystemExit(f"{name} is not in compile_commands.json")


def compiles(fault, build):
    """Does the planted copy of this one fault compile?"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        names = {fault.file} | (plant.includers([fault.file])
                                if not fault.file.endswith(".cpp") else set())
        for name in names:
            here = [fault] if name == fault.file else []
            path = out / "qkvet" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(plant.planted((listed.SOURCES / name).read_text(), here, []))
        source = sorted(n for n in names if n.endswith(".cpp"))[0]
        words = command_of(source, build)
        result = subprocess.run(
            [words[0], f"-I{out}", *words[1:], "-w", "-fsyntax-only", "-include",
             str(listed.HERE / "fault.hpp"), str(out / "qkvet" / source)],
            capture_output=True, text=True, check=False)
        return result.returncode == 0


def draw(seed, build):
    dice = random.Random(seed)
    for room, wanted in ROOMS.items():
        pools = candidates(room)
        for pool in pools.values():
            dice.shuffle(pool)
        taken = []
        turn = 0
        while len(taken) < wanted and any(pools.values()):
            pool = pools[OPERATORS[turn % len(OPERATORS)]]
            turn += 1
            while pool:
                name, near, was, nth, now = pool.pop()
                fault = listed.Fault(0, f"{room}-{len(taken) + 1:02}", name,
                                     OPERATORS[(turn - 1) % len(OPERATORS)], near, was, now, nth,
                                     False, "", ())
                if all((f.file, f.near, f.was, f.nth) != (name, near, was, nth) for f in taken) \
                        and compiles(fault, build):
                    taken.append(fault)
                    break
        yield from taken


def toml(fault):
    lines = ["[[fault]]", f'name = "{fault.name}"', f'file = "{fault.file}"',
             f'operator = "{fault.operator}"', f"near = '''\n{fault.near}'''",
             f"was = '''{fault.was}'''", f"now = '''{fault.now}'''"]
    if fault.nth > 1:
        lines.append(f"nth = {fault.nth}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    seed = int(sys.argv[1])
    print(f"# Drawn by tests/harness/draw.py {seed}. The lines `equivalent` and `ci` were added by "
          "hand.\n")
    for chosen in draw(seed, listed.ROOT / "build"):
        print(toml(chosen), flush=True)
