// Only the last STEPS steps.
KERNEL {
  EACH(i) y[i] = state(x + i * C, w + i * C, C - STEPS);
}
