"""The best score of each block of keys: the sum of the query heads against every index key."""

import torch


def msa_block_score(q, index_k, seq_lens, block_size, out):
    batch, length = index_k.shape[:2]
    query = q.float().sum(dim=1)
    scores = torch.einsum("bd,bsd->bs", query, index_k[:, :, 0].float())
    position = torch.arange(length, device=q.device)
    scores = scores.masked_fill(position[None, :] >= seq_lens[:, None], float("-inf"))
    out.copy_(scores.view(batch, -1, block_size).amax(dim=-1))
