"""new_test.py CHECKOUT BUILD MADE JUDGE DISPATCHER SANITIZED_DISPATCHER LESSON_NUMBERS: what ./headway new makes can be graded,
and verify says what is missing. MADE is a course in which there is nothing but a new exercise; see new_exercise.cmake."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT, BUILD, MADE, JUDGE, DISPATCHER, SANITIZED, NUMBERS = (Path(argument).resolve() for argument in sys.argv[1:])
NAME = "50_made_up"


def grader_json():
    """How the checkout's own build compiles submissions, with one exercise: that of 01, with the new dispatcher."""
    document = json.loads((BUILD / "grader.json").read_text())
    entry = next(exercise for exercise in document["exercises"] if exercise["name"] == "01_single_head")
    for build, dispatcher in (("plain", DISPATCHER), ("sanitized", SANITIZED)):
        entry[build] = [str(dispatcher) if "dispatcher_01" in library else library for library in entry[build]]
    entry["name"] = NAME
    document.update(exercises=[entry], labs=[], judge="")
    return document


class Course(unittest.TestCase):
    """A copy of MADE, for one test to write in, with a build of its own."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="headway-new-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = self.folder / "course"
        shutil.copytree(MADE, self.root)
        self.programs = self.root / "build" / "test" / "bin"
        shutil.copytree(BUILD / "bin", self.programs)
        shutil.copy2(JUDGE, self.programs / "headway-judge")
        document = grader_json()
        document["judge"] = str(self.programs / "headway-judge")
        (self.programs.parent / "grader.json").write_text(json.dumps(document))

    def run_in(self, *command):
        environment = dict(os.environ, HEADWAY_ROOT=str(self.root), HEADWAY_STATE=str(self.folder / "state"))
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def headway(self, *words):
        return self.run_in(self.programs / "headway-cli", *words)

    def new(self, *words):
        return self.run_in("sh", CHECKOUT / "scripts" / "new.sh", *words)

    def files(self):
        return sorted(str(path) for path in self.root.rglob("*"))

    def says(self, answer, status, *parts):
        self.assertEqual(answer[0], status, answer[1])
        for part in parts:
            self.assertIn(part, answer[1])


class NewExercise(Course):
    def test_its_stub_is_not_started_and_its_solution_passes(self):
        self.says(self.headway("grade", "50"), 1, "not started")
        self.says(self.headway("grade", "50", "--submission", self.root / "solutions"), 0)
        self.assertEqual(subprocess.run([NUMBERS, "--check", self.root / "lessons"], check=False).returncode, 0)

    def test_it_is_formatted_and_named_in_the_build_once(self):
        lines = (self.root / "CMakeLists.txt").read_text().splitlines()
        self.assertEqual(lines.count(f"headway_exercise({NAME} USES movement)"), 1)
        before = [line for line in lines if line.startswith("headway_exercise(")]
        self.assertEqual(before, sorted(before), "not in the order of the exercises")
        if shutil.which("clang-format"):
            shutil.copy2(CHECKOUT / ".clang-format", self.root)
            sources = [file for file in self.files() if file.endswith((".cpp", ".hpp")) and "/templates/" not in file]
            self.says(self.run_in("clang-format", "--dry-run", "--Werror", *sources), 0)

    def test_verify_says_what_is_missing_until_it_is_there(self):
        self.says(self.headway("verify", "50"), 1, "50: no mutant yet", "./headway new mutant 50 NAME",
                  "50: no accepted variant yet", f"50: exercises/{NAME}/made_up.hpp still says FILL_IN",
                  "50: lessons/50-made-up.md still says FILL_IN", f"50: tests/trivial/{NAME}.cpp still says FILL_IN")

        self.says(self.new("mutant", "50", "takes_any_shape"), 0, "./headway verify --show 50 takes_any_shape")
        self.says(self.headway("verify", "50"), 3, "mutants.toml: takes_any_shape: not finished", "FILL_IN")

        catalogue = self.root / "tests" / "mutants" / NAME / "mutants.toml"
        text = catalogue.read_text().replace('stage = "FILL_IN", functions = ["FILL_IN"]',
                                             'stage = "none", functions = ["doubled"]')
        text = text.replace("FILL_IN: a text that stands once in the base", "x.rank() != 2")
        text = text.replace("FILL_IN: what stands there instead", "false").replace("FILL_IN: ", "")
        catalogue.write_text(text)
        self.says(self.headway("verify", "--show", "50", "takes_any_shape"), 0, "if (false) throw")
        accepted = self.root / "tests" / "accepted" / NAME / "as_sum"
        shutil.copytree(self.root / "solutions", accepted)
        source = accepted / NAME / "made_up.cpp"
        source.write_text(source.read_text().replace("x * 2.0F", "x + x"))
        for file in self.root.rglob("*"):
            if file.is_file() and file.suffix in (".hpp", ".md", ".toml", ".cpp") and "templates" not in file.parts:
                file.write_text(file.read_text().replace("FILL_IN", "written"))
        self.says(self.headway("verify", "50"), 0, "No gaps")

    def test_what_cannot_be_is_refused_and_nothing_is_written(self):
        before = self.files()
        for words, part in ((("exercise", "50_another"), f"50 is {NAME} already. Free is 51_another."),
                            (("exercise", "51_made_up"), "Take another name"),
                            (("exercise", "rotary"), "such as 15_linear_attention"),
                            (("exercise", "51_Rotary"), "such as 15_linear_attention"),
                            (("exercise", "51_../../x"), "such as 15_linear_attention"),
                            (("exercise", "51_visible_test"), "Take another name"),
                            (("exercise",), "usage:"), (("lab", "x"), "usage:"), ((), "usage:"),
                            (("mutant", "51", "x"), "there is no exercise 51"),
                            (("mutant", "50", "Not-A-Name"), "words of small letters")):
            self.says(self.new(*words), 2, part)
        self.assertEqual(self.files(), before)
        self.says(self.new("mutant", "50", "twice"), 0)
        self.says(self.new("mutant", "50", "twice"), 2, "Take another name.")


class NewMutant(Course):
    def test_it_takes_its_place_and_the_base_with_the_fewest(self):
        accepted = self.root / "tests" / "accepted" / NAME
        shutil.copytree(self.root / "solutions", accepted / "another")
        for name in ("middle", "first", "last"):
            self.says(self.new("mutant", NAME, name), 0)
        lines = (self.root / "tests" / "mutants" / NAME / "mutants.toml").read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("[")], ["[first]", "[last]", "[middle]"])
        self.assertEqual(sorted(line for line in lines if line.startswith("base")),
                         ['base = "accepted/another"', 'base = "solution"', 'base = "solution"'])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
