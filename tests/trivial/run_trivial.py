#!/usr/bin/env python3
"""Grades programs that compute nothing, and prints what they earn: exercise x kind -> points.

NN_name.cpp here says once for each function of an exercise how to make a result of the right shape; answer.hpp fills it
with zeros, ones, the first input, twice that, noise that it decides, NaN, random numbers, one fixed pattern, or what
the call before was asked with, or throws. This writes the program of each kind and grades it. None may earn more than
1 of 10 points.

With --among-right-ones FUNCTION is taken out of the solution and computes nothing, and everything else is the
solution's: that is an ordinary mistake, which costs at most 4 points, unless the solution builds other functions on it
or there is a reason below.

With --made-up, what is graded are the programs of made_up/, which were written to earn points with answers that are
cheap and look computed: of the right shape, scaled copies, noise, one number that decides all, refusals where they
are due. They are functions that
take the place of the solution's, or whole; for what is right in them they may earn what EARNED says.

usage: run_trivial.py --cli PROGRAM --course FOLDER --work FOLDER [--kinds KIND,... [--one-kind]]
                      [--among-right-ones | --made-up] [--part N] [NN...]

--one-kind takes the first of the kinds, or with HEADWAY_SHARE=M the one that comes M later. --part N takes each Nth
program, and HEADWAY_SHARE says from which one on.
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["zeros", "ones", "input", "twice", "tiny", "noise", "nan", "random", "pattern", "last", "throws"]
MOST_POINTS = 1
MOST_COST = 4
# A definition, its signature apart; all of them begin and end in column 0.
DEFINITION = re.compile(r"^(?:[A-Za-z][\w:<> ]*? )(\w+)\((?:[^{};]|\n)*?\) \{(?:.*\}\n|\n(?:(?!\}).*\n)*\}\n)", re.M)
TESTS = {  # exercise 06 is one that tests are written for
    "no test": "",
    "always passes": "TEST(Attention, IsFine) { SUCCEED(); }\n",
    "always fails": "TEST(Attention, IsNotFine) { FAIL(); }\n",
}
# What costs more than MOST_COST if it computes nothing though no other function is built on it, and why.
REASONS = {
    ("08", "make_cache"): "whatever decode is asked begins with a cache",
    ("04", "multi_head_attention"): "six points are for what it answers",
    ("08", "decode"): "five points are for what it answers",
    ("10", "tiled_attention"): "five points are for what it answers",
}


# Programs in made_up/, with what is put before each: `cheap` answers are scaled copies, or of the right shape only,
# `noise` is decided by every argument; `picked` lets one number decide, so that little is left for what follows.
MADE_UP = {
    "picked": ("picked", ""),
    "cheap": ("cheap", ""),
    "tiny noise": ("noise", "#define SCALE 1.0\n"),
    "noise": ("noise", "#define SCALE 1e6\n"),
}
# What these may earn beyond MOST_POINTS, for the functions that are right in them.
EARNED = {
    "01": (3, "with_residual and the refusals are right"),
    "02": (4, "contiguous_strides, transpose and contiguous are right"),
    "03": (4, "both masks, rows without a key and the refusals are right"),
    "04": (3, "project_output and the refusals are right"),
    "05": (2, "its parameters and its state dict are right"),
    "08": (5, "make_cache, append or decoding_mask, and the refusals are right"),
    "09": (3, "cached_numbers, pool_heads and the refusals are right"),
    "13": (7, "seven functions and the refusals are right"),
}


def named(course, number):
    (folder,) = (course / "solutions").glob(f"{number}_*")
    return folder.name


def inside_namespace(number, header, body):
    return f'#include "{header}"\n\nnamespace headway::ex{number} {{\n\n{body}\n}}\n'


def definitions(text):
    return {match.group(1): match.group(0) for match in DEFINITION.finditer(text)}


def fragments(number):
    sources = list(HERE.glob(f"{number}_*.cpp"))
    if len(sources) != 1:
        sys.exit(f"tests/trivial has {len(sources)} programs for {number}, not one: write each function of the exercise there, "
                 "computing nothing, as its neighbours do")
    return definitions(sources[0].read_text())


def prelude(kind):
    return f"#define KIND {kind}\n" + (HERE / "answer.hpp").read_text()


def all_trivial(number, header, kind):
    if number == "06":
        return inside_namespace(number, header, "namespace {\n\n" + TESTS[kind] + "\n}\n")
    return prelude(kind) + inside_namespace(number, header, "\n".join(fragments(number).values()))


def one_trivial(number, solution, function, kind):
    text = solution.read_text()
    theirs, ours = definitions(text), fragments(number)
    helpers = [body for name, body in ours.items() if name not in theirs and f"{name}(" in ours[function]]
    return prelude(kind) + text.replace(theirs[function], "\n".join([*helpers, ours[function]]))


def functions_of(number, solution):
    """Those of the exercise, without what other trivial ones use."""
    theirs, ours = definitions(solution.read_text()), fragments(number)
    for name in ours:
        if name not in theirs and not any(f"{name}(" in body for other, body in ours.items() if other != name):
            sys.exit(f"{solution} has no function {name} that {__file__} can find")
    return [function for function in ours if function in theirs]


def built_on(function, solution):
    """Functions of the solution that use it, or use one that does: of its answers they make theirs."""
    bodies = definitions(solution.read_text())
    found = {function}
    while True:
        more = {name for name, body in bodies.items()
                if name not in found and any(re.search(rf"\b{one}\(", body) for one in found)}
        if not more:
            return found - {function}
        found |= more


def made_up(program, header, solution):
    """A program of its own, or the solution with the functions that stand in `program`."""
    text = program.read_text()
    if f'#include "{header}"' in text:
        return text
    whole = solution.read_text()
    right = definitions(whole)
    for function, theirs in definitions(text).items():
        whole = whole.replace(right[function], theirs)
    return whole


class Grader:
    def __init__(self, arguments):
        self.cli, self.course, self.work = arguments.cli, arguments.course, arguments.work
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def points(self, exercise, file, source):
        """Points, and the properties that they are for."""
        room = self.work / "submission" / exercise
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(parents=True)
        (room / file).write_text(source)
        result = self.work / "verdict.json"
        result.unlink(missing_ok=True)
        done = subprocess.run(
            [self.cli, "grade", exercise[:2], "--submission", room.parent, "--json", result],
            env=os.environ | {"HEADWAY_ROOT": str(self.course), "HEADWAY_STATE": str(self.work / "state")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not result.exists():
            sys.exit(f"{exercise}: headway grade ended with {done.returncode}\n{done.stdout}{done.stderr}")
        (graded,) = json.loads(result.read_text())["exercises"]
        if graded["state"] == "not_built" or not graded["tests"] and exercise[:2] != "06":
            sys.exit(f"{exercise}: what was written does not compile\n{done.stdout}{done.stderr}")
        return graded["points"], [test["name"] for test in graded["tests"] if test["points"] > 0]


def table(rows, columns):
    width = max(map(len, rows))
    wide = [max(len(column), 3) for column in columns]
    print(" " * width, *(column.rjust(w) for column, w in zip(columns, wide)), sep="  ")
    for row, cells in rows.items():
        shown = [str(cells[c]) if c in cells else "-" for c in columns]
        print(row.ljust(width), *(cell.rjust(w) for cell, w in zip(shown, wide)), sep="  ")


def main():
    parser = argparse.ArgumentParser()
    for name in ("cli", "course", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--one-kind", action="store_true")
    parser.add_argument("--among-right-ones", action="store_true")
    parser.add_argument("--made-up", action="store_true")
    parser.add_argument("--part", type=int, default=1, metavar="N")
    parser.add_argument("numbers", nargs="*", metavar="NN")
    arguments = parser.parse_args()
    numbers = arguments.numbers or sorted(
        folder.name[:2] for folder in (arguments.course / "solutions").glob("[0-9][0-9]_*"))
    kinds = arguments.kinds.split(",")
    share = int(os.environ.get("HEADWAY_SHARE", "0"))
    if arguments.one_kind:
        kinds = [kinds[share % len(kinds)]]
    programs = itertools.count(share)
    grader = Grader(arguments)
    rows, columns, complaints = {}, [], []

    def note(row, kind, number, exercise, file, source, judge):
        if next(programs) % arguments.part != 0:
            return
        points, earned = grader.points(exercise, file, source)
        rows.setdefault(row, {})[kind] = points
        if kind not in columns:
            columns.append(kind)
        if complaint := judge(points):
            complaints.append(f"{row}, {kind}: {complaint} ({', '.join(earned) or 'nothing'})")

    for number in numbers:
        exercise = named(arguments.course, number)
        (solution,) = (arguments.course / "solutions" / exercise).glob("*.cpp")
        header = solution.with_suffix(".hpp").name
        if arguments.made_up:
            most, reason = EARNED.get(number, (MOST_POINTS, "nothing in it is right"))
            for kind, (folder, before) in MADE_UP.items():
                program = HERE / "made_up" / folder / f"{exercise}.cpp"
                if not program.exists():
                    continue
                for shared in program.parent.glob("*.hpp"):
                    before += shared.read_text()
                note(exercise, kind, number, exercise, solution.name, before + made_up(program, header, solution),
                     lambda points: points > most and f"earns {points} points, not {most}: {reason}")
        elif not arguments.among_right_ones:
            for kind in TESTS if number == "06" else kinds:
                note(exercise, kind, number, exercise, solution.name, all_trivial(number, header, kind),
                     lambda points: points > MOST_POINTS and f"earns {points} points for nothing")
        elif number not in ("05", "06"):  # one function, or none
            for function in functions_of(number, solution):
                for kind in kinds:
                    reason = REASONS.get((number, function)) or built_on(function, solution)
                    note(f"{number} {function}", kind, number, exercise, solution.name,
                         one_trivial(number, solution, function, kind),
                         lambda points: points < 10 - MOST_COST and not reason and f"costs {10 - points} points")
    table(rows, columns)
    print(*complaints, sep="\n")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
