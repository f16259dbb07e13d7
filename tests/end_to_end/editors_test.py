"""editors_test.py CHECKOUT BUILD CLI: an editor that opens an exercise finds out how it is compiled, and VS Code's files
name tasks and commands that exist."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

CHECKOUT, BUILD, CLI = sys.argv[1:4]
problems = []


def without_comments(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.M)


def read(name):
    with open(os.path.join(CHECKOUT, ".vscode", name)) as file:
        return json.loads(without_comments(file.read()))


commands = {entry["file"]: entry for entry in json.load(open(os.path.join(BUILD, "compile_commands.json")))}
for exercise in sorted(os.listdir(os.path.join(CHECKOUT, "stubs"))):
    for name in [exercise[3:] + ".cpp", "visible_test.cpp"]:
        path = os.path.join(CHECKOUT, "exercises", exercise, name)
        entry = commands.get(path)
        if entry is None:
            problems.append(f"{path} is not in compile_commands.json")
            continue
        if name == "visible_test.cpp":
            continue  # the same options; GoogleTest's headers take seconds
        command = re.sub(r" -o \S+", "", entry["command"]) + " -fsyntax-only"
        done = subprocess.run(command, shell=True, cwd=entry["directory"], capture_output=True, text=True)
        if done.returncode:
            problems.append(f"{path}: {done.stderr[:500]}")

tasks = {task["label"]: task["command"] for task in read("tasks.json")["tasks"]}
for label, command in tasks.items():
    for word in re.findall(r"\./headway (\w+)", command):
        if subprocess.run([CLI, word, "--help"], capture_output=True).returncode:
            problems.append(f"task {label}: there is no ./headway {word}")
for launch in read("launch.json")["configurations"]:
    if launch["preLaunchTask"] not in tasks:
        problems.append(f"launch.json: there is no task {launch['preLaunchTask']}")
read("settings.json")
read("extensions.json")

# What gdb shows of a tensor: its shape and numbers, of a view too, and of a long axis the ends.
PROGRAM = """#include <headway/mask.hpp>
#include <headway/tensor.hpp>
int main() {
    headway::Tensor undefined;
    headway::Tensor rows = headway::Tensor::rows({{0, 1, 2}, {3, 4, 5}});
    headway::Tensor view = rows.slice(1, 1, 3);
    const headway::Tensor& same = view;
    headway::Tensor single = headway::Tensor::of({1}, {0.25F});
    headway::Tensor longer = headway::Tensor::arange(20);
    headway::Tensor none = headway::Tensor::zeros({0, 2});
    headway::Mask mask = headway::Mask::of({2, 2}, {false, true, false, false});
    return static_cast<int>(same.numel() + none.numel());
}
"""
SHOWN = ["undefined = Tensor, undefined", "rows = Tensor (2, 3)\n[[0, 1, 2],\n [3, 4, 5]]", "view = Tensor (2, 2)\n[[1, 2],\n [4, 5]]",
         "same = Tensor (2, 2)\n[[1, 2],\n [4, 5]]", "single = Tensor (1,)\n[0.25]",
         "longer = Tensor (20,)\n[0, 1, 2, ..., 17, 18, 19]", "none = Tensor (0, 2)\n[]", "mask = Mask (2, 2)\n[[0, 1],\n [0, 0]]"]
if shutil.which("gdb"):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/tensors.cpp", "w") as file:
            file.write(PROGRAM)
        libraries = [f"{BUILD}/tensor/libheadway_{name}.a" for name in ("movement", "tensor", "engine")]
        subprocess.run(["g++", "-std=c++20", "-O0", "-g", f"-I{CHECKOUT}/tensor/include", f"{folder}/tensors.cpp",
                        *libraries, "-o", f"{folder}/tensors"], check=True)
        said = subprocess.run(["gdb", "-q", "-batch", "-ex", f"source {CHECKOUT}/tensor/gdb/tensors.py", "-ex",
                               f"break {PROGRAM[:PROGRAM.index('return')].count(chr(10)) + 1}", "-ex", "run", "-ex",
                               "info locals", f"{folder}/tensors"], capture_output=True, text=True)
        problems += [f"gdb does not show {shown!r}:\n{said.stdout}{said.stderr}" for shown in SHOWN if shown not in said.stdout]
        # In a visible test too, with the commands that F5 gives gdb.
        built = subprocess.run([CLI, "try", "01", "--reference", "--build-only"], capture_output=True, text=True,
                               env=dict(os.environ, HEADWAY_ROOT=CHECKOUT, HEADWAY_STATE=f"{folder}/state"))
        given = [command["text"].replace("${workspaceFolder}", CHECKOUT)
                 for command in read("launch.json")["configurations"][0]["setupCommands"]]
        typed = [*(text for text in given if not text.startswith("-")),  # those are gdb/MI's
                 "break headway::ex01::softmax_rows", "run", "info args", "info source"]
        commands = [word for command in typed for word in ("-ex", command)]
        said = subprocess.run(["gdb", "-q", "-batch", *commands, built.stdout.strip()], capture_output=True, text=True)
        if not re.search(r"scores = Tensor \(\d+, \d+\)\n\[\[", said.stdout):
            problems.append(f"gdb shows no tensor in the visible test:\n{built.stderr}{said.stdout}{said.stderr}")
        if f"Located in {CHECKOUT}/solutions/01_single_head/single_head.cpp" not in said.stdout:
            problems.append(f"gdb looks elsewhere for the file that the editor has open:\n{said.stdout}{said.stderr}")

print("\n".join(problems) or "Editors find what they need.")
sys.exit(1 if problems else 0)
