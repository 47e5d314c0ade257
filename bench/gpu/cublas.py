"""What cuBLAS needs for a matrix product, by PyTorch and CUDA graphs.

  cublas.py M N K LAYOUT DTYPE     one number: microseconds, the median of 60 rounds with idle gaps
"""
import statistics
import sys
import time

import torch

m, n, k = (int(word) for word in sys.argv[1:4])
layout, dtype = sys.argv[4], getattr(torch, sys.argv[5])
a = torch.randn(k, m, device="cuda").to(dtype).t() if layout[0] == "T" else torch.randn(m, k, device="cuda").to(dtype)
b = torch.randn(n, k, device="cuda").to(dtype).t() if layout[1] == "T" else torch.randn(k, n, device="cuda").to(dtype)
out = torch.empty(m, n, device="cuda", dtype=dtype)
launches = 10
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        torch.matmul(a, b, out=out)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(launches):
        torch.matmul(a, b, out=out)
times = []
for _ in range(60):
    time.sleep(0.005)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    times.append(begin.elapsed_time(end) * 1e3 / launches)
print(statistics.median(times))
