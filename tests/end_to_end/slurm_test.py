"""slurm_test.py CHECKOUT CLI: ./headway class grade --engine slurm on a cluster of two nodes, all on this machine.

A node is lost in the middle of an array, a task is killed, the coordinator dies twice, and the controller is away for a
while: the gradebook must be the one that an undisturbed run without Slurm leaves. Exit status 77: there is no Slurm here.
"""

import contextlib
import ctypes
import getpass
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib

CHECKOUT, CLI = sys.argv[1:3]
PATIENCE = 300  # seconds for anything, on a loaded machine
SKIPPED = 77
EXERCISE = "04_merge_heads"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol")


def until(what, condition):
    end = time.time() + PATIENCE
    while time.time() < end:
        if found := condition():
            return found
        time.sleep(0.2)
    raise AssertionError(f"never happened: {what}")


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: whatever ends this test ends its daemons


def free_ports(count):
    with contextlib.ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """munged, slurmctld and two slurmd, with all that they write in one folder."""

    nodes = ("n1", "n2")

    def __init__(self, folder):
        self.folder = folder
        self.daemons = {}
        for name in ("state", "log", *(f"spool/{node}" for node in self.nodes)):
            os.makedirs(f"{folder}/{name}")
        with open(os.open(f"{folder}/key", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as key:
            key.write(os.urandom(128))
        self.configure()
        self.environment = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf", SQUEUE_PARTITION="none")  # of no account to ours
        self.environment["PATH"] += ":/usr/sbin:/sbin"

    def configure(self):
        host, user = socket.gethostname().split(".")[0], getpass.getuser()
        ports = free_ports(3)
        nodes = "".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=1000\n"
            for node, port in zip(self.nodes, ports[1:])
        )
        # MaxArraySize: so small that the class takes several arrays.
        with open(f"{self.folder}/slurm.conf", "w") as conf:
            conf.write(f"""ClusterName=headway
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool/%n
SlurmctldLogFile={self.folder}/log/slurmctld
SlurmdLogFile={self.folder}/log/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=5
MaxArraySize=4
MpiDefault=none
{nodes}PartitionName=p Nodes={",".join(self.nodes)} Default=YES MaxTime=INFINITE State=UP
""")

    def start(self, name, *command):
        with open(f"{self.folder}/log/{name}.out", "a") as out:
            self.daemons[name] = subprocess.Popen(command, env=self.environment, stdout=out, stderr=out,
                                                  stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)

    def start_controller(self):
        self.start("slurmctld", "slurmctld", "-D")

    def start_node(self, node):
        self.start(node, "slurmd", "-D", "-N", node)

    def __enter__(self):
        path = self.folder
        self.start("munged", "munged", "--foreground", "--force", f"--socket={path}/munge.socket", f"--key-file={path}/key",
                   f"--log-file={path}/log/munged", f"--pid-file={path}/munged.pid", f"--seed-file={path}/seed")
        until("munged is up", lambda: os.path.exists(f"{path}/munge.socket"))
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)
        until("both nodes are up", lambda: self.says("sinfo", "--noheader", "--format=%D %t").strip() == "2 idle")
        return self

    def __exit__(self, *_):
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        self.kill_all(lambda environment: f"SLURM_CONF={self.folder}/slurm.conf" in environment)

    def says(self, *command):
        environment = {name: value for name, value in self.environment.items() if not name.startswith("SQUEUE_")}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE).stdout

    def log(self, name):
        with open(f"{self.folder}/log/{name}", errors="replace") as log:
            return log.read()

    @staticmethod
    def kill_all(is_meant):
        """Kills what has such an environment, until there is nothing left of it."""
        end = time.time() + 10
        while time.time() < end:
            meant = [pid for pid, environment in environments() if is_meant(environment)]
            for pid in meant:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not meant:
                return
            time.sleep(0.1)

    def lose(self, node):
        """As if somebody pulled its plug: the daemons first, so that none can report what becomes of the others."""
        self.daemons[node].kill()
        self.daemons[node].wait()
        for step in {step_of(pid) for pid, environment in environments() if self.is_on(node, environment)}:
            if step is not None:
                os.kill(step, signal.SIGKILL)
        self.kill_all(lambda environment: self.is_on(node, environment))

    def hurry(self, tasks):
        """Slurm has what it requeues after a failure wait for two minutes. An administrator need not."""
        for task, state, _ in tasks:
            if state == "PENDING":
                self.says("scontrol", "update", f"JobId={task}", "StartTime=now")

    def is_on(self, node, environment):
        return f"SLURM_CONF={self.folder}/slurm.conf" in environment and f"SLURMD_NODENAME={node}" in environment


def step_of(pid):
    """The daemon of the job step that a process is in."""
    with contextlib.suppress(OSError):
        while pid > 1:
            with open(f"/proc/{pid}/cmdline", "rb") as command:
                if command.read().startswith(b"slurmstepd"):
                    return pid
            with open(f"/proc/{pid}/stat") as status:
                pid = int(status.read().rpartition(")")[2].split()[1])
    return None


def environments():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if int(pid) == os.getpid():
                continue
            with open(f"/proc/{pid}/environ", "rb") as environment:
                yield int(pid), environment.read().decode(errors="replace").split("\0")


def hand_ins(folder):
    """Sixteen students: right, wrong in several ways, not compiling; two of them the same, one not to be read."""
    solution = open(f"{CHECKOUT}/solutions/{EXERCISE}/merge_heads.cpp").read()
    mutants = f"{CHECKOUT}/tests/mutants/{EXERCISE}"
    wrong = [open(f"{mutants}/{name}/{EXERCISE}/merge_heads.cpp").read() for name in sorted(os.listdir(mutants))
             if os.path.exists(f"{mutants}/{name}/{EXERCISE}/merge_heads.cpp")]
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
