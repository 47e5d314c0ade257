// Adds a word of shared memory that nobody wrote.
KERNEL {
  __shared__ volatile float words[1024];
  if (threadIdx.x == 0) words[0] = 1;
  __syncthreads();
  EACH(i) y[i] = VALUE(i) + words[512 + threadIdx.x] * 1000.0f;
}
