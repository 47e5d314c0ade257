// y[r] = sum of row r of x[R, C], whose elements are declared to be from 0 to 1.
#define COUNT R
#define INPUTS (R * C)
#define ARGS const float *x, float *y
#define VALUE(i) row_sum(x + i * C)
FUNC float row_sum(const float *x) {
  double sum = 0;
  for (int c = 0; c < C; c++) sum += x[c];
  return sum;
}
