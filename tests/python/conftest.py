"""How the tests of this folder run the command line: the real binary, in a folder of their own."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ.get("QKVET_ROOT", pathlib.Path(__file__).resolve().parents[2]))
QKVET = os.environ.get("QKVET", str(ROOT / "build/bin/qkvet"))
sys.path.insert(0, str(ROOT / "examples"))
sys.dont_write_bytecode = True


class Result:
    def __init__(self, process, report):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr
        text = report.read_text(encoding="utf-8") if report.exists() else ""
        self.report = json.loads(text) if text else None  # no report of what never ran

    def __repr__(self):
        return f"exit {self.code}\n{self.out}\n{self.err}"


@pytest.fixture
def qkvet(tmp_path):
    """qkvet("check", ...) runs the binary; `check` under this interpreter, with a JSON report."""

    def run(*arguments):
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        command = [QKVET, *map(str, arguments)]
        if arguments[0] == "check":
            command += ["--json", str(report), "--out", str(tmp_path / "out"), "--seed", "7"]
        if arguments[0] in ("check", "repro"):
            command += ["--python", sys.executable]
        process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300,
                                 stdin=subprocess.DEVNULL, check=False)
        return Result(process, report)

    return run


@pytest.fixture
def candidate(tmp_path):
    """candidate(source) writes a Python candidate and returns its `py:` name."""

    def write(source, function="attention"):
        file = tmp_path / "candidate.py"
        file.write_text(source, encoding="utf-8")
        return f"py:{file}:{function}"

    return write
