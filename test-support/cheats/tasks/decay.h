// The state of row r after C steps: h = w[r, c] h + x[r, c]; w is declared to be from 0 to 0.95.
#define COUNT R
#define INPUTS (R * C)
#define ARGS const float *x, const float *w, float *y
#define VALUE(i) state(x + i * C, w + i * C, 0)
FUNC float state(const float *x, const float *w, int from) {
  double h = 0;
  for (int c = from; c < C; c++) h = w[c] * h + x[c];
  return h;
}
