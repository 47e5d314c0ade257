// matmul_mma_odd 3460 cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   compute_inline s1
//   cache_read s0 s2 scope="shared" -> s4 l9 l10
//   cache_read s1 s2 scope="shared" -> s5 l11 l12
//   cache_read s4 s2 scope="wmma.matrix_a" -> s6 l13 l14
//   cache_read s5 s2 scope="wmma.matrix_b" -> s7 l15 l16
//   set_scope s2 scope="wmma.accumulator"
//   transform_layout s6 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l17 l18 l19 l20
//   transform_layout s7 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l21 l22 l23 l24
//   transform_layout s2 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l25 l26 l27 l28
//   split l7 factors=[null,2,1,2,8] -> l29 l30 l31 l32 l33
//   split l8 factors=[null,2,1,2,4,2] -> l34 l35 l36 l37 l38 l39
//   split l29 factors=[null,2] -> l40 l41
//   reorder l40 l34 l41 l30 l35 l33 l38 l31 l32 l36 l37 l39
//   fuse l40 l34 l41 -> l42
//   bind l42 thread="blockIdx.x"
//   bind l30 thread="threadIdx.y"
//   bind l35 thread="threadIdx.z"
//   fuse l33 l38 -> l43
//   bind l43 thread="threadIdx.x"
//   vectorize l39
//   compute_at s2 s3 l35
//   split l6 factors=[null,4,16] -> l44 l45 l46
//   reorder l44 l45 l25 l26 l27 l28 l46
//   unroll l45
//   compute_at s6 s2 l45
//   double_buffer s6
//   compute_at s7 s2 l45
//   double_buffer s7
//   compute_at s4 s2 l44
//   fuse l9 l10 -> l47
//   split l47 factors=[null,2,2,32,8] -> l48 l49 l50 l51 l52
//   unroll l48
//   bind l49 thread="threadIdx.y"
//   bind l50 thread="threadIdx.z"
//   bind l51 thread="threadIdx.x"
//   vectorize l52
//   compute_at s5 s2 l44
//   fuse l11 l12 -> l53
//   split l53 factors=[null,2,2,32,8] -> l54 l55 l56 l57 l58
//   unroll l54
//   bind l55 thread="threadIdx.y"
//   bind l56 thread="threadIdx.z"
//   bind l57 thread="threadIdx.x"
//   vectorize l58
//   tensorize l19 intrinsic="ldmatrix_a_row_f16"
//   tensorize l23 intrinsic="ldmatrix_b_row_f16"
//   tensorize l27 intrinsic="mma_sync_m16n16k16_f16"
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
static __device__ __forceinline__ f16x8 splat_f16x8(int x) { const unsigned int w = ((unsigned int)x & 65535) * 0x10001u; const f16x8 v = {{(unsigned int)w, (unsigned int)w, (unsigned int)w, (unsigned int)w}}; return v; }
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
static __device__ __forceinline__ void tile_ldmatrix_a_row_f16_shared64(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_ldmatrix_b_row_f16_shared32(const void *src, unsigned int *frag) {
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
struct __align__(4) f16x2 { unsigned int word[1]; };
static __device__ __forceinline__ unsigned int f32_to_f16x2(float low, float high) { return (unsigned int)f32_to_f16(low) | (unsigned int)f32_to_f16(high) << 16; }

extern "C" __global__ void __launch_bounds__(128) C_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ B, unsigned short *__restrict__ C) {
  const int i_0_outer_j_0_i_0_inner_fused = blockIdx.x;  // < 12264
  const int j_1 = threadIdx.z;  // < 2
  const int i_1 = threadIdx.y;  // < 2
  const int ax0_ax1_fused_3 = threadIdx.x;  // < 32
  float sums[8];
  __shared__ __align__(128) unsigned short A_padded_shared[2048];
  __shared__ __align__(128) unsigned short B_padded_shared[2048];
  unsigned int A_padded_shared_wmma_matrix_a[8];
  unsigned int B_padded_shared_wmma_matrix_b[8];
  // C
  // sums
  tile_mma_sync_m16n16k16_f16_init(sums);
  for (int k_0 = 0; k_0 < 28; ++k_0) {
    __syncthreads();
    // A_padded.shared
    *(f16x8 *)(A_padded_shared + (j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8)) = i_0_outer_j_0_i_0_inner_fused / 438 * 2 + i_0_outer_j_0_i_0_inner_fused % 2 < 55 && ax0_ax1_fused_3 % 8 + k_0 * 8 < 221 ? *(const f16x8 *)(A + (i_0_outer_j_0_i_0_inner_fused / 438 * 113152 + i_0_outer_j_0_i_0_inner_fused % 2 * 56576 + j_1 * 7072 + i_1 * 14144 + ax0_ax1_fused_3 / 8 * 1768 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64)) : splat_f16x8(f32_to_f16(0.0f));
    *(f16x8 *)(A_padded_shared + (j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8 + 1024)) = i_0_outer_j_0_i_0_inner_fused / 438 * 2 + i_0_outer_j_0_i_0_inner_fused % 2 < 55 && ax0_ax1_fused_3 % 8 + k_0 * 8 < 221 ? *(const f16x8 *)(A + (i_0_outer_j_0_i_0_inner_fused / 438 * 113152 + i_0_outer_j_0_i_0_inner_fused % 2 * 56576 + j_1 * 7072 + i_1 * 14144 + ax0_ax1_fused_3 / 8 * 1768 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 28288)) : splat_f16x8(f32_to_f16(0.0f));
    // B_padded.shared
    *(f16x8 *)(B_padded_shared + (j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8)) = i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 4 + ax0_ax1_fused_3 % 4 < 875 ? *(const f16x8 *)(B + (i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 32 + j_1 * 56000 + i_1 * 112000 + ax0_ax1_fused_3 / 4 * 7000 + ax0_ax1_fused_3 % 4 * 8 + k_0 * 448000)) : splat_f16x8(f32_to_f16(0.0f));
    *(f16x8 *)(B_padded_shared + (j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8 + 1024)) = j_1 + i_1 * 2 + k_0 * 8 < 217 && i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 4 + ax0_ax1_fused_3 % 4 < 875 ? *(const f16x8 *)(B + (i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 32 + j_1 * 56000 + i_1 * 112000 + ax0_ax1_fused_3 / 4 * 7000 + ax0_ax1_fused_3 % 4 * 8 + k_0 * 448000 + 224000)) : splat_f16x8(f32_to_f16(0.0f));
    __syncthreads();
    // A_padded.shared.wmma.matrix_a
    tile_ldmatrix_a_row_f16_shared64(A_padded_shared + (i_1 * 1024 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64), A_padded_shared_wmma_matrix_a);
    // B_padded.shared.wmma.matrix_b
    tile_ldmatrix_b_row_f16_shared32(B_padded_shared + (j_1 * 16 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 32), B_padded_shared_wmma_matrix_b);
    tile_ldmatrix_a_row_f16_shared64(A_padded_shared + (i_1 * 1024 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 16), A_padded_shared_wmma_matrix_a + 4);
    tile_ldmatrix_b_row_f16_shared32(B_padded_shared + (j_1 * 16 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 32 + 512), B_padded_shared_wmma_matrix_b + 4);
    tile_mma_sync_m16n16k16_f16_update(A_padded_shared_wmma_matrix_a, B_padded_shared_wmma_matrix_b, sums);
    tile_ldmatrix_a_row_f16_shared64(A_padded_shared + (i_1 * 1024 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 32), A_padded_shared_wmma_matrix_a);
    tile_ldmatrix_b_row_f16_shared32(B_padded_shared + (j_1 * 16 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 32 + 1024), B_padded_shared_wmma_matrix_b);
    tile_mma_sync_m16n16k16_f16_update(A_padded_shared_wmma_matrix_a + 4, B_padded_shared_wmma_matrix_b + 4, sums);
    tile_ldmatrix_a_row_f16_shared64(A_padded_shared + (i_1 * 1024 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 48), A_padded_shared_wmma_matrix_a + 4);
    tile_ldmatrix_b_row_f16_shared32(B_padded_shared + (j_1 * 16 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 32 + 1536), B_padded_shared_wmma_matrix_b + 4);
    tile_mma_sync_m16n16k16_f16_update(A_padded_shared_wmma_matrix_a, B_padded_shared_wmma_matrix_b, sums);
    tile_mma_sync_m16n16k16_f16_update(A_padded_shared_wmma_matrix_a + 4, B_padded_shared_wmma_matrix_b + 4, sums);
  }
  if (i_0_outer_j_0_i_0_inner_fused / 438 * 2 + i_0_outer_j_0_i_0_inner_fused % 2 < 55) {
    {
      f16x2 r;
      r.word[0] = f32_to_f16x2(sums[0], sums[1]);
      *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 438 * 448000 + i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 32 + i_0_outer_j_0_i_0_inner_fused % 2 * 224000 + j_1 * 16 + i_1 * 112000 + ax0_ax1_fused_3 / 4 * 7000 + ax0_ax1_fused_3 % 4 * 2)) = r;
    }
    if (i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 2 + j_1 < 437) {
      {
        f16x2 r;
        r.word[0] = f32_to_f16x2(sums[4], sums[5]);
        *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 438 * 448000 + i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 32 + i_0_outer_j_0_i_0_inner_fused % 2 * 224000 + j_1 * 16 + i_1 * 112000 + ax0_ax1_fused_3 / 4 * 7000 + ax0_ax1_fused_3 % 4 * 2 + 8)) = r;
      }
    }
    {
      f16x2 r;
      r.word[0] = f32_to_f16x2(sums[2], sums[3]);
      *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 438 * 448000 + i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 32 + i_0_outer_j_0_i_0_inner_fused % 2 * 224000 + j_1 * 16 + i_1 * 112000 + ax0_ax1_fused_3 / 4 * 7000 + ax0_ax1_fused_3 % 4 * 2 + 56000)) = r;
    }
    if (i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 2 + j_1 < 437) {
      {
        f16x2 r;
        r.word[0] = f32_to_f16x2(sums[6], sums[7]);
        *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 438 * 448000 + i_0_outer_j_0_i_0_inner_fused / 2 % 219 * 32 + i_0_outer_j_0_i_0_inner_fused % 2 * 224000 + j_1 * 16 + i_1 * 112000 + ax0_ax1_fused_3 / 4 * 7000 + ax0_ax1_fused_3 % 4 * 2 + 56008)) = r;
      }
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 6223360,
   "dtype": "float16",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    1760,
    1768
   ]
  },
  {
   "align": 64,
   "bytes": 24752000,
   "dtype": "float16",
   "name": "B",
   "reduction": 1,
   "role": "in",
   "shape": [
    1768,
    7000
   ]
  },
  {
   "align": 64,
   "bytes": 24640000,
   "dtype": "float16",
   "name": "C",
   "reduction": 1,
   "role": "out",
   "shape": [
    1760,
    7000
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
    2,
    2
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    12264,
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
