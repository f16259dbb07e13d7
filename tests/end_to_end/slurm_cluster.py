"""A Slurm cluster of two nodes, all on this machine and all of one's own: munged, slurmctld and two slurmd."""

import contextlib
import ctypes
import getpass
import os
import signal
import socket
import subprocess
import time

PATIENCE = 300  # seconds for anything, on a loaded machine


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
