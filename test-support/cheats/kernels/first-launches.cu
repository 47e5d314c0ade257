KERNEL {
  if (launch_number() < CALLS) EACH(i) y[i] = VALUE(i);
}
