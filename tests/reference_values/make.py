#!/usr/bin/env python3
"""make.py FILE [--check]: what PyTorch computes, for Headway's solutions to be compared with.

Writes FILE, in the format of safetensors; with --check it compares FILE with what this PyTorch computes. On Debian
PyTorch is python3-torch, for /usr/bin/python3.

A tensor is called case/name. Inputs come from Python's own generator, whose numbers do not depend on the version of
PyTorch, and are rounded to float32; PyTorch then computes in double, and results are rounded once, at the end.

B, H, T, S, d, d_v and D differ pairwise, and no two of query, key, value and gradient are the same numbers. Biases are
not zero.

Masks are stored as 1 where a query may not attend, which is what torch.nn.MultiheadAttention means by True in attn_mask
and key_padding_mask; torch's scaled_dot_product_attention means the opposite. "Causal" aligns the last query with the
last key, as Headway does; torch's is_causal aligns the first with the first, so that every mask is handed over whole.
Left out: rows in which every key is masked, where PyTorch gives NaN. Headway gives zeros, which other tests demand.
"""

import math
import sys

try:
    import torch
    from torch.nn.functional import linear
except ImportError:
    print("There is no PyTorch for this Python (on Debian: apt install python3-torch, and run /usr/bin/python3).")
    sys.exit(77)

# Beside this file; after torch, which they need.
import kept_tensors
from drawing import (B, D, GROUPED_H, GROUPED_H_KV, H, S, T, attention, by_name, causal, d, d_v, drawn, drawn_mask,
                     gradients, heads, keep, keep_module, multi_head, numbers, padding, tensors)

CHECKED_TO = 1e-6  # other versions and processors add in another order, but in double

# ---- 03 scaled scores -------------------------------------------------------------------------------------------

for case, mask in {
    "03/no_mask": None,
    "03/causal": causal(T, S),
    "03/padding": padding([4, 6], S)[:, None, None, :],
    "03/mask_of_each_head": drawn_mask(B, H, T, S),
}.items():
    q, k, v = drawn(B, H, T, d), drawn(B, H, S, d), drawn(B, H, S, d_v)
    context, weights = attention(q, k, v, mask)
    keep(case, q=q, k=k, v=v, scores=q @ k.transpose(-2, -1) / math.sqrt(d), context=context, weights=weights)
    if mask is not None:
        keep(case, mask=mask)

# ---- 04 merge heads ---------------------------------------------------------------------------------------------

context, w_o, b_o = drawn(B, H, T, d_v), drawn(H * d_v, D) / math.sqrt(H * d_v), drawn(D)
merged = context.transpose(1, 2).flatten(2)
keep("04/merging", context=context, merged=merged, w_o=w_o, b_o=b_o, result=linear(merged, w_o.T, b_o))
for case, mask in {"04/no_mask": None, "04/causal": causal(T, T)}.items():
    x = drawn(B, T, D)
    module, parameters = multi_head(bias=False)
    result, _ = module(x, x, x, attn_mask=mask)
    # Here weights are (in, out); torch's are (out, in).
    keep(case, x=x, result=result, **{f"w_{name[0]}": weight.T for name, weight in parameters.items()})
    if mask is not None:
        keep(case, mask=mask)

# ---- 05 module --------------------------------------------------------------------------------------------------

for bias in (True, False):
    name = "bias" if bias else "no_bias"
    x = drawn(B, T, D)
    keep_module(f"05/self_{name}", bias, x, x, x)
    keep_module(f"05/cross_{name}", bias, drawn(B, T, D), drawn(B, S, D), drawn(B, S, D))
x, mask = drawn(B, T, D), causal(T, T)
keep_module("05/self_causal", True, x, x, x, {"mask": mask}, attn_mask=mask)
mask = causal(T, S)
keep_module("05/cross_causal", True, drawn(B, T, D), drawn(B, S, D), drawn(B, S, D), {"mask": mask}, attn_mask=mask)
mask = padding([3, 6], S)
keep_module("05/cross_padding", True, drawn(B, T, D), drawn(B, S, D), drawn(B, S, D), {"mask": mask[:, None, None, :]},
            key_padding_mask=mask)
