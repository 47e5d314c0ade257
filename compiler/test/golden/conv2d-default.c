// cpu/x86-64-v3. Written by Warpfarm.
//   fuse l0 l1 l2 l3 -> l11
//   parallel l11
//   fuse l4 l5 l6 l7 -> l12
//   parallel l12
void conv_kernel(void *const *args) {
  const float *restrict const data = (const float *)args[0];
  const float *restrict const kernel = (const float *)args[1];
  float *restrict const conv = (float *)args[2];
  float *restrict const pad_temp = (float *)args[3];
  // pad_temp
  #pragma omp parallel for schedule(static)
  for (int n_c_y_x_fused = 0; n_c_y_x_fused < 41472; ++n_c_y_x_fused) {
    pad_temp[n_c_y_x_fused] = n_c_y_x_fused / 9 % 9 >= 1 && n_c_y_x_fused / 9 % 9 < 8 && n_c_y_x_fused % 9 >= 1 && n_c_y_x_fused % 9 < 8 ? data[n_c_y_x_fused / 81 * 49 + n_c_y_x_fused / 9 % 9 * 7 + n_c_y_x_fused % 9 - 8] : 0.0f;
  }
  // conv
  #pragma omp parallel for schedule(static)
  for (int n_f_y_x_fused = 0; n_f_y_x_fused < 25088; ++n_f_y_x_fused) {
    conv[n_f_y_x_fused] = 0.0f;
    for (int rc = 0; rc < 512; ++rc) {
      for (int ry = 0; ry < 3; ++ry) {
        for (int rx = 0; rx < 3; ++rx) {
          conv[n_f_y_x_fused] += pad_temp[n_f_y_x_fused / 7 % 7 * 9 + n_f_y_x_fused % 7 + rc * 81 + ry * 9 + rx] * kernel[n_f_y_x_fused / 49 * 4608 + rc * 9 + ry * 3 + rx];
        }
      }
    }
  }
}
