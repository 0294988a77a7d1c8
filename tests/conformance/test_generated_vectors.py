"""onnx.reference, run here and now, against our reference: what the stored vectors leave out."""

import collections

import pytest

pytest.importorskip("onnx")

import comparison  # noqa: E402
import generated_vectors  # noqa: E402

COUNT, SEED = 120, 23


@pytest.fixture(scope="module")
def results():
    return comparison.compare(generated_vectors.some(COUNT, SEED))


def describe(result):
    vector = result.vector
    shapes = {name: (tensor.dtype.name, tensor.shape) for name, tensor in vector.inputs.items()}
    return f"{vector.name}: {vector.attributes} {shapes} {result}"


def test_everything_that_onnx_reference_gives_is_admitted(results):
    assert [describe(r) for r in results if not r.holds] == []


def test_every_score_mode_is_reached_in_every_format(results):
    seen = collections.Counter((r.mode, r.vector.dtype.name) for r in results)
    names = "float16", "float32", "float64"
    assert min(seen[mode, name] for mode in range(4) for name in names) > 2


def test_what_the_stored_vectors_lack_is_reached(results):
    def count(has):
        return sum(bool(has(r.vector)) for r in results)
    assert count(lambda v: v.attributes.get("left_window_size", -1) >= 0) > 5
    assert count(lambda v: "nonpad_kv_seqlen" in v.inputs and not v.attributes["is_causal"]) > 5
    assert count(lambda v: "attn_mask" in v.inputs and v.inputs["attn_mask"].ndim == 3) > 5
