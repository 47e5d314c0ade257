// Through shared memory in reverse order and back.
NAME(ARGS) {
  __shared__ float turned[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  turned[255 - t] = 3.0f * x[i / 256 * 256 + 255 - t];
  SYNC(1);
  y[i] = turned[t] + 1.0f;
}
