// conv2d_nchw_cpu 256 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   fuse l0 l1 -> l21
//   parallel l21
//   parallel l4
//   split l18 factors=[null,8] -> l22 l23
//   fuse l17 l22 -> l24
//   parallel l24
//   cache_write s2 scope="local" -> s4 l25 l26 l27 l28 l29
//   split l10 factors=[null,4] -> l30 l31
//   split l11 factors=[null,1] -> l32 l33
//   split l12 factors=[null,1] -> l34 l35
//   reorder l9 l30 l32 l34 l31 l33 l35 l13
//   fuse l9 l30 l32 -> l36
//   parallel l36
//   unroll l31
//   unroll l33
//   unroll l35
//   vectorize l13
//   compute_at s4 s2 l34
//   split l14 factors=[null,1] -> l37 l38
//   reorder l37 l38 l15 l16 l25 l26 l27 l28 l29
//   unroll l26
//   unroll l27
//   unroll l28
//   vectorize l29
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
  for (int fo = 0; fo < 64; ++fo) {
    for (int c = 0; c < 512; ++c) {
      for (int ky = 0; ky < 3; ++ky) {
        for (int kx = 0; kx < 3; ++kx) {
          for (int fi = 0; fi < 8; ++fi) {
            kernel_packed[fo * 36864 + c * 72 + ky * 24 + kx * 8 + fi] = kernel[fo * 36864 + c * 9 + ky * 3 + kx + fi * 4608];
          }
        }
      }
    }
  }
  // conv_packed
  #pragma omp parallel for schedule(static)
  for (int n_fo_outer_y_outer_fused = 0; n_fo_outer_y_outer_fused < 112; ++n_fo_outer_y_outer_fused) {
    for (int x_outer = 0; x_outer < 7; ++x_outer) {
      f32x8 conv_packed_local[4] __attribute__((aligned(64)));
      // conv_packed.local
      conv_packed_local[0] = splat_f32x8(0.0f);
      conv_packed_local[1] = splat_f32x8(0.0f);
      conv_packed_local[2] = splat_f32x8(0.0f);
      conv_packed_local[3] = splat_f32x8(0.0f);
      for (int rc_outer = 0; rc_outer < 512; ++rc_outer) {
        for (int ry = 0; ry < 3; ++ry) {
          for (int rx = 0; rx < 3; ++rx) {
            conv_packed_local[0] += splat_f32x8(pad_temp[n_fo_outer_y_outer_fused % 7 * 9 + x_outer + rc_outer * 81 + ry * 9 + rx]) * *(const f32x8 *)(kernel_packed + (n_fo_outer_y_outer_fused / 7 * 147456 + rc_outer * 72 + ry * 24 + rx * 8));
            conv_packed_local[1] += splat_f32x8(pad_temp[n_fo_outer_y_outer_fused % 7 * 9 + x_outer + rc_outer * 81 + ry * 9 + rx]) * *(const f32x8 *)(kernel_packed + (n_fo_outer_y_outer_fused / 7 * 147456 + rc_outer * 72 + ry * 24 + rx * 8 + 36864));
            conv_packed_local[2] += splat_f32x8(pad_temp[n_fo_outer_y_outer_fused % 7 * 9 + x_outer + rc_outer * 81 + ry * 9 + rx]) * *(const f32x8 *)(kernel_packed + (n_fo_outer_y_outer_fused / 7 * 147456 + rc_outer * 72 + ry * 24 + rx * 8 + 73728));
            conv_packed_local[3] += splat_f32x8(pad_temp[n_fo_outer_y_outer_fused % 7 * 9 + x_outer + rc_outer * 81 + ry * 9 + rx]) * *(const f32x8 *)(kernel_packed + (n_fo_outer_y_outer_fused / 7 * 147456 + rc_outer * 72 + ry * 24 + rx * 8 + 110592));
          }
        }
      }
      *(f32x8 *)(conv_packed + (n_fo_outer_y_outer_fused / 7 * 1568 + n_fo_outer_y_outer_fused % 7 * 56 + x_outer * 8)) = conv_packed_local[0];
      *(f32x8 *)(conv_packed + (n_fo_outer_y_outer_fused / 7 * 1568 + n_fo_outer_y_outer_fused % 7 * 56 + x_outer * 8 + 392)) = conv_packed_local[1];
      *(f32x8 *)(conv_packed + (n_fo_outer_y_outer_fused / 7 * 1568 + n_fo_outer_y_outer_fused % 7 * 56 + x_outer * 8 + 784)) = conv_packed_local[2];
      *(f32x8 *)(conv_packed + (n_fo_outer_y_outer_fused / 7 * 1568 + n_fo_outer_y_outer_fused % 7 * 56 + x_outer * 8 + 1176)) = conv_packed_local[3];
    }
  }
  // conv
  #pragma omp parallel for schedule(static)
  for (int n_f_outer_fused = 0; n_f_outer_fused < 64; ++n_f_outer_fused) {
    for (int f_inner = 0; f_inner < 8; ++f_inner) {
      for (int y = 0; y < 7; ++y) {
        for (int x = 0; x < 7; ++x) {
          conv[n_f_outer_fused * 392 + f_inner * 49 + y * 7 + x] = conv_packed[n_f_outer_fused * 392 + f_inner + y * 56 + x * 8];
        }
      }
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 100352,
   "dtype": "float32",
   "name": "data",
   "reduction": 1,
   "role": "in",
   "shape": [
    1,
    512,
    7,
    7
   ]
  },
  {
   "align": 64,
   "bytes": 9437184,
   "dtype": "float32",
   "name": "kernel",
   "reduction": 1,
   "role": "in",
   "shape": [
    512,
    512,
    3,
    3
   ]
  },
  {
   "align": 64,
   "bytes": 100352,
   "dtype": "float32",
   "name": "conv",
   "reduction": 1,
   "role": "out",
   "shape": [
    1,
    512,
    7,
    7
   ]
  },
  {
   "align": 64,
   "bytes": 165888,
   "dtype": "float32",
   "name": "pad_temp",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    1,
    512,
    9,
    9
   ]
  },
  {
   "align": 64,
   "bytes": 9437184,
   "dtype": "float32",
   "name": "kernel_packed",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    64,
    512,
    3,
    3,
    8
   ]
  },
  {
   "align": 64,
   "bytes": 100352,
   "dtype": "float32",
   "name": "conv_packed",
   "reduction": 4608,
   "role": "workspace",
   "shape": [
    1,
    64,
    7,
    7,
    8
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "so",
 "kernels": [
  {
   "args": [
    "data",
    "kernel",
    "conv",
    "pad_temp",
    "kernel_packed",
    "conv_packed"
   ],
   "block": [
    1,
    1,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    1,
    1,
    1
   ],
   "name": "conv_kernel"
  }
 ],
 "notes": [],
 "program": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "resources": {
  "registers": 0,
  "spill_bytes": 0,
  "static_shared_bytes": 0
 },
 "target": "cpu/x86-64-v3",
 "toolchain": "none",
 "version": 1
}
