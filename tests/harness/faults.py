"""Reads the list of faults and finds each one's place in the source as it is today."""

import pathlib
import tomllib
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = ROOT / "src/qkvet"
LISTS = ("drawn.toml", "named.toml")


class Fault(NamedTuple):
    number: int  # of the switch
    name: str
    file: str  # below src/qkvet
    operator: str
    near: str  # lines of the file that occur once
    was: str  # an expression in them (or, with `statement`, a statement)
    now: str
    nth: int  # which occurrence of `was` in `near`
    statement: bool
    equivalent: str  # why no test can notice it; empty if one must
    drawn: bool  # by draw.py, not written by hand
    ci: tuple  # (test program, gtest filter) that notices it in CI, or ()

    @property
    def room(self):
        return self.file.split("/")[0]


class Stale(Exception):
    """The source has changed: the fault has no place any more."""


def read_faults():
    """Drawn ones, then named ones; numbers follow the order."""
    faults = []
    for name in LISTS:
        path = HERE / name
        if not path.exists():
            continue
        for entry in tomllib.loads(path.read_text(encoding="ascii")).get("fault", []):
            unknown = set(entry) - {"name", "file", "operator", "near", "was", "now", "nth",
                                    "statement", "equivalent", "ci"}
            if unknown:
                raise SystemExit(f"{path.name}: fault {entry.get('name')}: unknown {unknown}")
            faults.append(Fault(len(faults), entry["name"], entry["file"], entry["operator"],
                                entry["near"], entry["was"], entry["now"], entry.get("nth", 1),
                                entry.get("statement", False), entry.get("equivalent", ""),
                                name == LISTS[0], tuple(entry.get("ci", ()))))
    names = [fault.name for fault in faults]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit(f"faults named twice: {sorted(twice)}")
    return faults


def span(fault, text):
    """Where the fault's `was` lies in the text of its file. Raises Stale."""
    if text.count(fault.near) != 1:
        raise Stale(f"{fault.name}: its lines occur {text.count(fault.near)} times in {fault.file}: "
                    f"{fault.near.strip()!r}")
    at = text.index(fault.near)
    inner = -1
    for _ in range(fault.nth):
        inner = fault.near.find(fault.was, inner + 1)
        if inner < 0:
            raise Stale(f"{fault.name}: {fault.was!r} is not in its lines ({fault.file})")
    return at + inner, at + inner + len(fault.was)


def line_of(fault):
    """Number of the line in which the fault begins."""
    text = (SOURCES / fault.file).read_text(encoding="ascii")
    return text.count("\n", 0, span(fault, text)[0]) + 1
