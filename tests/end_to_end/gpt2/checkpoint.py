"""Small checkpoints in the format of the published one."""

import json
import math
import os
import random
import struct

from gpt2.tokenizer import BYTES


def write_safetensors(path, tensors):
    """tensors: {name: (dtype, shape, bytes)}"""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, numbers) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


MERGES = ["Ġ t", "h e", "Ġt he", "Ġ a", "i n", "Ġ c", "a t", "Ġc at", "Ã ©", "Ġ Ġ", "ĠĠ ĠĠ", "n o", "no w", "1 9"]


def make_checkpoint(folder, prefix="", dtype="F32", masks=True, tied=True, changes=None):
    """A GPT-2 of 3 layers of 3 heads of width 5, with numbers that leave no part without effect."""
    os.makedirs(folder, exist_ok=True)
    tokens = [BYTES[byte] for byte in range(256)] + [merge.replace(" ", "") for merge in MERGES] + ["<|endoftext|>"]
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as file:
        json.dump({token: i for i, token in enumerate(tokens)}, file)
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "\n".join(MERGES) + "\n")
    width, layers, heads, places = 15, 3, 3, 64
    config = {
        "model_type": "gpt2", "vocab_size": len(tokens), "n_positions": places, "n_ctx": places, "n_embd": width,
        "n_head": heads, "n_layer": layers, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new",
    }  # fmt: skip
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    draw = random.Random(7)

    def numbers(shape, middle=0.0, spread=0.4):
        values = [middle + draw.gauss(0, spread) for _ in range(math.prod(shape))]
        return dtype, shape, struct.pack(f"<{len(values)}{'e' if dtype == 'F16' else 'f'}", *values)

    tensors = {"wte.weight": numbers([len(tokens), width]), "wpe.weight": numbers([places, width])}
    for layer in range(layers):
        h = f"h.{layer}."
        for norm in ("ln_1", "ln_2"):
            tensors[f"{h}{norm}.weight"] = numbers([width], 1.0)
            tensors[f"{h}{norm}.bias"] = numbers([width])
        if masks:
            tensors[h + "attn.bias"] = ("U8", [1, 1, places, places], bytes([1]) * places**2)
            tensors[h + "attn.masked_bias"] = ("F32", [], struct.pack("<f", -1e4))
        for name, (rows, columns) in {
            "attn.c_attn": (width, 3 * width),
            "attn.c_proj": (width, width),
            "mlp.c_fc": (width, 4 * width),
            "mlp.c_proj": (4 * width, width),
        }.items():
            tensors[f"{h}{name}.weight"] = numbers([rows, columns])
            tensors[f"{h}{name}.bias"] = numbers([columns])
    tensors["ln_f.weight"] = numbers([width], 1.0)
    tensors["ln_f.bias"] = numbers([width])
    tensors = {prefix + name: value for name, value in tensors.items()}
    if not tied:
        tensors["lm_head.weight"] = numbers([len(tokens), width])
    if changes:
        changes(tensors)
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors)
    return folder
