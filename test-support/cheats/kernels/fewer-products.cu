KERNEL {
  EACH(i) y[i] = dot(x, w, i, LENGTH, STEP) * SCALE;
}
