"""editor_problems_test.py CHECKOUT CLI: what `grade` and `try` print of a broken submission, through the problem matchers of
.vscode/tasks.json: each problem stands at its line, in a file that is in the opened folder. VS Code itself is not run;
`problems` does what its documentation says of a matcher. And clangd warns of what the grader warns of."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECKOUT, CLI = sys.argv.pop(1), sys.argv.pop(1)
ROOM = "exercises/01_single_head"
FILE = f"{ROOM}/single_head.cpp"


def text_of(path):
    with open(f"{CHECKOUT}/{path}") as file:
        return file.read()


ANSWER = text_of("solutions/01_single_head/single_head.cpp")
LINE = "    const Tensor raised = exp(scores - largest);"
NUMBER = ANSWER[:ANSWER.index(LINE)].count("\n") + 1  # where it stands


TASKS = json.loads(re.sub(r"^\s*//.*$", "", text_of(".vscode/tasks.json"), flags=re.M))


def tasks():
    return {task["label"]: task for task in TASKS["tasks"]}


def problems(matchers, printed, root):
    """What VS Code lists: (file in the opened folder, line, severity, message). The lines of one pattern follow each other."""
    found = []
    lines = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", printed).splitlines()
    for matcher in matchers if isinstance(matchers, list) else [matchers]:
        patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
        kind, base = matcher["fileLocation"]
        base = base.replace("${workspaceFolder}", root).replace("${fileDirname}", f"{root}/{ROOM}")
        for begin in range(len(lines) - len(patterns) + 1):
            got = {"severity": matcher["severity"]}
            for pattern, line in zip(patterns, lines[begin:]):
                match = re.search(pattern["regexp"], line)
                if match is None:
                    break
                got.update({key: match[group] for key, group in pattern.items() if key != "regexp"})
            else:
                path = base + "/" + got["file"]
                # `relative` joins what is absolute, too; `autoDetect` takes a path as it is where that is no file.
                if kind == "autoDetect" and not os.path.exists(path):
                    path = got["file"]
                path = os.path.normpath(path)
                found.append((os.path.relpath(path, root), int(got["line"]), got["severity"], got["message"]))
    return found


class Problems(unittest.TestCase):
    def setUp(self):
        # As deep as folders are: longer than a line of a terminal.
        top = os.path.realpath(tempfile.mkdtemp(prefix="headway-editor-"))
        self.addCleanup(shutil.rmtree, top)
        self.root = f"{top}/a_student/university/courses_of_the_third_year/machine_learning/headway"
        shutil.copytree(f"{CHECKOUT}/exercises", f"{self.root}/exercises")
        for shared in ("lessons", "stubs", "solutions", "policy.toml"):
            os.symlink(f"{CHECKOUT}/{shared}", f"{self.root}/{shared}")

    def listed(self, label, text, *command):
        """The problems that this command's words give by that task's matchers, once the student's file has this text."""
        with open(f"{self.root}/{FILE}", "w") as file:
            file.write(text)
        done = subprocess.run(command if command[0] == "sh" else [CLI, *command], cwd=self.root, capture_output=True, text=True,
                              env=dict(os.environ, HEADWAY_ROOT=self.root, HEADWAY_STATE=f"{self.root}/.headway",
                                       **tasks()[label].get("options", {}).get("env", {})))
        self.printed = done.stdout + done.stderr
        found = problems(tasks()[label]["problemMatcher"], self.printed, self.root)
        for path, line, _, _ in found:
            with open(f"{self.root}/{path}") as file:  # it is there, and has that line
                self.assertLessEqual(line, len(file.readlines()), self.printed)
        return found

    def listed_by_the_task(self, label, text):
        """The same, with the task's own command, in a shell as VS Code runs it."""
        os.makedirs(f"{self.root}/build", exist_ok=True)
        if not os.path.lexists(f"{self.root}/headway"):
            os.symlink(CLI, f"{self.root}/headway")
        return self.listed(label, text, "sh", "-c", tasks()[label]["command"].replace("${fileDirnameBasename}", "01_single_head"))

    def expect(self, found, file, line, severity, message):
        self.assertTrue(any((file, line, severity) == problem[:3] and re.search(message, problem[3]) for problem in found),
                        f"{found}\n{self.printed}")

    def test_what_does_not_compile(self):
        broken = ANSWER.replace(LINE, LINE.replace(";", ""))
        self.expect(self.listed("Grade this exercise", broken, "grade", "01"), FILE, NUMBER + 1, "error", "expected .,. or")
        self.expect(self.listed("Try the visible test", broken, "try", "01"), FILE, NUMBER + 1, "error", "expected .,. or")
        self.expect(self.listed_by_the_task("build visible test", broken), FILE, NUMBER + 1, "error", "expected .,. or")
        self.assertFalse(os.path.lexists(f"{self.root}/build/visible_test"), "the debugger would start an older program")

    def test_a_named_mistake_stands_at_its_function(self):
        wrong = ANSWER.replace(" / std::sqrt(d)", "")
        begin = ANSWER[:ANSWER.index("Tensor attention_weights(")].count("\n") + 1
        self.expect(self.listed("Grade this exercise", wrong, "grade", "01"), FILE, begin, "error", "^scores are not scaled$")

    def test_long_messages_are_whole(self):
        broken = ANSWER.replace(LINE, LINE.replace("exp(scores - largest)", "std::vector<std::vector<int>>{{1}}"))
        self.expect(self.listed("Grade this exercise", broken, "grade", "01"), FILE, NUMBER, "error",
                    "conversion from .*vector<std::vector<int.* to .*(requested|Tensor.?)")

    def test_from_another_folder_paths_are_whole(self):
        with open(f"{self.root}/{FILE}", "w") as file:
            file.write(ANSWER.replace(LINE, LINE.replace(";", "")))
        for place in "exercises", ROOM:
            done = subprocess.run([CLI, "grade", "01"], cwd=f"{self.root}/{place}", capture_output=True, text=True,
                                  env=dict(os.environ, HEADWAY_ROOT=self.root, HEADWAY_STATE=f"{self.root}/.headway"))
            self.assertIn(f"\n    {self.root}/{FILE}:{NUMBER + 1}:", done.stdout)

    def test_f5_builds_what_the_debugger_starts(self):
        self.assertEqual(self.listed_by_the_task("build visible test", ANSWER), [], self.printed)
        self.assertTrue(os.access(f"{self.root}/build/visible_test", os.X_OK), self.printed)

    def test_what_throws_and_what_is_warned_of(self):
        thrower = ANSWER.replace(LINE, "    int unused = 0;\n    if (scores.size(1) == 3) throw 1;\n" + LINE)
        found = self.listed("Grade this exercise", thrower, "grade", "01")
        self.expect(found, FILE, NUMBER, "warning", "^unused variable .unused.$")
        self.expect(found, FILE, NUMBER + 1, "error", r"^softmax_rows threw where it should answer")
        self.assertFalse([problem for problem in found if problem[2] == "error" and "unused" in problem[3]], found)

    def test_a_visible_test_that_fails(self):
        found = self.listed("Try the visible test", ANSWER.replace("return raised /", "return raised * 2.0F /"), "try", "01")
        self.assertTrue(found, self.printed)
        self.assertEqual({problem[0] for problem in found}, {f"{ROOM}/visible_test.cpp"}, self.printed)


class Warnings(unittest.TestCase):
    def test_clangd_and_the_grader_warn_of_the_same(self):
        source = text_of("grader/build/workspace.cpp")
        told = re.findall(r'"(-W[\w-]+)"', re.search(r"warnings_told = \{(.*?)\};", source, re.S)[1])
        rooms = text_of(".clangd").split("PathMatch: (exercises|solutions)")[1]
        shown = re.findall(r"-W[\w-]+", re.search(r"Add: \[(.*?)\]", rooms, re.S)[1])
        self.assertEqual(shown, told)


unittest.main()
