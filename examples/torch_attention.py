"""PyTorch's scaled_dot_product_attention on the CPU: what it picks by itself, and two backends.

    qkvet check py:examples/torch_attention.py:attention --like sdpa --tensors torch \
        --python PYTHON_WITH_TORCH
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

torch.set_num_threads(1)


def attention(query, key, value, **options):
    """query [B,H_q,L,d_k], key [B,H_kv,S,d_k], value [B,H_kv,S,d_v] -> [B,H_q,L,d_v]."""
    with torch.no_grad():
        return scaled_dot_product_attention(query, key, value, **options)


def math(query, key, value, **options):
    """The backend written out in separate steps."""
    with sdpa_kernel(SDPBackend.MATH):
        return attention(query, key, value, **options)


def flash(query, key, value, **options):
    """The fused backend; what it does not take raises "No available kernel": a clean refusal."""
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return attention(query, key, value, **options)
