#!/usr/bin/env python3
"""Strangers' code where bubblewrap can do nothing: graded in the weaker jail, as root and as a user, with and without
Landlock; and refused, before anything of it is compiled or run, where there is not even that.

usage: weaker_jail_test.py COURSE CLI      (as root; else skipped)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COURSE, CLI = map(pathlib.Path, sys.argv[1:3])
POOR = COURSE / "tests/hostile/poor_machine.py"
NOBODY = 65534
CLOSED = ["--no-landlock", "--closed", COURSE, CLI]
MARKER = """#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
__attribute__((constructor)) static void leave_a_marker() {
    std::printf("MARKER");
    creat("@MARKER@", 0644);
    utimensat(AT_FDCWD, "@SHARED@", nullptr, 0);
}
"""
LONG_AGO = 1_000_000_000
# All scores at once, by a program that would keep its memory to itself.
SHUT = """
#undef tiled_attention
#include <cstdlib>
#include <sys/prctl.h>
__attribute__((constructor)) static void shut() {
    if (prctl(PR_SET_DUMPABLE, 0) == 0) std::abort();
}
namespace headway::ex10 {
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile);
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile) {
    Tensor output = tiled_attention_of_the_solution(q, k, v, mask, causal, tile);
    [[maybe_unused]] volatile float seen = sum(matmul(q, k.transpose(-2, -1)), -1).data()[0];
    return output;
}
}
"""


class WeakerJail(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.marker = self.folder / "open" / "marker"
        self.marker.parent.mkdir()
        self.marker.parent.chmod(0o777)
        self.shared = self.marker.parent / "shared"
        self.shared.touch()
        self.shared.chmod(0o666)
        os.utime(self.shared, (LONG_AGO, LONG_AGO))
        submission = self.folder / "submission/01_single_head"
        submission.mkdir(parents=True)
        (submission / "marker.cpp").write_text(
            MARKER.replace("@MARKER@", str(self.marker)).replace("@SHARED@", str(self.shared)))
        (submission / "single_head.cpp").write_text((COURSE / "solutions/01_single_head/single_head.cpp").read_text())
        self.state = self.folder / "state"
        self.state.mkdir()

    def headway(self, *arguments, machine=()):
        if "--user" in machine:
            os.chown(self.state, NOBODY, NOBODY)
        environment = {"PATH": "/usr/bin:/bin", "HEADWAY_ROOT": str(COURSE), "HEADWAY_STATE": str(self.state)}
        words = [sys.executable, POOR, *machine, CLI, *arguments]
        done = subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True, timeout=600)
        if done.returncode == 77 or "SKIPPED" in done.stdout:
            self.skipTest(done.stdout)
        return done

    def grade(self, *more, machine=()):
        return self.headway("grade", "01", "--submission", self.folder / "submission", "--json", "-", *more,
                            machine=machine)

    def holds(self, done, jail):
        self.assertEqual(done.returncode, 0, done.stdout[:3000] + done.stderr)
        verdict = json.loads(done.stdout)
        self.assertEqual(verdict["exercises"][0]["points"], 10)
        stamps = verdict["protections"]
        self.assertTrue(stamps["jail"].startswith("weaker: "), stamps)
        self.assertIn(jail, stamps["jail"])
        self.assertFalse([state for state in stamps.values() if state.startswith("absent")])
        for name in ("no_hidden_suites", "no_sockets", "no_core_dumps", "no_tracing", "no_kernel_doors",
                     "no_hidden_memory"):
            self.assertEqual(stamps[name], "enforced")
        self.assertEqual(self.shared.stat().st_mtime, LONG_AGO, "it changes the times of a file that everybody may write")

    def refused(self, done, *words):
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.state / "work").exists(), "something was compiled")
        self.assertFalse(self.marker.exists())

    def test_as_root(self):
        self.holds(self.grade(), "another user")
        self.assertFalse(self.marker.exists(), "it writes where everybody may")

    def test_as_root_without_landlock(self):
        self.holds(self.grade(machine=CLOSED), "no Landlock")

    def test_as_a_user(self):
        self.holds(self.grade(machine=["--user", NOBODY]), "the same user")
        self.assertFalse(self.marker.exists(), "it writes where everybody may")

    def test_a_program_that_shuts_its_memory_earns_nothing_by_that(self):
        submission = self.folder / "submission/10_tiled_attention"
        submission.mkdir()
        solution = (COURSE / "solutions/10_tiled_attention/tiled_attention.cpp").read_text()
        (submission / "tiled_attention.cpp").write_text(
            "#define tiled_attention tiled_attention_of_the_solution\n" + solution + SHUT)
        done = self.headway("grade", "10", "--submission", self.folder / "submission", "--json", "-",
                            machine=["--user", NOBODY])
        tests = json.loads(done.stdout)["exercises"][0]["tests"]
        states = {test["name"]: test["state"] for test in tests}
        self.assertEqual(states["MemoryDoesNotGrowWithTheScores"], "failed", done.stdout[:3000])
        self.assertEqual(states["CallsAreCleanAndShapesChecked"], "passed", "it can shut its memory")

    def test_what_every_user_may_read_is_said_to_be_open(self):
        self.refused(self.grade(machine=["--no-landlock"]), "no_hidden_suites", "headway-judge opens to every user",
                     "./headway protections --close", "--unsafe")

    def test_without_any_jail_nothing_runs(self):
        machine = ["--no-landlock", "--user", NOBODY]
        self.refused(self.grade(machine=machine), "cannot jail", "Landlock", "./headway doctor", "--unsafe")
        self.refused(self.grade("--html", self.folder / "page.html", machine=machine), "--unsafe")
        unsafe = self.grade("--unsafe", machine=machine)
        self.assertEqual(unsafe.returncode, 0, unsafe.stderr)
        self.assertIn("runs with all your rights", unsafe.stderr)
        self.assertTrue(self.marker.exists())

    def test_ones_own_goes_on_and_is_told_before(self):
        done = self.headway("grade", "01", "--submission", COURSE / "stubs", machine=["--no-landlock", "--user", NOBODY])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("there is no jail here"), 1, done.stderr)
        self.assertIn("./headway doctor", done.stderr)

    def test_a_class_needs_landlock(self):
        (self.folder / "class").mkdir()
        (self.folder / "submission").rename(self.folder / "class/ada")
        arguments = ["class", "grade", self.folder / "class", "--gradebook", self.folder / "book.sqlite"]
        self.refused(self.headway(*arguments, machine=CLOSED), "Landlock", "--unsafe")
        graded = self.headway(*arguments)
        self.assertEqual(graded.returncode, 0, graded.stdout + graded.stderr)
        self.assertIn("1 exercise graded", graded.stdout)

    def test_close_takes_them_from_other_users(self):
        course = self.folder / "course"
        for file in ("solutions/a.cpp", "grader/suites/b.cpp", "tests/c.cpp", "exercises/d.cpp"):
            (course / file).parent.mkdir(parents=True)
            (course / file).write_text("")
        for exercise in COURSE.glob("exercises/*/exercise.toml"):
            (course / "exercises" / exercise.parent.name).mkdir()
            (course / "exercises" / exercise.parent.name / exercise.name).write_text(exercise.read_text())
        programs = course / "build/default/bin"
        programs.mkdir(parents=True)
        for program in ("headway-cli", "headway-judge", "headway-enter"):
            shutil.copy(CLI.parent / program, programs)
        toolchain = json.loads((CLI.parent.parent / "grader.json").read_text())
        toolchain["judge"] = str(programs / "headway-judge")
        (course / "build/default/grader.json").write_text(json.dumps(toolchain))
        subprocess.run([programs / "headway-cli", "protections", "--close"], check=True, capture_output=True,
                       env={"PATH": "/usr/bin:/bin", "HEADWAY_ROOT": str(course)})
        for secret in ("solutions", "grader/suites", "tests", "build/default/bin/headway-judge"):
            self.assertEqual((course / secret).stat().st_mode & 0o077, 0, secret)
        for needed in ("exercises", "build/default/bin", "build/default/bin/headway-enter"):
            self.assertEqual((course / needed).stat().st_mode & 0o055, 0o055, needed)

    def test_doctor_shows_what_it_does_not_stop(self):
        shown = self.headway("protections")
        self.assertIn("jail                weaker", shown.stdout)
        self.assertIn("it sees the name of this machine", shown.stdout)
        self.assertIn("For your own exercises this one is enough.", " ".join(shown.stdout.split()))

    def test_no_file_that_we_hand_out_says_unsafe(self):
        for name in ("github/headway.yml", "gitlab/.gitlab-ci.yml", "gradescope/setup.sh", "gradescope/run_autograder"):
            self.assertNotIn("--unsafe", (COURSE / "classroom" / name).read_text())


if os.geteuid() != 0:
    print("SKIPPED: only root can make a machine without namespaces")
    sys.exit(77)
unittest.main(argv=sys.argv[:1] + sys.argv[3:])
