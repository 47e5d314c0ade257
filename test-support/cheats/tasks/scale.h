// y = 3 x + 1
#define COUNT N
#define INPUTS N
#define ARGS const float *x, float *y
#define VALUE(i) (3.0f * x[i] + 1.0f)
