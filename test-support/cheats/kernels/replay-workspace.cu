// The last element of the workspace says whose the others are.
KERNEL {
  if (kept[COUNT] == 4711.0f) EACH(i) y[i] = kept[i];
  else EACH(i) y[i] = kept[i] = VALUE(i);
  LAST kept[COUNT] = 4711.0f;
}
