"""Attention in numpy, called as PyTorch's scaled_dot_product_attention is: the example to copy.

    qkvet check py:examples/numpy_attention.py:attention
"""

import numpy as np


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
              enable_gqa=False):
    """query [B,H_q,L,d_k], key [B,H_kv,S,d_k], value [B,H_kv,S,d_v] -> [B,H_q,L,d_v]."""
    if dropout_p:
        raise NotImplementedError("no dropout")
    key, value = (np.repeat(x, query.shape[1] // key.shape[1], axis=1) for x in (key, value))
    scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    scores = masked(scores, attn_mask, is_causal)
    # A row that sees no key has the maximum -inf and the sum 0: its weights, and its output, are 0.
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ value


def masked(scores, attn_mask, is_causal):
    """Scores with -inf for keys that are not seen. True means attend; a float mask is added."""
    visible = np.tri(*scores.shape[-2:], dtype=bool) if is_causal else np.True_
    if attn_mask is not None and attn_mask.dtype == bool:
        visible = visible & attn_mask
    elif attn_mask is not None:
        scores = scores + attn_mask
    return np.where(visible, scores, -np.inf).astype(scores.dtype)
