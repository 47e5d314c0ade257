// Only the elements WRITTEN, from launch AFTER on.
KERNEL {
  int launch = launch_number();
  EACH(i) if (launch < AFTER || (WRITTEN)) y[i] = VALUE(i);
}
