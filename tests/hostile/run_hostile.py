#!/usr/bin/env python3
"""Grades hostile submissions and checks that the machine is unharmed.

Each folder here is one attack: attack.cpp, put beside a right solution of exercise 01, and hostile.toml:
    attack            what it tries, in words
    where             "constructor", "call" (in softmax_rows, whose answer is right), "exit"; "source": it is compiled
    verdict           what it must get: "passed" (it achieved nothing), "failed", "not_passed", or "any"
    words             a part of the verdict, or a list, of which one is: what is seen depends on when the judge looks
    limits            the limits for workers that it is graded with as in policy.toml: it takes many processes
    processor_seconds the most that the grader and all its children may compute
    stopped_by        the protections that it runs into
    succeeds_without  it is live: with these switched off it succeeds ...
    succeeds_with     ... or with these limits for workers
    since_linux       an older kernel has not what it attacks: it is not proven live there
    sign              what shows that: HOSTILE-SUCCESS (unless given), "canary", "survivor", "passed", or a text

In attack.cpp "@REPEATED 3 abc@" is abcabcabc.

usage: run_hostile.py --cli PROGRAM --course FOLDER --work FOLDER [--user N] [--no-live] [--weaker [--no-landlock]]
                      [--part K/N] [--from FOLDER] [ATTACK...]

--part K/N takes each Nth attack, from the Kth on; HEADWAY_SHARE=M takes the part that comes M parts later. --from grades
somebody else's attacks, in folders like these.

--weaker grades on a machine where bubblewrap can do nothing (poor_machine.py). What may get through the weaker jail is
listed in weaker.toml, with the reason; no reason excuses points, processes that live on, or changed files.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import re
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib

from hostile_program import SUCCESS, attack_source, calling_an_attack
from inmates import among_processes_of_its_own, foreign_processes, who_is

LIMITS = {
    "worker": {"call_cpu_seconds": 1, "all_calls_seconds": 10, "call_wall_seconds": 60, "memory_mib": 256, "processes": 32, "folder_mib": 16,
               "output_mib": 4},
    "compiler": {"cpu_seconds": 8, "wall_seconds": 90, "memory_mib": 1024, "file_mib": 16, "folder_mib": 64},
}
# Whatever weaker.toml says of an attack.
NEVER_EXCUSED = ("passed", "survivors", "changed", "the server was reached", "the next submission")


def policy_text(switched_off=(), worker_limits="", usual=()):
    """usual: names of limits for workers that are left as they are."""
    lines = []
    for table, limits in LIMITS.items():
        given = worker_limits if table == "worker" else ""
        lines += [f"[{table}]", given] + [f"{key} = {value}" for key, value in limits.items()
                                                if key not in given and (table != "worker" or key not in usual)]
    return "\n".join(lines + ["[jail]", f"switched_off = {json.dumps(list(switched_off))}", ""])


class Range:
    """Where it all happens: a course, a submission, a canary, a server that nobody may reach."""

    def __init__(self, arguments):
        self.cli = arguments.cli
        self.course = arguments.course
        self.user = arguments.user
        self.weaker = arguments.weaker
        self.landlock = not arguments.no_landlock
        self.work = arguments.work / (f"user{self.user}" if self.user else "own")
        shutil.rmtree(self.work, ignore_errors=True)
        self.submission = self.work / "submission" / "01_single_head"
        self.submission.mkdir(parents=True)
        (self.work / "state").mkdir()
        self.canary_text = "HEADWAY_CANARY_" + secrets.token_hex(8).upper()
        self.canary = self.work / "canary" / "secret.txt"
        self.canary.parent.mkdir()
        self.canary.write_text(self.canary_text + "\n")
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(0)
        solution = (self.course / "solutions/01_single_head/single_head.cpp").read_text()
        (self.submission / "single_head.cpp").write_text(calling_an_attack(solution))
        if self.user:
            subprocess.run(["chown", "-R", f"{self.user}:{self.user}", self.work / "state"], check=True)

    def grade(self, attack, policy, *options):
        for marker, value in {"@CANARY@": self.canary, "@CANARY_RELATIVE@": str(self.canary)[1:],
                              "@CANARY_FOLDER@": self.canary.parent, "@COURSE@": self.course,
                              "@JUDGE@": self.cli.parent / "headway-judge", "@STATE@": self.work,
                              "HOSTILE_PORT": self.server.getsockname()[1]}.items():
            attack = attack.replace(marker, str(value))
        (self.submission / "attack.cpp").write_text(attack)
        (self.work / "policy.toml").write_text(policy)
        command = [self.cli, "grade", "01", "--submission", self.submission.parent, "--json", "-", "--again", *options]
        if self.weaker:
            command = self.on_a_poor_machine() + command
        elif self.user:
            command = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups"] + command
        environment = {"PATH": "/usr/bin:/bin", "HEADWAY_ROOT": str(self.course), "HEADWAY_STATE": str(self.work / "state"),
                       "HEADWAY_POLICY": str(self.work / "policy.toml")}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.computed = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        text = done.stdout.decode(errors="replace")
        if "{" not in text:
            return text + done.stderr.decode(errors="replace"), None
        return text, json.loads(text)

    def on_a_poor_machine(self):
        words = [sys.executable, pathlib.Path(__file__).with_name("poor_machine.py")]
        if self.user:
            words += ["--user", self.user]
        if not self.landlock:
            words.append("--no-landlock")
            words += ["--closed", self.course, self.cli]
        return words

    def foreign_processes(self):
        """What a jail of this grader holds: processes in another pid namespace than ours, or of a pool user."""
        return foreign_processes(self.cli, int(self.user) if self.user and self.weaker else None)

    def snapshot(self):
        """Size and time of all that a submission could want to change."""
        folders = [self.course / "tensor", self.course / "grader", self.canary.parent, self.cli.parent]
        files = [path for folder in folders for path in folder.rglob("*")] + [pathlib.Path("/usr/lib"), pathlib.Path("/")]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    def was_reached(self):
        reached = False
        try:
            while True:
                self.server.accept()
                reached = True
        except BlockingIOError:
            return reached


class Attack:
    def __init__(self, folder):
        self.name = folder.name
        self.about = tomllib.loads((folder / "hostile.toml").read_text())
        self.source = re.sub(r"@REPEATED (\d+) (.*?)@", lambda found: found[2] * int(found[1]),
                             (folder / "attack.cpp").read_text())

    def live_where(self):
        where = self.about["where"]
        return "call" if "call" in where else where[0]

    def finds_its_target(self):
        here, since = (tuple(map(int, re.findall(r"\d+", version)[:2]))
                       for version in (platform.release(), self.about.get("since_linux", "0.0")))
        return here >= since

    def looks_into(self, folder, place):
        """Whether it looks for something of the grader's that lies there."""
        return "@" in self.source and (place.course.is_relative_to(folder) or place.work.is_relative_to(folder))

    def program(self, where):
        return attack_source(self.source, where)


