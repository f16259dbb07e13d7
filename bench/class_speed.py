#!/usr/bin/env python3
"""class_speed.py [SIZE]: what grading a class costs, as one table.

A class of SIZE hand-ins (1000 if not said; 60 for a trial) of exercises 01 to 05 is made from solutions/, tests/accepted,
tests/mutants and tests/hostile: sources that differ, by renaming and by harmless additions, in their code and not only in
comments and white space. It is graded from nothing, graded again unchanged, and reported on. Beside it, for a few of its
programs, what a course without a grader does (bench/naive). Needs a built grader: ./headway --help builds it; the line on
scheduling needs the benchmarks too (-DHEADWAY_BENCH=ON).
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
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
import tomllib
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/hostile"))
import run_hostile  # noqa: E402

EXERCISES = ["01_single_head", "02_head_splitting", "03_scaled_scores", "04_merge_heads", "05_module"]
# What a hand-in of one exercise is. Of the right ones a quarter are written in other styles (Eigen's among them).
SHARES = {"right": 0.50, "wrong": 0.40, "not compiling": 0.08, "hostile": 0.02}
COPIED = 0.30  # of these, so many are what somebody else handed in
HOSTILE = ["exit_zero", "heap_bomb", "spin_forever", "read_passwd", "fork_bomb", "forge_result_files", "garbage_answer",
           "output_flood"]


# ---- the class -----------------------------------------------------------------------------------------------------------


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
    """As tests/hostile/run_hostile.py puts it together, called from softmax_rows."""
    attack = (ROOT / "tests/hostile" / HOSTILE[number % len(HOSTILE)] / "attack.cpp").read_text()
    solution = sources(ROOT / "solutions/01_single_head")["single_head.cpp"]
    header = '#include "single_head.hpp"\nnamespace headway::ex01 { Tensor softmax_rows_of_the_solution(const Tensor&); }\n'
    return {"single_head.cpp": header + "#define softmax_rows softmax_rows_of_the_solution\n" + solution
            + "\n#undef softmax_rows\n" + run_hostile.SOFTMAX,
            "attack.cpp": run_hostile.BEFORE + attack + run_hostile.AFTER["call"] + f"int attempt_{number} = {number};\n"}


def folders_of(kind, exercise):
    return [path / exercise for path in sorted((ROOT / "tests" / kind / exercise).iterdir()) if (path / exercise).is_dir()]


def mutants_of(exercise):
    """Each kind of wrong. Not those that only prove one more entry of the catalogue."""
    return [folder for folder in folders_of("mutants", exercise)
            if not tomllib.loads((folder.parent / "mutant.toml").read_text()).get("extended")]


class Hand:
    """Makes what is handed in for one exercise."""

    def __init__(self, exercise):
        self.exercise = exercise
        self.solution = sources(ROOT / "solutions" / exercise)
        self.accepted = [sources(folder) for folder in folders_of("accepted", exercise)]
        self.mutants = [sources(folder) for folder in mutants_of(exercise)]
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


def make_class(folder, size):
    """Returns exercise -> list of (kind, files)."""
    chance = random.Random(20260501)
    handed_in = {}
    for exercise in EXERCISES:
        hand = Hand(exercise)
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
                if b"--diagnose" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
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
        sys.exit(f"class_speed: there is no grader in {arguments.build}; ./headway --help builds one, --build names another")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what it has begun ends with it
    size = arguments.size
    with tempfile.TemporaryDirectory(prefix="headway-class-") as temporary:
        folder = pathlib.Path(temporary)
        handed_in = make_class(folder / "class", size)
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
