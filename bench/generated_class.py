"""A class as benchmarks need one: what many students hand in, made from solutions/, tests/accepted, tests/mutants and
tests/hostile. Sources differ, by renaming and by harmless additions, in their code and not only in comments and white space.
"""

import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/hostile"))
from hostile_program import attack_source, calling_an_attack  # noqa: E402

EXERCISES = ["01_single_head", "02_head_splitting", "03_scaled_scores", "04_merge_heads", "05_module"]
# What a hand-in of one exercise is. Of the right ones a quarter are written in other styles (Eigen's among them).
SHARES = {"right": 0.50, "wrong": 0.40, "not compiling": 0.08, "hostile": 0.02}
COPIED = 0.30  # of these, so many are what somebody else handed in
HOSTILE = ["exit_zero", "heap_bomb", "spin_forever", "read_passwd", "fork_bomb", "forge_result_files", "garbage_answer",
           "output_flood"]


def sources(folder):
    """path -> text, of what counts."""
    return {str(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*"))
            if file.suffix in (".cpp", ".hpp", ".h", ".cc")}


def without_layout(files):
    """The code alone, to compare by."""
    text = "\n".join(files[name] for name in sorted(files))
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S))


def renamed(text, number):
    """Some local variables get other names: those that are nobody's member."""
    names = set(re.findall(r"\b(?:Tensor|Index|float|double|auto)&? ([a-z]\w+) = ", text))
    names -= set(re.findall(r"(?:\.|->|::)\s*(\w+)", text))
    for name in sorted(names):
        text = re.sub(rf"\b{name}\b", f"{name}_{number}", text)
    return text


def variant(files, number):
    """The same program, written by somebody else."""
    files = dict(files)
    first = next(name for name in sorted(files) if name.endswith(".cpp"))
    if len(files) == 1:
        files[first] = renamed(files[first], number)
    files[first] += f"\nnamespace {{\n[[maybe_unused]] float tried_{number}(float x) {{\n    return x * {number}.0F;\n}}\n}}\n"
    return files


def broken(files, number):
    files = variant(files, number)
    first = next(name for name in sorted(files) if name.endswith(".cpp"))
    damage = ["int missing = ;\n", "Tensor forgotten(const Tensor& x) { return x }\n", "#include \"not_there.hpp\"\n",
              "float y = undeclared_name;\n"]
    files[first] += damage[number % len(damage)]
    return files


def hostile(number):
    """Called from softmax_rows."""
    attack = (ROOT / "tests/hostile" / HOSTILE[number % len(HOSTILE)] / "attack.cpp").read_text()
    solution = sources(ROOT / "solutions/01_single_head")["single_head.cpp"]
    return {"single_head.cpp": calling_an_attack(solution),
            "attack.cpp": attack_source(attack, "call") + f"int attempt_{number} = {number};\n"}


def folders_of(parent, exercise):
    return [path / exercise for path in sorted((parent / exercise).iterdir()) if (path / exercise).is_dir()]


def expand_mutants(cli, folder):
    """Each kind of wrong, as submissions. Not those that only prove one more entry of the catalogue."""
    subprocess.run([cli, "verify", "--expand", folder, "--quick", *EXERCISES], check=True,
                   env=dict(os.environ, HEADWAY_ROOT=str(ROOT), HEADWAY_STATE=f"{folder}/state"))


class Hand:
    """Makes what is handed in for one exercise."""

    def __init__(self, exercise, mutants):
        self.exercise = exercise
        self.solution = sources(ROOT / "solutions" / exercise)
        self.accepted = [sources(folder) for folder in folders_of(ROOT / "tests/accepted", exercise)]
        self.mutants = [sources(folder) for folder in folders_of(mutants, exercise)]
        self.made = []

    def next(self, chance, number):
        """(kind, files)"""
        if self.made and chance.random() < COPIED:
            return chance.choice(self.made)
        kind = chance.choices(list(SHARES), SHARES.values())[0]
        if kind == "hostile" and self.exercise != EXERCISES[0]:
            kind = "right"
        if kind == "hostile":
            made = hostile(number)
        elif kind == "wrong":
            made = variant(self.mutants[number % len(self.mutants)], number)
        elif kind == "not compiling":
            made = broken(self.solution, number)
        else:
            made = variant(chance.choice(self.accepted) if chance.random() < 0.25 else self.solution, number)
        self.made.append((kind, made))
        return self.made[-1]


def make_class(folder, size, cli):
    """Writes the class into a new folder. Returns exercise -> list of (kind, files)."""
    chance = random.Random(20260501)
    handed_in = {}
    with tempfile.TemporaryDirectory(prefix="headway-mutants-") as mutants:
        expand_mutants(cli, mutants)
        hands = {exercise: Hand(exercise, pathlib.Path(mutants)) for exercise in EXERCISES}
    for exercise, hand in hands.items():
        first = chance.randrange(1000)  # another kind of wrong begins, each time
        handed_in[exercise] = [hand.next(chance, first + student) for student in range(size)]
        for student, (_, files) in enumerate(handed_in[exercise]):
            for name, text in files.items():
                file = folder / f"s{student:05}" / exercise / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
    return handed_in


def describe(handed_in):
    everything = [one for hands in handed_in.values() for one in hands]
    distinct = sum(len({without_layout(files) for _, files in hands}) for hands in handed_in.values())
    kinds = collections.Counter(kind for kind, _ in everything)
    mix = ", ".join(f"{100 * kinds[kind] / len(everything):.1f} % {kind}" for kind in SHARES)
    print(f"{len(everything)} programs, {100 * distinct / len(everything):.0f} % of them distinct (at least 60): {mix}")
    return distinct
