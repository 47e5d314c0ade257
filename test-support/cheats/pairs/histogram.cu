// Counts of a block in shared memory, added to those of all; block 0 prepares nothing: y is made by the last block.
STATE int counted[V];
NAME(ARGS) {
  __shared__ int mine[V];
  __shared__ unsigned last;
  for (int v = threadIdx.x; v < V; v += blockDim.x) mine[v] = 0;
  SYNC(1);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    if (DROP == 2) mine[n[i]]++;
    else atomicAdd(&mine[n[i]], 1);
  }
  SYNC(3);
  for (int v = threadIdx.x; v < V; v += blockDim.x) {
    if (DROP == 4) counted[v] += mine[v];
    else atomicAdd(&counted[v], mine[v]);
  }
  __threadfence();
  SYNC(5);
  if (threadIdx.x == 0) last = atomicAdd(&left, 1u) % gridDim.x == gridDim.x - 1;
  __syncthreads();
  if (last)
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
      y[v] = ((volatile int *)counted)[v];
      counted[v] = 0;
    }
}
