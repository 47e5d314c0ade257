// The sum has BITS bits of fraction.
KERNEL {
  EACH(i) {
    float sum = 0;
    for (int k = 0; k < K; k++) sum = cut(sum + x[i / N * K + k] * w[k * N + i % N], BITS);
    y[i] = sum;
  }
}
