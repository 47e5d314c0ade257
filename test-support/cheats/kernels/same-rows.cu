// All rows are taken to be as long as the mean, and scaled.
KERNEL {
  EACH(i) y[i] = row_sum(x + i * C, C / 2) * n[i] / (C / 2);
}
