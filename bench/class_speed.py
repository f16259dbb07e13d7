#!/usr/bin/env python3
"""class_speed.py [SIZE]: what grading a class costs, as one table.

A class of SIZE hand-ins (1000 if not said; 60 for a trial) of exercises 01 to 05 (generated_class.py) is graded from nothing,
graded again unchanged, and reported on. Beside it, for a few of its programs, what a course without a grader does
(bench/naive). Needs a built grader: ./headway class --help builds it; the line on scheduling needs the benchmarks too
(-DHEADWAY_BENCH=ON).
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
from generated_class import EXERCISES, describe, make_class, renamed  # noqa: E402

# ---- what it costs -------------------------------------------------------------------------------------------------------


class Watch(threading.Thread):
    """What the children of the grader do, by looking ten times a second; and the most memory that it has."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.phases = collections.Counter()
        self.grader_kib = self.judge_kib = 0
        self.ticks = {}  # (process, its start) -> what it has used of a processor
        self.done = threading.Event()
        self.start()

    def run(self):
        while not self.done.wait(0.1):
            self.look()

    def look(self):
        parents, names, used = {}, {}, {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with contextlib.suppress(OSError, IndexError, ValueError):
                    status = pathlib.Path(f"/proc/{entry}/stat").read_text()
                    name, rest = status[status.index("(") + 1:status.rindex(")")], status[status.rindex(")") + 2:].split()
                    names[int(entry)], parents[int(entry)] = name, int(rest[1])
                    used[int(entry)] = rest[19], int(rest[11]) + int(rest[12])
        children = collections.defaultdict(list)
        for pid, parent in parents.items():
            children[parent].append(pid)
        for pid in (self.pid, *descendants(self.pid, children)):
            if pid in used:
                start, ticks = used[pid]
                self.ticks[pid, start] = ticks
        self.grader_kib = max(self.grader_kib, peak_kib(self.pid))
        for pid in children[self.pid]:
            self.phases[self.phase_of(pid, names, children)] += 1

    def processor_seconds(self):
        """Of all that was seen: what ran for less than a tenth of a second may be missing. The kernel's own sum is of no
        use, since jails are killed before they are waited for."""
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")

    def phase_of(self, pid, names, children):
        """Of one child of the grader: what it is at."""
        if names.get(pid) == "headway-judge":
            self.judge_kib = max(self.judge_kib, peak_kib(pid))
            with contextlib.suppress(OSError):
                if b"diagnose" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
                    return "diagnosis"
            return "run"
        below = {names.get(one) for one in descendants(pid, children)}
        if below & {"ld", "mold", "ld.mold", "ld.gold", "ld.lld", "collect2"}:
            return "link"
        if below & {"cc1plus", "as", "clang++", "clang", "clang-14"}:
            return "compile"
        return "start of compiler or linker"


def descendants(pid, children):
    for child in children[pid]:
        yield child
        yield from descendants(child, children)


def peak_kib(pid):
    with contextlib.suppress(OSError):
        if found := re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()):
            return int(found[1])
    return 0  # it has ended


