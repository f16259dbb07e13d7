#!/usr/bin/env python3
"""gpt2_test.py CHECKOUT CLI: the lab gpt2 on small checkpoints in the format of the real one.

Tokens and logits must agree with a second implementation (gpt2/). Then files that are damaged, hostile or not there.
"""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # in a checkout that may not be ours to write to

from gpt2.checkpoint import make_checkpoint
from gpt2.model import Model
from gpt2.tokenizer import encode

CHECKOUT, CLI = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
problems = []


def complain(sentence):
    problems.append(sentence)
    print(sentence)


def lab(*arguments, name="gpt2", submission=None):
    environment = dict(os.environ, HEADWAY_ROOT=CHECKOUT, HEADWAY_STATE=os.path.abspath("state"))
    whose = ["--submission", submission] if submission else ["--reference"]
    return subprocess.run(
        [CLI, "lab", name, *whose, "--output", "out", *arguments],
        capture_output=True, env=environment, timeout=300, check=False,
    )  # fmt: skip


def all_said(ended):
    """Errors too: what is said in the jail comes out as one text."""
    return (ended.stderr + ended.stdout).decode(errors="replace")


def norm(vector):
    return math.sqrt(sum(value * value for value in vector))


def check_looks(model, found, what):
    """Weights of all heads, and the keys and values that are compared."""
    length = len(found["tokens"])
    for (name, h, t), row in model.weights.items():
        shown = found["layers"][int(name.split(".")[1])]["weights"][(h * length + t) * length :][:length]
        if any(abs(a - b) > 1e-5 for a, b in zip(row + [0.0] * (length - len(row)), shown)):
            return complain(f"{what}: the weights of {name}, head {h}, token {t} are others")
    for h, shown in enumerate(found["keys_and_values"]):
        k, v = model.pairs[f"h.{found['layer']}.attn", h, found["token"]]
        cosine = sum(a * b for a, b in zip(k, v)) / (norm(k) * norm(v))
        for name, value in {"key_norm": norm(k), "value_norm": norm(v), "cosine": cosine}.items():
            if abs(shown[name] - value) > 1e-3:
                complain(f"{what}: {name} of head {h} is {shown[name]}, not {value}")
    return None


def agrees(folder, text, what, *more, submission=None):
    ended = lab("--model", folder, "--text", text, "--more", "3", "--json", "found.json", *more, submission=submission)
    if ended.returncode != 0:
        complain(f"{what}: ended with {ended.returncode}: {all_said(ended)[-600:]}")
        return None
    with open("found.json") as file:
        found = json.load(file)
    if found["tokens"] != encode(folder, text):
        complain(f"{what}: tokens {found['tokens']}, not {encode(folder, text)}")
        return found
    model, tokens = Model(folder), found["tokens"]
    for step in range(2):  # the text's end, and what it writes
        expected = model.last_logits(tokens)
        if step == 0:
            worst = max(abs(a - b) for a, b in zip(expected, found["last_logits"]))
            if not worst <= 1e-4:
                complain(f"{what}: a logit is off by {worst}")
            check_looks(model, found, what)
        if max(range(len(expected)), key=expected.__getitem__) != found["continued"][step]:
            complain(f"{what}: it does not write what has the largest logit")
        tokens = tokens + [found["continued"][step]]
    return found


def refuses(words, what, *arguments, status=2, submission=None):
    ended = lab(*arguments, submission=submission)
    said = all_said(ended) if submission else ended.stderr.decode(errors="replace")
    if ended.returncode != status or words not in said:
        complain(f"{what}: ended with {ended.returncode}, not {status} with “{words}”:\n{said[-600:]}")


def right_ones():
    sentence = "the cat's now in  the   1990 café,\n\tthe  cat"
    found = agrees(make_checkpoint("plain"), sentence, "a plain checkpoint")
    if found:
        assert len(found["layers"]) == 3 and found["layers"][0]["shape"] == [3] + [len(found["tokens"])] * 2
    agrees(make_checkpoint("prefixed", prefix="transformer.", masks=False), " in the cat", "with transformer.")
    agrees(make_checkpoint("untied", tied=False), "now19the I've they'll in!!", "an output head of its own")
    agrees(make_checkpoint("half", dtype="F16"), "čau 你好 🐈\u3000the\u00a0cat", "half precision",
           "--layer", "1", "--token", "2")  # fmt: skip
    shown = lab("--model", "plain", "--text", "the cat in the cat", "--layer", "2", "--token", "0")
    said = shown.stdout.decode()
    if shown.returncode != 0 or "induction" not in said or max(map(len, said.splitlines())) > 80:
        complain("what it shows is wrong or wider than 80 columns:\n" + said)
    with open("out/gpt2.html", encoding="utf-8") as file:
        page = file.read()
    if page.count("head ") < 3 or "<script" in page or "src=" in page:
        complain("out/gpt2.html is not what it should be")


