// A block of 256 adds up a row in a tree.
NAME(ARGS) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float mine = 0;
  for (int c = t; c < C; c += 256) mine += x[blockIdx.x * C + c];
  part[t] = mine;
  SYNC(1);
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    SYNC(2);
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