class Bench:
    def __init__(self, build, folder):
        self.cli = build / "bin/headway-cli"
        self.build = build
        self.folder = folder
        self.gradebook = folder / "gradebook.sqlite"
        self.environment = dict(os.environ, HEADWAY_ROOT=str(ROOT), HEADWAY_STATE=str(folder / "state"))

    def run(self, *arguments):
        """(seconds, Watch)"""
        begin = time.monotonic()
        process = subprocess.Popen([self.cli, "class", *arguments, "--gradebook", self.gradebook], env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        watch = Watch(process.pid)
        try:
            said, _ = process.communicate()
        finally:
            process.kill()  # if we were interrupted
            watch.done.set()
        if process.returncode not in (0, 1):
            sys.exit(f"class_speed: headway class {' '.join(map(str, arguments))} ended with {process.returncode}: {said}")
        return time.monotonic() - begin, watch

    def kib(self):
        return sum(file.stat().st_size for file in self.folder.glob("gradebook.sqlite*")) / 1024

    def documents(self):
        with contextlib.closing(sqlite3.connect(self.gradebook)) as database:
            for (document,) in database.execute("SELECT document FROM verdict"):
                yield json.loads(zlib.decompress(document[8:]))


def check(bench, handed_in):
    """That it was graded as it was made; otherwise the figures are of something else."""
    with contextlib.closing(sqlite3.connect(bench.gradebook)) as database:
        states = {(student, exercise): state for student, exercise, state in database.execute(
            "SELECT student, exercise, state FROM attempt JOIN attempt_source s ON s.attempt = attempt.id "
            "JOIN verdict USING (source)")}
    expected = {"right": {"passed"}, "wrong": {"failed", "partial"}, "not compiling": {"failed"}}
    for exercise, hands in handed_in.items():
        for student, (kind, _) in enumerate(hands):
            state = states.get((f"s{student:05}", exercise))
            if state is None or kind in expected and state not in expected[kind]:
                sys.exit(f"class_speed: s{student:05} {exercise} is {kind}, and its grading says {state}")


def processor_seconds():
    """Of all that ran below this program, in no jail, and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def naive_seconds(folder, count):
    """Of that many, two at a time, as the class is graded on two processors: wall-clock seconds each."""
    def one(number):
        place = folder / f"naive{number}"
        shutil.copytree(ROOT / "bench/naive", place)
        source = place / "attention_test.cpp"
        source.write_text(renamed(source.read_text(), number))
        begin = time.monotonic()
        for command in (["cmake", "-S", place, "-B", place / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"],
                        ["cmake", "--build", place / "build"], [place / "build/attention_test"]):
            subprocess.run(command, check=True, capture_output=True)
        shutil.rmtree(place)
        return time.monotonic() - begin

    begin, before = time.monotonic(), processor_seconds()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        alone = list(pool.map(one, range(count)))
    return (time.monotonic() - begin) / count, statistics.median(alone), (processor_seconds() - before) / count


# ---- the table -----------------------------------------------------------------------------------------------------------


def row(what, value, promise=""):
    print(f"  {what:<52} {value:>18}   {promise}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="What grading a class costs.")
    parser.add_argument("size", type=int, nargs="?", default=1000, help="hand-ins of five exercises each (1000)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/default", help="where the grader is built")
    parser.add_argument("--naive", type=int, default=20, help="programs built the naive way (20); 0: none")
    arguments = parser.parse_args()
    if not (arguments.build / "bin/headway-cli").exists():
        sys.exit(f"class_speed: there is no grader in {arguments.build}; ./headway class --help builds one, "
                 "--build names another")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what it has begun ends with it
    size = arguments.size
    with tempfile.TemporaryDirectory(prefix="headway-class-") as temporary:
        folder = pathlib.Path(temporary)
        handed_in = make_class(folder / "class", size, arguments.build / "bin/headway-cli")
        print(f"{size} hand-ins of {len(EXERCISES)} exercises on {os.cpu_count()} processors, "
              f"load before: {os.getloadavg()[0]:.1f}")
        distinct = describe(handed_in)
        bench = Bench(arguments.build, folder)
        seconds, watch = bench.run("grade", folder / "class")
        check(bench, handed_in)
        grown = bench.kib()
        row("graded: hand-ins a second", f"{size / seconds:.2f}", "(at least 0.5)")
        row("  programs a second; distinct ones", f"{5 * size / seconds:.2f}; {distinct / seconds:.2f}")
        used = watch.processor_seconds()
        row("  processor-seconds a hand-in; a distinct program", f"{used / size:.2f}; {used / distinct:.2f} s")
        row("  of all processors, in use by it", f"{100 * used / (seconds * os.cpu_count()):.0f} %")
        row("  so a machine with nothing else to do: hand-ins/s", f"{size * os.cpu_count() / used:.2f}", "(at least 0.5)")
        looks = sum(watch.phases.values())
        for phase, count in watch.phases.most_common():
            row(f"    of which {phase}", f"{100 * count / looks:.0f} %")
        show_costs(bench)
        row("memory of the grader; of a judge, at most", f"{watch.grader_kib / 1024:.0f}; {watch.judge_kib / 1024:.0f} MiB",
            "(at most 500)")
        row("gradebook, a hand-in", f"{grown / size:.1f} KiB", "(at most 100)")
        again = statistics.median(bench.run("grade", folder / "class")[0] for _ in range(3))
        row("graded again, nothing changed", f"{again:.2f} s", f"(at most {20 * size / 1000:.1f}: 20 for 1,000)")
        report = statistics.median(bench.run("report", folder / "report")[0] for _ in range(3))
        row("class report", f"{report:.2f} s", f"(at most {10 * size / 1000:.1f}: 10 for 1,000)")
        if arguments.naive:
            wall, alone, naive_used = naive_seconds(folder, arguments.naive)
            row(f"the naive way, {arguments.naive} programs: each", f"{wall:.2f} s", f"({alone:.1f} s from start to end)")
            row("  naive / ours, a program", f"{wall / (seconds / (5 * size)):.1f} x", "(at least 10)")
            row("  naive / ours, a distinct program", f"{wall / (seconds / distinct):.1f} x")
            row("  naive / ours, processor-seconds a program", f"{naive_used / (used / (5 * size)):.1f} x")
        overhead = arguments.build / "bench/class_overhead"
        if overhead.exists():
            subprocess.run([overhead], check=True)
        else:
            row("scheduling", "not measured", "(cmake -DHEADWAY_BENCH=ON builds class_overhead)")


def show_costs(bench):
    """Seconds of a grading, by how it ended: medians."""
    seconds = collections.defaultdict(list)
    for verdict in bench.documents():
        state = "not compiled" if verdict["build"]["problem"] != "none" else verdict["state"]
        seconds[state].append(verdict["seconds"])
    for state, all_of_it in sorted(seconds.items()):
        row(f"    one that {'was ' if state == 'not compiled' else ''}{state}: median, largest",
            f"{statistics.median(all_of_it):.2f}, {max(all_of_it):.1f} s")


if __name__ == "__main__":
    main()
