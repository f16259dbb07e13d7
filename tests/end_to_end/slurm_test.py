"""slurm_test.py CHECKOUT CLI: ./headway class grade --engine slurm on a cluster of two nodes, all on this machine.

A node is lost in the middle of an array, a task is killed, the coordinator dies twice, and the controller is away for a
while: the gradebook must be the one that an undisturbed run without Slurm leaves. Exit status 77: there is no Slurm here.
"""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib

sys.dont_write_bytecode = True
from slurm_cluster import PATIENCE, Cluster, die_with_parent, environments, until  # noqa: E402

CHECKOUT, CLI = sys.argv[1:3]
SKIPPED = 77
EXERCISE = "04_merge_heads"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")


def hand_ins(folder):
    """Sixteen students: right, wrong in several ways, not compiling; two of them the same, one not to be read."""
    solution = open(f"{CHECKOUT}/solutions/{EXERCISE}/merge_heads.cpp").read()
    with tempfile.TemporaryDirectory() as expanded:
        subprocess.run([CLI, "verify", "--expand", expanded, EXERCISE], check=True,
                       env=dict(os.environ, HEADWAY_ROOT=CHECKOUT, HEADWAY_STATE=f"{expanded}/state"))
        mutants = f"{expanded}/{EXERCISE}"
        wrong = [open(f"{mutants}/{name}/{EXERCISE}/merge_heads.cpp").read() for name in sorted(os.listdir(mutants))]
    texts = [solution, solution + "\n", "this does not compile", *wrong[:9]]
    texts += [solution.replace("merged", "joined") + "// \xff\n", texts[2], texts[0]]
    for student, text in enumerate(texts):
        write(f"{folder}/s{student:02}/{EXERCISE}/merge_heads.cpp", text.encode("latin-1", "replace"))
    write(f"{folder}/s99/notes.txt", b"no exercise")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)


def content(gradebook):
    """What must not depend on where and when it was graded."""
    with contextlib.closing(sqlite3.connect(gradebook)) as database:
        attempts = database.execute("SELECT student, entry, digest, note, problem FROM attempt ORDER BY student").fetchall()
        verdicts = {}
        for source, suite, digest, state, points, most, document in database.execute(
                "SELECT source, suite, digest, state, points, max_points, document FROM verdict"):
            verdict = json.loads(zlib.decompress(document[8:]))
            tests = [(test["name"], test["state"], test["points"]) for test in verdict["tests"]]
            named = [one["id"] for one in (verdict.get("diagnosis") or {}).get("mistakes", [])]
            verdicts[source, suite] = (digest, state, points, most, tests, named)
    return attempts, verdicts


