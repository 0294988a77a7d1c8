"""scripts/vet-third-party without its downloads: names, the manifest, and the page that it writes."""

import json
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import third_party as script  # noqa: E402
import third_party_page as page  # noqa: E402  (the scripts are no package)

PARTIES = json.loads((ROOT / "scripts/third-party.json").read_text(encoding="ascii"))
PROPERTY = {"name": "p", "cases": 7, "fail": 1, "suspect": 0, "undecided": 2, "worst_ratio": 0.25}
REPORT = {
    "properties": [PROPERTY, {**PROPERTY, "name": "never", "cases": 0, "fail": 0, "undecided": 0,
                              "worst_ratio": None}],
    "contracts": [{"name": "f32-any", "version": 1}],
    "features": [{"name": "f32", "accepted": 6, "refused": 3},
                 {"name": "causal", "accepted": 5, "refused": 3},
                 {"name": "window", "accepted": 4, "refused": 0}],
    "refused": {"refused": 3, "draws": 10, "most_often": "ValueError: no"},
    "strata": [{"name": "grid", "elements": {"checked": 1, "exempt": 2, "uncheckable": 1}},
               {"name": "needle", "elements": {"checked": 5, "exempt": 5, "uncheckable": 0}}],
    "findings": [{"property": "p", "message": "o is 1", "case": "qk1:b1"}],
}
PARTY = {"name": "them", "title": "Them", "packages": ["them", "numpy"], "noticed": ["odd"],
         "trophies": [{"case": "corpus/regressions/a.case", "property": "p", "function": "f",
                       "code": 0}]}


