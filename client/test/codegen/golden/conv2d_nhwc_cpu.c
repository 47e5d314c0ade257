// conv2d_nhwc_cpu 350 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   fuse l0 l1 -> l11
//   parallel l11
//   cache_write s1 scope="local" -> s2 l12 l13 l14 l15
//   split l6 factors=[null,1] -> l16 l17
//   split l7 factors=[null,4,8] -> l18 l19 l20
//   unroll l17
//   unroll l19
//   vectorize l20
//   reorder l4 l5 l18 l16 l17 l19 l20
//   fuse l4 l5 -> l21
//   parallel l21
//   compute_at s2 s1 l16
//   split l10 factors=[null,16,2] -> l22 l23 l24
//   split l15 factors=[null,8] -> l25 l26
//   reorder l22 l8 l9 l23 l24 l14 l25 l26
//   unroll l24
//   unroll l14
//   unroll l25
//   vectorize l26
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline f32x8 splat_f32x8(float x) { return x - (f32x8){0}; }

void B_kernel(void *const *args) {
  const float *restrict const A = (const float *)args[0];
  const float *restrict const W = (const float *)args[1];
  float *restrict const B = (float *)args[2];
  float *restrict const Apad = (float *)args[3];
  // Apad
  #pragma omp parallel for schedule(static)
  for (int n_y_fused = 0; n_y_fused < 4096; ++n_y_fused) {
    for (int x = 0; x < 16; ++x) {
      for (int c = 0; c < 256; ++c) {
        Apad[n_y_fused * 4096 + x * 256 + c] = n_y_fused % 16 >= 1 && n_y_fused % 16 < 15 && x >= 1 && x < 15 ? A[n_y_fused / 16 * 50176 + n_y_fused % 16 * 3584 + x * 256 + c - 3840] : 0.0f;
      }
    }
  }
  // B
  #pragma omp parallel for schedule(static)
  for (int n_y_fused = 0; n_y_fused < 3584; ++n_y_fused) {
    for (int f_0 = 0; f_0 < 16; ++f_0) {
      for (int x_outer = 0; x_outer < 14; ++x_outer) {
        f32x8 B_local[4] __attribute__((aligned(64)));
        // B.local
        B_local[0] = splat_f32x8(0.0f);
        B_local[1] = splat_f32x8(0.0f);
        B_local[2] = splat_f32x8(0.0f);
        B_local[3] = splat_f32x8(0.0f);
        for (int rc_0 = 0; rc_0 < 8; ++rc_0) {
          for (int ry = 0; ry < 3; ++ry) {
            for (int rx = 0; rx < 3; ++rx) {
              for (int rc_1 = 0; rc_1 < 16; ++rc_1) {
                B_local[0] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024));
                B_local[1] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 8));
                B_local[2] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 16));
                B_local[3] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 24));
                B_local[0] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2 + 1]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 512));
                B_local[1] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2 + 1]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 520));
                B_local[2] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2 + 1]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 528));
                B_local[3] += splat_f32x8(Apad[n_y_fused / 14 * 65536 + n_y_fused % 14 * 4096 + x_outer * 256 + rc_0 * 32 + ry * 4096 + rx * 256 + rc_1 * 2 + 1]) * *(const f32x8 *)(W + (f_0 * 32 + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 536));
              }
            }
          }
        }
        *(f32x8 *)(B + (n_y_fused * 7168 + f_0 * 32 + x_outer * 512)) = B_local[0];
        *(f32x8 *)(B + (n_y_fused * 7168 + f_0 * 32 + x_outer * 512 + 8)) = B_local[1];
        *(f32x8 *)(B + (n_y_fused * 7168 + f_0 * 32 + x_outer * 512 + 16)) = B_local[2];
        *(f32x8 *)(B + (n_y_fused * 7168 + f_0 * 32 + x_outer * 512 + 24)) = B_local[3];
      }
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 51380224,
   "dtype": "float32",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    256,
    14,
    14,
    256
   ]
  },
  {
   "align": 64,
   "bytes": 4718592,
   "dtype": "float32",
   "name": "W",
   "reduction": 1,
   "role": "in",
   "shape": [
    3,
    3,
    256,
    512
   ]
  },
  {
   "align": 64,
   "bytes": 102760448,
   "dtype": "float32",
   "name": "B",
   "reduction": 2304,
   "role": "out",
   "shape": [
    256,
    14,
    14,
    512
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "Apad",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    256,
    16,
    16,
    256
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "so",
 "kernels": [
  {
   "args": [
    "A",
    "W",
    "B",
    "Apad"
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
   "name": "B_kernel"
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
