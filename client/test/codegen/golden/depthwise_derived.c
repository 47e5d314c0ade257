// depthwise_derived 89969 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   compute_inline s0
//   cache_write s1 scope="local" -> s2 l10 l11 l12 l13
//   fuse l4 l5 l6 l7 -> l14
//   split l14 factors=[null,64,1] -> l15 l16 l17
//   parallel l15
//   compute_at s2 s1 l17
//   pragma l8 key="auto_unroll_max_step" value=0
void depthwise_kernel(void *const *args) {
  const float *restrict const data = (const float *)args[0];
  const float *restrict const kernel = (const float *)args[1];
  float *restrict const depthwise = (float *)args[2];
  // depthwise
  #pragma omp parallel for schedule(static)
  for (int n_f_y_x_fused_0 = 0; n_f_y_x_fused_0 < 6272; ++n_f_y_x_fused_0) {
    for (int n_f_y_x_fused_1 = 0; n_f_y_x_fused_1 < 64; ++n_f_y_x_fused_1) {
      float depthwise_local[1] __attribute__((aligned(64)));
      // depthwise.local
      depthwise_local[0] = 0.0f;
      for (int ry = 0; ry < 3; ++ry) {
        for (int rx = 0; rx < 3; ++rx) {
          depthwise_local[0] += ((n_f_y_x_fused_0 * 64 + n_f_y_x_fused_1) / 112 % 112 + ry >= 1 && (n_f_y_x_fused_0 * 64 + n_f_y_x_fused_1) / 112 % 112 + ry < 113 && (n_f_y_x_fused_0 * 64 + n_f_y_x_fused_1) % 112 + rx >= 1 && (n_f_y_x_fused_0 * 64 + n_f_y_x_fused_1) % 112 + rx < 113 ? data[n_f_y_x_fused_0 * 64 + n_f_y_x_fused_1 + ry * 112 + rx - 113] : 0.0f) * kernel[n_f_y_x_fused_0 / 196 * 9 + ry * 3 + rx];
        }
      }
      depthwise[n_f_y_x_fused_0 * 64 + n_f_y_x_fused_1] = depthwise_local[0];
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 1605632,
   "dtype": "float32",
   "name": "data",
   "reduction": 1,
   "role": "in",
   "shape": [
    1,
    32,
    112,
    112
   ]
  },
  {
   "align": 64,
   "bytes": 1152,
   "dtype": "float32",
   "name": "kernel",
   "reduction": 1,
   "role": "in",
   "shape": [
    32,
    1,
    3,
    3
   ]
  },
  {
   "align": 64,
   "bytes": 1605632,
   "dtype": "float32",
   "name": "depthwise",
   "reduction": 9,
   "role": "out",
   "shape": [
    1,
    32,
    112,
    112
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
    "depthwise"
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
   "name": "depthwise_kernel"
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
