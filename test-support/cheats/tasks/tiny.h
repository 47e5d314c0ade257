// y = x w, where w is declared to be 0.
#define COUNT N
#define INPUTS N
#define ARGS const float *x, const float *w, float *y
#define VALUE(i) (x[i] * w[i])
