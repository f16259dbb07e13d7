"""release_test.py CHECKOUT CLI: the student's edition, made from a copy in which every file that students must not see carries
a canary; the edition must not hold one, and must grade where neither the copy nor this checkout can be reached."""

import base64
import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import zipfile
import zlib
from pathlib import Path

from older_symbols import newer_symbols

CHECKOUT, CLI = Path(sys.argv.pop(1)).resolve(), sys.argv.pop(1)
CANARY = b"canaryQ7x"  # in no file of ours (but this one, which is not in the edition either)
WRITTEN_ANEW = {"classroom/release/grader.cmake", "classroom/release/README.md", "README.md"}
EXERCISE = "03_scaled_scores"
ANSWER = (CHECKOUT / "solutions" / EXERCISE / "scaled_scores.cpp").read_text()

# The lessons' pages take tools that nothing else in the edition does.
WITHOUT_PAGES = [] if all(map(shutil.which, ("node", "npm", "em++"))) else ["--without-pages"]


def mutant(name):
    """The program of a mutant, and the mistake that it must be told."""
    with tempfile.TemporaryDirectory(prefix="headway-mutants-") as folder:
        subprocess.run([CLI, "verify", "--expand", folder, EXERCISE], check=True,
                       env=dict(os.environ, HEADWAY_ROOT=str(CHECKOUT), HEADWAY_STATE=f"{folder}/state"))
        submission = Path(folder) / EXERCISE / name
        said = tomllib.loads((submission / "mutant.toml").read_text())
        return (submission / EXERCISE / "scaled_scores.cpp").read_text(), said["diagnosis"][0]


WRONG, MISTAKE = mutant("causal_blocks_the_diagonal")


def tracked():
    names = subprocess.run(["git", "-C", CHECKOUT, "ls-files", "-z"], check=True, capture_output=True).stdout
    return [name for name in names.decode().split("\0") if name and (CHECKOUT / name).is_file()]


def listed():
    """What classroom/release/contents says is handed out as it is."""
    patterns = []
    for line in (CHECKOUT / "classroom/release/contents").read_text().splitlines():
        kind, _, what = line.partition("\t")
        if kind == "file":
            patterns.append(what)
        if kind == "exercise":
            patterns += [f"stubs/{what}/*.cpp", f"exercises/{what}/*.hpp", f"exercises/{what}/exercise.toml",
                         f"exercises/{what}/visible_test.cpp"]
    return {str(path.relative_to(CHECKOUT)) for pattern in patterns for path in CHECKOUT.glob(pattern)}


def plant(file, number):
    """A canary in comments at both ends, and as the name of a function in what is compiled."""
    word = CANARY + str(number).encode()
    text = file.read_bytes()
    if file.suffix == ".cpp":
        # Emscripten hands out what is "used" by name; it compiles the explorer, which shows no hidden test.
        text = (b"// %s\n%s\n#ifndef __EMSCRIPTEN__\n[[gnu::used]] static int %s() { return 0; }\n#endif\n// %s\n"
                % (word, text, word, word))
    elif file.suffix in {".hpp", ".fbs", ".ts", ".mjs"}:
        text = b"// %s\n%s\n// %s\n" % (word, text, word)
    elif file.suffix == ".css":
        text = b"/* %s */\n%s" % (word, text)
    elif file.suffix == ".vue":
        text = b"<!-- %s -->\n%s" % (word, text)
    elif file.suffix == ".json":
        text = text.replace(b"{", b'{"$comment": "%s",' % word, 1)
    else:
        text += b"\n# %s\n" % word
    file.write_bytes(text)


def make_copy(copy):
    """The tree as git knows it, with canaries, a history, and an instructor's own files lying about."""
    handed_out = listed() | WRITTEN_ANEW
    for number, name in enumerate(tracked()):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, copy / name)
        if name not in handed_out | {"site/package-lock.json", "CMakePresets.json"}:  # npm and CMake go by them
            plant(copy / name, number)
    word = CANARY.decode()
    with open(copy / "README.md", "a") as readme:  # behind the chapters that are left out
        readme.write(f"\n{word}\n")
    for name in ["exercises/progress.txt", f"exercises/{EXERCISE}/mine.hpp", f"stubs/{EXERCISE}/notes.txt",
                 "lessons/answers.md", "tensor/src/draft.cpp", "grader/compiled.txt"]:
        (copy / name).write_text(word)
    (copy / "exercises" / EXERCISE / "scaled_scores.cpp").write_text(ANSWER + f"// {word}\n")
    # A canary is a symbol or a comment, and stays one without the optimiser, which takes most of the time.
    presets = copy / "CMakePresets.json"
    presets.write_text(presets.read_text().replace('"-O2 -DNDEBUG"', '"-O0 -DNDEBUG"'))
    git = ["git", "-C", copy, "-c", "user.name=T", "-c", "user.email=t@example.org"]
    packages = CHECKOUT / "site/node_modules"
    if packages.exists():  # else npm fetches them
        (copy / "site/node_modules").symlink_to(packages)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", word]):
        subprocess.run(git + command, check=True)


