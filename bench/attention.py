#!/usr/bin/env python3
"""attention.py: PyTorch's side of the benchmark `attention`, which starts it and asks it line by line.

    multi_head B T D H     from now on: torch.nn.MultiheadAttention, eval, batch_first, no weights wanted
    materialised B T D H   from now on: softmax(q·kᵀ / √d)·v for heads of d = D / H, with all scores at once
    run N                  N times; the answer is the CPU time and the time that passed, in seconds for one

Its first line says which PyTorch it is, and on which BLAS. As many threads as OMP_NUM_THREADS says.
"""

import math
import os
import re
import sys
import time

try:
    import torch
except ImportError:
    print("there is no PyTorch for this Python (on Debian: apt install python3-torch)", flush=True)
    sys.exit(1)


def multi_head(B, T, D, H):
    module = torch.nn.MultiheadAttention(D, H, batch_first=True).eval()
    x = torch.randn(B, T, D)
    return lambda: module(x, x, x, need_weights=False)


def materialised(B, T, D, H):
    d = D // H
    q, k, v = (torch.randn(B, H, T, d) for _ in range(3))
    return lambda: torch.softmax(q / math.sqrt(d) @ k.transpose(-2, -1), -1) @ v


def blas():
    with open("/proc/self/maps") as maps:
        found = re.search(r"/\S*/(\S*(?:openblas|mkl_rt|blis|libblas)\S*)", maps.read())
    return os.path.basename(os.path.realpath(found.group(0))) if found else "a BLAS of its own"


torch.set_grad_enabled(False)
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
print(f"PyTorch {torch.__version__} on {blas()}", flush=True)
work = None
for line in sys.stdin:
    command, *sizes = line.split()
    if command == "run":
        begin, cpu_begin = time.perf_counter(), time.process_time()
        for _ in range(int(sizes[0])):
            work()
        passed, cpu = time.perf_counter() - begin, time.process_time() - cpu_begin
        print(cpu / int(sizes[0]), passed / int(sizes[0]), flush=True)
    else:
        work = {"multi_head": multi_head, "materialised": materialised}[command](*map(int, sizes))
        print("ready", flush=True)
