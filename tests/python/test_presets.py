"""A preset that says everything a case can hold: windows, key ranges, diagonals, both masks, LSE."""

import json

ALL = {
    "name": "all", "description": "every value a preset can ask for",
    "signature": "fn(q, k, v, **parts) -> o or (o, lse)",
    "arguments": [{"name": name, "value": name, "positional": True} for name in "qkv"]
    + [{"name": name, "value": name} for name in (
        "attend", "bias", "causal", "offsets", "window", "ranges", "scale", "lse")],
    "contract": ["contract = all/1", "base = f64-any/1", "[semantics]", "lse_base = e", "[limits]",
                 "formats = f64", "softcap = never", "sinks = never", "alibi = never"],
}

# Passes only if every one of these is handed over as docs/abi.md says: nothing is optional here.
WHOLE = '''
import numpy as np
def attention(q, k, v, attend=None, bias=None, causal=False, offsets=None, window=None,
              ranges=None, scale=None, lse=False):
    k, v = (np.repeat(x, q.shape[1] // k.shape[1], axis=1) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    i, j = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])
    seen = np.ones((len(q), 1, *scores.shape[2:]), bool)
    if causal or window:
        diagonal = i + offsets[:, None, None, None]
        if causal:
            seen &= j <= diagonal
        if window and window[0] >= 0:
            seen &= j >= diagonal - window[0]
        if window and window[1] >= 0:
            seen &= j <= diagonal + window[1]
    if ranges is not None:
        start, end = ranges.T[:, :, None, None, None]
        seen &= (start <= j) & (j < end)
    if attend is not None:
        seen = seen & attend
    if bias is not None:
        scores = scores + bias
    scores = np.where(seen, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    o = weights / np.where(total == 0, 1, total) @ v
    if not lse:
        return o
    with np.errstate(divide="ignore"):
        return o, (np.log(total) + peak)[..., 0]
'''


def test_all_parts_of_a_case_reach_the_candidate(qkvet, candidate, tmp_path):
    preset = tmp_path / "all.json"
    preset.write_text(json.dumps(ALL), encoding="ascii")
    result = qkvet("check", candidate(WHOLE), "--like", preset, "--cases", 60,
                   "--prop", "matches-reference,empty-row")
    assert result.code == 0, result
    features = {feature["name"]: feature for feature in result.report["features"]}
    assert sum(feature["refused"] for feature in features.values()) == 0, features
    for name in "window", "key-range", "causal", "bool-mask", "bias", "lse":
        assert features[name]["accepted"] > 10, (name, features)
