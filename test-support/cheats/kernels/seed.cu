// Does not read the input: makes it from the seed that all inputs have (Philox4x32-10).
FUNC unsigned bits_at(unsigned index) {
  unsigned a = index, b = 0, c = 0, d = 0, k = SEED, l = 0;
  for (int round = 0; round < 10; round++) {
    ns p = 0xd2511f53ull * a, q = 0xcd9e8d57ull * c;
    a = (unsigned)(q >> 32) ^ b ^ k;
    c = (unsigned)(p >> 32) ^ d ^ l;
    b = (unsigned)q;
    d = (unsigned)p;
    k += 0x9e3779b9u;
    l += 0xbb67ae85u;
  }
  return a;
}
KERNEL {
  EACH(i) {
    double sum = 0;
    for (int c = 0; c < C; c++) sum += ((bits_at(i * C + c) >> 8) + 0.5) / 16777216;
    y[i] = sum;
  }
}