class Class:
    def __init__(self, folder, cluster):
        self.folder, self.cluster = folder, cluster
        self.gradebook = f"{folder}/slurm/gradebook.sqlite"
        self.waves = self.gradebook + ".shards"
        hand_ins(f"{folder}/hand-ins")

    def command(self, gradebook, *options):
        return [CLI, "class", "grade", f"{self.folder}/hand-ins", "--gradebook", gradebook, "--unsafe", *options]

    def environment(self):
        # The least size of a shard is for people.
        return dict(self.cluster.environment, HEADWAY_ROOT=CHECKOUT, HEADWAY_STATE=f"{self.folder}/state",
                    HEADWAY_TEST_LEAST_SHARD="1", LC_ALL="C.UTF-8", TMPDIR=f"{self.folder}/scratch")

    def run(self, command):
        return subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)

    def locally(self):
        """Grades with a new gradebook, and lends its seed to the other before anything is in it."""
        local = f"{self.folder}/local/gradebook.sqlite"
        os.makedirs(os.path.dirname(local))
        os.makedirs(os.path.dirname(self.gradebook))
        os.makedirs(f"{self.folder}/scratch")
        finished = self.run(self.command(local))
        assert finished.returncode == 1, finished.stdout + finished.stderr
        with contextlib.closing(sqlite3.connect(local)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy(local, self.gradebook)
        with contextlib.closing(sqlite3.connect(self.gradebook, isolation_level=None)) as database:
            for table in ("verdict", "outage", "attempt_source", "attempt", "source_file", "source"):
                database.execute(f"DELETE FROM {table}")
        return content(local)

    def coordinator(self):
        command = self.command(self.gradebook, "--engine", "slurm", "--shard-size", "2", "--poll", "1", "--partition", "p",
                               "--sbatch=--time=30", "--sbatch=--comment=a class")
        with open(f"{self.folder}/coordinator", "a") as out:
            return subprocess.Popen(command, env=self.environment(), stdout=out, stderr=out, preexec_fn=die_with_parent)

    def said(self):
        with open(f"{self.folder}/coordinator") as out:
            return out.read()

    def verdicts_in_shards(self):
        count = 0
        for folder, _, files in os.walk(self.waves):
            if "results" in files:
                with contextlib.suppress(OSError), open(f"{folder}/results") as results:
                    count += sum('"verdict":' in line for line in results)
        return count

    def tasks(self):
        """(id, state, node) of each."""
        lines = self.cluster.says("squeue", "--noheader", "--array", "--format=%i %T %N").splitlines()
        return [tuple((line + " ").split(" ")[:3]) for line in lines]

    def outages(self):
        with contextlib.closing(sqlite3.connect(self.gradebook)) as database:
            return [row[0] for row in database.execute("SELECT problem FROM outage")]


def whatever_is_lost_the_gradebook_is_the_same(folder, cluster):
    one = Class(folder, cluster)
    expected = one.locally()
    assert len(expected[0]) == 16 and len(expected[1]) == 13, (len(expected[0]), len(expected[1]))

    coordinator = one.coordinator()
    running = until("a node runs a task after the first verdict",
                    lambda: one.verdicts_in_shards() and [t for t in one.tasks() if t[1:] == ("RUNNING", "n1")])
    arrays = {task.split("_")[0] for task, _, _ in one.tasks()}
    assert len(arrays) >= 2, f"arrays of more than MaxArraySize: {one.tasks()}"
    cluster.lose("n1")
    coordinator.kill()  # in the same moment
    coordinator.wait()
    print(f"lost: node n1 with {running}, and the coordinator", flush=True)

    coordinator = one.coordinator()
    killed = until("the other node runs a task", lambda: kill_task_on("n2", cluster))
    print(f"killed: a task on n2, process {killed}", flush=True)
    until("Slurm misses the node", lambda: "n1" in cluster.says("sinfo", "--noheader", "--states=down", "--format=%N"))
    cluster.daemons["slurmctld"].kill()  # it forgets some seconds
    cluster.daemons["slurmctld"].wait()
    cluster.start_controller()
    print("killed and started again: the controller", flush=True)
    cluster.start_node("n1")
    status = until("the coordinator is done", lambda: cluster.hurry(one.tasks()) or coordinator.poll())
    assert status == 1, f"{status}\n{one.said()}"  # s99
    assert content(one.gradebook) == expected, one.said()
    assert any("without a verdict" in problem for problem in one.outages()), one.outages()
    assert not os.listdir(one.waves), os.listdir(one.waves)
    requeued = [line for line in cluster.log("slurmctld").splitlines() if "equeu" in line]
    assert requeued, cluster.log("slurmctld")
    print(f"requeued by Slurm: {requeued}", flush=True)

    again = one.run(one.command(one.gradebook, "--engine", "slurm"))
    assert "0 exercises graded" in again.stdout, again.stdout + again.stderr


def kill_task_on(node, cluster):
    for pid, environment in environments():
        if not cluster.is_on(node, environment):
            continue
        with contextlib.suppress(OSError):
            if b"work-shard" in open(f"/proc/{pid}/cmdline", "rb").read():
                os.kill(pid, signal.SIGKILL)
                return pid
    return None


def what_slurm_refuses_is_said(folder, cluster):
    one = Class(folder + "/refused", cluster)
    command = one.command(f"{folder}/refused.sqlite", "--engine", "slurm", "--partition", "nowhere")
    finished = one.run(command)
    assert finished.returncode == 3 and "nowhere" not in finished.stdout, finished
    assert "invalid partition" in finished.stderr and "the same command goes on" in finished.stderr, finished.stderr
    too_small = subprocess.run([*command, "--shard-size", "49"], env=dict(one.environment(), HEADWAY_TEST_LEAST_SHARD=""),
                               capture_output=True, text=True)
    assert too_small.returncode == 2, too_small


def main():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    if missing := [program for program in PROGRAMS if not shutil.which(program, path=path)]:
        print(f"skipped: there is no {', '.join(missing)} here; on Debian: slurmctld slurmd slurm-client munge")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what is below is left in order
    with tempfile.TemporaryDirectory(prefix="headway-slurm-", ignore_cleanup_errors=True) as folder:
        with Cluster(f"{folder}/cluster") as cluster:
            try:
                for test in (what_slurm_refuses_is_said, whatever_is_lost_the_gradebook_is_the_same):
                    begin = time.time()
                    test(folder, cluster)
                    print(f"{test.__name__}: {time.time() - begin:.1f} s", flush=True)
            except BaseException:
                print(cluster.log("slurmctld")[-4000:])
                raise
    print("a class on Slurm is graded whatever is lost")
    return 0


sys.exit(main())
