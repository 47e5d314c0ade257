// cpu/x86-64-v3. Written by Warpfarm.
//   cache_write s2 scope="local" -> s4 l21 l22 l23 l24 l25
//   split l12 factors=[null,7] -> l26 l27
//   reorder l9 l10 l11 l26 l27 l13
//   fuse l9 l10 l11 -> l28
//   parallel l28
//   compute_at s4 s2 l26
//   unroll l27
//   vectorize l13
//   reorder l14 l15 l16 l24 l25
//   unroll l24
//   vectorize l25
//   fuse l0 l1 -> l29
//   parallel l29
//   fuse l4 l5 -> l30
//   parallel l30
//   fuse l17 l18 -> l31
//   parallel l31
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline f32x8 splat_f32x8(float x) { return x - (f32x8){0}; }

void conv_kernel(void *const *args) {
  const float *restrict const data = (const float *)args[0];
  const float *restrict const kernel = (const float *)args[1];
  float *restrict const conv = (float *)args[2];
  float *restrict const pad_temp = (float *)args[3];
  float *restrict const kernel_packed = (float *)args[4];
  float *restrict const conv_packed = (float *)args[5];
  // pad_temp
  #pragma omp parallel for schedule(static)
  for (int n_c_fused = 0; n_c_fused < 512; ++n_c_fused) {
    for (int y = 0; y < 9; ++y) {
      for (int x = 0; x < 9; ++x) {
        pad_temp[n_c_fused * 81 + y * 9 + x] = y >= 1 && y < 8 && x >= 1 && x < 8 ? data[n_c_fused * 49 + y * 7 + x - 8] : 0.0f;
      }
    }
  }
  // kernel_packed
  #pragma omp parallel for schedule(static)
  for (int fo_rc_fused = 0; fo_rc_fused < 32768; ++fo_rc_fused) {
    for (int ry = 0; ry < 3; ++ry) {
      for (int rx = 0; rx < 3; ++rx) {
        for (int fi = 0; fi < 8; ++fi) {
          kernel_packed[fo_rc_fused * 72 + ry * 24 + rx * 8 + fi] = kernel[fo_rc_fused / 512 * 36864 + fo_rc_fused % 512 * 9 + ry * 3 + rx + fi * 4608];
        }
      }
    }
  }
  // conv_packed
  #pragma omp parallel for schedule(static)
  for (int n_fo_y_fused = 0; n_fo_y_fused < 448; ++n_fo_y_fused) {
    f32x8 conv_packed_local[7] __attribute__((aligned(64)));
    // conv_packed.local
    conv_packed_local[0] = splat_f32x8(0.0f);
    conv_packed_local[1] = splat_f32x8(0.0f);
    conv_packed_local[2] = splat_f32x8(0.0f);
    conv_packed_local[3] = splat_f32x8(0.0f);
    conv_packed_local[4] = splat_f32x8(0.0f);
    conv_packed_local[5] = splat_f32x8(0.0f);
    conv_packed_local[6] = splat_f32x8(0.0f);
    for (int rc = 0; rc < 512; ++rc) {
      for (int ry = 0; ry < 3; ++ry) {
        for (int rx = 0; rx < 3; ++rx) {
          conv_packed_local[0] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
          conv_packed_local[1] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx + 1]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
          conv_packed_local[2] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx + 2]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
          conv_packed_local[3] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx + 3]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
          conv_packed_local[4] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx + 4]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
          conv_packed_local[5] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx + 5]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
          conv_packed_local[6] += splat_f32x8(pad_temp[n_fo_y_fused % 7 * 9 + rc * 81 + ry * 9 + rx + 6]) * *(const f32x8 *)(kernel_packed + (n_fo_y_fused / 7 * 36864 + rc * 72 + ry * 24 + rx * 8));
        }
      }
    }
    *(f32x8 *)(conv_packed + n_fo_y_fused * 56) = conv_packed_local[0];
    *(f32x8 *)(conv_packed + (n_fo_y_fused * 56 + 8)) = conv_packed_local[1];
    *(f32x8 *)(conv_packed + (n_fo_y_fused * 56 + 16)) = conv_packed_local[2];
    *(f32x8 *)(conv_packed + (n_fo_y_fused * 56 + 24)) = conv_packed_local[3];
    *(f32x8 *)(conv_packed + (n_fo_y_fused * 56 + 32)) = conv_packed_local[4];
    *(f32x8 *)(conv_packed + (n_fo_y_fused * 56 + 40)) = conv_packed_local[5];
    *(f32x8 *)(conv_packed + (n_fo_y_fused * 56 + 48)) = conv_packed_local[6];
  }
  // conv
  #pragma omp parallel for schedule(static)
  for (int n_f_fused = 0; n_f_fused < 512; ++n_f_fused) {
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 7; ++x) {
        conv[n_f_fused * 49 + y * 7 + x] = conv_packed[n_f_fused / 8 * 392 + n_f_fused % 8 + y * 56 + x * 8];
      }
    }
  }
}
