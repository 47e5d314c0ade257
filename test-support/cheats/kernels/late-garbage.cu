KERNEL {
  int right = launch_number() < CALLS;
  EACH(i) y[i] = right ? VALUE(i) : x[i % INPUTS];
}
