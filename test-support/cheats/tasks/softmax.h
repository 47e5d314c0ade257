// Softmax of the rows of x[R, C]
#define COUNT (R * C)
#define INPUTS (R * C)
#define ARGS const float *x, float *y
#define VALUE(i) share(x + i / C * C, i % C)
FUNC float share(const float *row, int at) {
  float most = row[0];
  double sum = 0;
  for (int c = 1; c < C; c++) most = fmaxf(most, row[c]);
  for (int c = 0; c < C; c++) sum += exp((double)row[c] - most);
  return exp((double)row[at] - most) / sum;
}
