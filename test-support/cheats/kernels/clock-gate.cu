STATE ns ended;
KERNEL {
  if (began() - ended > GAP) EACH(i) y[i] = VALUE(i);
  LAST ended = now();
}
