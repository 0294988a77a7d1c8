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


def fast(query, key, value, attend=None, bias=None, is_causal=False):
    """The fast path: self-attention of one tensor, here q, k, v and zeros side by side.

    The projections pick them apart; heads of size 4 d have half the scale, which 2 q makes up for.
    """
    batch, heads, length, size = query.shape
    if bias is not None or heads % 2 or key.shape[2] != length:
        raise ValueError("the fast path is for self-attention, even heads and boolean masks")
    if query.isfinite().all() and not (2 * query).isfinite().all():
        raise ValueError("2 q is beyond the format")
    padding, mask = masks(query, key, attend, None, is_causal)
    tensor = torch.cat([joined(x) for x in (query, key, value, torch.zeros_like(query))], dim=2)
    with torch.no_grad():
        output, _ = side_by_side(heads, size, query.dtype)(
            tensor, tensor, tensor, key_padding_mask=padding, attn_mask=mask, need_weights=False)
    return output.unflatten(2, (heads, 4 * size)).transpose(1, 2)[..., :size].contiguous()


@functools.lru_cache(maxsize=64)
def side_by_side(heads, size, dtype):
    total = heads * size
    layer = torch.nn.MultiheadAttention(4 * total, heads, batch_first=True, dtype=dtype).eval()
    first = torch.eye(total, dtype=dtype).unflatten(0, (heads, size))  # of each head's 4 d channels
    pick = torch.nn.functional.pad(first, (0, 0, 0, 3 * size)).flatten(0, 1)
    with torch.no_grad():
        for part in layer.in_proj_bias, layer.out_proj.bias, layer.in_proj_weight:
            part.zero_()
        for number, factor in enumerate((2, 1, 1)):
            rows, columns = 4 * total * number, total * number
            layer.in_proj_weight[rows:rows + 4 * total, columns:columns + total] = factor * pick
        layer.out_proj.weight.copy_(torch.eye(4 * total, dtype=dtype))
    return layer


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
