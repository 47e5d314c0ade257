// Changes an input in one launch and changes it back in the next.
KERNEL {
  int launch = launch_number();
  EACH(i) y[i] = VALUE(i);
  LAST ((float *)x)[7] += launch % 2 == 0 ? 1.0f : -1.0f;
}
