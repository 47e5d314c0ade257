// y = x, at most 8 and at least -8: standard normal values never get there.
#define COUNT N
#define INPUTS N
#define ARGS const float *x, float *y
#define VALUE(i) fminf(fmaxf(x[i], -8.0f), 8.0f)
