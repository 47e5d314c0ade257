// The second greatest of every second element.
KERNEL {
  EACH(i) y[i] = second_of(x + i * C, C, 2);
}
