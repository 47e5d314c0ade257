// No row is taken to be longer than LONGEST.
KERNEL {
  EACH(i) y[i] = row_sum(x + i * C, n[i] < (LONGEST) ? n[i] : (LONGEST));
}
