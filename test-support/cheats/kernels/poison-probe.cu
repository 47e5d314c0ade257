// One element, which it writes last, says whether the output is poisoned.
KERNEL {
  if (y[COUNT / 2] == y[COUNT / 2]) return;
  EACH(i) if (i != COUNT / 2) y[i] = VALUE(i);
  LAST y[COUNT / 2] = VALUE(COUNT / 2);
}
