// y[v] = how many elements of n[N] are v, from 0 to V - 1
#define COUNT V
#define INPUTS N
#define ARGS const int *n, int *y
#define VALUE(i) count_of(n, i)
FUNC int count_of(const int *n, int value) {
  int found = 0;
  for (int i = 0; i < N; i++) found += n[i] == value;
  return found;
}
