// y = y + x, in place
#define COUNT N
#define INPUTS N
#define ARGS const float *x, float *y
#define VALUE(i) (y[i] + x[i])
