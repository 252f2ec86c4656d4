"""Attention of T queries over S keys; consecutive query heads share a key head."""

import torch


def attention(q, k, v, out, sm_scale, causal):
    queries, query_heads, _ = q.shape
    keys, key_heads, _ = k.shape
    group = query_heads // key_heads
    wide_k = k.float().repeat_interleave(group, dim=1)
    wide_v = v.float().repeat_interleave(group, dim=1)
    scores = sm_scale * torch.einsum("thd,shd->hts", q.float(), wide_k)
    if causal:
        key = torch.arange(keys, device=q.device)
        last = torch.arange(queries, device=q.device) + (keys - queries)
        scores = scores.masked_fill(key[None, :] > last[:, None], float("-inf"))
    out.copy_(torch.einsum("hts,shd->thd", torch.softmax(scores, dim=-1), wide_v))