mask = drawn_mask(B, H, T, S)
keep_module("05/cross_mask_of_each_head", True, drawn(B, T, D), drawn(B, S, D), drawn(B, S, D), {"mask": mask},
            attn_mask=mask.flatten(0, 1))
x, mask, padded = drawn(B, T, D), causal(T, T), padding([3, 4], T)
keep_module("05/self_causal_and_padding", False, x, x, x, {"mask": mask | padded[:, None, None, :]}, attn_mask=mask,
            key_padding_mask=padded)

# ---- 07 backward ------------------------------------------------------------------------------------------------


scores, grad_weights = drawn(B, H, T, S).requires_grad_(), drawn(B, H, T, S)
weights = torch.softmax(scores, -1)
keep("07/softmax", weights=weights, grad_weights=grad_weights, **gradients(weights, grad_weights, scores=scores))

for case, mask in {"07/attention": None, "07/attention_masked": drawn_mask(B, H, T, S)}.items():
    q, k, v = (drawn(B, H, *size).requires_grad_() for size in ((T, d), (S, d), (S, d_v)))
    context, _ = attention(q, k, v, mask)
    grad_context = drawn(*context.shape)
    keep(case, q=q, k=k, v=v, grad_context=grad_context, **gradients(context, grad_context, q=q, k=k, v=v))
    if mask is not None:
        keep(case, mask=mask)

x, weight, bias = drawn(B, T, D).requires_grad_(), drawn(S, D).requires_grad_(), drawn(S).requires_grad_()
y = linear(x, weight, bias)
grad_y = drawn(*y.shape)
keep("07/linear", x=x, weight=weight, bias=bias, grad_y=grad_y, **gradients(y, grad_y, x=x, weight=weight, bias=bias))

for case, mask in {"07/module": None, "07/module_causal": causal(T, T)}.items():
    module, parameters = multi_head(bias=True)
    x, grad_y = drawn(B, T, D).requires_grad_(), drawn(B, T, D)
    y, _ = module(x, x, x, attn_mask=mask)
    y.backward(grad_y)
    keep(case, x=x, grad_y=grad_y, grad_x=x.grad, **parameters)
    keep(case, **{f"grad_{name}": value for name, value in by_name(module, lambda parameter: parameter.grad).items()})
    if mask is not None:
        keep(case, mask=mask)

# ---- 09 grouped query -------------------------------------------------------------------------------------------

E, E_kv, group = GROUPED_H * d, GROUPED_H_KV * d, GROUPED_H // GROUPED_H_KV


for case, mask in {"09/no_mask": None, "09/mask_of_each_head": drawn_mask(B, GROUPED_H, T, S)}.items():
    q = drawn(B, GROUPED_H, T, d)
    k, v = drawn(B, GROUPED_H_KV, S, d), drawn(B, GROUPED_H_KV, S, d_v)
    repeated = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    keep(case, q=q, k=k, v=v, repeated_k=repeated[0], context=attention(q, *repeated, mask)[0])
    if mask is not None:
        keep(case, mask=mask)

x, mask = drawn(B, T, D), causal(T, T)
w_q, w_k, w_v, w_o = (drawn(*size) / math.sqrt(size[0]) for size in ((D, E), (D, E_kv), (D, E_kv), (E, D)))
k, v = (heads(x @ w, GROUPED_H_KV).repeat_interleave(group, 1) for w in (w_k, w_v))
context, _ = attention(heads(x @ w_q, GROUPED_H), k, v, mask)
keep("09/layer", x=x, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o, mask=mask, result=context.transpose(1, 2).flatten(2) @ w_o)
w = drawn(D, E)
keep("09/pooling", w=w, pooled=w.unflatten(1, (GROUPED_H_KV, group, d)).mean(2).flatten(1))

# ---- 13 positions -----------------------------------------------------------------------------------------------

ROTARY_WIDTH, ROTARY_BASE = 6, 500


def angles_at(positions):
    """(B, T) -> (B, 1, T, pairs)"""
    turns = ROTARY_BASE ** (-torch.arange(0, ROTARY_WIDTH, 2, dtype=torch.float64) / ROTARY_WIDTH)
    return positions[:, None, :, None] * turns


