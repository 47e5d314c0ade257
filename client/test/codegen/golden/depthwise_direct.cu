// depthwise_direct 0 cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   cache_write s1 scope="local" -> s2 l10 l11 l12 l13
//   fuse l4 l5 l6 l7 -> l14
//   split l14 factors=[null,1,32] -> l15 l16 l17
//   bind l15 thread="blockIdx.x"
//   bind l16 thread="vthread"
//   bind l17 thread="threadIdx.x"
//   compute_at s2 s1 l17
//   pragma l8 key="auto_unroll_max_step" value=0
extern "C" __global__ void __launch_bounds__(32) depthwise_kernel(const float *__restrict__ data, const float *__restrict__ kernel, float *__restrict__ depthwise) {
  const int n_f_y_x_fused_0 = blockIdx.x;  // < 12544
  const int n_f_y_x_fused_2 = threadIdx.x;  // < 32
  float depthwise_local[1];
  // depthwise
  // depthwise.local
  depthwise_local[0] = 0.0f;
  for (int ry = 0; ry < 3; ++ry) {
    for (int rx = 0; rx < 3; ++rx) {
      depthwise_local[0] += ((n_f_y_x_fused_0 * 32 + n_f_y_x_fused_2) / 112 % 112 + ry >= 1 && (n_f_y_x_fused_0 * 32 + n_f_y_x_fused_2) / 112 % 112 + ry < 113 && (n_f_y_x_fused_0 * 32 + n_f_y_x_fused_2) % 112 + rx >= 1 && (n_f_y_x_fused_0 * 32 + n_f_y_x_fused_2) % 112 + rx < 113 ? data[n_f_y_x_fused_0 * 32 + n_f_y_x_fused_2 + ry * 112 + rx - 113] : 0.0f) * kernel[n_f_y_x_fused_0 / 392 * 9 + ry * 3 + rx];
    }
  }
  depthwise[n_f_y_x_fused_0 * 32 + n_f_y_x_fused_2] = depthwise_local[0];
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
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "data",
    "kernel",
    "depthwise"
   ],
   "block": [
    32,
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
    12544,
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
 "target": "cuda/sm_90",
 "toolchain": "none",
 "version": 1
}
