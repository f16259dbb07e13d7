"""container_files_test.py CHECKOUT: the container's files name no package but those of cmake/dependencies.tsv, no processor,
and one user; what they install is what a start would miss. Static: no image is built."""

import json
import re
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(sys.argv[1])
FOLDER = CHECKOUT / ".devcontainer"
TABLE = CHECKOUT / "cmake/dependencies.tsv"
problems = []


def expect(holds, problem):
    if not holds:
        problems.append(problem)


def rows():
    """(name, needed for, packages of apt)"""
    lines = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return [(line[0], line[1], set() if line[4] == "-" else set(line[4].split())) for line in lines]


instructions = re.sub(r"\\\n", "", re.sub(r"(?m)^#.*\n", "", (FOLDER / "Dockerfile").read_text())).splitlines()
runs = [line.removeprefix("RUN ") for line in instructions if line.startswith("RUN ")]
containers = [json.loads((FOLDER / "devcontainer.json").read_text())]
users = [line.split()[1] for line in instructions if line.startswith("USER ")]
copies = [line.split()[1:] for line in instructions if line.startswith("COPY ")]

# Names of packages stand after `install`; all must come by way of the table.
for run in runs:
    for words in re.findall(r"\b(?:apt-get|apt|dpkg|pip3?|npm)\s+[^&|;]*?\binstall\b([^&|;]*)", run):
        named = [word for word in words.split() if not word.startswith("-")]
        expect(not named, f"Dockerfile: these are not from the table: {' '.join(named)}")
    expect(not re.search(r"\b(curl|wget|git clone)\b", run), f"Dockerfile: a download beside the packages: {run}")

selections = re.findall(r"awk -F '\\t' '([^']*)'", " ".join(runs))
expect(len(selections) == 1, "Dockerfile: no awk, or several, that read the table")
for selection in selections:
    said = subprocess.run(["awk", "-F", "\t", selection, TABLE], check=True, capture_output=True, text=True).stdout.split()
    wanted = set().union(*(packages for _, whom, packages in rows() if whom in ("course", "optional", "test", "container")))
    expect(set(said) == wanted, f"Dockerfile installs {sorted(set(said) ^ wanted)} too much or too little")

expect(copies == [["cmake/dependencies.tsv", "/tmp/dependencies.tsv"]], f"Dockerfile copies {copies}")
for file in ("Dockerfile", "devcontainer.json"):
    word = re.search(r"amd64|x86.64|aarch64|--platform", (FOLDER / file).read_text())
    expect(not word, f"{file} names a processor: {word and word[0]}")
for container in containers:
    build = container["build"]
    expect((FOLDER / build["dockerfile"]).is_file(), "devcontainer.json: there is no such Dockerfile")
    expect((FOLDER / build["context"] / "cmake/dependencies.tsv").is_file(), "devcontainer.json: the table is not in its context")
    expect([container["remoteUser"]] == users, f"devcontainer.json runs as {container['remoteUser']}, Dockerfile as {users}")
    expect(not container.get("features") and "image" not in container, "devcontainer.json installs beside the Dockerfile")

# The edition's image takes its packages from the edition's table.
needed = {line.split("\t")[1] for line in (CHECKOUT / "classroom/release/contents").read_text().splitlines()
          if line.startswith("needs\t")}
for name, whom, _ in rows():
    expect(whom != "container" or name in needed, f"classroom/release/contents does not list {name}")

# What people are told to type is what the launcher says where there is no Linux.
command = '-f .devcontainer/Dockerfile .)'
for file in ("README.md", "scripts/not_linux.sh"):
    expect(command in (CHECKOUT / file).read_text(), f"{file} does not name the container's command")

print("\n".join(problems) or "The container's files name what the table has.")
sys.exit(1 if problems else 0)
