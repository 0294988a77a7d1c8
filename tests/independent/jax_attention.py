"""jax.nn.dot_product_attention on the CPU, behind the signature of the sdpa preset.

JAX orders axes [B, L, H, d] and compiles once for each shape, so masks are broadcast first and the
scale is an argument. What it has no word for is refused by its signature.
"""

import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def attention(query, key, value, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
    """query [B,H_q,L,d_k], key [B,H_kv,S,d_k], value [B,H_kv,S,d_v] -> [B,H_q,L,d_v]."""
    if query.shape[-1] != value.shape[-1]:
        raise NotImplementedError("the value's head size must be the query's")
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if attn_mask is not None:
        attn_mask = np.broadcast_to(attn_mask, query.shape[:3] + key.shape[2:3])
    return np.asarray(compiled(query, key, value, attn_mask, float(scale), bool(is_causal)))


@functools.partial(jax.jit, static_argnames="is_causal")
def compiled(query, key, value, mask, scale, is_causal):
    q, k, v = (jnp.swapaxes(tensor, 1, 2) for tensor in (query, key, value))
    boolean = mask is not None and mask.dtype == bool
    out = jax.nn.dot_product_attention(
        q, k, v, bias=None if boolean else mask, mask=mask if boolean else None,
        scale=scale, is_causal=is_causal)
    return jnp.swapaxes(out, 1, 2)
