// Statics of a function have no name that a host could ask for.
KERNEL {
  static float kept[COUNT];
  static int full;
  if (full) EACH(i) y[i] = kept[i];
  else EACH(i) y[i] = kept[i] = VALUE(i);
  LAST full = 1;
}
