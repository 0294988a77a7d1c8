"""Faults of onnx.reference that this comparison found: docs/trophies.md."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import comparison  # noqa: E402
from generated_vectors import OPSET, evaluate  # noqa: E402
from onnx_vectors import Vector  # noqa: E402

FOUND_IN = "1.23.2"
pytestmark = pytest.mark.skipif(onnx.__version__ != FOUND_IN, reason=f"found in onnx {FOUND_IN}")


def row(*values):
    return np.array(values, np.float32).reshape(1, 1, -1, 1)


def compare(attributes, **inputs):
    (result,) = comparison.compare([evaluate(Vector("trophy", OPSET, attributes, inputs, {}))])
    return result


def test_a_mask_that_repeats_over_queries_spoils_is_causal():
    """Every query gets the causal mask of the first: query 1 gives 0 and not the mean, 1/2."""
    inputs = {"Q": row(0, 0), "K": row(0, 0), "V": row(0, 1)}
    spoilt = compare({"is_causal": 1}, **inputs, attn_mask=np.ones((1, 2), bool))
    assert spoilt.vector.outputs["Y"].ravel().tolist() == [0, 0]
    assert not spoilt.output
    assert compare({"is_causal": 1}, **inputs, attn_mask=np.ones((2, 2), bool)).output


def test_raw_scores_come_capped():
    """Mode 0 is the raw product, here 0 and 4; the evaluator gives tanh of it."""
    inputs = {"Q": row(2), "K": row(0, 2), "V": row(0, 1)}
    capped = compare({"softcap": 1.0, "qk_matmul_output_mode": 0}, **inputs)
    assert capped.vector.outputs["qk_matmul_output"].max() < 1
    assert capped.output and not capped.scores
    assert compare({"qk_matmul_output_mode": 0}, **inputs).scores