def contents_of(data):
    """The bytes themselves, and what is packed in them."""
    yield data
    for start in (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08", data)):
        try:
            yield zlib.decompressobj(wbits=47).decompress(data[start:], 1 << 24)
        except zlib.error:
            pass
    for match in re.finditer(rb"base64,([A-Za-z0-9+/]{64,}={0,2})", data):
        yield base64.b64decode(match[1])
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield archive.read(name)


def files_with(folder, word):
    return [str(path) for path in sorted(folder.rglob("*")) if path.is_file()
            and any(word in content for content in contents_of(path.read_bytes()))]


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = Path(tempfile.mkdtemp(prefix="headway-release-"))
        cls.addClassCleanup(shutil.rmtree, cls.room, True)
        copy = cls.room / "full"
        make_copy(copy)
        cls.fresh = cls.room / "fresh"
        # Other tests run beside it: no more at once than ctest counts for it.
        made = subprocess.run([copy / "headway", "--yes", "release", cls.fresh, *WITHOUT_PAGES], text=True, capture_output=True,
                              env=dict(os.environ, CMAKE_BUILD_PARALLEL_LEVEL="2"))
        assert made.returncode == 0, made.stdout + made.stderr
        cls.objects_with_canary = files_with(copy / "build/release/grader/diagnosis", CANARY)
        cls.history_with_canary = files_with(copy / ".git", CANARY)
        cls.path_of_copy = str(copy).encode()
        shutil.rmtree(copy)
        cls.bundle = cls.room / "autograder.zip"
        subprocess.run(["sh", CHECKOUT / "classroom/gradescope/bundle.sh", cls.fresh, cls.bundle], check=True)
        cls.used = cls.room / "student"
        shutil.copytree(cls.fresh, cls.used)
        cls.build = cls.headway("grade")

    @classmethod
    def out_of_reach(cls, command, environment=None):
        """Where there is no full edition: an empty folder stands in its place."""
        if shutil.which("bwrap") and subprocess.run(["bwrap", "--dev-bind", "/", "/", "true"]).returncode == 0:
            command = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", str(CHECKOUT), "--chdir", str(cls.room), *command]
        return subprocess.run(command, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=1800,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(cls.room), "LC_ALL": "C.UTF-8"} | (environment or {}))

    @classmethod
    def headway(cls, *arguments):
        return cls.out_of_reach([str(cls.used / "headway"), "--yes", *arguments])

    def says(self, done, status, *texts):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, done.stdout + done.stderr)

    def write(self, text):
        (self.used / "exercises" / EXERCISE / "scaled_scores.cpp").write_text(text)

    def test_holds_no_canary_and_no_path(self):
        self.assertTrue(self.objects_with_canary, "the canaries were not compiled")
        self.assertTrue(self.history_with_canary, "what is packed was not looked into")
        self.assertEqual(files_with(self.fresh, CANARY), [])
        self.assertEqual(files_with(self.fresh, self.path_of_copy), [])
        self.assertEqual(files_with(self.fresh, str(CHECKOUT).encode() + b"/"), [])
        self.assertFalse(any(CANARY in content for content in contents_of(self.bundle.read_bytes())))

    def test_programs_are_static_and_stripped(self):
        for name in ["headway-cli", "headway-judge", "headway-attention", "headway-enter", "headway-guard", "headway-inspect"]:
            sections = subprocess.run(["readelf", "-lSW", self.fresh / "grader/compiled" / name], text=True,
                                      capture_output=True, check=True).stdout
            for section in [".symtab", ".debug_", "INTERP"]:
                self.assertNotIn(section, sections, name)

    def test_runs_where_libraries_are_those_of_debian_11(self):
        self.assertEqual(newer_symbols(self.fresh / "grader/compiled"), [])

    def test_brings_licences(self):
        if shutil.which("dpkg"):
            names = {path.name for path in (self.fresh / "grader/compiled/licences").iterdir()}
            self.assertLessEqual({"libeigen3-dev", "libgtest-dev"}, names)

    def test_labs(self):
        for exercise in ["05_module", "07_backward"]:
            for file in (CHECKOUT / "solutions" / exercise).glob("*.cpp"):
                shutil.copy(file, self.used / "exercises" / exercise)
        for lab in ["cost", "train", "prune", "gpt2"]:
            self.says(self.headway("lab", lab, "--quick"), 0, f"lab-results/{lab}/{lab}.html")
        self.says(self.headway("lab", "gpt2"), 2, "lessons/labs/tiny")
        self.says(self.headway("lab", "cost", "--reference"), 2, "no solutions")
        for exercise in ["05_module", "07_backward"]:
            self.says(self.headway("reset", exercise[:2]), 0)

    def test_stubs_are_not_started(self):
        self.says(self.build, 1)
        stubs = self.out_of_reach([str(self.used / "headway"), "grade", "--submission", str(self.used / "stubs")])
        self.says(stubs, 1)
        self.assertEqual((stubs.stdout + stubs.stderr).count(": not started"), len(list((self.fresh / "stubs").iterdir())))

    def test_right_and_wrong_are_told_apart(self):
        self.write(ANSWER)
        self.says(self.headway("grade", "03"), 0, "10 / 10")
        self.says(self.headway("try", "03"), 0, "PASSED")
        self.write(WRONG)
        page, verdict = self.room / "verdict.html", self.room / "verdict.json"
        self.says(self.headway("grade", "03", "--html", str(page), "--json", str(verdict)), 1)
        self.assertIn("<html", page.read_text())
        self.assertIn(MISTAKE, verdict.read_text())
        self.says(self.headway("pack", "--output", str(self.room / "mine.tar.gz")), 0, "scaled_scores.cpp")
        self.says(self.headway("reset", "03"), 0)
        self.says(self.headway("grade", "03"), 1, "not started")

    def test_desk(self):
        self.says(self.headway(), 0, "next")
        self.says(self.headway("lesson", "03"), 0, "head_dim")
        self.says(self.headway("hint", "03"), 0)
        self.says(self.headway("doctor"), 0, "Everything the course needs is here.")

    @unittest.skipIf(WITHOUT_PAGES, "Node.js, npm or Emscripten is missing")
    def test_lessons_are_rendered(self):
        opened = self.headway("lesson", "03", "--open")
        page = self.used / "lessons/pages/03-scaled-scores.html"
        self.says(opened, 0, f"file://{page}")
        self.assertNotIn("formulas as text", opened.stdout)
        self.assertIn('class="katex"', page.read_text())
        self.assertIn("headway_answer", (page.parent / "headway.js").read_text(), "the explorer's model")
        for file in (self.fresh / "lessons").glob("**/*.md"):
            rendered = self.fresh / "lessons/pages" / file.relative_to(self.fresh / "lessons")
            self.assertTrue(rendered.with_suffix(".html").exists(), rendered)

    def test_watch(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
            os.execv(self.used / "headway", ["headway", "watch", "01"])
        seen = b""
        while b"single head" not in seen:
            seen += os.read(terminal, 65536)
        os.write(terminal, b"q")
        try:
            while os.read(terminal, 65536):
                pass
        except OSError:
            pass  # it has ended
        self.assertIn(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), (0, 1))

    def test_what_is_not_there_is_said(self):
        for command in [["verify"], ["test"], ["release", "x"], ["class", "grade", "x", "--unsafe"]]:
            self.says(self.headway(*command), 2, "needs the full edition")
        for command in [["diff", "03"], ["diff", "03", "--reveal"]]:
            self.says(self.headway(*command), 2, "no solution")
        for command in [["others", "03"], ["others", "03", "--reveal"]]:
            self.says(self.headway(*command), 2, "they are in the full edition")

    def test_gradescope(self):
        place = self.room / "autograder"
        with zipfile.ZipFile(self.bundle) as archive:
            archive.extractall(place / "source")
        submission = place / "submission" / EXERCISE
        submission.mkdir(parents=True)
        (submission / "scaled_scores.cpp").write_text(ANSWER)
        for script in ["setup.sh", "run_autograder"]:
            self.says(self.out_of_reach(["bash", str(place / "source" / script)], {"AUTOGRADER": str(place)}), 0)
        self.assertEqual(json.loads((place / "results/results.json").read_text())["score"], 10)
        (submission / "scaled_scores.cpp").write_text(WRONG)
        self.says(self.out_of_reach(["bash", str(place / "source/run_autograder")], {"AUTOGRADER": str(place)}), 0)
        self.assertLess(json.loads((place / "results/results.json").read_text())["score"], 10)
        shutil.rmtree(place / "submission")
        (place / "submission").mkdir()
        with zipfile.ZipFile(place / "submission/mine.zip", "w") as archive:  # the compiled grader unpacks it
            archive.writestr("Übung 1/scaled_scores.cpp", ANSWER)
        self.says(self.out_of_reach(["bash", str(place / "source/run_autograder")], {"AUTOGRADER": str(place)}), 0)
        self.assertEqual(json.loads((place / "results/results.json").read_text())["score"], 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
