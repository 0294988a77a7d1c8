"""What a Python candidate may do wrong, and the exit code and words that the user gets for it."""

import pytest

RIGHT = '''
import numpy as np
def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
              enable_gqa=False):
    if attn_mask is not None or is_causal or query.shape[1] != key.shape[1]:
        raise NotImplementedError("plain attention only")
    scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    return weights / weights.sum(axis=-1, keepdims=True) @ value
'''


def check(qkvet, name, *options):
    return qkvet("check", name, "--cases", 20, "--prop", "matches-reference", *options)


def test_plain_attention_holds(qkvet, candidate):
    assert check(qkvet, candidate(RIGHT)).code == 0


def test_wrong_softmax_axis_is_caught_and_its_repro_line_repeats_it(qkvet, candidate):
    name = candidate(RIGHT.replace("axis=-1", "axis=-2"))
    result = check(qkvet, name)
    assert result.code == 1, result
    assert "FAIL" in result.out and "qkvet repro" in result.out
    case = result.report["findings"][0]["case"]
    assert case.startswith("qk1:")
    assert qkvet("repro", case, name).code == 1


@pytest.mark.parametrize("line, words", [
    ("raise RuntimeError('out of luck')", "out of luck"),
    ("import sys; sys.exit(0)", "exit"),
    ("return query[..., :0]", "shape"),
    ("return 'text'", "str"),
    ("import os; os.abort()", "SIGABRT"),
])
def test_misbehaviour_is_a_finding(qkvet, candidate, line, words):
    head, body = RIGHT.split("    if attn_mask", 1)
    result = check(qkvet, candidate(f"{head}    {line}\n    if attn_mask{body}"))
    assert result.code == 1, result
    assert words in result.out, result


@pytest.mark.parametrize("source, function, words", [
    ("def attention(", "attention", "SyntaxError"),
    ("import no_such_module_here", "attention", "no_such_module_here"),
    (RIGHT, "attentoin", "attentoin"),
    ("attention = 3", "attention", "callable"),
    ("def attention(query): return query", "attention", "3 arguments"),
])
def test_what_cannot_be_called_is_unusable(qkvet, candidate, source, function, words):
    result = check(qkvet, candidate(source, function))
    assert result.code == 69, result
    assert words in result.err, result
    assert "Traceback" not in result.out + result.err


def test_nothing_accepted_is_not_a_pass(qkvet, candidate):
    refuses = "def attention(query, key, value, **_):\n    raise NotImplementedError('never')\n"
    result = check(qkvet, candidate(refuses))
    assert result.code == 3, result


def test_missing_file_is_named(qkvet, tmp_path):
    result = check(qkvet, f"py:{tmp_path}/no_such_file.py:attention")
    assert result.code in (66, 69), result
    assert "no_such_file.py" in result.err


def test_result_with_lse_is_checked(qkvet, candidate):
    lse = "    lse = scores.max(axis=-1, initial=-np.inf) + 1\n"
    wrong_lse = RIGHT.replace("    return weights", lse + "    return weights")
    wrong_lse = wrong_lse.replace("@ value", "@ value, lse")
    result = check(qkvet, candidate(wrong_lse))
    assert result.code in (0, 1), result
