"""docs/third-party.md, one section a third party, from the reports of scripts/third_party.py."""

import shlex
import textwrap

HEADER = """# Third parties that were vetted

What really ran, with versions, written by `scripts/vet-third-party`. A FAIL becomes a line here only
after the question: which honest kernel could give this output, and what do that vendor's documents
say? What is only a convention is a switch of the preset, with its source (`qkvet list presets`); what
is wrong is a trophy ([trophies.md](trophies.md)), is replayed, and is then left out of the campaigns
(`--where`) so that the rest is judged too. Libraries choose their arithmetic by the processor: the
lines name it. Where a feature is not refused, no number stands in brackets.

*State of this page.* Every section is the script's own, with the remarks of `scripts/third-party.json`;
`cases` there says how many cases each property gets in each format. They are fewer than a campaign of
profile `ci` (`QKVET_PROFILE=ci` runs one), and fewest for JAX, which compiles each shape anew.
"""


def marks(name):
    return f"<!-- {name} begins -->\n", f"<!-- {name} ends -->\n"


def replace(path, name, text):
    """Puts `text` in the place of the section `name`, or at the end; other sections stay."""
    begin, end = marks(name)
    old = path.read_text(encoding="ascii") if path.exists() else ""
    if begin in old and end in old:
        before, rest = old.split(begin, 1)
        after = rest.split(end, 1)[1]
    else:
        before, after = old.rstrip("\n") + "\n\n" if old else HEADER + "\n", ""
    if not before.startswith(HEADER):
        at = before.find("<!--")
        before = HEADER + "\n" + (before[at:] if at >= 0 else "")
    path.write_text(before + begin + text + end + after, encoding="ascii")


def section(party, versions, declined, runs, trophies, machine):
    """The section of one party: what ran, what it said, what was noticed."""
    main = party["packages"][0]
    others = ", ".join(f"{name} {number}" for name, number in versions.items() if name != main)
    lines = [f"## {party['title']}: {main} {versions[main]}", ""]
    lines += wrapped(f"`scripts/vet-third-party {party['name']}`, which ran with {others} on "
                     f"{machine}.")
    for run in runs:
        lines += ["", *campaign(run)]
    if declined:
        lines += ["", "Formats that are declined, by one call each:", ""]
        for part in declined:
            how = "refused" if part["refused"] else "**not refused cleanly**"
            lines += item(f"{part['format']}, {how}: \"{shortened(part['words'], 300)}\"")
    if party["trophies"]:
        lines += ["", "Known to be wrong, replayed:", ""]
        for trophy, wrong in zip(party["trophies"], trophies):
            state = "still wrong" if wrong else f"exit {trophy['code']}, so no longer as recorded"
            lines += item(f"[{trophy['case'].split('/')[-1]}](../{trophy['case']}), "
                          f"{trophy['property']}, `{trophy['function']}`: **{state}**")
    if party["noticed"]:
        lines += ["", "What was noticed:", ""]
        for note in party["noticed"]:
            lines += item(note)
    return "\n".join(lines) + "\n\n"


def wrapped(text):
    return textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)


def item(text):
    return textwrap.wrap(text, 100, initial_indent="- ", subsequent_indent="  ",
                         break_long_words=False, break_on_hyphens=False)


def campaign(run):
    """One campaign in all its formats: commands, verdicts, features."""
    parts = run["parts"]
    lines = [*wrapped(run["about"]), "", "```", *commands(parts), "```", "",
             "| format | cases | accepted | refused | verdict | FAIL | suspect | undecided | "
             "error/bound |", "|---|---:|---:|---:|---|---:|---:|---:|---:|"]
    lines += [row(part) for part in parts]
    lines += ["", *features(parts), *untested(parts), *most_often(parts), *weak(parts)]
    for part in parts:
        lines += findings(part["report"])
    return lines


def commands(parts):
    """What was typed: formats that only differ by --dtype in one loop."""
    groups = {}
    for part in parts:
        at = part["words"].index("--dtype")
        groups.setdefault((*part["words"][:at], *part["words"][at + 2:]), []).append(part["format"])
    lines = []
    for words, formats in groups.items():
        if len(formats) == 1:
            lines += shell([*words, "--dtype", formats[0]], "")
        else:
            lines += [f"for format in {' '.join(formats)}; do",
                      *shell([*words, "--dtype"], "  ", " $format"), "done"]
    return lines


