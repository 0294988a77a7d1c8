"""Attention as the formula says it, in a wider format than the tensors', rounded once at the end.

A second reading of the whole function by other hands, masks included: nothing is shared with
qkvet's oracles or with examples/. binary32 and narrower are computed in float64, float64 in long double.
"""

import numpy as np


def rounded(x, form):
    """x in another format, rounded once. ml_dtypes makes bfloat16 from binary32 and so rounds twice:

    here the first rounding is to odd, after which the second one is as good as the only one.
    """
    if form.name != "bfloat16":
        return x.astype(form)
    single = x.astype(np.float32)
    even = (single.view(np.uint32) & 1) == 0
    beside = np.nextafter(single, np.where(x > single, np.inf, -np.inf).astype(np.float32))
    return np.where((single != x) & even, beside, single).astype(form)


def attention(q, k, v, attend=None, bias=None, sinks=None, slopes=None, causal=False, offsets=None,
              window=None, ranges=None, scale=None, softcap=0.0, lse=False):
    """q [B,H_q,L,d_k], k [B,H_kv,S,d_k], v [B,H_kv,S,d_v]; the preset whole.json has the rest."""
    wide = np.longdouble if q.dtype == np.float64 else np.float64
    form, (B, H, L, d_k), S = q.dtype, q.shape, k.shape[2]
    q, k, v = (tensor.astype(wide) for tensor in (q, k, v))
    group = H // max(k.shape[1], 1)  # query heads that share one key/value head
    k, v = (np.repeat(tensor, group, axis=1) for tensor in (k, v))
    scale = 1 / np.sqrt(wide(d_k)) if scale is None else scale
    scores = np.einsum("bhic,bhjc->bhij", q, k) * scale
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    diagonal = np.arange(L)[:, None] + (0 if offsets is None else offsets.reshape(B, 1, 1, 1))
    j = np.arange(S)
    if bias is not None:
        scores = scores + bias.astype(wide)
    if slopes is not None:
        scores = scores - slopes.reshape(H, 1, 1).astype(wide) * np.abs(diagonal - j)
    visible = np.ones((B, H, L, S), bool)
    if attend is not None:
        visible &= attend.astype(bool)
    if causal:
        visible &= j <= diagonal
    if window is not None:
        left, right = (2**40 if n < 0 else n for n in window)  # -1 is no limit
        visible &= (diagonal - left <= j) & (j <= diagonal + right)
    if ranges is not None:
        start, end = ranges.T.reshape(2, B, 1, 1, 1)
        visible &= (start <= j) & (j < end)
    scores = np.where(visible, scores, -np.inf)
    if sinks is not None:  # one more key, with V = 0
        scores = np.concatenate(
            (scores, np.broadcast_to(sinks.reshape(H, 1, 1).astype(wide), (B, H, L, 1))), axis=3)
    top = scores.max(axis=3, keepdims=True, initial=-np.inf)
    top = np.where(np.isneginf(top), 0, top)  # a row without a key: all weights are exp(-inf)
    weights = np.exp(scores - top)
    total = weights.sum(axis=3, keepdims=True)
    weights = weights[..., :S] / np.where(total == 0, 1, total)
    o = rounded(np.einsum("bhij,bhjd->bhid", weights, v), form)
    if not lse:
        return o
    with np.errstate(divide="ignore"):
        log_sum = (top + np.log(total))[..., 0]
    return o, log_sum.astype(np.float64 if form == np.float64 else np.float32)
