// Computes only what is poisoned.
KERNEL {
  EACH(i) if (!(y[i] == y[i])) y[i] = VALUE(i);
}
