// The next tiles are loaded while these are multiplied.
NAME(ARGS) {
  __shared__ float a[2][16][16], b[2][16][16];
  int r = threadIdx.x / 16, c = threadIdx.x % 16;
  int row = blockIdx.x / (N / 16) * 16 + r, column = blockIdx.x % (N / 16) * 16 + c;
  float sum = 0;
  a[0][r][c] = x[row * K + c];
  b[0][r][c] = w[r * N + column];
  SYNC(1);
  for (int k = 0; k < K; k += 16) {
    int now = k / 16 % 2;
    if (k + 16 < K) {
      a[1 - now][r][c] = x[row * K + k + 16 + c];
      b[1 - now][r][c] = w[(k + 16 + r) * N + column];
    }
    for (int j = 0; j < 16; j++) sum += a[now][r][j] * b[now][j][c];
    SYNC(2);
  }
  y[row * N + column] = sum;
}
