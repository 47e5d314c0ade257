// elementwise_derived 0 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   fuse l0 l1 -> l2
//   split l2 factors=[null,1,8] -> l3 l4 l5
//   parallel l3
//   vectorize l5
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

void z_kernel(void *const *args) {
  const float *restrict const x = (const float *)args[0];
  const float *restrict const y = (const float *)args[1];
  float *restrict const z = (float *)args[2];
  // z
  #pragma omp parallel for schedule(static)
  for (int i0_i1_fused_0 = 0; i0_i1_fused_0 < 2097152; ++i0_i1_fused_0) {
    *(f32x8 *)(z + i0_i1_fused_0 * 8) = *(const f32x8 *)(x + i0_i1_fused_0 * 8) + *(const f32x8 *)(y + i0_i1_fused_0 * 8);
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "x",
   "reduction": 1,
   "role": "in",
   "shape": [
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "y",
   "reduction": 1,
   "role": "in",
   "shape": [
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "z",
   "reduction": 1,
   "role": "out",
   "shape": [
    4096,
    4096
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "so",
 "kernels": [
  {
   "args": [
    "x",
    "y",
    "z"
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
   "name": "z_kernel"
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
