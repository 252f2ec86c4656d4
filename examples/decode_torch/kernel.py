"""Decode attention over chosen blocks of a paged cache.

Per request and key head, `topk_idx` names blocks of logical positions; a negative id is empty and a
repeated one counts once. A request without a block gets zeros.
"""

import torch


def _positions(blocks, length, block_size):
    """The logical positions below `length` of these blocks, ascending."""
    blocks = torch.unique(blocks[blocks >= 0].long())
    within = torch.arange(block_size, device=blocks.device)
    positions = (blocks[:, None] * block_size + within).flatten()
    return positions[positions < length]


def attention_decode(q, k_cache, v_cache, req_to_token, seq_lens, req_pool_indices, topk_idx, out,
                     sm_scale, block_size):
    key_heads = k_cache.shape[1]
    group = q.shape[1] // key_heads
    lengths = seq_lens.tolist()
    requests = req_pool_indices.tolist()
    for b, length in enumerate(lengths):
        for h in range(key_heads):
            heads = slice(h * group, (h + 1) * group)
            positions = _positions(topk_idx[h, b], length, block_size)
            if positions.numel() == 0:
                out[b, heads] = 0
                continue
            rows = req_to_token[requests[b], positions].long()
            scores = sm_scale * (q[b, heads].float() @ k_cache[rows, h].float().T)
            out[b, heads] = (torch.softmax(scores, dim=-1) @ v_cache[rows, h].float()).to(out.dtype)
