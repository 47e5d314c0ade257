// y[M, N] = x[M, K] w[K, N]
#define COUNT (M * N)
#define INPUTS (M * K)
#define ARGS const float *x, const float *w, float *y
#define VALUE(i) dot(x, w, i, K, 1)
FUNC float dot(const float *x, const float *w, int i, int length, int step) {
  double sum = 0;
  for (int k = 0; k < length; k += step) sum += (double)x[i / N * K + k] * w[k * N + i % N];
  return sum;
}
