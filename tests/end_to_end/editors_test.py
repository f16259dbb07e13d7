"""editors_test.py CHECKOUT BUILD CLI: an editor that opens an exercise finds out how it is compiled, and VS Code's files
name tasks and commands that exist."""

import json
import os
import re
import subprocess
import sys

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

print("\n".join(problems) or "Editors find what they need.")
sys.exit(1 if problems else 0)
