"""Which processes on this machine belong to a jail."""
import contextlib
import os
import pathlib
import subprocess
import sys


def is_of_another_grader(pid, cli):
    """Whether some other grader on this machine, which lives, is its ancestor."""
    with contextlib.suppress(OSError, ValueError):  # one of them has ended
        while pid > 1:
            with contextlib.suppress(OSError):  # it is only waited for
                if (os.path.basename(os.readlink(f"/proc/{pid}/exe")) == cli.name
                        and not os.path.samefile(f"/proc/{pid}/exe", cli)):
                    return True
            status = pathlib.Path(f"/proc/{pid}/stat").read_text()
            pid = int(status[status.rindex(")") + 1:].split()[1])
    return False


def foreign_processes(cli, inmate):
    """@param inmate  the user that a jail without namespaces runs programs as, if not one of the pool"""
    ours = os.readlink("/proc/self/ns/pid")
    found = {}
    for entry in os.listdir("/proc"):
        try:
            uid = os.stat(f"/proc/{entry}").st_uid
            if entry.isdigit() and (uid >= 10**9 or uid == inmate or (uid != 0 and os.readlink(f"/proc/{entry}/ns/pid") != ours)):
                if not is_of_another_grader(int(entry), cli):
                    found[int(entry)] = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes()
        except OSError:
            pass
    return found


def who_is(pid):
    """For somebody who wants to know why it lives: its user, state, program, and whose child it is."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        parent = pathlib.Path(f"/proc/{fields[1]}/comm").read_text().strip()
        return f"{pid} of user {os.stat(f'/proc/{pid}').st_uid} ({fields[0]}, {words[:80]!r}), child of {fields[1]} ({parent})"
    except (OSError, IndexError):
        return f"{pid}, which has ended since"


def among_processes_of_its_own():
    """Begins anew in a pid namespace, as root: what other tests run meanwhile outlives no attack of ours. A shell buries
    the orphans."""
    if os.geteuid() != 0 or "HEADWAY_HOSTILE_APART" in os.environ:
        return
    apart = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*apart, "true"], capture_output=True).returncode == 0:
        os.environ["HEADWAY_HOSTILE_APART"] = "yes"
        os.execvp(apart[0], [*apart, "sh", "-c", '"$@"; exit $?', "sh", sys.executable, *sys.argv])
