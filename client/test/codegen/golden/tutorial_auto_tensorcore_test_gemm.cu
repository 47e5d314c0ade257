// tutorial/auto_tensorcore/test_gemm published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   cache_read i0 s0 scope="shared" -> s1 l3 l4
//   storage_align s1 axis=0 factor=16 offset=8
//   cache_read s1 s0 scope="local" -> s2 l5 l6
//   cache_read i1 s0 scope="shared" -> s3 l7 l8
//   cache_read s3 s0 scope="local" -> s4 l9 l10
//   cache_write s0 scope="local" -> s5 l11 l12
//   split l0 factors=[null,32] -> l13 l14
//   split l14 factors=[null,1] -> l15 l16
//   split l1 factors=[null,32] -> l17 l18
//   split l18 factors=[null,16] -> l19 l20
//   split l20 factors=[null,8] -> l21 l22
//   reorder l13 l17 l19 l15 l21 l16 l22
//   bind l13 thread="blockIdx.y"
//   bind l17 thread="blockIdx.x"
//   bind l15 thread="threadIdx.y"
//   bind l19 thread="threadIdx.z"
//   bind l21 thread="threadIdx.x"
//   split l2 factors=[null,256] -> l23 l24
//   split l24 factors=[null,16] -> l25 l26
//   compute_at s5 s0 l21
//   reorder l23 l25 l26 l11 l12
//   compute_at s1 s5 l23
//   split l4 factors=[null,32] -> l27 l28
//   split l28 factors=[null,16] -> l29 l30
//   split l30 factors=[null,8] -> l31 l32
//   fuse l3 l27 -> l33
//   split l33 factors=[null,32] -> l34 l35
//   bind l35 thread="threadIdx.y"
//   bind l29 thread="threadIdx.z"
//   bind l31 thread="threadIdx.x"
//   vectorize l32
//   compute_at s3 s5 l23
//   split l8 factors=[null,32] -> l36 l37
//   split l37 factors=[null,16] -> l38 l39
//   split l39 factors=[null,8] -> l40 l41
//   fuse l7 l36 -> l42
//   split l42 factors=[null,32] -> l43 l44
//   bind l44 thread="threadIdx.y"
//   bind l38 thread="threadIdx.z"
//   bind l40 thread="threadIdx.x"
//   vectorize l41
//   compute_at s2 s5 l25
//   compute_at s4 s5 l25
//   pragma l23 key="tensor_core" value=1
static __device__ __forceinline__ void tile_wmma_mma_col_col_m16n16k16_f16_init(float *c) {
  asm volatile(
    "mov.f32 %0, 0f00000000;\n\t"
    "mov.f32 %1, 0f00000000;\n\t"
    "mov.f32 %2, 0f00000000;\n\t"
    "mov.f32 %3, 0f00000000;\n\t"
    "mov.f32 %4, 0f00000000;\n\t"
    "mov.f32 %5, 0f00000000;\n\t"
    "mov.f32 %6, 0f00000000;\n\t"
    "mov.f32 %7, 0f00000000;"
    : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3]), "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7])
    : );
}
struct __align__(16) f16x8 { unsigned int word[4]; };
static __device__ __forceinline__ void tile_wmma_load_b_col_m16n16k16_f16_shared264(const void *src, unsigned int *frag) {
  asm volatile(
    "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 264;"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3]), "=r"(frag[4]), "=r"(frag[5]), "=r"(frag[6]), "=r"(frag[7])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_wmma_load_a_col_m16n16k16_f16_shared32(const void *src, unsigned int *frag) {
  asm volatile(
    "wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 32;"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3]), "=r"(frag[4]), "=r"(frag[5]), "=r"(frag[6]), "=r"(frag[7])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_wmma_mma_col_col_m16n16k16_f16_update(const unsigned int *a, const unsigned int *b, float *c) {
  asm volatile(
    "wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}
static __device__ __forceinline__ void tile_wmma_store_col_m16n16k16_f32_global512(const float *frag, void *out) {
  asm volatile(
    "wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 512;"
    :
    : "l"(out), "f"(frag[0]), "f"(frag[1]), "f"(frag[2]), "f"(frag[3]), "f"(frag[4]), "f"(frag[5]), "f"(frag[6]), "f"(frag[7]) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) C_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ B, float *__restrict__ C) {
  const int j_outer = blockIdx.x;  // < 16
  const int j_inner_outer = threadIdx.z;  // < 2
  const int i_inner_outer = threadIdx.y;  // < 32
  const int j_inner_inner_outer = threadIdx.x;  // < 2
  float C_local[8];
  __shared__ __align__(128) unsigned short A_shared[8448];
  __shared__ __align__(128) unsigned short B_shared[8192];
  unsigned int A_shared_local[8];
  unsigned int B_shared_local[8];
  // C
  // C.local
  tile_wmma_mma_col_col_m16n16k16_f16_init(C_local);
  for (int k_outer = 0; k_outer < 2; ++k_outer) {
    __syncthreads();
    // A.shared
    for (int ax0_ax1_outer_fused_outer = 0; ax0_ax1_outer_fused_outer < 8; ++ax0_ax1_outer_fused_outer) {
      *(f16x8 *)(A_shared + (j_inner_outer * 16 + i_inner_outer / 8 * 264 + i_inner_outer % 8 * 32 + j_inner_inner_outer * 8 + ax0_ax1_outer_fused_outer * 1056)) = *(const f16x8 *)(A + (j_inner_outer * 16 + i_inner_outer / 8 * 512 + i_inner_outer % 8 * 32 + j_inner_inner_outer * 8 + k_outer * 256 + ax0_ax1_outer_fused_outer * 2048));
    }
    // B.shared
    for (int ax0_ax1_outer_fused_outer = 0; ax0_ax1_outer_fused_outer < 8; ++ax0_ax1_outer_fused_outer) {
      *(f16x8 *)(B_shared + (j_inner_outer * 16 + i_inner_outer * 32 + j_inner_inner_outer * 8 + ax0_ax1_outer_fused_outer * 1024)) = *(const f16x8 *)(B + (j_outer * 32 + j_inner_outer * 16 + i_inner_outer * 512 + j_inner_inner_outer * 8 + k_outer * 131072 + ax0_ax1_outer_fused_outer * 16384));
    }
    __syncthreads();
    for (int k_inner_outer = 0; k_inner_outer < 16; ++k_inner_outer) {
      // A.shared.local
      tile_wmma_load_b_col_m16n16k16_f16_shared264(A_shared + (i_inner_outer / 16 * 4224 + k_inner_outer * 16), A_shared_local);
      // B.shared.local
      tile_wmma_load_a_col_m16n16k16_f16_shared32(B_shared + (j_inner_outer * 16 + k_inner_outer * 512), B_shared_local);
      tile_wmma_mma_col_col_m16n16k16_f16_update(B_shared_local, A_shared_local, C_local);
    }
  }
  tile_wmma_store_col_m16n16k16_f32_global512(C_local, C + (j_outer * 32 + j_inner_outer * 16 + i_inner_outer / 16 * 8192));
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 32768,
   "dtype": "float16",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    32,
    512
   ]
  },
  {
   "align": 64,
   "bytes": 524288,
   "dtype": "float16",
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
   "bytes": 65536,
   "dtype": "float32",
   "name": "C",
   "reduction": 512,
   "role": "out",
   "shape": [
    32,
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
    2,
    32,
    2
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    16,
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
