#!/usr/bin/env python3
"""record.py ROOT FOLDER COMPILER...: what compilers say of the programs in programs.txt, in gcc.txt and clang.txt.

Paths of this machine become /course/ and /usr/include/, as in what is checked in (of g++ 12.2 and clang++ 14).
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Those of a plain build (cmake/Exercise.cmake, grader/build/workspace.cpp).
OPTIONS = """-std=c++20 -pthread -O1 -Wall -Wextra -Wshadow -Wtype-limits -Wno-unused-parameter -Wno-unused-function
    -Wno-unknown-pragmas -fmax-errors=20 -fdiagnostics-color=never""".split()
root, folder = sys.argv[1], pathlib.Path(sys.argv[2])
here = pathlib.Path(__file__).parent
programs = re.findall(r"^==== (\w+) .*\n((?:(?!====).*\n)*)", (here / "programs.txt").read_text(), re.M)
assert programs

for compiler in sys.argv[3:]:
    said = ""
    with tempfile.TemporaryDirectory() as scratch:
        include = [f"-I{root}/tensor/include", "-I", scratch]
        prelude = pathlib.Path(scratch, "prelude.hpp")
        prelude.write_text(pathlib.Path(root, "grader/build/prelude.hpp").read_text())
        compiled = scratch + ("/prelude.hpp.pch" if "clang" in compiler else "/prelude.hpp.gch")
        subprocess.run([compiler, *OPTIONS, "-w", *include, "-x", "c++-header", prelude, "-o", compiled], check=True)
        use = ["-include-pch", compiled] if "clang" in compiler else ["-include", str(prelude)]
        for name, text in programs:
            pathlib.Path(scratch, name + ".cpp").write_text(text)
            told = subprocess.run([compiler, *OPTIONS, *use, *include, "-S", "-o", "/dev/null", f"./{name}.cpp"],
                                  cwd=scratch, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
                                  capture_output=True).stderr.decode()
            told = told.replace(scratch, "/course/grader/build").replace(root.rstrip("/"), "/course")
            said += f"==== {name}\n" + re.sub(r"/usr/bin/\.\./lib/gcc/\S*?/include/", "/usr/include/", told)
    (folder / ("clang.txt" if "clang" in compiler else "gcc.txt")).write_text(said)
