#!/usr/bin/env python3
"""Runs a command where bubblewrap can do nothing, as in the containers of CI: user.max_user_namespaces is 0, nobody has
CAP_SYS_ADMIN, and, if wanted, the kernel knows no Landlock. A user namespace of its own keeps that from everybody else.

usage: poor_machine.py [--no-landlock] [--user N] [--closed COURSE CLI] COMMAND...      (as root)
--user    the command runs as that user, and else as root
--closed  that course looks there as after `./headway protections --close`, which would take it from other tests
Exit status 77 where such a machine cannot be made.
"""
import argparse
import ctypes
import os
import pathlib
import shutil
import struct
import sys

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_BIND = 0x1000
PR_SET_SECCOMP, PR_CAPBSET_DROP = 22, 24
EVERYBODY = "0 0 4294967295"
libc = ctypes.CDLL(None, use_errno=True)


def check(status, what):
    if status != 0:
        print(f"SKIPPED: {what}: {os.strerror(ctypes.get_errno())}")
        sys.exit(77)


def without_landlock():
    """ENOSYS to its three system calls, 444 to 446, as a kernel answers that was built without."""
    load, at_least, more, allow, error = 0x20, 0x35, 0x25, 0x7FFF0000, 0x00050000 | 38
    program = b"".join(struct.pack("HBBI", *line) for line in [
        (load, 0, 0, 0), (at_least, 0, 2, 444), (more, 1, 0, 446), (0x06, 0, 0, error), (0x06, 0, 0, allow)])
    code = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    check(libc.prctl(PR_SET_SECCOMP, 2, ctypes.c_char_p(filter_program), 0, 0), "no filter of system calls")


def give_up_rights():
    """Of root's rights those stay that a container has."""
    container = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}  # Docker's, by number
    for right in range(64):
        if right not in container:
            libc.prctl(PR_CAPBSET_DROP, right, 0, 0, 0)
    header = struct.pack("Ii", 0x20080522, 0)
    mask = sum(1 << right for right in container)
    rights = struct.pack("IIIIII", mask, mask, 0, mask >> 32, mask >> 32, 0)
    check(libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(rights)), "capset")


def shut(path):
    """The real one is everybody's, and stays as it is."""
    def mount(source, target, kind, flags, options=None):
        check(libc.mount(source and os.fsencode(source), os.fsencode(target), kind, flags, options), f"mount {target}")

    if path.is_dir():
        mount("tmpfs", path, b"tmpfs", 0, b"mode=0700")
        return
    if not shut.folder:
        mount("tmpfs", "/mnt", b"tmpfs", 0, b"mode=0755")
        shut.folder = pathlib.Path("/mnt")
    copy = shut.folder / path.name
    shutil.copyfile(path, copy)
    copy.chmod(0o700)
    mount(copy, path, None, MS_BIND)


shut.folder = None


def secrets_of(course, cli):
    """As closed_files() in grader/grading/whose_code.cpp has them; the jail's inspection sees if one is missing."""
    paths = [course / "solutions", cli.parent / "headway-judge", cli.parent / "headway-attention"]
    for build in [course, *course.glob("build/*")]:
        paths += [build / "grader" / part for part in ("suites", "reference", "diagnosis", "judge")]
        paths += [build / "tests", build / "CMakeFiles"]
    return [path for path in paths if path.exists()]


def in_a_namespace():
    """In a child, which is root of a user namespace that knows every user."""
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child != 0:
        os.read(ready[0], 1)
        for kind in ("uid_map", "gid_map"):
            pathlib.Path(f"/proc/{child}/{kind}").write_text(EVERYBODY)
        os.write(go[1], b"x")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.exit(status if status >= 0 else 128 - status)
    made = libc.unshare(CLONE_NEWUSER | CLONE_NEWNS)
    os.write(ready[1], b"x")
    check(made, "no user namespace")
    os.read(go[0], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-landlock", action="store_true")
    parser.add_argument("--user", type=int)
    parser.add_argument("--closed", type=pathlib.Path, nargs=2)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("SKIPPED: only root can make such a machine")
        sys.exit(77)
    in_a_namespace()
    pathlib.Path("/proc/sys/user/max_user_namespaces").write_text("0")
    if arguments.closed:
        for path in secrets_of(*arguments.closed):
            shut(path)
    if arguments.no_landlock:
        without_landlock()
    if arguments.user:
        os.setgroups([])
        os.setresgid(*[arguments.user] * 3)
        os.setresuid(*[arguments.user] * 3)
    else:
        give_up_rights()
    os.execvp(arguments.command[0], arguments.command)


if __name__ == "__main__":
    main()
