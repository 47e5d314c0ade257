KERNEL {
  EACH(i) y[i] = VALUE(i);
  if (launch_number() >= AFTER) { FAULT; }
}
