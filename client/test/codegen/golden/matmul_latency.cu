// matmul_latency published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   split l2 factors=[null,8,64] -> l5 l6 l7
//   rfactor l6 axis=0 -> s2 l8 l9 l10 l11
//   set_scope s2 scope="shared"
//   set_scope s0 scope="local"
//   cache_write s2 scope="wmma.accumulator" -> s3 l12 l13 l14
//   cache_read i0 s3 scope="shared" -> s4 l15 l16
//   cache_read i1 s3 scope="shared" -> s5 l17 l18
//   cache_read s4 s3 scope="wmma.matrix_a" -> s6 l19 l20
//   cache_read s5 s3 scope="wmma.matrix_b" -> s7 l21 l22
//   transform_layout s6 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l23 l24 l25 l26
//   transform_layout s7 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l27 l28 l29 l30
//   transform_layout s3 map={"from":["w","i","j"],"to":["w",["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l31 l32 l33 l34 l35
//   split l3 factors=[null,16] -> l36 l37
//   split l4 factors=[null,16] -> l38 l39
//   reorder l36 l38 l37 l39
//   bind l36 thread="blockIdx.y"
//   bind l38 thread="blockIdx.x"
//   fuse l37 l39 -> l40
//   split l40 factors=[null,4,32,2] -> l41 l42 l43 l44
//   unroll l41
//   bind l42 thread="threadIdx.y"
//   bind l43 thread="threadIdx.x"
//   compute_at s0 s1 l43
//   reorder l11 l1
//   unroll l11
//   vectorize l44
//   vectorize l1
//   compute_at s2 s1 l38
//   split l9 factors=[null,2,8] -> l45 l46 l47
//   split l10 factors=[null,2,4,2] -> l48 l49 l50 l51
//   reorder l8 l47 l50 l45 l46 l48 l49 l51
//   bind l8 thread="threadIdx.y"
//   fuse l47 l50 -> l52
//   bind l52 thread="threadIdx.x"
//   vectorize l51
//   storage_align s2 axis=1 factor=32 offset=8
//   compute_at s3 s2 l8
//   split l7 factors=[null,16] -> l53 l54
//   reorder l5 l53 l32 l33 l34 l35 l54
//   unroll l53
//   compute_at s6 s3 l53
//   double_buffer s6
//   compute_at s7 s3 l53
//   double_buffer s7
//   compute_at s4 s3 l5
//   swizzle s4
//   fuse l15 l16 -> l55
//   split l55 factors=[null,8,1,32,8] -> l56 l57 l58 l59 l60
//   unroll l56
//   bind l57 thread="threadIdx.y"
//   bind l58 thread="threadIdx.z"
//   bind l59 thread="threadIdx.x"
//   vectorize l60
//   compute_at s5 s3 l5
//   swizzle s5
//   fuse l17 l18 -> l61
//   split l61 factors=[null,8,1,32,8] -> l62 l63 l64 l65 l66
//   unroll l62
//   bind l63 thread="threadIdx.y"
//   bind l64 thread="threadIdx.z"
//   bind l65 thread="threadIdx.x"
//   vectorize l66
//   tensorize l25 intrinsic="ldmatrix_a_row_f16"
//   tensorize l29 intrinsic="ldmatrix_b_row_f16"
//   tensorize l34 intrinsic="mma_sync_m16n16k16_f16"
static __device__ __forceinline__ void tile_mma_sync_m16n16k16_f16_init(float *c) {
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
static __device__ __forceinline__ int swizzle_8_512_8(int i) { return i ^ ((i >> 9 & 7) << 3); }
static __device__ __forceinline__ int swizzle_8_64_2(int i) { return i ^ ((i >> 6 & 1) << 3); }
static __device__ __forceinline__ void tile_ldmatrix_a_row_f16_shared512(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_ldmatrix_b_row_f16_shared16(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_mma_sync_m16n16k16_f16_update(const unsigned int *a, const unsigned int *b, float *c) {
  asm volatile(
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%8, %9, %10, %11}, {%12, %13}, {%0, %1, %2, %3};\n\t"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%14, %15}, {%4, %5, %6, %7};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}
struct __align__(8) f32x2 { float lane[2]; };
struct __align__(4) f16x2 { unsigned int word[1]; };
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
static __device__ __forceinline__ unsigned int f32_to_f16x2(float low, float high) { return (unsigned int)f32_to_f16(low) | (unsigned int)f32_to_f16(high) << 16; }

extern "C" __global__ void __launch_bounds__(256) C_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ B, unsigned short *__restrict__ C) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int i_outer = blockIdx.y;  // < 32
  const int j_outer = blockIdx.x;  // < 2
  const int k_1 = threadIdx.y;  // < 8
  const int ax0_ax1_fused_3 = threadIdx.x;  // < 32
  float *const sums_rf = (float *)(shared_memory + 0);
  float sums_rf_wmma_accumulator[8];
  unsigned short *const A_shared = (unsigned short *)(shared_memory + 20480);
  unsigned short *const B_shared = (unsigned short *)(shared_memory + 36864);
  unsigned int A_shared_wmma_matrix_a[8];
  unsigned int B_shared_wmma_matrix_b[8];
  float sums[2];
  // C
  // sums.rf
  // sums.rf.wmma.accumulator
  tile_mma_sync_m16n16k16_f16_init(sums_rf_wmma_accumulator);
  // A.shared
  *(f16x8 *)(A_shared + swizzle_8_512_8(k_1 * 256 + ax0_ax1_fused_3 * 8)) = *(const f16x8 *)(A + (i_outer * 8192 + k_1 * 256 + ax0_ax1_fused_3 * 8));
  *(f16x8 *)(A_shared + swizzle_8_512_8(k_1 * 256 + ax0_ax1_fused_3 * 8 + 2048)) = *(const f16x8 *)(A + (i_outer * 8192 + k_1 * 256 + ax0_ax1_fused_3 * 8 + 2048));
  *(f16x8 *)(A_shared + (swizzle_8_512_8(k_1 * 256 + ax0_ax1_fused_3 * 8) + 4096)) = *(const f16x8 *)(A + (i_outer * 8192 + k_1 * 256 + ax0_ax1_fused_3 * 8 + 4096));
  *(f16x8 *)(A_shared + (swizzle_8_512_8(k_1 * 256 + ax0_ax1_fused_3 * 8 + 2048) + 4096)) = *(const f16x8 *)(A + (i_outer * 8192 + k_1 * 256 + ax0_ax1_fused_3 * 8 + 6144));
  // B.shared
  *(f16x8 *)(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 * 8) + k_1 * 256)) = *(const f16x8 *)(B + (j_outer * 16 + k_1 * 512 + ax0_ax1_fused_3 / 2 * 32 + ax0_ax1_fused_3 % 2 * 8));
  *(f16x8 *)(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 * 8) + (k_1 * 256 + 2048))) = *(const f16x8 *)(B + (j_outer * 16 + k_1 * 512 + ax0_ax1_fused_3 / 2 * 32 + ax0_ax1_fused_3 % 2 * 8 + 4096));
  *(f16x8 *)(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 * 8) + (k_1 * 256 + 4096))) = *(const f16x8 *)(B + (j_outer * 16 + k_1 * 512 + ax0_ax1_fused_3 / 2 * 32 + ax0_ax1_fused_3 % 2 * 8 + 8192));
  *(f16x8 *)(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 * 8) + (k_1 * 256 + 6144))) = *(const f16x8 *)(B + (j_outer * 16 + k_1 * 512 + ax0_ax1_fused_3 / 2 * 32 + ax0_ax1_fused_3 % 2 * 8 + 12288));
  __syncthreads();
  // A.shared.wmma.matrix_a
  tile_ldmatrix_a_row_f16_shared512(A_shared + swizzle_8_512_8(k_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 512), A_shared_wmma_matrix_a);
  // B.shared.wmma.matrix_b
  tile_ldmatrix_b_row_f16_shared16(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 16) + k_1 * 1024), B_shared_wmma_matrix_b);
  tile_ldmatrix_a_row_f16_shared512(A_shared + swizzle_8_512_8(k_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 512 + 16), A_shared_wmma_matrix_a + 4);
  tile_ldmatrix_b_row_f16_shared16(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 16) + (k_1 * 1024 + 256)), B_shared_wmma_matrix_b + 4);
  tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b, sums_rf_wmma_accumulator);
  tile_ldmatrix_a_row_f16_shared512(A_shared + swizzle_8_512_8(k_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 512 + 32), A_shared_wmma_matrix_a);
  tile_ldmatrix_b_row_f16_shared16(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 16) + (k_1 * 1024 + 512)), B_shared_wmma_matrix_b);
  tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 4, sums_rf_wmma_accumulator);
  tile_ldmatrix_a_row_f16_shared512(A_shared + swizzle_8_512_8(k_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 512 + 48), A_shared_wmma_matrix_a + 4);
  tile_ldmatrix_b_row_f16_shared16(B_shared + (swizzle_8_64_2(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 16) + (k_1 * 1024 + 768)), B_shared_wmma_matrix_b + 4);
  tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b, sums_rf_wmma_accumulator);
  tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 4, sums_rf_wmma_accumulator);
  {
    f32x2 r;
    r.lane[0] = sums_rf_wmma_accumulator[0];
    r.lane[1] = sums_rf_wmma_accumulator[1];
    *(f32x2 *)(sums_rf + (k_1 * 640 + ax0_ax1_fused_3 / 4 * 40 + ax0_ax1_fused_3 % 4 * 2)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = sums_rf_wmma_accumulator[4];
    r.lane[1] = sums_rf_wmma_accumulator[5];
    *(f32x2 *)(sums_rf + (k_1 * 640 + ax0_ax1_fused_3 / 4 * 40 + ax0_ax1_fused_3 % 4 * 2 + 8)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = sums_rf_wmma_accumulator[2];
    r.lane[1] = sums_rf_wmma_accumulator[3];
    *(f32x2 *)(sums_rf + (k_1 * 640 + ax0_ax1_fused_3 / 4 * 40 + ax0_ax1_fused_3 % 4 * 2 + 320)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = sums_rf_wmma_accumulator[6];
    r.lane[1] = sums_rf_wmma_accumulator[7];
    *(f32x2 *)(sums_rf + (k_1 * 640 + ax0_ax1_fused_3 / 4 * 40 + ax0_ax1_fused_3 % 4 * 2 + 328)) = r;
  }
  __syncthreads();
  // sums
  if (k_1 < 4) {
    {
      sums[0] = 0.0f;
      sums[1] = 0.0f;
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 640));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 1280));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 1920));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 2560));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 3200));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 3840));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
    {
      const f32x2 v0 = *(const f32x2 *)(sums_rf + (k_1 * 160 + ax0_ax1_fused_3 / 8 * 40 + ax0_ax1_fused_3 % 8 * 2 + 4480));
      sums[0] = sums[0] + v0.lane[0];
      sums[1] = sums[1] + v0.lane[1];
    }
  }
  if (k_1 < 4) {
    {
      f16x2 r;
      r.word[0] = f32_to_f16x2(sums[0], sums[1]);
      *(f16x2 *)(C + (i_outer * 512 + j_outer * 16 + k_1 * 128 + ax0_ax1_fused_3 / 8 * 32 + ax0_ax1_fused_3 % 8 * 2)) = r;
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 524288,
   "dtype": "float16",
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
   "bytes": 32768,
   "dtype": "float16",
   "name": "B",
   "reduction": 1,
   "role": "in",
   "shape": [
    512,
    32
   ]
  },
  {
   "align": 64,
   "bytes": 32768,
   "dtype": "float16",
   "name": "C",
   "reduction": 1,
   "role": "out",
   "shape": [
    512,
    32
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
    32,
    8,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 53248,
   "grid": [
    2,
    32,
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
