"""What compiled libraries ask of libstdc++ and glibc that Debian 11 has not: `python3 older_symbols.py FOLDER` lists it, of
an edition's grader/compiled; one for another processor is read with that one's cross compiler, of Debian's
g++-aarch64-linux-gnu. `older_symbols.py FILE...`: of libraries and objects; skipped (77) but on Debian 12, where editions are
made: newer headers ask for newer names, whatever is included."""

import platform
import re
import subprocess
import sys
from pathlib import Path

LEAST = {"GLIBCXX": (3, 4, 28), "CXXABI": (1, 3, 12), "GLIBC": (2, 31)}

# Defined by grader/build/older_libraries.cpp where they are missing; libdl.so has dlsym there, and libc's static part stat.
SEEN_TO = {"_ZSt28__throw_bad_array_new_lengthv", "__libc_single_threaded", "dlsym", "stat"}


def tools_for(folder):
    """What the names of its processor's compiler and binutils begin with."""
    named = Path(folder, "processor")
    processor = named.read_text().strip() if named.exists() else platform.machine()
    return "" if processor == platform.machine() else f"{processor}-linux-gnu-"


def shared(tools, name):
    said = subprocess.run([f"{tools}g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return said.stdout.strip()


def versions(tools):
    """Of each symbol of the shared libraries, the oldest version that there is."""
    found = {}
    for library in ("libstdc++.so.6", "libc.so.6", "libm.so.6", "libgcc_s.so.1"):
        listed = subprocess.run([f"{tools}readelf", "--dyn-syms", "-W", shared(tools, library)], capture_output=True,
                                text=True, check=True)
        for name, version in re.findall(r"(\S+?)@+(\w+_[\d.]+)", listed.stdout):
            found[name] = min(version, found.get(name, version), key=numbers)
    return found


def numbers(version):
    return tuple(map(int, re.findall(r"\d+", version)))


def is_newer(version):
    kind = version.partition("_")[0]
    return kind in LEAST and numbers(version) > LEAST[kind]


def symbols(tools, files, kinds):
    listed = subprocess.run([f"{tools}nm", "-A", *kinds, *map(str, files)], capture_output=True, text=True, check=True).stdout
    return {(line.split(":")[0].rsplit("/", 1)[-1], line.split()[-1]) for line in listed.splitlines() if " " in line}


def newer_symbols(folder):
    """Pairs of a file and what it asks for."""
    return newer_symbols_of(sorted(path for path in Path(folder).iterdir() if path.suffix in {".a", ".o"}),
                            tools_for(folder))


def newer_symbols_of(files, tools=""):
    known = versions(tools)
    own = {name for _, name in symbols(tools, files, ["--defined-only"])}
    return sorted((file, name, known[name]) for file, name in symbols(tools, files, ["--undefined-only"])
                  if name in known and is_newer(known[name]) and name not in own | SEEN_TO)


if __name__ == "__main__":
    if not Path(sys.argv[1]).is_dir() and platform.libc_ver() != ("glibc", "2.36"):
        sys.exit(77)
    newer = newer_symbols(sys.argv[1]) if Path(sys.argv[1]).is_dir() else newer_symbols_of(sys.argv[1:])
    print("\n".join(map(" ".join, newer)) or "nothing newer than Debian 11")
    sys.exit(1 if newer else 0)
