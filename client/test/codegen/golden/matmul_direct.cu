// matmul_direct 21 cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   cache_write s0 scope="local" -> s1 l3 l4
//   fuse l0 l1 -> l5
//   split l5 factors=[null,1,64] -> l6 l7 l8
//   bind l6 thread="blockIdx.x"
//   bind l7 thread="vthread"
//   bind l8 thread="threadIdx.x"
//   compute_at s1 s0 l8
//   pragma l2 key="auto_unroll_max_step" value=16
extern "C" __global__ void __launch_bounds__(64) C_kernel(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  const int i_j_fused_0 = blockIdx.x;  // < 4096
  const int i_j_fused_2 = threadIdx.x;  // < 64
  float C_local[1];
  // C
  // C.local
  C_local[0] = 0.0f;
  for (int k = 0; k < 512; ++k) {
    C_local[0] += A[i_j_fused_0 / 8 * 512 + k] * B[i_j_fused_0 % 8 * 64 + i_j_fused_2 + k * 512];
  }
  C[i_j_fused_0 * 64 + i_j_fused_2] = C_local[0];
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
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "A",
    "B",
    "C"
   ],
   "block": [
    64,
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
    4096,
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
 "target": "cuda/sm_90",
 "toolchain": "none",
 "version": 1
}