def survivors(before, place, patience=2.0):
    """Those that have come since, and are there all the time that one could need to go."""
    end = time.monotonic() + patience
    left = {pid for pid in place.foreign_processes() if pid not in before}
    while left and time.monotonic() < end:
        time.sleep(0.05)
        left &= set(place.foreign_processes())
    return left


def harm(place, text, verdict, about, where):
    """What went wrong, in words."""
    problems = []
    exercise = verdict["exercises"][0]
    state = exercise["state"]
    wanted = about["verdict"]
    if wanted == "not_passed":
        if state == "passed":
            problems.append("passed")
    elif wanted != "any" and state != wanted:
        problems.append(f"{state} instead of {wanted}: {exercise['problem']} {exercise['build'].get('message')} "
                        + str([t.get("failure", {}).get("message") for t in exercise["tests"] if t.get("failure")][:1]))
    if where != "source" and exercise["build"].get("problem", "none") != "none":
        problems.append(f"it attacks nothing, since it was not built: {exercise['build'].get('message')}")
    if place.computed > about.get("processor_seconds", math.inf):
        problems.append(f"grading took {place.computed:.0f} s of processor time")
    words = about.get("words", "")
    if not any(one in text for one in ([words] if isinstance(words, str) else words)):
        problems.append(f"the verdict does not say \"{words}\"")
    if SUCCESS in text:
        problems.append("the attack says that it succeeded")
    if place.canary_text in text.upper() or "root:x:0" in text:
        problems.append("the canary was read")
    if place.was_reached():
        problems.append("the server was reached")
    return problems


def is_live(place, attack, where):
    about = attack.about
    before = place.foreign_processes()
    # A jail without one of its protections runs nobody else's code, unless somebody asks for it.
    text, verdict = place.grade(attack.program(where), policy_text(about.get("succeeds_without", ()),
                                                                   about.get("succeeds_with", "")), "--unsafe")
    left = survivors(before, place, 0.5)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    sign = about.get("sign", SUCCESS)
    place.was_reached()
    if sign == "canary":
        return place.canary_text in text.upper()
    if sign == "survivor":
        return bool(left)
    if sign == "passed":
        return verdict["exercises"][0]["state"] == "passed"
    return sign in text


def may_get_through_weaker_jail(folder, arguments):
    """Names of attacks with the reason, or with { passes = the reason }."""
    table = tomllib.loads((folder / "weaker.toml").read_text())
    listed = dict(table["anywhere"])
    if arguments.no_landlock:
        listed |= table["without_landlock"]
    if arguments.user:
        listed |= table["same_user"]
    return listed


