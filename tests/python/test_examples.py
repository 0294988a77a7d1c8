"""The examples are what they say: right by hand, and judged right by qkvet."""

import math

import numpy
import pytest

import numpy_attention
from conftest import ROOT

NUMPY = f"py:{ROOT}/examples/numpy_attention.py:attention"
ONNX = f"py:{ROOT}/examples/onnxruntime_attention.py:attention"


def worked_example(**options):
    query = numpy.ones((1, 1, 1, 1))
    key = numpy.array([0, math.log(3)]).reshape(1, 1, 2, 1)
    value = numpy.array([10.0, 20.0]).reshape(1, 1, 2, 1)
    return numpy_attention.attention(query * options.pop("q", 1.0), key, value, **options).item()


def test_numpy_gives_the_worked_example():
    assert math.isclose(worked_example(), 17.5, rel_tol=1e-14)
    assert math.isclose(worked_example(q=0.0), 15, rel_tol=1e-14)
    assert worked_example(attn_mask=numpy.array([True, False])) == 10
    assert worked_example(attn_mask=numpy.array([False, False])) == 0


def test_numpy_keeps_the_format():
    for dtype in numpy.float32, numpy.float64:
        tensors = [numpy.ones((1, 2, 3, 4), dtype)] * 3
        assert numpy_attention.attention(*tensors, scale=0.3, is_causal=True).dtype == dtype


def test_qkvet_passes_numpy(qkvet):
    result = qkvet("check", NUMPY, "--cases", 15)
    assert result.code == 0, result


def test_qkvet_judges_onnxruntime(qkvet):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    result = qkvet("check", ONNX, "--like", "onnx", "--cases", 60, "--dtype", "f32",
                   "--prop", "matches-reference")
    assert result.code in (0, 1), result  # 1: a finding of theirs, compared by scripts/run
    accepted = {feature["name"]: feature["accepted"] for feature in result.report["features"]}
    assert sum(accepted.values()) > 60, accepted
