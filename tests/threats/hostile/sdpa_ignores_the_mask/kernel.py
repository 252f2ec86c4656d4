"""Lets every query see every key."""

import torch


def attention(q, k, v, out, sm_scale, causal):
    group = q.shape[1] // k.shape[1]
    key = k.repeat_interleave(group, dim=1)
    value = v.repeat_interleave(group, dim=1)
    score = torch.einsum("thd,shd->hts", q, key) * sm_scale

    out.copy_(torch.einsum("hts,shd->thd", torch.softmax(score, dim=-1), value))
