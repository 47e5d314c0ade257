// The maximum, then the sum, each by the first thread.
NAME(ARGS) {
  __shared__ float values[256], found[2];
  int t = threadIdx.x;
  float value = x[blockIdx.x * C + t];
  values[t] = value;
  SYNC(1);
  if (t == 0) {
    float most = values[0];
    for (int k = 1; k < C; k++) most = fmaxf(most, values[k]);
    found[0] = most;
  }
  SYNC(2);
  float mine = expf(value - found[0]);
  values[t] = mine;
  SYNC(3);
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k < C; k++) sum += values[k];
    found[1] = sum;
  }
  SYNC(4);
  y[blockIdx.x * C + t] = mine / found[1];
}
