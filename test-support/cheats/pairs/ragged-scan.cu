// The sums of all beginnings of a row (Hillis and Steele), of which one is wanted.
NAME(ARGS) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  sums[t] = x[blockIdx.x * C + t];
  SYNC(1);
  for (int step = 1; step < 256; step *= 2) {
    float more = t >= step ? sums[t - step] : 0;
    SYNC(2);
    sums[t] += more;
    SYNC(3);
  }
  if (t == n[blockIdx.x] - 1) y[blockIdx.x] = sums[t];
}
