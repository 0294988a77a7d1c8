"""scripts/known_findings.py: equal sets pass, each difference is an error that says where to look."""

import json
import subprocess
import sys

from conftest import ROOT

LIST = "# a comment\nours: matches-reference|wrong||finite|checked  # scale in binary32\nother: x\n"
FOUND = "matches-reference|wrong||finite|checked"


def compare(tmp_path, signatures, listed=LIST):
    report = tmp_path / "report.json"
    findings = [{"signature": one, "repro": f"qkvet repro '{one}'"} for one in signatures]
    report.write_text(json.dumps({"findings": findings}), encoding="utf-8")
    (tmp_path / "known.txt").write_text(listed, encoding="ascii")
    return subprocess.run(
        [sys.executable, ROOT / "scripts/known_findings.py", "ours", tmp_path / "known.txt",
         report],
        capture_output=True, text=True, check=False)


def test_the_same_set_passes(tmp_path):
    result = compare(tmp_path, [FOUND])
    assert result.returncode == 0 and "1 findings" in result.stdout


def test_a_new_finding_is_printed_with_its_repro_line(tmp_path):
    result = compare(tmp_path, [FOUND, "empty-row|wrong||nan|exact"])
    assert result.returncode == 1
    assert "NEW      empty-row|wrong||nan|exact" in result.stdout and "qkvet repro" in result.stdout


def test_a_known_finding_that_is_gone_is_printed(tmp_path):
    result = compare(tmp_path, [])
    assert result.returncode == 1 and f"MISSING  {FOUND}" in result.stdout


def test_a_list_that_cannot_be_read_is_named(tmp_path):
    result = compare(tmp_path, [FOUND], "no colon here\n")
    assert result.returncode == 1 and "known.txt:1" in result.stderr


def test_a_missing_report_is_named(tmp_path):
    result = compare(tmp_path, [FOUND])
    assert result.returncode == 0
    (tmp_path / "report.json").unlink()
    gone = subprocess.run([sys.executable, ROOT / "scripts/known_findings.py", "ours",
                           tmp_path / "known.txt", tmp_path / "report.json"],
                          capture_output=True, text=True, check=False)
    assert gone.returncode == 1 and "report.json" in gone.stderr
