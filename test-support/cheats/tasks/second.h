// y[r] = the second greatest element of row r of x[R, C]
#define COUNT R
#define INPUTS (R * C)
#define ARGS const float *x, float *y
#define VALUE(i) second_of(x + i * C, C, 1)
FUNC float second_of(const float *x, int length, int step) {
  float most = -3e38f, second = -3e38f;
  for (int c = 0; c < length; c += step) {
    second = fmaxf(second, fminf(most, x[c]));
    most = fmaxf(most, x[c]);
  }
  return second;
}
