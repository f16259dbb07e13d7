"""Judges workers that tell right answers wrong (lying_worker.cpp): whatever they say, each hidden test passes or fails.

A judge that dies, or that takes such an answer for a fault of the machine, leaves a mark open: a way out of a zero.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile


def judged(arguments, exercise, seed, diagnose):
    """Why it was judged wrongly, or None."""
    with tempfile.TemporaryDirectory() as folder:
        worker = os.path.join(folder, f"lying.{seed}")
        os.symlink(os.path.join(os.path.abspath(arguments.workers), f"lying_{exercise}"), worker)
        answered_calls = os.path.join(folder, "answered_calls")
        options = ["--exercise", exercise, "--worker", worker, "--seed", str(seed), "--policy", arguments.policy,
                   "--jail", "none", "--answered-calls", answered_calls]
        try:
            done = subprocess.run([arguments.judge, "test", *options], capture_output=True, timeout=arguments.timeout)
            if diagnose and done.returncode == 0:
                done = subprocess.run([arguments.judge, "diagnose", *options, "--sanitized-worker", worker],
                                      capture_output=True, timeout=arguments.timeout)
        except subprocess.TimeoutExpired:
            return f"the judge took more than {arguments.timeout} s"
    if done.returncode != 0:
        return f"the judge ended with {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"
    document = json.loads(done.stdout)
    if diagnose:
        return None
    unavailable = [test for test in document if test["state"] == "unavailable"]
    if unavailable:
        return f"{unavailable[0]['name']} is unavailable: {unavailable[0]['failure']['message'][:300]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--workers", required=True, help="folder of the programs lying_NN_name")
    parser.add_argument("--policy", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, help="seed; by HEADWAY_SHARE others with each commit, if not given")
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("exercises", nargs="*", help="all that have such a program, if not given")
    arguments = parser.parse_args()
    arguments.exercises = arguments.exercises or sorted(
        program[len("lying_"):] for program in os.listdir(arguments.workers) if program.startswith("lying_"))
    if not arguments.exercises:
        sys.exit(f"{arguments.workers} has no program lying_NN_name: build the target fuzzers")
    if arguments.first is None:
        arguments.first = 1 + arguments.seeds * int(os.environ.get("HEADWAY_SHARE", "0"))
    wrong = collections.Counter()
    runs = 0
    for exercise in arguments.exercises:
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            for diagnose in (False, True):
                runs += 1
                why = judged(arguments, exercise, seed, diagnose)
                if why:
                    wrong[exercise] += 1
                    print(f"{exercise}, seed {seed}{', diagnosis' if diagnose else ''}: {why}", flush=True)
    print(f"{runs} runs, {sum(wrong.values())} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
