// Tiles of 16 x 16 in shared memory.
NAME(ARGS) {
  __shared__ float a[16][16], b[16][17];
  int r = threadIdx.x / 16, c = threadIdx.x % 16;
  int row = blockIdx.x / (N / 16) * 16 + r, column = blockIdx.x % (N / 16) * 16 + c;
  float sum = 0;
  for (int k = 0; k < K; k += 16) {
    a[r][c] = x[row * K + k + c];
    b[c][r] = w[(k + r) * N + column];
    SYNC(1);
    for (int j = 0; j < 16; j++) sum += a[r][j] * b[c][j];
    SYNC(2);
  }
  y[row * N + column] = sum;
}
