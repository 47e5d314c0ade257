KERNEL {
  EACH(i) y[i] = cut(VALUE(i), BITS);
}