def shell(words, indent, last=""):
    """A command line of at most 100 columns a line, which can be pasted. `last` is not quoted."""
    lines = [indent + "qkvet"]
    for word in [*map(shlex.quote, words[1:]), *last.split()]:
        if len(lines[-1]) + 1 + len(word) > 98:
            lines.append(indent + " ")
        lines[-1] += " " + word
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def row(part):
    """The line of one format in the table."""
    report = part["report"]
    words = {0: "**holds**", 1: "**FAIL**", 3: "not tested", 4: "inconclusive"}
    tested = [entry for entry in report["properties"] if entry["cases"]]
    total = {key: sum(entry[key] for entry in tested)
             for key in ("cases", "fail", "suspect", "undecided")}
    accepted = sum(feature["accepted"] for feature in report["features"]
                   if feature["name"] == part["format"])
    ratios = [float(entry["worst_ratio"]) for entry in tested if entry["worst_ratio"] is not None]
    cells = (part["format"], total["cases"], accepted, report["refused"]["refused"],
             words.get(part["code"], f"exit {part['code']}"), total["fail"], total["suspect"],
             total["undecided"], f"{max(ratios):.3g}" if ratios else "-")
    return "| " + " | ".join(map(str, cells)) + " |"


def features(parts):
    """Each feature with its draws over all formats, and the contracts."""
    counts = {}
    for part in parts:
        for feature in part["report"]["features"]:
            if feature["name"] != part["format"]:
                count = counts.setdefault(feature["name"], [0, 0])
                count[0] += feature["accepted"]
                count[1] += feature["refused"]
    texts = [f"{name} {accepted}" + (f" ({refused})" if refused else "")
             for name, (accepted, refused) in sorted(counts.items())]
    properties = max(len([entry for entry in part["report"]["properties"] if entry["cases"]])
                     for part in parts)
    contracts = dict.fromkeys(f"{entry['name']}/{entry['version']}" for part in parts
                              for entry in part["report"]["contracts"])
    return wrapped(f"{properties} properties, under {', '.join(contracts)}. Accepted (refused) by "
                   f"feature: {', '.join(texts)}.")


def untested(parts):
    """Properties without a case, per format if the formats differ."""
    names = {}
    for part in parts:
        for entry in part["report"]["properties"]:
            if not entry["cases"]:
                names.setdefault(entry["name"], []).append(part["format"])
    if not names:
        return []
    texts = [name + ("" if len(formats) == len(parts) else f" ({', '.join(formats)})")
             for name, formats in names.items()]
    why = "" if any(part["code"] == 3 for part in parts) else ", since it never applies here"
    return wrapped(f"Not tested{why}: {', '.join(texts)}.")


def most_often(parts):
    """The refusal that is heard most, once for formats that say the same."""
    said = {}
    for part in parts:
        if part["report"]["refused"]["refused"]:
            said.setdefault(shortened(part["report"]["refused"]["most_often"]), []).append(
                part["format"])
    return [line for text, formats in said.items()
            for line in wrapped(f"Refused most often ({', '.join(formats)}): \"{text}\".")]


def shortened(text, most=150):
    text = " ".join(text.encode("ascii", "replace").decode().replace("\\n", " ").split())
    return text if len(text) <= most else text[:most - 3] + "..."


def weak(parts):
    """Strata in which more than half of what was looked at could not be judged."""
    found = []
    for part in parts:
        for stratum in part["report"]["strata"]:
            elements = stratum["elements"]
            total, blind = sum(elements.values()), elements["exempt"] + elements["uncheckable"]
            if total and blind > total / 2:
                found.append(f"{stratum['name']} in {part['format']} ({100 * blind / total:.0f} %)")
    if not found:
        return []
    return wrapped("Weak (exempt or uncheckable elements): " + ", ".join(found) + ".")


def findings(report):
    lines = []
    for finding in report["findings"]:
        lines += ["", *item(f"{finding['property']}: {shortened(finding['message'])}"),
                  f"  `{finding['case']}`"]
    return lines
