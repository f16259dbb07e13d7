"""watch_test.py CHECKOUT CLI: ./headway watch in a real terminal (a pseudo-terminal), typed at and saved under."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

CHECKOUT, CLI = sys.argv[1:3]
PATIENCE = 120  # seconds for a grading on a loaded machine


class Terminal:
    """What a person sees of it: 80 columns, 30 rows; frames are drawn over each other from the top left."""

    def __init__(self, root, *arguments):
        self.rows, self.columns = 30, 80
        environment = dict(os.environ, HEADWAY_ROOT=root, HEADWAY_STATE=os.path.join(root, ".headway"), TERM="xterm-256color",
                           LC_ALL="C.UTF-8", PAGER="cat")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(CLI, [CLI, "watch", *arguments], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))
        self.raw = ""
        self.status = None

    def read(self, seconds):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        if not got:
            return False
        self.raw += got.decode("utf-8", "replace")
        return True

    def screen(self):
        """The last whole frame, without colours."""
        frames = re.findall(r"\x1b\[\?2026h\x1b\[H(.*?)\x1b\[\?2026l", self.raw, re.S)
        return re.sub(r"\x1b\[[0-9;]*[mK]", "", frames[-1]) if frames else ""

    def sees(self, text, patience=PATIENCE):
        end = time.time() + patience
        while time.time() < end:
            if text in self.screen():
                return
            self.read(0.2)
        raise AssertionError(f"never seen: {text}\n--- the screen:\n{self.screen()}")

    def types(self, keys):
        os.write(self.fd, keys.encode())

    def ends(self, patience=10):
        end = time.time() + patience
        while time.time() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            while self.read(0.05):
                pass
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("it does not end")

    def frames(self):
        return self.raw.count("\x1b[?2026h")


class Copy:
    """A student's copy of the course."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="headway-watch-")
        shutil.copytree(os.path.join(CHECKOUT, "exercises"), os.path.join(self.root, "exercises"))
        for shared in ("lessons", "stubs", "solutions", "policy.toml"):
            os.symlink(os.path.join(CHECKOUT, shared), os.path.join(self.root, shared))

    def save(self, exercise, text=None):
        """As many editors do: another file, renamed. Without a text it is the solution."""
        folder = os.path.join(self.root, "exercises", exercise)
        name = next(f for f in os.listdir(os.path.join(CHECKOUT, "stubs", exercise)))
        if text is None:
            text = open(os.path.join(CHECKOUT, "solutions", exercise, name)).read()
        with open(os.path.join(folder, "." + name + ".new"), "w") as file:
            file.write(text)
        os.rename(os.path.join(folder, "." + name + ".new"), os.path.join(folder, name))

    def progress(self):
        return open(os.path.join(self.root, "exercises", "progress.txt")).read()


def check_frame_fits(terminal):
    lines = terminal.screen().split("\r\n")
    assert len(lines) <= terminal.rows, f"{len(lines)} lines"
    for line in lines:
        assert len(line) <= terminal.columns, repr(line)
    # Each line is erased from its beginning: past a line of 80 columns the terminal would erase its last one.
    assert not re.search(r"(?<![H\n])\x1b\[K", terminal.raw), "a line is erased after it was written"


def a_saved_file_is_graded_and_nothing_advances_by_itself(*arguments):
    copy = Copy()
    terminal = Terminal(copy.root, "04", *arguments)
    terminal.sees("04 merge heads: not started")
    check_frame_fits(terminal)
    copy.save("04_merge_heads", "#include \"merge_heads.hpp\"\nint x = ;\n")
    terminal.sees("it does not compile")
    check_frame_fits(terminal)
    copy.save("04_merge_heads")
    terminal.sees("04 merge heads: passed")
    time.sleep(1)
    terminal.read(0)
    assert "04 merge heads: passed" in terminal.screen(), "it advanced by itself"
    assert "04_merge_heads passed 10 / 10" in copy.progress()
    cleared = terminal.raw.count("\x1b[2J")
    assert cleared == 1, f"the screen was cleared {cleared} times: that flickers"

    frames = terminal.frames()
    terminal.types("n")  # the next that has not passed comes after the last from the beginning: 05
    terminal.sees("05 module: not started")
    assert terminal.frames() > frames
    terminal.types("h")
    terminal.sees("05 module: hint 1 of 3")
    terminal.types("l")
    terminal.sees("05")
    terminal.sees("any other key")
    terminal.types("x")
    terminal.sees("05 module: not started")
    terminal.types("q")
    assert terminal.ends() == 0
    assert terminal.raw.endswith("\x1b[?1049l"), "the terminal is not given back"
    shutil.rmtree(copy.root)


def solved_work_is_not_run_again():
    copy = Copy()
    copy.save("04_merge_heads")
    first = Terminal(copy.root, "04")
    first.sees("04 merge heads: passed")
    first.types("q")
    first.ends()
    second = Terminal(copy.root, "04")
    second.sees("unchanged since the last run", 20)
    second.types("q")
    second.ends()
    shutil.rmtree(copy.root)


def quitting_waits_for_no_compiler():
    copy = Copy()
    copy.save("01_single_head")
    terminal = Terminal(copy.root, "01")
    terminal.sees("01 single head: ")
    terminal.types("q")
    begin = time.time()
    assert terminal.ends() == 0
    assert time.time() - begin < 5
    shutil.rmtree(copy.root)


def an_interrupt_gives_the_terminal_back():
    copy = Copy()
    terminal = Terminal(copy.root, "04")
    terminal.sees("04 merge heads")
    terminal.types("\x03")
    terminal.ends()
    assert terminal.raw.endswith("\x1b[?1049l")
    shutil.rmtree(copy.root)


tests = [
    a_saved_file_is_graded_and_nothing_advances_by_itself,
    lambda: a_saved_file_is_graded_and_nothing_advances_by_itself("--poll"),
    solved_work_is_not_run_again,
    quitting_waits_for_no_compiler,
    an_interrupt_gives_the_terminal_back,
]
for test in tests:
    begin = time.time()
    test()
    print(f"{getattr(test, '__name__', 'polling')}: {time.time() - begin:.1f} s", flush=True)
print("watch does as it says.")
