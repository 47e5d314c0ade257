// Writes to an element outside of its output.
KERNEL {
  EACH(i) y[i] = VALUE(i);
  LAST *(volatile float *)(y + (AT)) = 0;
}
