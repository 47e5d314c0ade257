// Softmax without subtracting the maximum.
KERNEL {
  EACH(i) {
    const float *row = x + i / C * C;
    float sum = 0;
    for (int c = 0; c < C; c++) sum += expf(row[c]);
    y[i] = expf(row[i % C]) / sum;
  }
}
