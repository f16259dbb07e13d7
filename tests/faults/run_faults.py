#!/usr/bin/env python3
"""Grades right and wrong programs while one thing after another fails in the grader: a file that cannot be opened, a
process that cannot be started, a read or write that breaks off, a worker or compiler that is killed from outside.

The verdict must be what it is without: points, states, failed properties and named mistakes (or a sentence that these
could not be looked for); or "could not be graded", with exit status 3 and a sentence. Anything else accuses somebody of what the machine did, and fails this.

usage: run_faults.py --cli PROGRAM --shim LIBRARY --course FOLDER --work FOLDER [--faults N] [--seed N] [PROGRAM...]
--faults  how many for each program; they are spread over all kinds of calls that its grading makes, and chosen by the
          seed: one in three kills instead. The seed is HEADWAY_SHARE if none is given
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = (HERE / "fault.cpp").read_text()
NAMES = re.findall(r'"(\w+)"', re.search(r"std::array names\{([^}]*)\}", SOURCE)[1])
KINDS = [f"{program} {name}" for program in ("cli", "judge") for name in NAMES]
PLAN = struct.Struct(f"{len(KINDS)}QQQQ128s")  # struct Plan of fault.cpp
NONE = 2**64 - 1

NOT_LOOKED_FOR = "no name was looked for"

# Quiet mistakes, of the catalogue. An exercise that is not here has a small change of its solution.
QUIET = {"01": "softmax_over_queries", "02": "split_without_transpose", "03": "scale_sqrt_model_width",
         "04": "output_weight_transposed", "05": "k_and_v_projections_swapped", "07": "row_mean_forgotten",
         "08": "tokens_one_too_early", "09": "heads_tiled", "10": "rescale_inverted", "11": "ring_that_shifts",
         "12": "total_always_in_half", "13": "new_tokens_at_position_zero", "14": "mean_is_constant"}
# Loud ones: what softmax_rows of exercise 01 does first.
LOUD = {
    "throws": "throw std::runtime_error{\"no\"};",
    "crashes": "*static_cast<volatile int*>(nullptr) = 1;",
    "kills itself": "std::raise(SIGKILL);",
    "exits": "std::_Exit(0);",
}


def quiet_mutant(course, exercise):
    """The name of one; None where no mistake has a name."""
    if exercise[:2] in QUIET:
        return QUIET[exercise[:2]]
    catalogue = tomllib.loads((course / "tests" / "mutants" / exercise / "mutants.toml").read_text())
    return next((name for name, mutant in catalogue.items()
                 if mutant.get("base") == "solution" and len(mutant["expect"].get("diagnosis", [])) == 1), None)


def programs(arguments):
    """name -> (exercise's number, folder that holds the submission)"""
    course, made = arguments.course, arguments.work / "programs"
    shutil.rmtree(made, ignore_errors=True)
    exercises = sorted(folder.name for folder in (course / "solutions").iterdir())
    found = {f"solution of {exercise[:2]}": (exercise[:2], course / "solutions") for exercise in exercises}
    for exercise in exercises:
        number, name = exercise[:2], quiet_mutant(course, exercise)
        if name is None:
            continue
        folder = made / name
        shutil.copytree(course / "solutions" / exercise, folder / exercise)
        text = subprocess.run([arguments.cli, "verify", "--show", number, name], env=environment(arguments, "verify"),
                              check=True, capture_output=True, text=True).stdout
        (folder / exercise / f"{exercise[3:]}.cpp").write_text(text)
        found[name] = (number, folder)
    for name, statement in LOUD.items():
        folder = made / name.replace(" ", "_")
        shutil.copytree(course / "solutions" / "01_single_head", folder / "01_single_head")
        file = folder / "01_single_head" / "single_head.cpp"
        text, count = re.subn(r"(Tensor softmax_rows\([^)]*\) \{)", r"\1 " + statement, file.read_text())
        if count != 1:
            sys.exit("softmax_rows was not found in the solution of 01")
        file.write_text("#include <csignal>\n#include <cstdlib>\n#include <stdexcept>\n" + text)
        found[name] = ("01", folder)
    return found


def environment(arguments, state):
    folder = arguments.work / "state" / state
    return {**os.environ, "HEADWAY_ROOT": str(arguments.course), "HEADWAY_STATE": str(folder)}


def install(arguments):
    """A grader of its own, whose judge is started with the shim as well. @return the command line's program"""
    bin_folder = arguments.work / "bin"
    shutil.rmtree(bin_folder, ignore_errors=True)
    for folder in (bin_folder, bin_folder / "real"):
        folder.mkdir(parents=True)
        for program in arguments.cli.parent.glob("headway-*"):
            if os.access(program, os.X_OK):
                shutil.copy2(program, folder)
    judge = bin_folder / "headway-judge"
    build = json.loads((arguments.cli.parent.parent / "grader.json").read_text())
    (arguments.work / "grader.json").write_text(json.dumps({**build, "judge": str(judge)}))
    judge.write_text(f"#!/bin/sh\nLD_PRELOAD='{arguments.shim}' HEADWAY_FAULTS='{arguments.work / 'plan'}' "
                     f"exec '{bin_folder / 'real' / 'headway-judge'}' \"$@\"\n")
    judge.chmod(0o755)
    return bin_folder / "headway-cli"


class Course:
    def __init__(self, arguments):
        self.arguments = arguments
        self.cli = install(arguments)
        self.plan = arguments.work / "plan"
        self.report = arguments.work / "verdict.json"

    def grade(self, program, kind=NONE, nth=0, kills=False):
        """@return (what must stay, the whole answer, how often each kind of call was made, what failed)"""
        number, folder = program
        self.plan.write_bytes(PLAN.pack(*[0] * len(KINDS), kind, nth, int(kills), b""))
        self.report.unlink(missing_ok=True)
        shutil.rmtree(self.arguments.work / "state", ignore_errors=True)
        env = {**environment(self.arguments, "grading"), "LD_PRELOAD": str(self.arguments.shim),
               "HEADWAY_FAULTS": str(self.plan)}
        command = [self.cli, "grade", number, "--submission", folder, "--json", self.report]
        try:
            done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=300)
            status, said = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            status, said = "none in 300 s", ""
        *calls, _, _, _, what = PLAN.unpack(self.plan.read_bytes())
        try:
            exercise = json.loads(self.report.read_text())["exercises"][0]
        except (OSError, ValueError):
            exercise = None
        return verdict(status, exercise, said), said, calls, what.rstrip(b"\0").decode(errors="replace")


