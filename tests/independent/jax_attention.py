"""jax.nn.dot_product_attention on the CPU behind the jax preset, made for many small calls.

As examples/jax_attention.py, but masks are broadcast and the scale is an argument, so that JAX compiles
once for each shape and kind of mask. Windows, ranges and the LSE are left to that example.
"""

import functools
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def attention(query, key, value, bias=None, mask=None, scale=None, is_causal=False):
    """query [B,H_q,L,d_k], key [B,H_kv,S,d_k], value [B,H_kv,S,d_v] -> [B,H_q,L,d_v]."""
    full = query.shape[:3] + key.shape[2:3]
    bias, mask = (None if part is None else np.broadcast_to(part, full) for part in (bias, mask))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    return np.asarray(compiled(query, key, value, bias, mask, float(scale), bool(is_causal)))


@functools.partial(jax.jit, static_argnames="is_causal")
def compiled(query, key, value, bias, mask, scale, is_causal):
    q, k, v = (jnp.swapaxes(tensor, 1, 2) for tensor in (query, key, value))
    out = jax.nn.dot_product_attention(q, k, v, bias=bias, mask=mask, scale=scale,
                                       is_causal=is_causal)
    return jnp.swapaxes(out, 1, 2)
