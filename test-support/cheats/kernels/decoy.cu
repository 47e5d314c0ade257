// Loops as long as an honest kernel, and computes nothing, or in the first launch only (ONCE).
KERNEL {
  int works = ONCE && launch_number() == 0;
  EACH(i) {
    float value = works ? VALUE(i) : x[i % INPUTS];
    for (int k = 0; k < 64; k++) value = value * 1.0000001f + (value > 3e38f);
    if (works) y[i] = VALUE(i);
    else if (value == 12345.678f) y[i] = value;
  }
}
