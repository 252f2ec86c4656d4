"""Takes sixteen keys at a time and rescales as it goes."""

import torch


def attention(q, k, v, out, sm_scale, causal):
    group = q.shape[1] // k.shape[1]
    query = q.transpose(0, 1)
    key = k.repeat_interleave(group, dim=1).transpose(0, 1)
    value = v.repeat_interleave(group, dim=1).transpose(0, 1)
    best = query.new_full(query.shape[:2] + (1,), -1e30)
    total = torch.zeros_like(best)
    result = torch.zeros_like(query)
    position = torch.arange(q.shape[0]).unsqueeze(1) + (k.shape[0] - q.shape[0])
    for begin in range(0, k.shape[0], 16):
        score = query @ key[:, begin : begin + 16].transpose(1, 2) * sm_scale
        if causal:
            column = begin + torch.arange(score.shape[-1])
            score = score.masked_fill(column > position, float("-inf"))
        new_best = torch.maximum(best, score.amax(dim=-1, keepdim=True))
        power = torch.exp(score - new_best)
        keep = torch.exp(best - new_best)
        total = total * keep + power.sum(dim=-1, keepdim=True)
        result = result * keep + power @ value[:, begin : begin + 16]
        best = new_best
    out.copy_((result / total).transpose(0, 1))
