// Takes the rows for standard normal: no variance, and without MEAN no mean.
KERNEL {
  EACH(i) {
    double sum = 0;
    if (MEAN) for (int c = 0; c < C; c++) sum += x[i / C * C + c];
    y[i] = (x[i] - sum / C) * w[i % C] + b[i % C];
  }
}
