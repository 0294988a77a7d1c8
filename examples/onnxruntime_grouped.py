"""ONNX Runtime's contributed operator com.microsoft.GroupQueryAttention on the CPU.

    qkvet check py:examples/onnxruntime_grouped.py:attention --like ort_gqa --python PYTHON

The operator's keys are a cache and L new ones: the first S - L of ours are the cache.
"""

import numpy as np

from onnxruntime_node import divided, joined, run


def attention(query, key, value, bias=None, is_causal=False, offsets=None, window=None, scale=None,
              softcap=0.0, sinks=None):
    """query [B,H_q,L,d], key and value [B,H_kv,S,d] -> [B,H_q,L,d]; a causal one at the bottom right."""
    (batch, heads, queries, _), keys = query.shape, key.shape[2]
    past = keys - queries
    if past < 0:
        raise ValueError("the keys are a cache and as many new ones as there are queries")
    attributes = {"num_heads": heads, "kv_num_heads": key.shape[1], "causal": int(is_causal)}
    if window is not None:
        attributes["local_window_size"] = window_size(is_causal, *window)
    if scale is not None:
        attributes["scale"] = float(np.float32(scale))
    if softcap:
        attributes["softcap"] = float(np.float32(softcap))
    inputs = {
        "query": joined(query),
        "key": joined(key[:, :, past:]),
        "value": joined(value[:, :, past:]),
        "past_key": np.ascontiguousarray(key[:, :, :past]) if past else None,
        "past_value": np.ascontiguousarray(value[:, :, :past]) if past else None,
        "seqlens_k": np.full(batch, keys - 1, np.int32),
        "total_sequence_length": np.array(keys, np.int32),
        "cos_cache": None, "sin_cache": None, "position_ids": None,
        "attention_bias": None if bias is None else np.broadcast_to(
            bias, (*bias.shape[:2], queries, keys)),
        "head_sink": sinks,
    }
    return divided(run("GroupQueryAttention", inputs, attributes, "com.microsoft", outputs=3), heads)


def window_size(is_causal, left, right):
    """Our window has `left` keys before the diagonal; the operator counts the diagonal's too."""
    if not is_causal or right > 0:
        raise ValueError("local_window_size is a window to the left of a causal diagonal")
    return left + 1 if left >= 0 else -1
