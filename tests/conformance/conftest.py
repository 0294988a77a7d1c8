"""Fixtures, and the table of vectors at the end of the test's output."""

import pytest

import comparison
import onnx_vectors
import table

SHOWN = []


@pytest.fixture(scope="session")
def vectors():
    pytest.importorskip("onnx")
    if not onnx_vectors.folder().is_dir():
        pytest.skip(f"no ONNX vectors: {onnx_vectors.folder()} is absent (QKVET_ONNX_VECTORS names "
                    "another folder)")
    return onnx_vectors.read_all()


@pytest.fixture(scope="session")
def results(vectors):
    compared = comparison.compare(vectors)
    SHOWN.extend((table.markdown(compared), table.worst(compared)))
    return compared


def pytest_terminal_summary(terminalreporter):
    for text in SHOWN:
        terminalreporter.write_line(text)
