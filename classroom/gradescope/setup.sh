#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image: the zip file with the course lies in /autograder/source.
#   That zip file is made by  sh classroom/gradescope/bundle.sh EDITION autograder.zip
set -euo pipefail
root=${AUTOGRADER:-/autograder}
cd "$root/source"
# Not every program that unpacks keeps what may be run.
chmod +x headway
if [ -d grader/compiled ]; then chmod +x grader/compiled/headway-*; fi
# Builds the grader now, so that no student waits for it.
./headway --yes grade --submission exercises >/dev/null || [ $? -eq 1 ]