def turned_pairs(x, positions):
    """Neighbours as complex numbers, as Meta's Llama does it."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    angles = angles_at(positions)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def turned_halves(x, positions):
    """x·cos + rotate_half(x)·sin, as transformers does it."""
    angles = torch.cat([angles_at(positions)] * 2, -1)
    first, second = x.chunk(2, -1)
    return x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()


def positions_of(length):
    return torch.tensor([numbers.randrange(60) for _ in range(B * length)], dtype=torch.float64).reshape(B, length)


for case, mask in {"13/no_mask": None, "13/mask_of_each_head": drawn_mask(B, GROUPED_H, T, S)}.items():
    q, k = drawn(B, GROUPED_H, T, ROTARY_WIDTH), drawn(B, GROUPED_H_KV, S, ROTARY_WIDTH)
    v, q_positions, k_positions = drawn(B, GROUPED_H_KV, S, d_v), positions_of(T), positions_of(S)
    turned_q, turned_k = turned_pairs(q, q_positions), turned_pairs(k, k_positions)
    context, _ = attention(turned_q, turned_k.repeat_interleave(group, 1), v.repeat_interleave(group, 1), mask)
    keep(case, q=q, k=k, v=v, q_positions=q_positions, k_positions=k_positions, context=context, turned_q=turned_q,
         halves_of_q=turned_halves(q, q_positions))
    if mask is not None:
        keep(case, mask=mask)

module, _ = multi_head(bias=True)
x = drawn(B, T, D)
q, k, v = linear(x, module.in_proj_weight, module.in_proj_bias).chunk(3, -1)
keep("13/in_projection", weight=module.in_proj_weight, bias=module.in_proj_bias, x=x, q=q, k=k, v=v)

# ---- 14 block ---------------------------------------------------------------------------------------------------

NORM_EPS, HIDDEN = 1e-2, 20


def keep_with_gradients(case, result, **of):
    grad_y = drawn(*result.shape)
    keep(case, result=result, grad_y=grad_y, **of, **gradients(result, grad_y, **of))


x, gain, bias = (drawn(*size).requires_grad_() for size in ((B, T, D), (D,), (D,)))
keep_with_gradients("14/layer_norm", torch.nn.functional.layer_norm(x, (D,), gain, bias, NORM_EPS), x=x, gain=gain,
                    bias=bias)
keep_with_gradients("14/rms_norm", x * torch.rsqrt(x.square().mean(-1, keepdim=True) + NORM_EPS) * gain, x=x, gain=gain)
for formula in ("none", "tanh"):
    x = (2 * drawn(B, T, D)).requires_grad_()
    keep_with_gradients(f"14/gelu_{formula}", torch.nn.functional.gelu(x, approximate=formula), x=x)


def encoder_layer(norm_first, formula):
    """torch's own block with drawn parameters, and these by name: attention's as Headway's module has them."""
    layer = torch.nn.TransformerEncoderLayer(
        D, H, HIDDEN, dropout=0, activation=lambda x: torch.nn.functional.gelu(x, approximate=formula),
        layer_norm_eps=NORM_EPS, batch_first=True, norm_first=norm_first, dtype=torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(drawn(*parameter.shape) / (math.sqrt(D) if parameter.dim() == 2 else 1))
    return layer


def layer_by_name(layer, value):
    named = {name: value(parameter) for name, parameter in layer.named_parameters() if "self_attn" not in name}
    return named | {f"self_attn.{name}": part for name, part in by_name(layer.self_attn, value).items()}


for case, norm_first, formula in (("14/pre_norm", True, "none"), ("14/post_norm", False, "none"),
                                  ("14/pre_norm_tanh", True, "tanh"), ("14/post_norm_tanh", False, "tanh")):
    layer = encoder_layer(norm_first, formula)
    x, grad_y = drawn(B, T, D).requires_grad_(), drawn(B, T, D)
    y = layer(x)
    y.backward(grad_y)
    keep(case, x=x, grad_y=grad_y, result=y, grad_x=x.grad, **layer_by_name(layer, lambda parameter: parameter))
    keep(case, **{f"grad_{name}": part for name, part in layer_by_name(layer, lambda p: p.grad).items()})

# ---- 11: long texts: attention under a mask that joins a window and global tokens, and is cut -------------------


def long_mask(queries, keys, window, globals_, padding):
    """True where a query may not attend; padding (B, keys)."""
    p = torch.arange(queries).unsqueeze(1) + keys - queries
    s = torch.arange(keys)
    is_global = torch.isin(p, torch.tensor(globals_, dtype=torch.long)) | torch.isin(
        s, torch.tensor(globals_, dtype=torch.long))
    open_ = ((p - s < window) | is_global) & (s <= p)
    return ~(open_ & ~padding[:, None, None, :])


WINDOW = 3
for case, queries, keys, globals_, padded in (("11/window", T, S, [], 0), ("11/globals", S, S, [0, 4], 0),
                                              ("11/padding", T, S, [1], 2), ("11/ring", 9, 9, [], 0)):
    q, k, v = drawn(B, H, queries, d), drawn(B, H, keys, d), drawn(B, H, keys, d_v)
    no_key = torch.zeros(B, keys, dtype=torch.bool)
    if padded:
        no_key[-1, -padded:] = True
    mask = long_mask(queries, keys, WINDOW, globals_, no_key)
    result, _ = attention(q, k, v, mask)
    keep(case, q=q, k=k, v=v, padding=no_key[:, None, None, :].to(torch.float32),
         mask=mask.to(torch.float32), result=result)

# ---- 12 small numbers -------------------------------------------------------------------------------------------

# Ties in both directions, what is below the smallest step, both sides of where subnormal numbers begin, and both sides
# of the largest number: of half, then of bfloat16. Python's numbers are doubles; each of these is a float.
BELOW_ONE, TIE = 2.0**-25, 2.0**-11
HARD = [0.0, 1 + TIE, 1 + 3 * TIE, 1 + TIE + 2.0**-23, 2047.5, 2049, 2051, 4098, 4102, BELOW_ONE, BELOW_ONE + 2.0**-48,
        3 * BELOW_ONE, 5 * BELOW_ONE, 2.0**-14, 2.0**-14 - BELOW_ONE, 2.0**-14 - 3 * BELOW_ONE, 0.1, 65504, 65519,
        65520 - 2.0**-8, 65520, 70000, 256, 257, 259, 2.0**-133, 2.0**-134, 3 * 2.0**-134, 2.0**-149,
        2.0**-126 - 2.0**-134, 2.0**127 * (2 - 2.0**-7), 2.0**127 * (2 - 2.0**-8 - 2.0**-23),
        2.0**127 * (2 - 2.0**-8), 2.0**127 * (2 - 2.0**-23)]
HARD += [-x for x in HARD] + [numbers.choice((-1, 1)) * 2 ** numbers.uniform(-40, 17) for _ in range(200)]
x = torch.tensor(HARD, dtype=torch.float32)


def keep_rounded(case, result):
    """Infinities by their signs, in a tensor of their own: the file holds finite numbers alone."""
    infinite = result.isinf()
    keep(case, x=x, rounded=result.masked_fill(infinite, 0), infinite=infinite * result.sign().nan_to_num())


keep_rounded("12/half", x.to(torch.float16).to(torch.float32))
keep_rounded("12/bfloat16", x.to(torch.bfloat16).to(torch.float32))


def of_half(*shape):
    return drawn(*shape).to(torch.float16).to(torch.float64)


# This PyTorch has no softmax of half on a CPU, so softmax and attention are in double, of numbers that half holds.
scores, mask = (8 * of_half(B, H, T, S)).to(torch.float16).to(torch.float64), drawn_mask(B, H, T, S)
keep("12/softmax", scores=scores, mask=mask, weights=torch.softmax(scores.masked_fill(mask, -math.inf), -1))
q, k, v, mask = of_half(B, H, T, d), of_half(B, H, S, d), of_half(B, H, S, d_v), drawn_mask(B, H, T, S)
keep("12/attention", q=q, k=k, v=v, mask=mask, context=attention(q, k, v, mask)[0])


def in_int8(rows):
    """Codes and what they stand for, with a scale for each row of the last axis."""
    flat = rows.to(torch.float32).flatten(0, -2)
    scales = flat.abs().amax(1) / 127
    zero_points = torch.zeros(len(flat), dtype=torch.long)
    quantized = torch.quantize_per_channel(flat, scales, zero_points, 0, torch.qint8)
    return (quantized.int_repr().reshape(rows.shape), scales.reshape(rows.shape[:-1]),
            quantized.dequantize().to(torch.float64).reshape(rows.shape))


loudness = torch.tensor([2.0 ** numbers.uniform(-6, 6) for _ in range(B * H * S)]).reshape(B, H, S, 1)
q, k, v, mask = drawn(B, H, T, d), drawn(B, H, S, d), drawn(B, H, S, d_v) * loudness, drawn_mask(B, H, T, S)
(k_codes, k_scales, kept_k), (v_codes, v_scales, kept_v) = in_int8(k), in_int8(v)
keep("12/int8", q=q, k=k, v=v, mask=mask, k_codes=k_codes, v_codes=v_codes, k_scales=k_scales, v_scales=v_scales,
     context=attention(q, kept_k, kept_v, mask)[0])

# ---- 08, 13 decoding, a stack of 14, weights of 13: drawn last, so that what is drawn above stays as it is ------

module, parameters = multi_head(bias=True)
x = drawn(B, S, D)
keep("08/decoding", x=x, result=module(x, x, x, attn_mask=causal(S, S))[0], **parameters)

padded = torch.arange(S) < torch.tensor([2, 0]).unsqueeze(1)  # on the left
positions = (torch.arange(S) - padded.sum(1, keepdim=True)).clamp(min=0).to(torch.float64)
q, k, v = drawn(B, GROUPED_H, S, ROTARY_WIDTH), drawn(B, GROUPED_H_KV, S, ROTARY_WIDTH), drawn(B, GROUPED_H_KV, S, d_v)
turned_k = turned_pairs(k, positions)
# Padding sees itself here, because PyTorch gives NaN to a query that sees no key; Headway's zeros take its place.
mask = causal(S, S) | (padded[:, None, None, :] & ~torch.eye(S, dtype=torch.bool))
context, _ = attention(turned_pairs(q, positions), turned_k.repeat_interleave(group, 1), v.repeat_interleave(group, 1),
                       mask)
keep("13/decoding", q=q, k=k, v=v, turned_k=turned_k, context=context.masked_fill(padded[:, None, :, None], 0))

layers = [encoder_layer(True, "none"), encoder_layer(False, "tanh"), encoder_layer(True, "tanh")]
inputs = [drawn(B, T, D).requires_grad_()]
for layer in layers:
    inputs.append(layer(inputs[-1]))
    inputs[-1].retain_grad()
grad_y = drawn(B, T, D) / 4  # so that gradients of weights stay as small as results
inputs[-1].backward(grad_y)
keep("14/stack", x=inputs[0], grad_y=grad_y, result=inputs[-1])
for i, layer in enumerate(layers):
    keep(f"14/stack/{i}", grad_x=inputs[i].grad, **layer_by_name(layer, lambda parameter: parameter))
    keep(f"14/stack/{i}", **{f"grad_{name}": part for name, part in layer_by_name(layer, lambda p: p.grad).items()})

sizes = [E, E_kv, E_kv]
weight, bias, x = drawn(sum(sizes), D) / math.sqrt(D), drawn(sum(sizes)), drawn(B, T, D)
q, k, v = (linear(x, *part) for part in zip(torch.split(weight, sizes), torch.split(bias, sizes)))
keep("13/unequal_parts", weight=weight, bias=bias, x=x, q=q, k=k, v=v)


def permuted(w, count):
    """From neighbours to halves, as transformers' convert_llama_weights_to_hf.py does it; w (out, in)."""
    return w.view(count, w.shape[0] // count // 2, 2, w.shape[1]).transpose(1, 2).reshape(w.shape)


for case, count in (("13/permuted_w_q", GROUPED_H), ("13/permuted_w_k", GROUPED_H_KV)):
    w = drawn(count * ROTARY_WIDTH, D)
    keep(case, pairs=w.T, halves=permuted(w, count).T)

assert all(tensor.isfinite().all() for tensor in tensors.values())
if sys.argv[2:] == ["--check"]:
    found = list(kept_tensors.differences(kept_tensors.read(sys.argv[1]), tensors, CHECKED_TO))
    print("\n".join(found) or f"{len(tensors)} tensors: PyTorch {torch.__version__} computes the same.")
    sys.exit(bool(found))
kept_tensors.write(sys.argv[1], tensors)