def test_an_unknown_name_is_told_the_known_ones():
    done = subprocess.run([ROOT / "scripts/vet-third-party", "nobody"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2
    assert "nobody" in done.stderr and "torch-multihead" in done.stderr


@pytest.mark.parametrize("party", PARTIES, ids=lambda party: party["name"])
def test_the_manifest_names_what_exists(party):
    source = (ROOT / party["file"]).read_text(encoding="ascii")
    preset = json.loads((ROOT / f"presets/{party['like']}.json").read_text(encoding="ascii"))
    assert all(switch["source"] for switch in preset["switches"])
    for entry in party["runs"] + party["trophies"]:
        assert f"def {entry['function']}(" in source
    for trophy in party["trophies"]:
        assert f"property: {trophy['property']}" in (ROOT / trophy["case"]).read_text()


def part(name, code=1, **more):
    words = ["build/bin/qkvet", "check", "them", "--where", "a b", "--dtype", name]
    return {"words": words, "format": name, "code": code, "report": {**REPORT, **more}}


def flat(text):
    return " ".join(text.split())


def test_a_section_says_what_the_report_says():
    run = {"about": "All:", "parts": [part("f32")]}
    refused = {"format": "f64", "refused": True, "words": "ValueError: no"}
    versions = {"them": "3.1", "numpy": "2.0"}
    text = page.section(PARTY, versions, [refused], [run], [False], "x86_64")
    for words in ("## Them: them 3.1", "numpy 2.0", "causal 5 (3), window 4.",
                  "| f32 | 7 | 6 | 3 | **FAIL** | 1 | 0 | 2 | 0.25 |",
                  "1 properties, under f32-any/1",
                  "never applies here: never.", 'Refused most often (f32): "ValueError: no"',
                  '- f64, refused: "ValueError: no"', "grid in f32 (75 %)", "`qk1:b1`",
                  "no longer as recorded", "- odd", "qkvet check them --where 'a b' --dtype f32"):
        assert words in flat(text), (words, text)
    worst = [{**PROPERTY, "worst_ratio": "inf"}]  # how a report says infinity
    run = {"about": "All:", "parts": [part("f32", properties=worst)]}
    text = page.section(PARTY, {"them": "1"}, [], [run], [True], "x")
    assert "| inf |" in text and "Formats that are declined" not in text
    assert "needle" not in text  # half is not more than half


def test_formats_share_a_loop_where_their_commands_are_the_same():
    other = part("f16")
    other["words"] = [*other["words"], "--contract", "c"]
    lines = page.commands([part("f32"), part("f64"), other])
    assert lines == ["for format in f32 f64; do",
                     "  qkvet check them --where 'a b' --dtype $format", "done",
                     "qkvet check them --where 'a b' --contract c --dtype f16"]
    text = page.shell(["build/bin/qkvet", *["two words" * 4] * 9], "  ", " $format")
    assert max(map(len, text)) <= 100 and len(text) > 3
    joined = subprocess.run(["bash", "-c", "qkvet() { echo $#; }; format=1\n" + "\n".join(text)],
                            capture_output=True, text=True, check=True)
    assert joined.stdout == "10\n"


def test_properties_that_some_formats_lack_are_named_with_them():
    parts = [part("f32"), part("f64", properties=[PROPERTY, {**PROPERTY, "name": "never"}])]
    assert "never (f32)." in flat("\n".join(page.untested(parts)))
    assert page.untested([parts[1]]) == []
    assert page.untested([part("f32", 3)]) == ["Not tested: never."]


def test_a_refusal_is_recorded_only_where_it_is_one(monkeypatch):
    """What the manifest says is refused must be; what is judged must hold."""
    monkeypatch.setattr(script, "environment", lambda party: "python")
    monkeypatch.setattr(script, "version", lambda python, name: "1")
    monkeypatch.setattr(script.page, "replace", lambda *arguments: None)
    party = {**PARTY, "refuses": ["f64"], "runs": [{"function": "f", "about": "All:"}],
             "trophies": []}
    for refused, code, good in ((True, 0, True), (False, 0, False), (True, 1, False),
                                (True, 3, False)):
        seen = []

        def checked(party, one, number, name, code=code, seen=seen):
            seen.append((number, name))
            return part(name, code)

        monkeypatch.setattr(script, "asked", lambda party, name, python, refused=refused: {
            "refused": refused, "words": "ValueError: no"})
        monkeypatch.setattr(script, "checked", checked)
        assert script.vet(party) == good
        assert seen == [(1, "f32"), (1, "bf16"), (1, "f16")]


def test_a_candidate_is_asked_for_a_format(tmp_path):
    """Clean refusals, others, and an answer."""
    file = tmp_path / "candidate.py"
    file.write_text("""
def attention(query, key, value):
    if query.dtype.name == "float64":
        raise ValueError("no double")
    if query.dtype.name == "bfloat16":
        raise RuntimeError("not made for this")
    if query.dtype.name == "float16":
        raise RuntimeError("lost")
    return query
""")
    preset = tmp_path / "preset.json"
    preset.write_text('{"refusals": ["not made"]}')
    for name, refused, words in (("f64", True, "ValueError: no double"), ("f32", False, ""),
                                 ("bf16", True, "RuntimeError: not made for this"),
                                 ("f16", False, "RuntimeError: lost")):
        done = subprocess.run([sys.executable, ROOT / "scripts/third_party_ask.py", file,
                               "attention", name, preset], capture_output=True, text=True,
                              check=True)
        assert json.loads(done.stdout) == {"refused": refused, "words": words}


def test_options_may_differ_by_format():
    party = {**PARTIES[0], "tensors": "numpy"}
    run = {"function": "f", "cases": 3, "prop": ["a", "b"], "where": {"bf16": "L=1"},
           "contract": "c"}
    assert script.command(party, run, "bf16")[-10:] == [
        "--prop", "a", "--prop", "b", "--where", "L=1", "--dtype", "bf16", "--contract", "c"]
    assert "--where" not in script.command(party, run, "f16")


@pytest.mark.parametrize("party", PARTIES, ids=lambda party: party["name"])
def test_the_page_shows_what_the_manifest_runs(party, monkeypatch):
    """So that nobody changes one and forgets the other."""
    for name in "QKVET_CASES", "QKVET_PROFILE":
        monkeypatch.delenv(name, raising=False)
    text = (ROOT / "docs/third-party.md").read_text(encoding="ascii")
    begin, end = page.marks(party["name"])
    section = text.split(begin, 1)[1].split(end, 1)[0]
    for run in party["runs"]:
        parts = [{"words": script.command(party, run, name), "format": name}
                 for name in script.judged(party)]
        assert "\n".join(page.commands(parts)) in section
    for name in party["refuses"]:
        assert f"- {name}, " in section
    for note in party["noticed"]:
        assert flat(note) in flat(section)


def test_sections_are_replaced_in_place(tmp_path):
    file = tmp_path / "page.md"
    for name, text in ("a", "first words\n"), ("b", "two\n"), ("a", "three\n"):
        page.replace(file, name, text)
    text = file.read_text(encoding="ascii")
    assert text.startswith(page.HEADER) and "first words" not in text
    assert text.index("three") < text.index("two")
    page.replace(file, "a", "three\n")
    assert file.read_text(encoding="ascii") == text
