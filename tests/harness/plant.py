"""Writes copies of the sources that hold every fault of the list behind a switch.

`plant.py OUT [--ci]` writes OUT/qkvet/ROOM/FILE for each source with a fault (with --ci: with one
of the faults for CI) and for the sources that include a planted header; `plant.py --list [--ci]`
prints the names of the copies that are compiled. A fault whose lines are gone is left out and said.
"""

import pathlib
import re
import sys

import faults as listed

INCLUDE = re.compile(r"#include <qkvet/([^>]+)>")


def switched(fault, inner):
    """The text that holds both the fault and the original (which may hold further faults)."""
    if fault.statement:
        return f"if (QKVET_FAULT({fault.number})) {{ {fault.now} }} else {{ {inner} }}"
    return f"(QKVET_FAULT({fault.number}) ? ({fault.now}) : ({inner}))"


def planted(text, here, stale):
    """The source with its faults; `here` are the faults of this file."""
    spans = []
    for fault in here:
        try:
            spans.append((*listed.span(fault, text), fault))
        except listed.Stale as error:
            stale.append(str(error))
    # Outer ones first; of equal spans the later fault lies inside the earlier one.
    spans.sort(key=lambda item: (item[0], -item[1], item[2].number))

    def render(begin, end, items):
        out, at = "", begin
        while items:
            first, last, fault = items[0]
            inside = [item for item in items[1:] if item[0] < last]
            for item in inside:
                if item[1] > last:
                    raise SystemExit(f"{fault.name} and {item[2].name} overlap")
            out += text[at:first] + switched(fault, render(first, last, inside))
            at = last
            items = items[1 + len(inside):]
        return out + text[at:end]

    return render(0, len(text), spans)


def includers(headers):
    """Sources of the same room that include one of the headers, straight or through another."""
    wanted = set(headers)
    rooms = {header.split("/")[0] for header in headers}
    files = [path for room in rooms for path in sorted((listed.SOURCES / room).iterdir())]
    grown = True
    while grown:
        grown = False
        for path in files:
            name = path.relative_to(listed.SOURCES).as_posix()
            if name not in wanted and wanted & set(INCLUDE.findall(path.read_text())):
                wanted.add(name)
                grown = True
    return wanted - set(headers)


def plan(only_ci):
    """Faults by file, for every file that has a copy."""
    chosen = [fault for fault in listed.read_faults() if fault.ci or not only_ci]
    by_file = {}
    for fault in chosen:
        by_file.setdefault(fault.file, []).append(fault)
    headers = [name for name in by_file if not name.endswith(".cpp")]
    for name in includers(headers) if headers else ():
        by_file.setdefault(name, [])
    return by_file


def main(arguments):
    only_ci = "--ci" in arguments
    by_file = plan(only_ci)
    if "--list" in arguments:
        print(";".join(sorted(name for name in by_file if name.endswith(".cpp"))), end="")
        return 0
    out = pathlib.Path(arguments[0])
    stale = []
    for name, here in sorted(by_file.items()):
        text = planted((listed.SOURCES / name).read_text(encoding="ascii"), here, stale)
        path = out / "qkvet" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="ascii") != text:
            path.write_text(text, encoding="ascii")
    for line in stale:
        print(f"plant.py: stale fault left out: {line}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
