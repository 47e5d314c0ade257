// Mean and variance of a row through the same shared memory.
NAME(ARGS) {
  __shared__ float part[256];
  int t = threadIdx.x;
  const float *row = x + blockIdx.x * C;
  float value = row[t];
  float result[2];
  for (int what = 0; what < 2; what++) {
    part[t] = what == 0 ? value : (value - result[0]) * (value - result[0]);
    SYNC(1);
    for (int half = 128; half > 0; half /= 2) {
      if (t < half) part[t] += part[t + half];
      SYNC(2);
    }
    result[what] = part[0] / C;
    SYNC(3);
  }
  y[blockIdx.x * C + t] = (value - result[0]) * rsqrtf(result[1] + 1e-5f) * w[t] + b[t];
}
