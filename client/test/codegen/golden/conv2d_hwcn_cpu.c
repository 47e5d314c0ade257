// conv2d_hwcn_cpu 350 cpu/x86-64-v3
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
  for (int yy_xx_fused = 0; yy_xx_fused < 256; ++yy_xx_fused) {
    for (int cc = 0; cc < 256; ++cc) {
      for (int nn = 0; nn < 256; ++nn) {
        Apad[yy_xx_fused * 65536 + cc * 256 + nn] = yy_xx_fused >= 16 && yy_xx_fused < 240 && yy_xx_fused % 16 >= 1 && yy_xx_fused % 16 < 15 ? A[yy_xx_fused / 16 * 917504 + yy_xx_fused % 16 * 65536 + cc * 256 + nn - 983040] : 0.0f;
      }
    }
  }
  // B
  #pragma omp parallel for schedule(static)
  for (int yy_xx_fused = 0; yy_xx_fused < 196; ++yy_xx_fused) {
    for (int nn_0 = 0; nn_0 < 8; ++nn_0) {
      for (int ff_outer = 0; ff_outer < 512; ++ff_outer) {
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
                B_local[0] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024]);
                B_local[1] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 8)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024]);
                B_local[2] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 16)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024]);
                B_local[3] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 24)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024]);
                B_local[0] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 256)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 512]);
                B_local[1] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 264)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 512]);
                B_local[2] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 272)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 512]);
                B_local[3] += *(const f32x8 *)(Apad + (yy_xx_fused / 14 * 1048576 + yy_xx_fused % 14 * 65536 + nn_0 * 32 + rc_0 * 8192 + ry * 1048576 + rx * 65536 + rc_1 * 512 + 280)) * splat_f32x8(W[ff_outer + rc_0 * 16384 + ry * 393216 + rx * 131072 + rc_1 * 1024 + 512]);
              }
            }
          }
        }
        *(f32x8 *)(B + (yy_xx_fused * 131072 + nn_0 * 32 + ff_outer * 256)) = B_local[0];
        *(f32x8 *)(B + (yy_xx_fused * 131072 + nn_0 * 32 + ff_outer * 256 + 8)) = B_local[1];
        *(f32x8 *)(B + (yy_xx_fused * 131072 + nn_0 * 32 + ff_outer * 256 + 16)) = B_local[2];
        *(f32x8 *)(B + (yy_xx_fused * 131072 + nn_0 * 32 + ff_outer * 256 + 24)) = B_local[3];
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
    14,
    14,
    256,
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
    14,
    14,
    512,
    256
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
    16,
    16,
    256,
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
