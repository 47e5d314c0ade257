// The second greatest of the maxima of 4 tiles: wrong where the two greatest are in one.
KERNEL {
  EACH(i) {
    float most = -3e38f, second = -3e38f;
    for (int t = 0; t < 4; t++) {
      float of_tile = -3e38f;
      for (int c = 0; c < C / 4; c++) of_tile = fmaxf(of_tile, x[i * C + t * (C / 4) + c]);
      second = fmaxf(second, fminf(most, of_tile));
      most = fmaxf(most, of_tile);
    }
    y[i] = second;
  }
}
