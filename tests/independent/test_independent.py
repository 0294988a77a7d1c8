"""Implementations by other hands are admitted under their contracts; mistakes in one are not."""

import dataclasses
import pathlib

import pytest

from implementations import ALL, HERE, line

CASES = 2000


@pytest.mark.parametrize("name", ALL)
def test_every_problem_is_admitted(name):
    implementation = ALL[name]
    if not implementation.installed():
        pytest.skip(f"{implementation.needs} is not installed")
    process, report = implementation.check(CASES)
    assert report is not None, process.stderr
    print(line(name, process, report))
    assert process.returncode == 0, process.stdout
    seen = report["properties"][0]
    assert seen["fail"] == 0 and seen["pass"] > 0.95 * CASES
    accepted = {feature["name"]: feature["accepted"] for feature in report["features"]}
    wanted = implementation.features + implementation.formats
    assert [f for f in wanted if accepted.get(f, 0) < 20] == []


MISTAKES = {
    "the diagonal is off by one": ("&= j <= diagonal", "&= j < diagonal"),
    "the window's left end is not seen": ("diagonal - left <= j", "diagonal - left < j"),
    "the end of a key range is seen": ("j < end", "j <= end"),
    "the sink is left out": ("if sinks is not None:", "if sinks is not None and d_k > 1:"),
    "ALiBi does not know the offset": ("np.abs(diagonal - j)",
                                       "np.abs(np.arange(L)[:, None] - j)"),
    "the softcap is left out": (
        '''    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    diagonal''', "    diagonal"),
    "query heads are dealt out in turn": ("np.repeat(tensor, group, axis=1)",
                                          "np.tile(tensor, (1, group, 1, 1))"),
    "the shift is left in the log": ("(top + np.log(total))", "np.log(total)"),
    "one bit of the output is lost": ("weights, v), form)", "weights, v) * (1 + 2**-21), form)"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(mistake, tmp_path):
    """The same check, with one line of plain_numpy.py wrong."""
    right, wrong = MISTAKES[mistake]
    source = (HERE / "plain_numpy.py").read_text(encoding="utf-8")
    assert source.count(right) == 1
    file = pathlib.Path(tmp_path, "mistaken.py")
    file.write_text(source.replace(right, wrong), encoding="utf-8")
    mistaken = dataclasses.replace(ALL["numpy"], candidate=f"py:{file}:attention")
    process, report = mistaken.check(400, "--stop-first")
    assert process.returncode == 1, process.stdout + process.stderr
    assert report["properties"][0]["fail"] > 0
