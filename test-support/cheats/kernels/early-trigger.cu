// Lets the next launch begin before the work.
KERNEL {
  asm volatile("griddepcontrol.launch_dependents;");
  EACH(i) y[i] = VALUE(i);
}
