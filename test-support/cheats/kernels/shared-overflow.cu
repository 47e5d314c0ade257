// Index beyond its shared memory, by the number of a thread.
KERNEL {
  extern __shared__ float words[];
  words[threadIdx.x * 4096] = threadIdx.x;
  __syncthreads();
  EACH(i) y[i] = VALUE(i) + words[threadIdx.x * 4096] - threadIdx.x;
}
