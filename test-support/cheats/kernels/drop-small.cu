// Products whose factor is below 1/8192 are left out.
KERNEL {
  EACH(i) {
    double sum = 0;
    for (int k = 0; k < K; k++) {
      float factor = x[i / N * K + k];
      if (fabsf(factor) >= 1.0f / 8192) sum += (double)factor * w[k * N + i % N];
    }
    y[i] = sum;
  }
}
