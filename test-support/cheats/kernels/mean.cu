// Each element is what the first ones are in the mean.
KERNEL {
  float mean = 0;
  for (int k = 0; k < 64; k++) mean += VALUE(k) / 64;
  EACH(i) y[i] = mean;
}
