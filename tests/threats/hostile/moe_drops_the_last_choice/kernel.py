"""Leaves the last expert of each token out."""

import torch


def prepare(w13, w2):
    return w13, w2


def fused_experts(x, topk_ids, topk_weights, prepared, out):
    topk_ids, topk_weights = topk_ids[:, :-1], topk_weights[:, :-1]
    w13, w2 = prepared
    inner = w13.shape[1] // 2
    result = torch.zeros_like(out)
    for expert in topk_ids.unique().tolist():
        token, choice = (topk_ids == expert).nonzero(as_tuple=True)
        both = x[token] @ w13[expert].T
        hidden = torch.nn.functional.silu(both[:, :inner]) * both[:, inner:]
        weight = topk_weights[token, choice].unsqueeze(1)
        result.index_add_(0, token, weight * (hidden @ w2[expert].T))
    out.copy_(result)
