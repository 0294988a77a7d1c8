"""The stored vectors of the ONNX project against our reference; no tolerance is chosen anywhere.

Outputs and weights are judged by what onnx-reference.contract admits, scores by bounds derived in
docs/conformance.md, present tensors by their bits.
"""

import dataclasses

import numpy as np
import pytest

import comparison
import table
from attention_problem import problem_of
from onnx_vectors import ROOT


def failing(results, good):
    return [r.vector.name for r in results if not good(r)]


def test_every_vector_is_a_problem_of_ours(results):
    assert len(results) > 0
    assert {r.vector.name: r.error for r in results if r.error} == {}
    assert {r.vector.name: r.missing for r in results if r.missing} == {}


def test_stored_outputs_are_admitted(results):
    assert failing(results, lambda r: r.output) == []


def test_present_tensors_are_past_and_new_ones_bit_for_bit(results):
    stored = {r.vector.name: sum(name.startswith("present") for name in r.vector.outputs)
              for r in results}
    assert sum(stored.values()) > 0
    assert failing(results, lambda r: r.present == stored[r.vector.name]) == []


def test_stored_scores_are_within_their_bounds(results):
    assert {r.mode for r in results} >= {1, 2, 3}
    assert failing(results, lambda r: r.scores) == []


def test_the_page_shows_this_table(results):
    page = (ROOT / "docs/conformance.md").read_text(encoding="utf-8")
    assert table.markdown(results) in page, "run tests/conformance/table.py and copy what it prints"


def changed(vector, **inputs):
    return dataclasses.replace(vector, inputs={**vector.inputs, **inputs})


def without(vector, *attributes):
    left = {k: v for k, v in vector.attributes.items() if k not in attributes}
    return dataclasses.replace(vector, attributes=left)


def past_after_new(vector):
    problem = problem_of(vector)
    past = vector.inputs["past_key"].shape[2]
    k, v = (np.concatenate((t[:, :, past:], t[:, :, :past]), axis=2)
            for t in (problem.k, problem.v))
    return dataclasses.replace(problem, k=k, v=v)


def diagonal_at(offset_of):
    def read(vector):
        problem = problem_of(vector)
        return dataclasses.replace(problem, offsets=(offset_of(problem),))
    return read


def mask_inverted(vector):
    problem = problem_of(vector)
    return dataclasses.replace(problem, attend=~problem.attend)


def heads_interleaved(vector):
    """Query head h reads key/value head h % H_kv."""
    problem = problem_of(vector)
    group = problem.q.shape[1] // problem.k.shape[1]
    k, v = (np.tile(t, (1, group, 1, 1)) for t in (problem.k, problem.v))
    return dataclasses.replace(problem, k=k, v=v)


def heads_outermost(vector):
    """A 3-D tensor read as [B,H,L,d] without a transposition."""
    def split(tensor, heads):
        B, L, width = tensor.shape
        return tensor.reshape(B, heads, L, width // heads)
    H_q, H_kv = (vector.attributes[f"{side}_num_heads"] for side in ("q", "kv"))
    i = vector.inputs
    return problem_of(changed(vector, Q=split(i["Q"], H_q), K=split(i["K"], H_kv),
                              V=split(i["V"], H_kv)))


def bias_as_switch(vector):
    """A float mask taken for a boolean one: what is not 0 is visible."""
    return problem_of(changed(vector, attn_mask=vector.inputs["attn_mask"] != 0))


def scale_twice(vector):
    problem = problem_of(vector)
    scale = problem.scale if problem.scale is not None else problem.q.shape[-1] ** -0.5
    return dataclasses.replace(problem, scale=scale**2)


def cache_length_ignored(vector):
    """No padding, and the diagonal of a call without a cache."""
    return dataclasses.replace(problem_of(vector), ends=None, offsets=(0,))


WRONG = {
    "past after the new keys": ("past_key", past_after_new),
    "diagonal at the top left in spite of a past": ("past_key+causal", diagonal_at(lambda p: 0)),
    "diagonal at the bottom right without a cache":
        ("causal+no cache", diagonal_at(lambda p: p.k.shape[2] - p.q.shape[2])),
    "is_causal ignored": ("causal", lambda v: problem_of(without(v, "is_causal"))),
    "nonpad_kv_seqlen ignored": ("nonpad", cache_length_ignored),
    "boolean mask inverted": ("bool", mask_inverted),
    "float mask as a boolean one": ("float", bias_as_switch),
    "grouped heads interleaved": ("grouped", heads_interleaved),
    "3-D tensors with the heads outermost": ("3-D", heads_outermost),
    "softcap ignored": ("softcap", lambda v: problem_of(without(v, "softcap"))),
    "scale applied twice": ("any", scale_twice),
}

CONCERNS = {
    "any": lambda v, p: True,
    "past_key": lambda v, p: "past_key" in v.inputs,
    "past_key+causal": lambda v, p: "past_key" in v.inputs and p.causal,
    "causal": lambda v, p: p.causal,
    "causal+no cache": lambda v, p: (p.causal and p.ends is None and "past_key" not in v.inputs
                                     and p.q.shape[2] != p.k.shape[2]),
    "nonpad": lambda v, p: p.ends is not None,
    "bool": lambda v, p: p.attend is not None,
    "float": lambda v, p: p.bias is not None,
    "grouped": lambda v, p: p.q.shape[1] != p.k.shape[1] > 1,
    "3-D": lambda v, p: v.inputs["Q"].ndim == 3 and p.q.shape[1] > 1,
    "softcap": lambda v, p: p.softcap > 0,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_reading_of_the_operator_is_rejected(vectors, name):
    """The comparison has power: each misreading fails on stored vectors that it concerns."""
    concerns, read = WRONG[name]
    concerned = [v for v in vectors if CONCERNS[concerns](v, problem_of(v))]
    assert concerned, "no vector concerns it"
    rejected = [r for r in comparison.compare(concerned, read) if not r.holds]
    assert rejected, f"{name}: accepted by all of {[v.name for v in concerned]}"


def test_a_small_error_of_an_output_is_rejected(vectors):
    """2^-14 of the largest output: far below any tolerance in use, far above what f32 may lose."""
    spoilt = []
    for vector in (v for v in vectors if v.dtype == np.float32):
        Y = vector.outputs["Y"].copy()
        at = np.unravel_index(np.abs(Y).argmax(), Y.shape)
        Y[at] *= 1 + 2.0**-14
        spoilt.append(dataclasses.replace(vector, outputs={**vector.outputs, "Y": Y}))
    assert [r.vector.name for r in comparison.compare(spoilt) if r.output] == []


def test_nan_is_never_admitted(vectors):
    vector = vectors[0]
    for name in vector.outputs:
        tensor = vector.outputs[name].copy()
        tensor.flat[-1] = np.nan
        (result,) = comparison.compare(
            [dataclasses.replace(vector, outputs={**vector.outputs, name: tensor})])
        assert not result.holds, name