def students():
    """Code that is not done, or wrong in ways that a lab meets: the exercise is named, and the status is 1."""
    with open(os.path.join(CHECKOUT, "solutions/05_module/module.cpp")) as file:
        solution = file.read()
    for old, new, words in (
        ("return std::make_unique<", "return {}; return std::make_unique<", "gives nothing"),
        ('register_module("out_proj"', 'register_module("out"', "its parameters should be"),
        ("require_valid(options);", 'throw "todo";', "no std::exception"),
        ("return out_proj_.forward(", "if (query.size(1) > 3) throw std::logic_error(\"four\"); return out_proj_.forward(",
         "your forward (05_module) threw: four"),
        ("return given::scaled_dot_product_context(q, k, v, blocked);",
         "return matmul(given::scaled_dot_product_attention(q, k, v, blocked).weights.slice(3, 0, q.size(2) > 3 ? 2 : 3), v);",
         "your forward (05_module) threw: matmul"),
    ):  # fmt: skip
        assert old in solution
        os.makedirs("student/05_module", exist_ok=True)
        with open("student/05_module/module.cpp", "w") as file:
            file.write(solution.replace(old, new, 1))
        refuses(words, f"a student with {new!r}", "--model", "plain", "--text", "the cat in", status=1,
                submission="student")  # fmt: skip


def own_blocks():
    """Before exercise 14 layers are the course's; a right block takes their place, and a wrong one is refused."""
    solutions = os.path.join(CHECKOUT, "solutions")
    shutil.copytree(os.path.join(solutions, "05_module"), "blocks/05_module")
    for has_block, words in ((False, "until you have written 14"), (True, "Its blocks are yours")):
        if has_block:
            shutil.copytree(os.path.join(solutions, "14_block"), "blocks/14_block")
        what = "a student with 05 and 14" if has_block else "a student with 05 alone"
        found = agrees("plain", "the cat's now in the cat", what, submission="blocks")
        if found and found["own_blocks"] is not has_block:
            complain(f"{what}: own_blocks is {found['own_blocks']}")
        shown = lab("--model", "plain", "--text", "the cat in", submission="blocks")
        if shown.returncode != 0 or words not in " ".join(all_said(shown).split()):
            complain(f"{what}: does not say “{words}”:\n{all_said(shown)[-600:]}")
    with open("blocks/14_block/block.cpp") as file:
        right = file.read()
    asked = "if (formula == Gelu::exact) return x * below(x);"
    assert right.count(asked) == 1
    with open("blocks/14_block/block.cpp", "w") as file:
        file.write(right.replace(asked, asked.replace(")", " || formula == Gelu::tanh)", 1)))
    refuses("your block_forward (14_block) does not compute what a layer of GPT-2 is", "a block with the other GELU",
            "--model", "plain", "--text", "the cat in", status=1, submission="blocks")  # fmt: skip


def trained_one():
    ended = lab("--quick", "--steps", "60", "--heads", "4", "--export", "tiny", name="train")
    if ended.returncode != 0:
        complain("train --export: " + ended.stderr.decode())
        return
    found = agrees("tiny", ". anna red rome . bob blue oslo . anna", "a trained model")
    if found and found["labels"] != ". anna red rome . bob blue oslo . anna".split():
        complain(f"the trained model's tokens are {found['labels']}")


GOOD_CONFIG = '{"vocab_size": 271, "n_positions": 64, "n_embd": 15, "n_head": 3, "n_layer": 3%s}'


