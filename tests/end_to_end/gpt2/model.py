"""GPT-2 a second time, in Python without any library, from its published description."""

import json
import math
import os
import struct


def read_checkpoint(path):
    """Names and (shape, numbers); names without their prefix, masks left out."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        name = name.removeprefix("transformer.")
        if name == "__metadata__" or name.endswith((".attn.bias", ".attn.masked_bias")):
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        kind, width = {"F32": ("f", 4), "F16": ("e", 2)}[entry["dtype"]]
        tensors[name] = (entry["shape"], struct.unpack(f"<{(end - begin) // width}{kind}", data[begin:end]))
    return tensors


class Model:
    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as file:
            self.config = json.load(file)
        self.tensors = read_checkpoint(os.path.join(folder, "model.safetensors"))
        self.weights, self.pairs = {}, {}  # by layer, head and token: the row of a query; k and v

    def matrix(self, name):
        (rows, columns), numbers = self.tensors[name]
        return [numbers[i * columns : (i + 1) * columns] for i in range(rows)]

    def vector(self, name):
        return self.tensors[name][1]

    def normalised(self, x, name):
        mean = sum(x) / len(x)
        variance = sum((value - mean) ** 2 for value in x) / len(x)
        root = math.sqrt(variance + self.config.get("layer_norm_epsilon", 1e-5))
        return [
            (value - mean) / root * gain + bias
            for value, gain, bias in zip(x, self.vector(name + ".weight"), self.vector(name + ".bias"))
        ]

    def through(self, x, name):
        """Conv1D: weights are stored (in, out)."""
        out = list(self.vector(name + ".bias"))
        for value, row in zip(x, self.matrix(name + ".weight")):
            for j, weight in enumerate(row):
                out[j] += value * weight
        return out

    def attend(self, xs, name):
        heads, width = self.config["n_head"], self.config["n_embd"]
        d = width // heads
        packed = [self.through(x, name + ".c_attn") for x in xs]
        outputs = []
        for t in range(len(xs)):
            merged = []
            for h in range(heads):
                q = packed[t][h * d : (h + 1) * d]
                scores = []
                for s in range(t + 1):
                    k = packed[s][width + h * d : width + (h + 1) * d]
                    scores.append(sum(a * b for a, b in zip(q, k)) / math.sqrt(d))
                largest = max(scores)
                exponentials = [math.exp(score - largest) for score in scores]
                total = sum(exponentials)
                self.weights[name, h, t] = [e / total for e in exponentials]
                self.pairs[name, h, t] = tuple(packed[t][n * width + h * d : n * width + (h + 1) * d] for n in (1, 2))
                for i in range(d):
                    column = 2 * width + h * d + i
                    merged.append(sum(e * packed[s][column] for s, e in enumerate(exponentials)) / total)
            outputs.append(self.through(merged, name + ".c_proj"))
        return outputs

    def last_logits(self, tokens):
        words, places = self.matrix("wte.weight"), self.matrix("wpe.weight")
        xs = [[a + b for a, b in zip(words[token], places[t])] for t, token in enumerate(tokens)]
        for layer in range(self.config["n_layer"]):
            h = f"h.{layer}."
            attended = self.attend([self.normalised(x, h + "ln_1") for x in xs], h + "attn")
            xs = [[a + b for a, b in zip(x, y)] for x, y in zip(xs, attended)]
            for t, x in enumerate(xs):
                inner = self.through(self.normalised(x, h + "ln_2"), h + "mlp.c_fc")
                bent = [
                    0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in inner
                ]
                xs[t] = [a + b for a, b in zip(x, self.through(bent, h + "mlp.c_proj"))]
        last = self.normalised(xs[-1], "ln_f")
        head = self.matrix("lm_head.weight") if "lm_head.weight" in self.tensors else words
        return [sum(a * b for a, b in zip(last, row)) for row in head]