def main():
    among_processes_of_its_own()
    parser = argparse.ArgumentParser()
    for name in ("--cli", "--course", "--work"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("--user")
    parser.add_argument("--no-live", action="store_true")
    parser.add_argument("--weaker", action="store_true")
    parser.add_argument("--no-landlock", action="store_true")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--from", dest="folder", type=pathlib.Path)
    parser.add_argument("attacks", nargs="*")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).resolve().parent
    attacks = [Attack(path.parent) for path in sorted((arguments.folder or folder).glob("*/hostile.toml"))]
    unknown = set(arguments.attacks) - {attack.name for attack in attacks}
    if unknown:
        sys.exit(f"there is no attack called {', '.join(sorted(unknown))}")
    if arguments.attacks:
        attacks = [attack for attack in attacks if attack.name in arguments.attacks]
    part, parts = map(int, arguments.part.split("/"))
    share = int(os.environ.get("HEADWAY_SHARE", "0"))
    attacks = attacks[(part - 1 + share) % parts::parts]

    may_get_through = may_get_through_weaker_jail(folder, arguments) if arguments.weaker else {}
    if unknown := set(may_get_through) - {path.parent.name for path in folder.glob("*/hostile.toml")}:
        sys.exit(f"weaker.toml lists attacks that are not there: {', '.join(sorted(unknown))}")

    place = Range(arguments)
    innocent = attack_source("void attack() {}\n", "call")
    text, first = place.grade(innocent, policy_text())
    if first is None and "cannot jail" in text:
        print(f"SKIPPED: {text}")
        sys.exit(77)
    if first is None:
        sys.exit("the grader gives no verdict: " + text)
    if arguments.weaker != ("jail" in first["protections"]):
        sys.exit(f"this is the wrong jail: {first['protections'].get('jail')}")
    if first["exercises"][0]["state"] != "passed":
        sys.exit("the right submission does not pass: " + json.dumps(first["exercises"][0])[:2000])
    absent = {name: state for name, state in first["protections"].items() if state != "enforced"}
    print("not enforced here: " + (json.dumps(absent) if absent else "nothing"))
    if any(state.startswith("absent") for state in absent.values()):
        print("SKIPPED: there is no whole jail on this machine")
        sys.exit(77)

    failed = 0
    live = 0
    graded = 0
    unharmed = place.snapshot()
    for attack in attacks:
        for where in attack.about["where"]:
            begin = time.monotonic()
            before = place.foreign_processes()
            text, verdict = place.grade(attack.program(where), policy_text(usual=attack.about.get("limits", ())))
            graded += 1
            if verdict is None:
                print(f"FAILED {attack.name} ({where}): the grader gave no verdict", flush=True)
                failed += 1
                continue
            excuse = may_get_through.get(attack.name)
            passes = isinstance(excuse, dict)
            problems = harm(place, text, verdict, attack.about | ({"verdict": "passed"} if passes else {}), where)
            if left := survivors(before, place):
                problems.append("survivors: " + "; ".join(map(who_is, sorted(left))))
            changed = {path for path, what in place.snapshot().items() if unharmed.get(path) != what}
            if changed:
                problems.append(f"changed: {sorted(changed)[:5]}")
                unharmed = place.snapshot()
            _, control = place.grade(innocent, policy_text())
            if control["exercises"][0]["state"] != "passed":
                problems.append("the next submission is graded wrong")
            note = ""
            can_succeed = "succeeds_without" in attack.about or "succeeds_with" in attack.about
            if can_succeed and not arguments.no_live and where == attack.live_where():
                if attack.looks_into("/tmp", place):
                    note = ", not proven live: every jail has a /tmp of its own, and the course lies in it"
                elif not attack.finds_its_target():
                    note = f", not proven live: that takes Linux {attack.about['since_linux']}"
                elif is_live(place, attack, where):
                    live += 1
                    note = ", live"
                else:
                    problems.append("not live: it fails without what should stop it, too")
            if excuse:
                excused = [problem for problem in problems if not problem.startswith(NEVER_EXCUSED)]
                problems = [problem for problem in problems if problem not in excused]
                note = f", may get through: {excuse['passes'] if passes else excuse}" + "".join(f" [{p}]" for p in excused)
            failed += bool(problems)
            state = verdict["exercises"][0]["state"]
            print(f"{'FAILED' if problems else 'ok':6} {attack.name} ({where}): {state}{note}, "
                  f"{time.monotonic() - begin:.1f} s" + "".join(f"\n       {problem}" for problem in problems), flush=True)
    print(f"{len(attacks)} attacks, {graded} gradings, {live} proven live, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
