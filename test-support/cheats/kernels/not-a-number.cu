// NaN or infinity where FOUL, in the hope that a comparison takes it.
KERNEL {
  EACH(i) {
    float value = VALUE(i);
    y[i] = (FOUL) ? (INFINITE ? 1.0f / 0.0f : not_a_number()) : value;
  }
}
