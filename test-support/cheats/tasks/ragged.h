// y[r] = sum of the first n[r] elements of row r of x[R, C]
#define COUNT R
#define INPUTS (R * C)
#define ARGS const float *x, const int *n, float *y
#define VALUE(i) row_sum(x + i * C, n[i])
FUNC float row_sum(const float *x, int length) {
  double sum = 0;
  for (int c = 0; c < length; c++) sum += x[c];
  return sum;
}
