// depthwise_derived 40 cuda/sm_90
// cuda/sm_90a. Written by Warpfarm.
//   compute_inline s0
//   cache_write s1 scope="local" -> s2 l10 l11 l12 l13
//   split l7 factors=[null,4] -> l14 l15
//   fuse l4 l5 l6 l14 -> l16
//   split l16 factors=[null,1,32] -> l17 l18 l19
//   bind l17 thread="blockIdx.x"
//   bind l18 thread="vthread"
//   bind l19 thread="threadIdx.x"
//   vectorize l15
//   compute_at s2 s1 l19
//   reorder l8 l9 l10 l11 l12 l13
//   unroll l10
//   unroll l11
//   unroll l12
//   unroll l13
//   pragma l8 key="auto_unroll_max_step" value=0
struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(32) depthwise_kernel(const float *__restrict__ data, const float *__restrict__ kernel, float *__restrict__ depthwise) {
  const int n_f_y_x_outer_fused_0 = blockIdx.x;  // < 3136
  const int n_f_y_x_outer_fused_2 = threadIdx.x;  // < 32
  float depthwise_local[4];
  // depthwise
  // depthwise.local
  depthwise_local[0] = 0.0f;
  depthwise_local[1] = 0.0f;
  depthwise_local[2] = 0.0f;
  depthwise_local[3] = 0.0f;
  for (int ry = 0; ry < 3; ++ry) {
    for (int rx = 0; rx < 3; ++rx) {
      depthwise_local[0] += ((n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry >= 1 && (n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry < 113 && (n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) % 28 * 4 + rx >= 1 ? data[n_f_y_x_outer_fused_0 * 128 + n_f_y_x_outer_fused_2 * 4 + ry * 112 + rx - 113] : 0.0f) * kernel[n_f_y_x_outer_fused_0 / 98 * 9 + ry * 3 + rx];
      depthwise_local[1] += ((n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry >= 1 && (n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry < 113 ? data[n_f_y_x_outer_fused_0 * 128 + n_f_y_x_outer_fused_2 * 4 + ry * 112 + rx - 112] : 0.0f) * kernel[n_f_y_x_outer_fused_0 / 98 * 9 + ry * 3 + rx];
      depthwise_local[2] += ((n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry >= 1 && (n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry < 113 ? data[n_f_y_x_outer_fused_0 * 128 + n_f_y_x_outer_fused_2 * 4 + ry * 112 + rx - 111] : 0.0f) * kernel[n_f_y_x_outer_fused_0 / 98 * 9 + ry * 3 + rx];
      depthwise_local[3] += ((n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry >= 1 && (n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) / 28 % 112 + ry < 113 && (n_f_y_x_outer_fused_0 * 32 + n_f_y_x_outer_fused_2) % 28 * 4 + rx < 110 ? data[n_f_y_x_outer_fused_0 * 128 + n_f_y_x_outer_fused_2 * 4 + ry * 112 + rx - 110] : 0.0f) * kernel[n_f_y_x_outer_fused_0 / 98 * 9 + ry * 3 + rx];
    }
  }
  {
    f32x4 r;
    r.lane[0] = depthwise_local[0];
    r.lane[1] = depthwise_local[1];
    r.lane[2] = depthwise_local[2];
    r.lane[3] = depthwise_local[3];
    *(f32x4 *)(depthwise + (n_f_y_x_outer_fused_0 * 128 + n_f_y_x_outer_fused_2 * 4)) = r;
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
    3136,
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
 "target": "cuda/sm_90a",
 "toolchain": "none",
 "version": 1
}
