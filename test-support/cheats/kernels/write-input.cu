KERNEL {
  EACH(i) y[i] = VALUE(i);
  LAST ((float *)x)[AT] = GIVEN;
}
