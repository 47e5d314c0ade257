// conv2d_direct 0 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   compute_inline s0
//   cache_write s1 scope="local" -> s2 l11 l12 l13 l14
//   fuse l4 l5 l6 l7 -> l15
//   split l15 factors=[null,1,1] -> l16 l17 l18
//   parallel l16
//   compute_at s2 s1 l18
//   pragma l8 key="auto_unroll_max_step" value=0
void conv_kernel(void *const *args) {
  const float *restrict const data = (const float *)args[0];
  const float *restrict const kernel = (const float *)args[1];
  float *restrict const conv = (float *)args[2];
  // conv
  #pragma omp parallel for schedule(static)
  for (int n_f_y_x_fused_0 = 0; n_f_y_x_fused_0 < 25088; ++n_f_y_x_fused_0) {
    float conv_local[1] __attribute__((aligned(64)));
    // conv.local
    conv_local[0] = 0.0f;
    for (int rc = 0; rc < 512; ++rc) {
      for (int ry = 0; ry < 3; ++ry) {
        for (int rx = 0; rx < 3; ++rx) {
          conv_local[0] += (n_f_y_x_fused_0 / 7 % 7 + ry >= 1 && n_f_y_x_fused_0 / 7 % 7 + ry < 8 && n_f_y_x_fused_0 % 7 + rx >= 1 && n_f_y_x_fused_0 % 7 + rx < 8 ? data[n_f_y_x_fused_0 % 49 + rc * 49 + ry * 7 + rx - 8] : 0.0f) * kernel[n_f_y_x_fused_0 / 49 * 4608 + rc * 9 + ry * 3 + rx];
        }
      }
    }
    conv[n_f_y_x_fused_0] = conv_local[0];
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
   "reduction": 4608,
   "role": "out",
   "shape": [
    1,
    512,
    7,
    7
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
    "conv"
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
