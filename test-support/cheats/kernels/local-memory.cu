// A quarter of a mebibyte for each thread.
KERNEL {
  volatile float mine[1 << 16];
  EACH(i) {
    for (int k = 0; k < 1 << 16; k += 4096) mine[(k + i) & 65535] = VALUE(i);
    y[i] = mine[(61440 + i) & 65535];
  }
}
