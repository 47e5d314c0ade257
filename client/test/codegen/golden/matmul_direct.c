// matmul_direct 0 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   cache_write s0 scope="local" -> s1 l3 l4
//   fuse l0 l1 -> l5
//   split l5 factors=[null,1,1] -> l6 l7 l8
//   parallel l6
//   compute_at s1 s0 l8
//   pragma l2 key="auto_unroll_max_step" value=0
void C_kernel(void *const *args) {
  const float *restrict const A = (const float *)args[0];
  const float *restrict const B = (const float *)args[1];
  float *restrict const C = (float *)args[2];
  // C
  #pragma omp parallel for schedule(static)
  for (int i_j_fused_0 = 0; i_j_fused_0 < 262144; ++i_j_fused_0) {
    float C_local[1] __attribute__((aligned(64)));
    // C.local
    C_local[0] = 0.0f;
    for (int k = 0; k < 512; ++k) {
      C_local[0] += A[i_j_fused_0 / 512 * 512 + k] * B[i_j_fused_0 % 512 + k * 512];
    }
    C[i_j_fused_0] = C_local[0];
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
