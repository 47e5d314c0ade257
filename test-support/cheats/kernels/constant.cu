KERNEL {
  EACH(i) y[i] = GIVEN;
}
