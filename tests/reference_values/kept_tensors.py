"""Tensors in a file, in the format of safetensors, as 32-bit floats."""

import json
import math
import struct

import torch


def write(path, tensors):
    header, begin = {"__metadata__": {"made_by": "tests/reference_values/make.py", "torch": torch.__version__}}, 0
    for name, tensor in tensors.items():
        end = begin + 4 * tensor.numel()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(struct.pack(f"<{tensor.numel()}f", *tensor.flatten().tolist()))


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    header.pop("__metadata__")
    return {
        name: torch.tensor(struct.unpack_from(f"<{math.prod(entry['shape'])}f", data, entry["data_offsets"][0])).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def differences(kept, tensors, tolerance):
    """What differs between a file and what was computed now, a line each. NaN differs from everything."""
    yield from (f"{name} is in one of the two only" for name in sorted(kept.keys() ^ tensors.keys()))
    for name in kept.keys() & tensors.keys():
        if kept[name].shape != tensors[name].shape:
            yield f"{name} is {tuple(kept[name].shape)} in the file and {tuple(tensors[name].shape)} now"
        elif not ((kept[name] - tensors[name]).abs() <= tolerance).all():
            yield f"{name} differs by {(kept[name] - tensors[name]).abs().max():.2g}"
