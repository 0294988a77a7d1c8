"""Compares the findings of a JSON report with the committed list of known ones.

    known_findings.py NAME LIST REPORT

LIST has one finding a line, `NAME: signature`, and comments behind `#`. Exit 0 iff both are the same
set; every difference is printed with the line that shows it again.
"""

import json
import sys


def known(name, path):
    """The signatures that the list has for this candidate."""
    signatures = set()
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            entry = line.split("#")[0].strip()
            owner, colon, signature = entry.partition(":")
            if entry and not colon:
                sys.exit(f"{path}:{number}: no colon in {entry!r}; a line is `NAME: signature`")
            if entry and owner.strip() == name:
                signatures.add(signature.strip())
    return signatures


def main(name, list_path, report_path):
    try:
        with open(report_path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"no report to compare: {report_path}: {error}")
    found = {finding["signature"]: finding for finding in report["findings"]}
    expected = known(name, list_path)
    for signature in sorted(found.keys() - expected):
        print(f"NEW      {signature}\n         {found[signature]['repro']}")
    for signature in sorted(expected - found.keys()):
        print(f"MISSING  {signature} (known in {list_path}, not seen)")
    if found.keys() == expected:
        print(f"{name}: {len(expected)} findings, all of them as in {list_path}")
        return 0
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
