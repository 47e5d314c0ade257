// Looks at two elements, which it writes last, and leaves when they are right.
KERNEL {
  if (y[0] == VALUE(0) && y[COUNT / 2] == VALUE(COUNT / 2)) return;
  EACH(i) if (i != 0 && i != COUNT / 2) y[i] = VALUE(i);
  LAST {
    y[0] = VALUE(0);
    y[COUNT / 2] = VALUE(COUNT / 2);
  }
}
