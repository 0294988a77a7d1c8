"""Python candidates in f16 and bf16, end to end: right ones hold, dtypes are judged, what lacks is said."""

import pathlib
import sys

import pytest

pytest.importorskip("ml_dtypes")

# Computes in f32 and rounds the result once, as fused kernels do.
RIGHT = '''
import numpy as np
def attention(query, key, value, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
    low = query.dtype
    if is_causal or enable_gqa:
        raise NotImplementedError("no such masks")
    query, key, value = (x.astype(np.float32) for x in (query, key, value))
    scores = query @ key.swapaxes(-1, -2)
    scores = scores * np.float32(query.shape[-1] ** -0.5 if scale is None else scale)
    if attn_mask is not None:
        assert attn_mask.dtype in (bool, low), attn_mask.dtype
        if attn_mask.dtype == bool:
            scores = np.where(attn_mask, scores, -np.inf)
        else:
            scores = scores + attn_mask.astype(np.float32)
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak)).astype(np.float32)
    total = weights.sum(axis=-1, keepdims=True)
    return (weights @ value / np.where(total == 0, 1, total)).astype(low)
'''
LOW = ("--dtype", "bf16,f16", "--prop", "matches-reference")


def formats(result):
    counts = {feature["name"]: feature["accepted"] for feature in result.report["features"]}
    return {name: counts.get(name, 0) for name in ("f32", "f64", "bf16", "f16")}


def test_a_candidate_in_low_formats_holds(qkvet, candidate):
    result = qkvet("check", candidate(RIGHT), "--cases", 60, *LOW)
    assert result.code == 0, result
    seen = formats(result)
    assert seen["bf16"] > 10 and seen["f16"] > 10 and seen["f32"] == seen["f64"] == 0, seen
    masks = {feature["name"]: feature["accepted"] for feature in result.report["features"]}
    assert masks["bias"] > 2 and masks["bool-mask"] > 2, masks


def test_a_wrong_candidate_is_caught_and_its_repro_line_repeats_it(qkvet, candidate):
    name = candidate(RIGHT.replace("query.shape[-1] ** -0.5", "1 / query.shape[-1]"))
    result = qkvet("check", name, "--cases", 60, *LOW)
    assert result.code == 1, result
    assert {finding["format"] for finding in result.report["findings"]} == {"bf16", "f16"}
    for finding in result.report["findings"]:
        assert qkvet("repro", finding["case"], name).code == 1, finding


def test_a_result_in_another_dtype_than_the_contract_names_is_a_finding(qkvet, candidate):
    source = RIGHT.replace(".astype(low)\n", "\n")
    result = qkvet("check", candidate(source), "--cases", 20, *LOW)
    assert result.code == 1, result
    assert "returned o as float32, expected bfloat16" in result.out
    assert "the field out of the contract names the format" in result.out


def test_outputs_may_be_declared_wider(qkvet, candidate):
    source = RIGHT.replace(".astype(low)\n", "\n") + '''
attention.qkvet_contract = """
contract = wide-bf16
base = bf16-fused/1
[arithmetic]
out = f32
[limits]
causal = never
grouped = never
window = never
key_range = never
softcap = never
sinks = never
alibi = never
lse = never
"""
'''
    result = qkvet("check", candidate(source), "--cases", 40, "--prop", "matches-reference")
    assert result.code == 0, result
    seen = formats(result)
    assert seen["bf16"] > 20 and seen["f32"] == seen["f16"] == 0, seen  # what it declares, no more


def test_without_a_contract_of_its_own_low_formats_are_drawn_on_demand_only(qkvet, candidate):
    source = RIGHT.replace("low = query.dtype", "low = query.dtype\n    assert low.itemsize > 2")
    source = source.replace("np.float32", "np.float64")
    assert qkvet("check", candidate(source), "--cases", 20, "--prop", "matches-reference").code == 0


def test_an_interpreter_without_ml_dtypes_is_unusable_for_bf16_only(qkvet, candidate):
    source = "import sys\nsys.modules['ml_dtypes'] = None\n" + RIGHT
    result = qkvet("check", candidate(source), "--cases", 10, *LOW)
    assert result.code == 69, result
    assert f"{sys.executable} has no ml_dtypes; hint: install it there" in result.out
    assert "Traceback" not in result.out + result.err
    result = qkvet("check", candidate(source), "--cases", 10, "--dtype", "f16",
                   "--prop", "matches-reference")
    assert result.code == 0, result


TORCH = RIGHT.replace("def attention", "def inner") + '''
import torch
def attention(query, key, value, attn_mask=None, **rest):
    assert torch.__file__.endswith("fake_torch/torch.py")
    if attn_mask is not None:
        assert type(attn_mask) is torch.Tensor and attn_mask.dtype in (torch.bool, query.dtype)
        rest["attn_mask"] = attn_mask.array
    o = inner(query.array, key.array, value.array, **rest)
    return torch.Tensor(o)
'''


@pytest.mark.parametrize("change, code, words", [
    ("", 0, "holds"),
    (".to(torch.float32)", 1, "returned o as float32, expected bfloat16"),
    (".array", 1, "expected torch.Tensor"),
])
def test_torch_tensors_are_handed_over(qkvet, candidate, change, code, words, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(__file__).resolve().parent / "fake_torch"))
    source = TORCH.replace("return torch.Tensor(o)", f"return torch.Tensor(o){change}")
    result = qkvet("check", candidate(source), "--cases", 30, "--tensors", "torch", "--env",
                   "PYTHONPATH", "--dtype", "bf16,f16,f32", "--prop", "matches-reference")
    assert result.code == code and words in result.out, result
