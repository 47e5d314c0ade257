// Products of inputs with BITS bits of fraction.
KERNEL {
  EACH(i) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += (double)cut(x[i / N * K + k], BITS) * cut(w[k * N + i % N], BITS);
    y[i] = sum;
  }
}
