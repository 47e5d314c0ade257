// Layer norm of the rows of x[R, C] with weight w[C] and bias b[C].
#define COUNT (R * C)
#define INPUTS (R * C)
#define ARGS const float *x, const float *w, const float *b, float *y
#define VALUE(i) (normed(x, i) * w[i % C] + b[i % C])
FUNC float normed(const float *x, int i) {
  const float *row = x + i / C * C;
  double sum = 0, squares = 0;
  for (int c = 0; c < C; c++) sum += row[c];
  for (int c = 0; c < C; c++) squares += (row[c] - sum / C) * (row[c] - sum / C);
  return (row[i % C] - sum / C) / sqrt(squares / C + 1e-5);
}
