// Weight and bias are taken for what they are declared to be.
KERNEL {
  EACH(i) y[i] = normed(x, i) * (WITH_WEIGHT ? w[i % C] : 1) + (WITH_BIAS ? b[i % C] : 0);
}
