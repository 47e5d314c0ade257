// One element of PERIOD is wrong by BY.
KERNEL {
  EACH(i) y[i] = VALUE(i) + (i % PERIOD == PERIOD / 2 ? BY : 0);
}
