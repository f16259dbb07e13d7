#!/usr/bin/env python3
"""other_compilers.py CLI COURSE WORK [--each-once] [NN ...]: right programs are right however they are compiled.

Grades the accepted variants and solutions of exercises NN (default: the core course) with other optimisation levels and
by clang++; with --each-once the solutions in all of these settings, and every second variant in one: the others, and the
next setting, with the next HEADWAY_SHARE. Each must pass with full points and without a diagnosis. Ends with 77 if there
is no clang++ to try.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FAST = ["-O3", "-march=native"]
SETTINGS = {
    "g++ -O0": ("g++", ["-O0"]),
    "g++ -O3 -march=native": ("g++", FAST),
    "clang++ -O0": ("clang++", ["-O0"]),
    "clang++ -O1": ("clang++", ["-O1"]),
    "clang++ -O3 -march=native": ("clang++", FAST),
}
ONLY_GNU = ["-gstatement-frontiers"]  # which clang++ does not know
CORE = ["01", "02", "03", "04", "05"]


def precompile(prelude, folder, command):
    """A header that submissions begin with, for one compiler and its options; what says so to the compiler."""
    folder.mkdir(parents=True)
    for file in prelude.parent.glob("*.hpp"):
        shutil.copy(file, folder)
    header = folder / prelude.name
    is_clang = command[0] == "clang++"
    compiled = header.with_suffix(".pch" if is_clang else ".hpp.gch")
    subprocess.run([*command, "-w", "-x", "c++-header", header, "-o", compiled], check=True)
    return ["-include-pch", str(compiled)] if is_clang else ["-include", str(header)]


def make_grader(cli, folder, compiler, level):
    """The same grader with other options for submissions, in a build folder of its own."""
    (folder / "bin").mkdir(parents=True)
    shutil.copy(cli, folder / "bin" / "headway-cli")
    grader = json.loads((cli.parent.parent / "grader.json").read_text())
    grader["compiler"] = shutil.which(compiler)
    grader["compiler_version"] = subprocess.run([compiler, "--version"], capture_output=True, text=True,
                                                check=True).stdout.splitlines()[0]
    for flavour, options in grader["compile"].items():
        options = [one for one in options if not one.startswith("-O") and one not in ONLY_GNU] + level
        grader["compile"][flavour] = options
        for prelude in "prelude", "prelude_eigen":
            grader[prelude][flavour] = precompile(
                Path(grader[prelude][flavour][1]), folder / prelude / flavour,
                [compiler, *options, "-I" + grader["include"], "-isystem", grader["system_include"]])
    if compiler == "clang++":  # which links its sanitizers statically unasked
        for flavour, options in grader["link"].items():
            grader["link"][flavour] = [one for one in options if not one.startswith("-static-lib")]
    (folder / "grader.json").write_text(json.dumps(grader))
    return folder / "bin" / "headway-cli"


def complaint(cli, number, submission, environment):
    """What is wrong with the verdict; nothing if all is well."""
    graded = subprocess.run([cli, "grade", number, "--submission", submission, "--json", "-"], capture_output=True,
                            text=True, env=environment)
    try:
        exercise = json.loads(graded.stdout)["exercises"][0]
    except (json.JSONDecodeError, KeyError, IndexError):
        return graded.stderr or graded.stdout
    if exercise["state"] != "passed":
        failed = [test["name"] for test in exercise["tests"] if test["state"] != "passed"]
        return f"{exercise['state']}: {failed or exercise['build']}"
    if (exercise.get("diagnosis") or {}).get("functions"):
        return f"diagnosed: {exercise['diagnosis']}"
    return None


def main():
    cli, course, work = (Path(argument).resolve() for argument in sys.argv[1:4])
    numbers = [argument for argument in sys.argv[4:] if argument != "--each-once"] or CORE
    each_once = "--each-once" in sys.argv
    share = int(os.environ.get("HEADWAY_SHARE", "0"))
    if shutil.which("clang++") is None:
        print("clang++ is not here")
        sys.exit(77)
    solutions, variants = [], []
    for folder in sorted((course / "tests" / "accepted").iterdir()):
        if folder.name[:2] in numbers and folder.is_dir():
            variants += [(folder.name[:2], variant) for variant in sorted(folder.iterdir()) if variant.is_dir()]
            solutions.append((folder.name[:2], course / "solutions"))
    shutil.rmtree(work, ignore_errors=True)
    failed = 0
    for place, (title, (compiler, level)) in enumerate(SETTINGS.items()):
        submissions = solutions + (variants[(place + share) % (2 * len(SETTINGS))::2 * len(SETTINGS)] if each_once else variants)
        folder = work / title.replace(" ", "_")
        grader = make_grader(cli, folder, compiler, level)
        environment = dict(os.environ, HEADWAY_ROOT=str(course), HEADWAY_STATE=str(folder / "state"))
        begin = time.monotonic()
        passed = 0
        # Two at once: while one is judged, the other compiles.
        with ThreadPoolExecutor(2) as pool:
            problems = list(pool.map(lambda one: complaint(grader, *one, environment), submissions))
        for (number, submission), problem in zip(submissions, problems):
            passed += problem is None
            if problem is not None:
                print(f"{title}: {number} {submission.name}: {problem}", flush=True)
        failed += len(submissions) - passed
        print(f"{title:28} {passed} of {len(submissions)} pass   {time.monotonic() - begin:.0f} s", flush=True)
        shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
