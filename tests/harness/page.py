"""Writes the table of docs/harness.md between its markers from a run's results: `page.py RESULTS`."""

import json
import pathlib
import sys

import faults as listed

PAGE = listed.ROOT / "docs/harness.md"
BEGIN, END = "<!-- table: tests/harness/page.py -->", "<!-- end of table -->"


def code(text):
    """One line of code for a cell."""
    words = " ".join(text.split()).replace("|", "\\|").replace("qkvet_harness::", "")
    words = words if len(words) <= 90 else words[:87] + "..."
    return f"`{words}`" if words else "nothing"


def rows(faults, results):
    yield "| fault | place | operator | was -> made | noticed by |"
    yield "|---|---|---|---|---|"
    for fault in faults:
        outcome = results.get(fault.name, {"noticed": "", "how": "not run"})
        said = outcome["noticed"]
        if said and outcome["how"] in ("no end", "stopped"):
            said += f" ({'does not end' if outcome['how'] == 'no end' else 'stops'})"
        if fault.equivalent:
            said = "equivalent: " + fault.equivalent
        elif not said:
            said = f"**{outcome['how'] or 'SURVIVES'}**"
        yield (f"| {fault.name} | {fault.file}:{listed.line_of(fault)} | {fault.operator} | "
               f"{code(fault.was)} -> {code(fault.now)} | {said} |")


def summary(faults, results):
    """One sentence of counts: of the drawn faults, then of all."""
    def counts(chosen):
        equivalent = [f for f in chosen if f.equivalent]
        noticed = [f for f in chosen
                   if not f.equivalent and results.get(f.name, {}).get("noticed")]
        digests = [f for f in noticed if "digests" in results[f.name]["noticed"]]
        left = len(chosen) - len(equivalent) - len(noticed)
        return (f"{len(chosen)}: {len(noticed)} noticed by a test ({len(digests)} of them by golden "
                f"digests alone), {len(equivalent)} equivalent, {left} survived or not run")
    drawn = [f for f in faults if f.drawn]
    named = [f for f in faults if not f.drawn]
    return f"Drawn faults, {counts(drawn)}. Named ones, {counts(named)}.\n"


def main(results_path):
    results = json.loads(pathlib.Path(results_path).read_text())
    faults = listed.read_faults()
    text = PAGE.read_text(encoding="ascii")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    table = "\n".join([summary(faults, results), *rows(faults, results)])
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1])
