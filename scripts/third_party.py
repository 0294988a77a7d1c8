"""Vets third parties in environments of their own and writes docs/third-party.md.

    third_party.py [--check] [NAME...]

What is vetted stands in scripts/third-party.json, each run in all formats but those that the third
party `refuses`, of which the refusal is shown. --check only looks at the names. Each command is
printed as it can be typed again; findings that are known are replayed, and must still be findings.
"""

import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys

import third_party_page as page

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOME = ROOT / "build/third-party"
QKVET = "build/bin/qkvet"
SEED = 1
LIMITS = ("--load-timeout", "300s", "--call-timeout", "60s")  # for loaded machines
FORMATS = "f32", "f64", "bf16", "f16"


def main(arguments):
    parties = json.loads((ROOT / "scripts/third-party.json").read_text(encoding="ascii"))
    check = "--check" in arguments
    names = [name for name in arguments if name != "--check"]
    known = [party["name"] for party in parties]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"qkvet: no third party '{unknown[0]}'; known: {', '.join(known)}", file=sys.stderr)
        return 2
    if check:
        return 0
    as_recorded = True
    for party in parties:
        if not names or party["name"] in names:
            as_recorded &= vet(party)
    return 0 if as_recorded else 1


def vet(party):
    """Everything about one third party; True if it behaves as recorded."""
    print(f"== {party['name']}: {party['title']}", flush=True)
    python = environment(party)
    versions = {name: version(python, name) for name in party["packages"]}
    declined = [{"format": name, **asked(party, name, python)} for name in party["refuses"]]
    runs = [{**run, "parts": [checked(party, run, number, name) for name in judged(party)]}
            for number, run in enumerate(party["runs"], 1)]
    trophies = [replayed(party, trophy) for trophy in party["trophies"]]
    text = page.section(party, versions, declined, runs, trophies, machine())
    page.replace(ROOT / "docs/third-party.md", party["name"], text)
    return (all(part["refused"] for part in declined) and all(trophies)
            and all(part["code"] == 0 for run in runs for part in run["parts"]))


def judged(party):
    """The formats of the campaigns."""
    return [name for name in FORMATS if name not in party["refuses"]]


def asked(party, name, python):
    """How a format that the preset leaves out is refused: {"refused": bool, "words": str}."""
    words = [python, "scripts/third_party_ask.py", party["file"], party["runs"][0]["function"],
             name, f"presets/{party['like']}.json"]
    done = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        return {"refused": False, "words": f"exit {done.returncode}"}
    answer = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}: {'refused' if answer['refused'] else 'NOT refused'}: {answer['words']}")
    return answer


def environment(party):
    """The interpreter of the party's environment, which is made if it is not there."""
    folder = HOME / party["environment"]
    python = folder / "bin/python"
    stamp = folder / "qkvet-packages.txt"
    wanted = " ".join(party["packages"])
    if not (python.exists() and stamp.exists() and stamp.read_text(encoding="ascii") == wanted):
        progress(f"making {folder.relative_to(ROOT)} with {wanted}")
        run([sys.executable, "-m", "venv", folder])
        run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
             *party["packages"]])
        stamp.write_text(wanted, encoding="ascii")
    return python


def run(command):
    code = subprocess.run(list(map(str, command)), stdout=sys.stderr, check=False).returncode
    if code != 0:
        sys.exit(f"qkvet: exit {code} from {shlex.join(map(str, command))}")


def version(python, package):
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True,
                          check=True).stdout.strip()


def candidate(party, function):
    """The part of a command line that names the candidate."""
    words = [f"py:{party['file']}:{function}", "--like", party["like"], "--python",
             f"build/third-party/{party['environment']}/bin/python"]
    return words + (["--tensors", "torch"] if party.get("tensors") == "torch" else [])


def command(party, one, name):
    """The command line of a campaign in the format `name`."""
    options = {"where": one.get("where"), "dtype": name, "contract": one.get("contract")}
    options = {option: value.get(name) if isinstance(value, dict) else value  # for each format
               for option, value in options.items()}
    words = [QKVET, "check", *candidate(party, one["function"]), *amount(one), "--seed", str(SEED),
             *LIMITS]
    words += [word for prop in one.get("prop", []) for word in ("--prop", prop)]
    words += [word for option, value in options.items() if value for word in (f"--{option}", value)]
    return words


def checked(party, one, number, name):
    """One campaign in the format `name`: its command, exit code and report."""
    report = HOME / "reports" / f"{party['name']}-{number}-{name}.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    words = command(party, one, name)
    print(shlex.join(words), flush=True)
    kept = kept_report(report, words, party)
    if kept:
        progress(f"{report.relative_to(ROOT)} is of this command; not run again")
    else:
        report.unlink(missing_ok=True)
        code = subprocess.run(
            [*words, "--json", report, "--out", report.with_suffix("")], cwd=ROOT,
            stdin=subprocess.DEVNULL, check=False).returncode
        if not (report.exists() and report.stat().st_size):
            sys.exit(f"qkvet: no report; exit {code} from {shlex.join(words)}")
        with open(report, encoding="utf-8") as file:
            kept = json.load(file)
    return {"words": words, "format": name, "code": kept["exit_code"], "report": kept}


def kept_report(report, words, party):
    """With QKVET_REUSE set: the report of the same command that an interrupted run left, if any.

    One that is older than the preset or the file of the candidate is of another function.
    """
    if "QKVET_REUSE" not in os.environ or not report.exists() or not report.stat().st_size:
        return None
    sources = ROOT / party["file"], ROOT / f"presets/{party['like']}.json"
    if report.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        return None
    with open(report, encoding="utf-8") as file:
        kept = json.load(file)
    same = shlex.split(kept["command"])[1:len(words)] == words[1:]
    return kept if same and not kept["interrupted"] else None


def amount(one):
    """How many cases: what the user says, else what the slow ones are given, else profile ci."""
    if "QKVET_CASES" in os.environ:
        return ["--cases", os.environ["QKVET_CASES"]]
    if "QKVET_PROFILE" in os.environ or "cases" not in one:
        return ["--profile", os.environ.get("QKVET_PROFILE", "ci")]
    return ["--cases", str(one["cases"])]


def replayed(party, trophy):
    """True if a known finding is still one."""
    words = [QKVET, "repro", trophy["case"], *candidate(party, trophy["function"]), "--prop",
             trophy["property"]]
    print(shlex.join(words), flush=True)
    code = subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                          check=False).returncode
    trophy["code"] = code
    print(f"exit {code}: " + ("still so" if code == 1 else "NOT as recorded in third-party.json"))
    return code == 1


def machine():
    """The processor, since libraries choose their arithmetic by it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return platform.machine()
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "").split()
    units = [unit for unit in ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16")
             if unit in flags]
    return " ".join([platform.machine(), "with", ", ".join(units)]) if units else platform.machine()


def progress(text):
    print(f"qkvet: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
