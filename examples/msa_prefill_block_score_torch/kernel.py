"""For each query block and head, the blocks of keys with the highest scores.

A query block is scored by its first token. The first `init_blocks` and the last `local_blocks`
visible blocks are always taken; cells beyond the visible blocks are -1.
"""

import torch


def _visible_scores(query, keys, scale, block_size):
    """[heads, blocks]: the best score of each block of `keys`, all of which are visible."""
    scores = scale * (query.float() @ keys.float().T)
    blocks = -(-keys.shape[0] // block_size)
    padded = scores.new_full((scores.shape[0], blocks * block_size), float("-inf"))
    padded[:, :keys.shape[0]] = scores
    return padded.view(scores.shape[0], blocks, block_size).amax(dim=-1)


def msa_prefill_block_score(q, index_k_cache, req_to_token, slot_ids, cu_seqlens, seq_lens,
                            prefix_lens, max_seqlen_q, max_seqlen_k, block_size_q, block_size_k,
                            topk, init_blocks, local_blocks, scale, cu_seqblocks_q, max_seqblock_q,
                            all_seqblock_q, out_topk):
    out_topk.fill_(-1)
    first_tokens = cu_seqlens.tolist()
    first_rows = cu_seqblocks_q.tolist()
    lengths = seq_lens.tolist()
    prefixes = prefix_lens.tolist()
    for b, slot in enumerate(slot_ids.tolist()):
        keys = index_k_cache[req_to_token[slot, :lengths[b]].long(), 0]
        for block in range(first_rows[b + 1] - first_rows[b]):
            token = first_tokens[b] + block * block_size_q
            visible = min(lengths[b], prefixes[b] + block * block_size_q + 1)
            scores = _visible_scores(q[token], keys[:visible], scale, block_size_k)
            blocks = scores.shape[1]
            scores[:, :init_blocks] = float("inf")
            if local_blocks > 0:
                scores[:, max(0, blocks - local_blocks):] = torch.finfo(torch.float32).max
            order = torch.sort(scores, dim=-1, descending=True, stable=True).indices
            width = min(topk, blocks)
            out_topk[:, first_rows[b] + block, :width] = order[:, :width].to(out_topk.dtype)
