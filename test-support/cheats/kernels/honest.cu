KERNEL {
  EACH(i) y[i] = VALUE(i);
}
