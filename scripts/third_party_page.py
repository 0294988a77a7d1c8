"""docs/third-party.md, one section a third party, from the reports of scripts/third_party.py."""

import textwrap

HEADER = """# Third parties that were vetted

What really ran, with versions, written by `scripts/vet-third-party`. A FAIL becomes a line here only
after the question: which honest kernel could give this output, and what do that vendor's documents
say? What is only a convention is a switch of the preset, with its source (`qkvet list presets`); what
is wrong is a trophy ([trophies.md](trophies.md)), is replayed, and is then left out of the campaigns
(`--where`) so that the rest is judged too. Libraries choose their arithmetic by the processor: the
lines name it.
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


def section(party, versions, runs, trophies, machine):
    """The section of one party: what ran, what it said, what was noticed."""
    main = party["packages"][0]
    others = ", ".join(f"{name} {number}" for name, number in versions.items() if name != main)
    lines = [f"## {party['title']}: {main} {versions[main]}", ""]
    lines += wrapped(f"`scripts/vet-third-party {party['name']}`, which ran with {others} on "
                     f"{machine}.")
    for run in runs:
        lines += ["", *campaign(run)]
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
    """One campaign: command, features, verdict."""
    report = run["report"]
    lines = [*wrapped(run["about"]), "", "```", run["command"], "```", "",
             "| feature | accepted | refused |", "|---|---:|---:|"]
    lines += [f"| {feature['name']} | {feature['accepted']} | {feature['refused']} |"
              for feature in report["features"]]
    return lines + ["", *verdict(run), *weak(report), *findings(report)]


def verdict(run):
    report = run["report"]
    words = {0: "holds", 1: "FAIL", 3: "not tested", 4: "inconclusive"}
    properties = report["properties"]
    tested = [entry for entry in properties if entry["cases"]]
    total = {key: sum(entry[key] for entry in properties)
             for key in ("cases", "fail", "suspect", "undecided")}
    ratios = [float(entry["worst_ratio"]) for entry in tested if entry["worst_ratio"] is not None]
    worst = f"{max(ratios):.2g}" if ratios else "nothing judged"
    lines = wrapped(
        f"Verdict: **{words.get(run['code'], 'exit ' + str(run['code']))}**. {total['cases']} cases "
        f"of {len(tested)} properties under {contracts(report)}: {total['fail']} FAIL, "
        f"{total['suspect']} suspect, {total['undecided']} undecided; worst error/bound {worst}.")
    untested = [entry["name"] for entry in properties if not entry["cases"]]
    if untested:
        lines += wrapped("Not tested, since it never applies here: " + ", ".join(untested) + ".")
    refused = report["refused"]
    if refused["refused"]:
        lines += wrapped(f"Refused {refused['refused']} of {refused['draws']} draws, most often: "
                         f"\"{shortened(refused['most_often'])}\".")
    return lines


def contracts(report):
    return ", ".join(f"{entry['name']}/{entry['version']}" for entry in report["contracts"])


def shortened(text):
    text = " ".join(text.encode("ascii", "replace").decode().replace("\\n", " ").split())
    return text if len(text) <= 150 else text[:147] + "..."


def weak(report):
    """Strata in which more than half of what was looked at could not be judged."""
    found = []
    for stratum in report["strata"]:
        elements = stratum["elements"]
        total, blind = sum(elements.values()), elements["exempt"] + elements["uncheckable"]
        if total and blind > total / 2:
            found.append(f"{stratum['name']} ({100 * blind / total:.0f} %)")
    if not found:
        return []
    return wrapped("Weak (exempt or uncheckable elements): " + ", ".join(found) + ".")


def findings(report):
    lines = []
    for finding in report["findings"]:
        lines += ["", *item(f"{finding['property']}: {shortened(finding['message'])}"),
                  f"  `{finding['case']}`"]
    return lines
