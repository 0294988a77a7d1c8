"""PyTorch's `nn.MultiheadAttention` on the CPU, with projections that change nothing.

    qkvet check py:examples/torch_multihead.py:attention --like torch_mha --tensors torch \
        --python PYTHON_WITH_TORCH

Identity matrices as projections leave the attention itself: 1 * x + 0 * y is exact for finite y.
Mind the masks: here True means *masked out*, the opposite of scaled_dot_product_attention.
"""

import functools

import torch

torch.set_num_threads(1)


def attention(query, key, value, attend=None, bias=None, is_causal=False):
    """The written-out path, which returns the weights too. All tensors [B, H, length, d]."""
    return run(query, key, value, attend, bias, is_causal, need_weights=True)


def fused(query, key, value, attend=None, bias=None, is_causal=False):
    """The path through scaled_dot_product_attention."""
    return run(query, key, value, attend, bias, is_causal, need_weights=False)


def run(query, key, value, attend, bias, is_causal, need_weights):
    batch, heads, _, size = query.shape
    layer = identity(heads, size, query.dtype)
    padding, mask = masks(query, key, attend, bias, is_causal)
    with torch.no_grad():
        output, _ = layer(joined(query), joined(key), joined(value), key_padding_mask=padding,
                          attn_mask=mask, need_weights=need_weights)
    return output.unflatten(2, (heads, size)).transpose(1, 2)


@functools.lru_cache(maxsize=64)
def identity(heads, size, dtype):
    layer = torch.nn.MultiheadAttention(heads * size, heads, bias=False, batch_first=True,
                                        dtype=dtype).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(heads * size, dtype=dtype).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(heads * size, dtype=dtype))
    return layer


def joined(tensor):
    """[B, H, length, d] as [B, length, H * d]."""
    return tensor.transpose(1, 2).flatten(2)


def masks(query, key, attend, bias, is_causal):
    """(key_padding_mask [B, S], attn_mask [B * H, L, S]), True = masked out, floats are added."""
    (batch, heads, queries, _), keys = query.shape, key.shape[2]
    padding = mask = None
    if attend is not None and attend.shape[1] == attend.shape[2] == 1:
        padding, attend = ~attend[:, 0, 0].expand(batch, keys), None
    if attend is not None:
        mask = ~attend
    if is_causal:
        later = torch.ones(queries, keys, dtype=torch.bool).triu(1)
        mask = later if mask is None else mask | later
    if bias is not None:
        mask = bias if mask is None else bias.masked_fill(mask, -torch.inf)
    if mask is not None:
        mask = mask.expand(batch, heads, queries, keys).flatten(0, 1)
    return padding, mask
