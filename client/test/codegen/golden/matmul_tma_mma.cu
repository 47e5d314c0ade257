// matmul_tma_mma published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   cache_read i0 s0 scope="shared" -> s2 l5 l6
//   cache_read i1 s0 scope="shared" -> s3 l7 l8
//   cache_read s2 s0 scope="wmma.matrix_a" -> s4 l9 l10
//   cache_read s3 s0 scope="wmma.matrix_b" -> s5 l11 l12
//   set_scope s0 scope="wmma.accumulator"
//   transform_layout s4 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l13 l14 l15 l16
//   transform_layout s5 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l17 l18 l19 l20
//   transform_layout s0 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_div","j",16],["floor_mod","i",16],["floor_mod","j",16]]} -> l21 l22 l23 l24
//   split l3 factors=[null,2,4,2,8] -> l25 l26 l27 l28 l29
//   split l4 factors=[null,4,4,2,4,2] -> l30 l31 l32 l33 l34 l35
//   split l25 factors=[null,8] -> l36 l37
//   reorder l36 l30 l37 l26 l31 l29 l34 l27 l28 l32 l33 l35
//   fuse l36 l30 l37 -> l38
//   bind l38 thread="blockIdx.x"
//   bind l26 thread="threadIdx.y"
//   bind l31 thread="threadIdx.z"
//   fuse l29 l34 -> l39
//   bind l39 thread="threadIdx.x"
//   vectorize l35
//   compute_at s0 s1 l31
//   split l2 factors=[null,4,16] -> l40 l41 l42
//   reorder l40 l41 l21 l22 l23 l24 l42
//   unroll l41
//   compute_at s4 s0 l41
//   double_buffer s4
//   compute_at s5 s0 l41
//   double_buffer s5
//   compute_at s2 s0 l40
//   swizzle s2
//   pipeline s2 stages=4
//   copy_by s2 engine="tma"
//   transform_layout s3 map={"from":["i","j"],"to":[["floor_div","j",64],"i",["floor_mod","j",64]]} -> l43 l44 l45
//   compute_at s3 s0 l40
//   swizzle s3
//   pipeline s3 stages=4
//   copy_by s3 engine="tma"
//   tensorize l15 intrinsic="ldmatrix_a_row_f16"
//   tensorize l19 intrinsic="ldmatrix_b_row_f16"
//   tensorize l23 intrinsic="mma_sync_m16n16k16_f16"
// Map 0: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of A:
//   cuuint64_t dims[] = {4096, 4096}, strides[] = {8192};
//   cuuint32_t box[] = {64, 128}, steps[] = {1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, A, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
// Map 1: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of B:
//   cuuint64_t dims[] = {4096, 4096}, strides[] = {8192};
//   cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, B, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
struct __align__(64) tensor_map { unsigned char bytes[128]; };
static __device__ __forceinline__ void mbarrier_init(unsigned long long *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(arrivals) : "memory");
}
static __device__ __forceinline__ void mbarrier_init_done() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
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
static __device__ __forceinline__ void mbarrier_expect(unsigned long long *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void tma_load_2d(void *to, const tensor_map *map, int x0, int x1, unsigned long long *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
    : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(map), "r"(x0), "r"(x1), "r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ __forceinline__ void mbarrier_wait(unsigned long long *barrier, int parity) {
  asm volatile(
    "{\n\t"
    ".reg .pred done;\n\t"
    "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
    "@!done bra AGAIN;\n\t"
    "}" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ __forceinline__ void tile_ldmatrix_a_row_f16_shared64(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ int swizzle_8_64_8(int i) { return i ^ ((i >> 6 & 7) << 3); }
static __device__ __forceinline__ void tile_ldmatrix_b_row_f16_shared64(const void *src, unsigned int *frag) {
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
static __device__ __forceinline__ void mbarrier_arrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}
struct __align__(4) f16x2 { unsigned short lane[2]; };
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }

extern "C" __global__ void __launch_bounds__(256) C_kernel(unsigned short *__restrict__ C, const __grid_constant__ tensor_map A_map, const __grid_constant__ tensor_map B_map) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const int i_0_outer_j_0_i_0_inner_fused = blockIdx.x;  // < 512
  const int j_1 = threadIdx.z;  // < 4
  const int i_1 = threadIdx.y;  // < 2
  const int i_4_j_4_fused = threadIdx.x;  // < 32
  float sums[128];
  unsigned short *const A_shared = (unsigned short *)(shared_memory + 0);
  unsigned short *const B_shared = (unsigned short *)(shared_memory + 65536);
  unsigned int A_shared_wmma_matrix_a[32];
  unsigned int B_shared_wmma_matrix_b[32];
  unsigned long long *const A_shared_ring = (unsigned long long *)(shared_memory + 196608);
  if (j_1 == 0 && i_1 == 0 && i_4_j_4_fused == 0) {
    for (int i = 0; i < 4; ++i) mbarrier_init(A_shared_ring + i, 1);
    for (int i = 0; i < 4; ++i) mbarrier_init(A_shared_ring + 4 + i, 8);
    mbarrier_init_done();
  }
  __syncwarp();
  __syncthreads();
  // C
  // sums
  tile_mma_sync_m16n16k16_f16_init(sums);
  tile_mma_sync_m16n16k16_f16_init(sums + 8);
  tile_mma_sync_m16n16k16_f16_init(sums + 16);
  tile_mma_sync_m16n16k16_f16_init(sums + 24);
  tile_mma_sync_m16n16k16_f16_init(sums + 32);
  tile_mma_sync_m16n16k16_f16_init(sums + 40);
  tile_mma_sync_m16n16k16_f16_init(sums + 48);
  tile_mma_sync_m16n16k16_f16_init(sums + 56);
  tile_mma_sync_m16n16k16_f16_init(sums + 64);
  tile_mma_sync_m16n16k16_f16_init(sums + 72);
  tile_mma_sync_m16n16k16_f16_init(sums + 80);
  tile_mma_sync_m16n16k16_f16_init(sums + 88);
  tile_mma_sync_m16n16k16_f16_init(sums + 96);
  tile_mma_sync_m16n16k16_f16_init(sums + 104);
  tile_mma_sync_m16n16k16_f16_init(sums + 112);
  tile_mma_sync_m16n16k16_f16_init(sums + 120);
  if (j_1 == 0 && i_1 == 0 && i_4_j_4_fused == 0) {
    mbarrier_expect(A_shared_ring, 49152);
    // A.shared
    tma_load_2d(A_shared, &A_map, 0, i_0_outer_j_0_i_0_inner_fused / 128 * 1024 + i_0_outer_j_0_i_0_inner_fused % 8 * 128, A_shared_ring);
    // B.shared
    for (int j_outer = 0; j_outer < 4; ++j_outer) {
      tma_load_2d(B_shared + j_outer * 4096, &B_map, i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + j_outer * 64, 0, A_shared_ring);
    }
  }
  __syncwarp();
  if (j_1 == 0 && i_1 == 0 && i_4_j_4_fused == 0) {
    mbarrier_expect(A_shared_ring + 1, 49152);
    // A.shared
    tma_load_2d(A_shared + 8192, &A_map, 64, i_0_outer_j_0_i_0_inner_fused / 128 * 1024 + i_0_outer_j_0_i_0_inner_fused % 8 * 128, A_shared_ring + 1);
    // B.shared
    for (int j_outer = 0; j_outer < 4; ++j_outer) {
      tma_load_2d(B_shared + (j_outer * 4096 + 16384), &B_map, i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + j_outer * 64, 64, A_shared_ring + 1);
    }
  }
  __syncwarp();
  if (j_1 == 0 && i_1 == 0 && i_4_j_4_fused == 0) {
    mbarrier_expect(A_shared_ring + 2, 49152);
    // A.shared
    tma_load_2d(A_shared + 16384, &A_map, 128, i_0_outer_j_0_i_0_inner_fused / 128 * 1024 + i_0_outer_j_0_i_0_inner_fused % 8 * 128, A_shared_ring + 2);
    // B.shared
    for (int j_outer = 0; j_outer < 4; ++j_outer) {
      tma_load_2d(B_shared + (j_outer * 4096 + 32768), &B_map, i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + j_outer * 64, 128, A_shared_ring + 2);
    }
  }
  __syncwarp();
  mbarrier_wait(A_shared_ring, 0);
  __syncwarp();
  // A.shared.wmma.matrix_a
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + i_1 * 4096), A_shared_wmma_matrix_a);
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + 1024)), A_shared_wmma_matrix_a + 4);
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + 2048)), A_shared_wmma_matrix_a + 8);
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + 3072)), A_shared_wmma_matrix_a + 12);
  // B.shared.wmma.matrix_b
  tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + j_1 * 4096), B_shared_wmma_matrix_b);
  tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + j_1 * 4096), B_shared_wmma_matrix_b + 4);
  tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + j_1 * 4096), B_shared_wmma_matrix_b + 8);
  tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + j_1 * 4096), B_shared_wmma_matrix_b + 12);
  for (int k_0 = 0; k_0 < 64; ++k_0) {
    if (k_0 < 61) {
      if (j_1 == 0 && i_1 == 0 && i_4_j_4_fused == 0) {
        mbarrier_wait(A_shared_ring + 4 + (k_0 + 3) % 4, 1 - (k_0 + 3) / 4 % 2);
        mbarrier_expect(A_shared_ring + (k_0 + 3) % 4, 49152);
        // A.shared
        tma_load_2d(A_shared + (k_0 + 3) % 4 * 8192, &A_map, k_0 * 64 + 192, i_0_outer_j_0_i_0_inner_fused / 128 * 1024 + i_0_outer_j_0_i_0_inner_fused % 8 * 128, A_shared_ring + (k_0 + 3) % 4);
        // B.shared
        for (int j_outer = 0; j_outer < 4; ++j_outer) {
          tma_load_2d(B_shared + (j_outer * 4096 + (k_0 + 3) % 4 * 16384), &B_map, i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + j_outer * 64, k_0 * 64 + 192, A_shared_ring + (k_0 + 3) % 4);
        }
      }
      __syncwarp();
    }
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (i_1 * 4096 + k_0 % 4 * 8192)), A_shared_wmma_matrix_a + 16);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (i_1 * 4096 + k_0 % 4 * 8192 + 1024)), A_shared_wmma_matrix_a + 20);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (i_1 * 4096 + k_0 % 4 * 8192 + 2048)), A_shared_wmma_matrix_a + 24);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (i_1 * 4096 + k_0 % 4 * 8192 + 3072)), A_shared_wmma_matrix_a + 28);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (j_1 * 4096 + k_0 % 4 * 16384 + 1024)), B_shared_wmma_matrix_b + 16);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (j_1 * 4096 + k_0 % 4 * 16384 + 1024)), B_shared_wmma_matrix_b + 20);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (j_1 * 4096 + k_0 % 4 * 16384 + 1024)), B_shared_wmma_matrix_b + 24);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (j_1 * 4096 + k_0 % 4 * 16384 + 1024)), B_shared_wmma_matrix_b + 28);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b, sums);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b + 4, sums + 8);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b + 8, sums + 16);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b + 12, sums + 24);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b, sums + 32);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 4, sums + 40);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 8, sums + 48);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 12, sums + 56);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b, sums + 64);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b + 4, sums + 72);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b + 8, sums + 80);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b + 12, sums + 88);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b, sums + 96);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b + 4, sums + 104);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b + 8, sums + 112);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b + 12, sums + 120);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (i_1 * 4096 + k_0 % 4 * 8192)), A_shared_wmma_matrix_a);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (i_1 * 4096 + k_0 % 4 * 8192 + 1024)), A_shared_wmma_matrix_a + 4);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (i_1 * 4096 + k_0 % 4 * 8192 + 2048)), A_shared_wmma_matrix_a + 8);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (i_1 * 4096 + k_0 % 4 * 8192 + 3072)), A_shared_wmma_matrix_a + 12);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (j_1 * 4096 + k_0 % 4 * 16384 + 2048)), B_shared_wmma_matrix_b);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (j_1 * 4096 + k_0 % 4 * 16384 + 2048)), B_shared_wmma_matrix_b + 4);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (j_1 * 4096 + k_0 % 4 * 16384 + 2048)), B_shared_wmma_matrix_b + 8);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (j_1 * 4096 + k_0 % 4 * 16384 + 2048)), B_shared_wmma_matrix_b + 12);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 16, sums);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 20, sums + 8);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 24, sums + 16);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 28, sums + 24);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 16, sums + 32);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 20, sums + 40);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 24, sums + 48);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 28, sums + 56);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 16, sums + 64);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 20, sums + 72);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 24, sums + 80);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 28, sums + 88);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 16, sums + 96);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 20, sums + 104);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 24, sums + 112);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 28, sums + 120);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (i_1 * 4096 + k_0 % 4 * 8192)), A_shared_wmma_matrix_a + 16);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (i_1 * 4096 + k_0 % 4 * 8192 + 1024)), A_shared_wmma_matrix_a + 20);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (i_1 * 4096 + k_0 % 4 * 8192 + 2048)), A_shared_wmma_matrix_a + 24);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (i_1 * 4096 + k_0 % 4 * 8192 + 3072)), A_shared_wmma_matrix_a + 28);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (j_1 * 4096 + k_0 % 4 * 16384 + 3072)), B_shared_wmma_matrix_b + 16);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (j_1 * 4096 + k_0 % 4 * 16384 + 3072)), B_shared_wmma_matrix_b + 20);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (j_1 * 4096 + k_0 % 4 * 16384 + 3072)), B_shared_wmma_matrix_b + 24);
    tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (j_1 * 4096 + k_0 % 4 * 16384 + 3072)), B_shared_wmma_matrix_b + 28);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b, sums);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b + 4, sums + 8);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b + 8, sums + 16);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a, B_shared_wmma_matrix_b + 12, sums + 24);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b, sums + 32);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 4, sums + 40);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 8, sums + 48);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 4, B_shared_wmma_matrix_b + 12, sums + 56);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b, sums + 64);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b + 4, sums + 72);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b + 8, sums + 80);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 8, B_shared_wmma_matrix_b + 12, sums + 88);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b, sums + 96);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b + 4, sums + 104);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b + 8, sums + 112);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 12, B_shared_wmma_matrix_b + 12, sums + 120);
    __syncwarp();
    if (i_4_j_4_fused == 0) mbarrier_arrive(A_shared_ring + 4 + k_0 % 4);
    if (k_0 < 63) {
      mbarrier_wait(A_shared_ring + (k_0 + 1) % 4, (k_0 + 1) / 4 % 2);
      __syncwarp();
      // A.shared.wmma.matrix_a
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + (k_0 + 1) % 4 * 8192)), A_shared_wmma_matrix_a);
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + (k_0 + 1) % 4 * 8192 + 1024)), A_shared_wmma_matrix_a + 4);
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + (k_0 + 1) % 4 * 8192 + 2048)), A_shared_wmma_matrix_a + 8);
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (i_1 * 4096 + (k_0 + 1) % 4 * 8192 + 3072)), A_shared_wmma_matrix_a + 12);
      // B.shared.wmma.matrix_b
      tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64) + (j_1 * 4096 + (k_0 + 1) % 4 * 16384)), B_shared_wmma_matrix_b);
      tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 16) + (j_1 * 4096 + (k_0 + 1) % 4 * 16384)), B_shared_wmma_matrix_b + 4);
      tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 32) + (j_1 * 4096 + (k_0 + 1) % 4 * 16384)), B_shared_wmma_matrix_b + 8);
      tile_ldmatrix_b_row_f16_shared64(B_shared + (swizzle_8_64_8(i_4_j_4_fused / 16 * 8 + i_4_j_4_fused % 16 * 64 + 48) + (j_1 * 4096 + (k_0 + 1) % 4 * 16384)), B_shared_wmma_matrix_b + 12);
    }
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 16, sums);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 20, sums + 8);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 24, sums + 16);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 16, B_shared_wmma_matrix_b + 28, sums + 24);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 16, sums + 32);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 20, sums + 40);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 24, sums + 48);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 20, B_shared_wmma_matrix_b + 28, sums + 56);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 16, sums + 64);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 20, sums + 72);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 24, sums + 80);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 24, B_shared_wmma_matrix_b + 28, sums + 88);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 16, sums + 96);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 20, sums + 104);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 24, sums + 112);
    tile_mma_sync_m16n16k16_f16_update(A_shared_wmma_matrix_a + 28, B_shared_wmma_matrix_b + 28, sums + 120);
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[0]);
    r.lane[1] = f32_to_f16(sums[1]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[4]);
    r.lane[1] = f32_to_f16(sums[5]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 8)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[8]);
    r.lane[1] = f32_to_f16(sums[9]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 16)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[12]);
    r.lane[1] = f32_to_f16(sums[13]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 24)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[16]);
    r.lane[1] = f32_to_f16(sums[17]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[20]);
    r.lane[1] = f32_to_f16(sums[21]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 40)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[24]);
    r.lane[1] = f32_to_f16(sums[25]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 48)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[28]);
    r.lane[1] = f32_to_f16(sums[29]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 56)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[2]);
    r.lane[1] = f32_to_f16(sums[3]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32768)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[6]);
    r.lane[1] = f32_to_f16(sums[7]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32776)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[10]);
    r.lane[1] = f32_to_f16(sums[11]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32784)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[14]);
    r.lane[1] = f32_to_f16(sums[15]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32792)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[18]);
    r.lane[1] = f32_to_f16(sums[19]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32800)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[22]);
    r.lane[1] = f32_to_f16(sums[23]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32808)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[26]);
    r.lane[1] = f32_to_f16(sums[27]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32816)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[30]);
    r.lane[1] = f32_to_f16(sums[31]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 32824)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[32]);
    r.lane[1] = f32_to_f16(sums[33]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65536)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[36]);
    r.lane[1] = f32_to_f16(sums[37]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65544)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[40]);
    r.lane[1] = f32_to_f16(sums[41]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65552)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[44]);
    r.lane[1] = f32_to_f16(sums[45]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65560)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[48]);
    r.lane[1] = f32_to_f16(sums[49]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65568)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[52]);
    r.lane[1] = f32_to_f16(sums[53]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65576)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[56]);
    r.lane[1] = f32_to_f16(sums[57]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65584)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[60]);
    r.lane[1] = f32_to_f16(sums[61]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 65592)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[34]);
    r.lane[1] = f32_to_f16(sums[35]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98304)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[38]);
    r.lane[1] = f32_to_f16(sums[39]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98312)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[42]);
    r.lane[1] = f32_to_f16(sums[43]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98320)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[46]);
    r.lane[1] = f32_to_f16(sums[47]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98328)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[50]);
    r.lane[1] = f32_to_f16(sums[51]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98336)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[54]);
    r.lane[1] = f32_to_f16(sums[55]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98344)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[58]);
    r.lane[1] = f32_to_f16(sums[59]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98352)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[62]);
    r.lane[1] = f32_to_f16(sums[63]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 98360)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[64]);
    r.lane[1] = f32_to_f16(sums[65]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131072)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[68]);
    r.lane[1] = f32_to_f16(sums[69]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131080)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[72]);
    r.lane[1] = f32_to_f16(sums[73]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131088)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[76]);
    r.lane[1] = f32_to_f16(sums[77]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131096)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[80]);
    r.lane[1] = f32_to_f16(sums[81]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131104)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[84]);
    r.lane[1] = f32_to_f16(sums[85]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131112)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[88]);
    r.lane[1] = f32_to_f16(sums[89]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131120)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[92]);
    r.lane[1] = f32_to_f16(sums[93]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 131128)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[66]);
    r.lane[1] = f32_to_f16(sums[67]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163840)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[70]);
    r.lane[1] = f32_to_f16(sums[71]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163848)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[74]);
    r.lane[1] = f32_to_f16(sums[75]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163856)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[78]);
    r.lane[1] = f32_to_f16(sums[79]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163864)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[82]);
    r.lane[1] = f32_to_f16(sums[83]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163872)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[86]);
    r.lane[1] = f32_to_f16(sums[87]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163880)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[90]);
    r.lane[1] = f32_to_f16(sums[91]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163888)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[94]);
    r.lane[1] = f32_to_f16(sums[95]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 163896)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[96]);
    r.lane[1] = f32_to_f16(sums[97]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196608)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[100]);
    r.lane[1] = f32_to_f16(sums[101]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196616)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[104]);
    r.lane[1] = f32_to_f16(sums[105]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196624)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[108]);
    r.lane[1] = f32_to_f16(sums[109]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196632)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[112]);
    r.lane[1] = f32_to_f16(sums[113]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196640)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[116]);
    r.lane[1] = f32_to_f16(sums[117]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196648)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[120]);
    r.lane[1] = f32_to_f16(sums[121]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196656)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[124]);
    r.lane[1] = f32_to_f16(sums[125]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 196664)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[98]);
    r.lane[1] = f32_to_f16(sums[99]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229376)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[102]);
    r.lane[1] = f32_to_f16(sums[103]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229384)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[106]);
    r.lane[1] = f32_to_f16(sums[107]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229392)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[110]);
    r.lane[1] = f32_to_f16(sums[111]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229400)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[114]);
    r.lane[1] = f32_to_f16(sums[115]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229408)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[118]);
    r.lane[1] = f32_to_f16(sums[119]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229416)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[122]);
    r.lane[1] = f32_to_f16(sums[123]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229424)) = r;
  }
  {
    f16x2 r;
    r.lane[0] = f32_to_f16(sums[126]);
    r.lane[1] = f32_to_f16(sums[127]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 128 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + i_4_j_4_fused / 4 * 4096 + i_4_j_4_fused % 4 * 2 + 229432)) = r;
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 33554432,
   "dtype": "float16",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 33554432,
   "dtype": "float16",
   "name": "B",
   "reduction": 1,
   "role": "in",
   "shape": [
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 33554432,
   "dtype": "float16",
   "name": "C",
   "reduction": 1,
   "role": "out",
   "shape": [
    4096,
    4096
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "C",
    {
     "map": 0
    },
    {
     "map": 1
    }
   ],
   "block": [
    32,
    2,
    4
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 196672,
   "grid": [
    512,
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
