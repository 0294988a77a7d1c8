"""ONNX Runtime's contributed operator com.microsoft.MultiHeadAttention on the CPU.

    qkvet check py:examples/onnxruntime_multihead.py:attention --like ort_mha --python PYTHON
"""

import numpy as np

from onnxruntime_node import divided, joined, run


def attention(query, key, value, attend=None, bias=None, is_causal=False, scale=None):
    """query [B,H,L,d_k], key [B,H,S,d_k], value [B,H,S,d_v] -> [B,H,L,d_v]."""
    (batch, heads, queries, _), keys = query.shape, key.shape[2]
    # Left alone, the operator adds -10000 to hidden scores, which does not hide them from others
    # that are lower still: whoever wants them hidden asks for the lowest number.
    attributes = {"num_heads": heads, "unidirectional": int(is_causal),
                  "mask_filter_value": float(np.finfo(np.float32).min)}
    if scale is not None:
        attributes["scale"] = float(np.float32(scale))
    inputs = {"query": joined(query), "key": joined(key), "value": joined(value), "bias": None,
              "key_padding_mask": padding(attend, batch, queries, keys)}
    if bias is not None:
        inputs["attention_bias"] = np.broadcast_to(bias, (*bias.shape[:2], queries, keys))
    return divided(run("MultiHeadAttention", inputs, attributes, "com.microsoft"), heads)


def padding(attend, batch, queries, keys):
    """The mask as int32 [B, S], or [B, L, S]; 1 = attend. The operator has none per head."""
    if attend is None:
        return None
    if attend.shape[1] != 1:
        raise ValueError("key_padding_mask has no axis of heads")
    shape = (batch, keys) if attend.shape[2] == 1 else (batch, queries, keys)
    return np.broadcast_to(attend[:, 0, 0] if attend.shape[2] == 1 else attend[:, 0], shape).astype(
        np.int32)
