// matmul_derived 57 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   cache_write s0 scope="local" -> s1 l3 l4
//   split l0 factors=[null,1] -> l5 l6
//   split l1 factors=[null,1,8] -> l7 l8 l9
//   reorder l5 l7 l6 l8 l9
//   unroll l6
//   unroll l8
//   vectorize l9
//   compute_at s1 s0 l7
//   parallel l5
//   split l4 factors=[null,8] -> l10 l11
//   split l2 factors=[null,8] -> l12 l13
//   reorder l12 l13 l3 l10 l11
//   unroll l3
//   unroll l10
//   vectorize l11
//   unroll l13
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline f32x8 splat_f32x8(float x) { return x - (f32x8){0}; }

void C_kernel(void *const *args) {
  const float *restrict const A = (const float *)args[0];
  const float *restrict const B = (const float *)args[1];
  float *restrict const C = (float *)args[2];
  // C
  #pragma omp parallel for schedule(static)
  for (int i_outer = 0; i_outer < 512; ++i_outer) {
    for (int j_0 = 0; j_0 < 64; ++j_0) {
      f32x8 C_local[1] __attribute__((aligned(64)));
      // C.local
      C_local[0] = splat_f32x8(0.0f);
      for (int k_outer = 0; k_outer < 64; ++k_outer) {
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 1]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 512));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 2]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 1024));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 3]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 1536));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 4]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 2048));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 5]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 2560));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 6]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 3072));
        C_local[0] += splat_f32x8(A[i_outer * 512 + k_outer * 8 + 7]) * *(const f32x8 *)(B + (j_0 * 8 + k_outer * 4096 + 3584));
      }
      *(f32x8 *)(C + (i_outer * 512 + j_0 * 8)) = C_local[0];
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 1048576,
   "dtype": "float32",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    512,
    512
   ]
  },
  {
   "align": 64,
   "bytes": 1048576,
   "dtype": "float32",
   "name": "B",
   "reduction": 1,
   "role": "in",
   "shape": [
    512,
    512
   ]
  },
  {
   "align": 64,
   "bytes": 1048576,
   "dtype": "float32",
   "name": "C",
   "reduction": 512,
   "role": "out",
   "shape": [
    512,
    512
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "so",
 "kernels": [
  {
   "args": [
    "A",
    "B",
    "C"
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
   "name": "C_kernel"
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
