"""scripts/vet-third-party without its downloads: names, the manifest, and the page that it writes."""

import json
import subprocess
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import third_party_page as page  # noqa: E402  (the scripts are no package)

PARTIES = json.loads((ROOT / "scripts/third-party.json").read_text(encoding="ascii"))
PROPERTY = {"name": "p", "cases": 7, "fail": 1, "suspect": 0, "undecided": 2, "worst_ratio": 0.25}
REPORT = {
    "properties": [PROPERTY, {**PROPERTY, "name": "never", "cases": 0, "fail": 0, "undecided": 0,
                              "worst_ratio": None}],
    "contracts": [{"name": "f32-any", "version": 1}],
    "features": [{"name": "causal", "accepted": 5, "refused": 3}],
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


def test_a_section_says_what_the_report_says():
    run = {"command": "qkvet check them", "code": 1, "about": "All:", "report": REPORT}
    text = page.section(PARTY, {"them": "3.1", "numpy": "2.0"}, [run], [False], "x86_64")
    for words in ("## Them: them 3.1", "numpy 2.0", "| causal | 5 | 3 |", "**FAIL**", "1 FAIL",
                  "worst error/bound 0.25", "never applies here: never", "Refused 3 of 10",
                  "grid (75 %)", "`qk1:b1`", "no longer as recorded", "- odd"):
        assert words in text.replace("\n", " ").replace("  ", " "), (words, text)
    run["report"]["properties"][0]["worst_ratio"] = "inf"  # how a report says infinity
    text = page.section(PARTY, {"them": "1"}, [run], [True], "x")
    assert "error/bound inf" in text
    assert "needle" not in text  # half is not more than half


def test_sections_are_replaced_in_place(tmp_path):
    file = tmp_path / "page.md"
    for name, text in ("a", "first words\n"), ("b", "two\n"), ("a", "three\n"):
        page.replace(file, name, text)
    text = file.read_text(encoding="ascii")
    assert text.startswith(page.HEADER) and "first words" not in text
    assert text.index("three") < text.index("two")
    page.replace(file, "a", "three\n")
    assert file.read_text(encoding="ascii") == text
