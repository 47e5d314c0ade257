KERNEL {
  EACH(i) y[i] = x[i % INPUTS];
}
