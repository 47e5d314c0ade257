// y[r] = sum of row r of x[R, C]
#define COUNT R
#define INPUTS (R * C)
#define ARGS const float *x, float *y
#define VALUE(i) row_sum(x + i * C, C)
FUNC float row_sum(const float *x, int length) {
  double sum = 0;
  for (int c = 0; c < length; c++) sum += x[c];
  return sum;
}
