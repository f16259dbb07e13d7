"""Its byte-level BPE a second time."""

import json
import math
import os
import unicodedata


def byte_characters():
    seen = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    table, more = {}, 0
    for byte in range(256):
        if byte in seen:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + more)
            more += 1
    return table


BYTES = byte_characters()


def kind(character):
    if character.isspace():
        return "space"
    category = unicodedata.category(character)[0]
    return {"L": "letter", "N": "number"}.get(category, "other")


def words_of(text):
    """Cuts as GPT-2's pattern does, scanning by hand."""
    words, at = [], 0
    while at < len(text):
        ending = next((e for e in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(e, at)), None)
        if ending:
            words.append(ending)
            at += len(ending)
            continue
        begin = at + 1 if text[at] == " " and at + 1 < len(text) and kind(text[at + 1]) != "space" else at
        end = begin
        while end < len(text) and kind(text[end]) == kind(text[begin]):
            end += 1
        if kind(text[begin]) == "space" and end < len(text) and end - at > 1:
            end -= 1  # the last one belongs to what follows, if it is a space
        words.append(text[at:end])
        at = end
    return words


def encode(folder, text):
    with open(os.path.join(folder, "vocab.json"), encoding="utf-8") as file:
        vocabulary = json.load(file)
    with open(os.path.join(folder, "merges.txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    ranks = {tuple(line.split(" ")): i for i, line in enumerate(line for line in lines if not line.startswith("#version"))}
    tokens = []
    for word in words_of(text):
        parts = [BYTES[byte] for byte in word.encode()]
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda pair: ranks.get(pair, math.inf))
            if best not in ranks:
                break
            joined, i = [], 0
            while i < len(parts):
                if tuple(parts[i : i + 2]) == best:
                    joined.append("".join(best))
                    i += 2
                else:
                    joined.append(parts[i])
                    i += 1
            parts = joined
        tokens += [vocabulary[part] for part in parts]
    return tokens