def damaged_ones():
    refuses("there is no folder nowhere", "no folder", "--model", "nowhere")
    os.makedirs("empty")
    refuses("there is no empty/config.json", "an empty folder", "--model", "empty")
    refuses("model.safetensors is a file, not a folder", "a file", "--model", "tiny/model.safetensors")
    make_checkpoint("cut")
    with open("cut/model.safetensors", "r+b") as file:
        file.truncate(os.path.getsize("cut/model.safetensors") - 40)
    refuses("it may have been cut off", "a download that was cut off", "--model", "cut")

    def without(name):
        return lambda tensors: tensors.pop(name)

    make_checkpoint("less", changes=without("h.1.mlp.c_fc.bias"))
    refuses("there is no h.1.mlp.c_fc.bias", "a missing name", "--model", "less")
    make_checkpoint("more", changes=lambda tensors: tensors.update(extra=("F32", [1], bytes(4))))
    refuses("it has extra", "a name too many", "--model", "more")
    make_checkpoint("turned", changes=lambda tensors: tensors.update(
        {"h.0.attn.c_attn.weight": ("F32", [45, 15], bytes(4 * 45 * 15))}))  # fmt: skip
    refuses("(45, 15); by config.json it should have (15, 45)", "a weight that is turned", "--model", "turned")
    make_checkpoint("twice", changes=lambda tensors: tensors.update({"transformer.ln_f.bias": tensors["ln_f.bias"]}))
    refuses("with and without transformer.", "a name with both spellings", "--model", "twice")
    make_checkpoint("brain", changes=lambda tensors: tensors.update({"ln_f.bias": ("BF16", [15], bytes(30))}))
    refuses("F32 and F16 are read", "another type", "--model", "brain")
    make_checkpoint("nan", changes=lambda tensors: tensors.update(
        {"ln_f.bias": ("F32", [15], struct.pack("<15f", *[math.nan] * 15))}))  # fmt: skip
    refuses("ln_f.bias holds NaN or infinity", "NaN in it", "--model", "nan")
    for file, text, words in (
        ("config.json", "{", "config.json is not a JSON object"),
        ("config.json", '{"vocab_size": -1}', "vocab_size is -1"),
        ("config.json", '{"vocab_size": 271, "n_positions": 64, "n_embd": 15, "n_head": 4, "n_layer": 3}', "n_embd 15"),
        ("config.json", '{"vocab_size": 271, "n_positions": 64, "n_embd": 15, "n_head": 3, "n_layer": 1e9}', "n_layer"),
        ("config.json", '{"vocab_size": ' + "[" * 100000 + "]" * 100000 + "}", "vocab_size is an array"),
        ("config.json", GOOD_CONFIG % ', "activation_function": "relu"', "activation_function is"),
        ("config.json", GOOD_CONFIG % ', "scale_attn_by_inverse_layer_idx": true', "it is false"),
        ("vocab.json", "[" * 100000, "not a JSON object"),
        ("vocab.json", '{"a": 0, "b": 0}', "has the number of"),
        ("vocab.json", '{"a": 0, "b": 7}', "is not one of 0 to 1"),
        ("vocab.json", '{"\udcff": 0}', "not a JSON object"),
        ("merges.txt", "onlyone\n", "line 1 is not two tokens"),
        ("merges.txt", "#version: 0.2\nq zzz\n", "what line 2 joins"),
    ):
        make_checkpoint("text")
        with open(os.path.join("text", file), "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write(text)
        refuses(words, f"{file}: {text[:30]!r}", "--model", "text")
    bomb = struct.pack("<Q", 1 << 60) + b"{}"
    with open(os.path.join(make_checkpoint("bomb"), "model.safetensors"), "wb") as out:
        out.write(bomb)
    refuses("is not there", "a header bomb", "--model", "bomb")
    for text, words in (("version https://git-lfs.github.com/spec/v1\n", "git-lfs"), ("<!doctype html>", "a web page")):
        with open(os.path.join(make_checkpoint("other"), "model.safetensors"), "w") as out:
            out.write(text)
        refuses(words, text, "--model", "other")
    make_checkpoint("escape", changes=lambda tensors: tensors.update({"\x1b[2Jx": ("F32", [1], bytes(4))}))
    refuses(r"it has \x1b[2Jx", "an escape sequence as a name", "--model", "escape")
    refuses("not valid UTF-8 (at byte 4)", "a text that is no UTF-8", "--model", "plain", "--text", b"the \xff cat")
    refuses("that is 1 token", "a single token", "--model", "plain", "--text", "a")
    refuses("the model takes 2 to 64", "a text too long", "--model", "plain", "--text", "a b " * 100)
    refuses("20000 are enough", "a text far too long", "--model", "plain", "--text", "a b " * 10000)
    refuses("there is no 3; there are 0 to 2", "a layer too many", "--model", "plain", "--layer", "3")


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    right_ones()
    students()
    own_blocks()
    trained_one()
    damaged_ones()
    os.chdir("/")
if problems:
    sys.exit(f"{len(problems)} complaints about the lab gpt2")
print("The lab gpt2 agrees with a second implementation, and refuses what is damaged.")
