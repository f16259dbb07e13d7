"""What the cases of make.py are made of: sizes, drawn numbers, masks, attention, and where results are kept."""

import math
import random

import torch

B, T, S, D, H = 2, 5, 7, 12, 3
d, d_v = 4, 6
GROUPED_H, GROUPED_H_KV = 6, 2

numbers = random.Random(20170612)
tensors = {}


def keep(case, **named):
    for name, value in named.items():
        tensors[f"{case}/{name}"] = value.detach().to(torch.float32).contiguous()


def drawn(*shape):
    """Uniform in ±√3: of variance 1."""
    count = math.prod(shape)
    values = [numbers.uniform(-math.sqrt(3), math.sqrt(3)) for _ in range(count)]
    return torch.tensor(values, dtype=torch.float32).to(torch.float64).reshape(shape)


def drawn_mask(*shape):
    """True for about a third; a row keeps at least one key."""
    mask = torch.tensor([numbers.random() < 1 / 3 for _ in range(math.prod(shape))]).reshape(shape)
    mask[..., numbers.randrange(shape[-1])] = False
    return mask


def causal(queries, keys):
    return torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1)


def padding(lengths, keys):
    return torch.arange(keys) >= torch.tensor(lengths).unsqueeze(1)


def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        assert not mask.all(-1).any(), "PyTorch gives NaN where every key is masked"
        scores = scores.masked_fill(mask, -math.inf)
    weights = torch.softmax(scores, -1)
    return weights @ v, weights


def multi_head(bias):
    """torch.nn.MultiheadAttention with drawn parameters, and these under the names of Headway's module."""
    module = torch.nn.MultiheadAttention(D, H, bias=bias, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(drawn(*parameter.shape) / (math.sqrt(D) if parameter.dim() == 2 else 1))
    return module, by_name(module, lambda parameter: parameter)


def by_name(module, value):
    """value(parameter), where the packed in_proj is cut into the three projections it holds."""
    named = dict(zip(("q_proj.weight", "k_proj.weight", "v_proj.weight"), value(module.in_proj_weight).chunk(3)))
    named["out_proj.weight"] = value(module.out_proj.weight)
    if module.in_proj_bias is not None:
        named |= zip(("q_proj.bias", "k_proj.bias", "v_proj.bias"), value(module.in_proj_bias).chunk(3))
        named["out_proj.bias"] = value(module.out_proj.bias)
    return named


def gradients(result, grad_result, **of):
    found = torch.autograd.grad(result, list(of.values()), grad_result)
    return {f"grad_{name}": gradient for name, gradient in zip(of, found)}


def heads(x, count):
    return x.unflatten(2, (count, -1)).transpose(1, 2)


def keep_module(case, bias, query, key, value, masks=None, **handed_over):
    """One call of the module: result and the weights of each head."""
    module, parameters = multi_head(bias)
    module.eval()
    result, weights = module(query, key, value, average_attn_weights=False, **handed_over)
    keep(case, query=query, key=key, value=value, result=result, weights=weights, **parameters, **(masks or {}))