def verdict(status, exercise, said):
    if status == 3:
        return "could not be graded"
    if exercise is None:
        return f"exit status {status}, no verdict"
    failed = [f"{test['name']} {test['state']} {test['points']}" for test in exercise["tests"] if test["state"] != "passed"]
    functions = exercise.get("diagnosis", {}).get("functions", [])
    named = [f"{one['function']} {one['state']} {' '.join(one['mistakes'])}" for one in functions]
    if "the mistake could not be looked for" in said:
        named = NOT_LOOKED_FOR
    return f"exit status {status}, {exercise['state']}, {exercise['points']} points; {failed}; {named}"


def is_the_same(got, without):
    """A grading that says that it could not look for the mistake accuses nobody."""
    return got == without or got.endswith(NOT_LOOKED_FOR) and got.removesuffix(NOT_LOOKED_FOR) == without[:without.rindex("[")]


def faults(calls, most, chance):
    """(kind, nth, kills): kinds in turn, so that rare calls fail as often as common ones."""
    kinds = [kind for kind, count in enumerate(calls) if count > 0]
    chosen = []
    while len(chosen) < most:
        chance.shuffle(kinds)
        chosen += [(kind, chance.randint(1, calls[kind]), chance.random() < 1 / 3) for kind in kinds]
    return chosen[:most]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cli", "shim", "course", "work"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--faults", type=int, default=1)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("HEADWAY_SHARE", "1")))
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    course = Course(arguments)
    chance = random.Random(arguments.seed)
    wrong = same = open_marks = 0
    for name, program in programs(arguments).items():
        if arguments.programs and name not in arguments.programs:
            continue
        without, _, calls, _ = course.grade(program)
        print(f"{name}: {sum(calls)} calls of {sum(1 for count in calls if count)} kinds; {without[:100]}", flush=True)
        if "no verdict" in without or without == "could not be graded":
            wrong += 1
        for kind, nth, kills in faults(calls, arguments.faults, chance):
            got, said, _, what = course.grade(program, kind, nth, kills)
            if is_the_same(got, without):
                same += 1
            elif got == "could not be graded" and said.strip():
                open_marks += 1
            else:
                wrong += 1
                print(f"  WRONG, {KINDS[kind]} {nth}{' kills' if kills else ''} ({what}):\n    {got}\n    without: {without}")
                print("    " + "\n    ".join(said.splitlines()[-12:]), flush=True)
    print(f"{same} verdicts are the same, {open_marks} could not be graded, {wrong} are others")
    return 1 if wrong else 0


sys.exit(main())
