// matmul_mma published cuda/sm_90
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
//   split l4 factors=[null,2,4,2,4,2] -> l30 l31 l32 l33 l34 l35
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
//   pipeline s2 stages=3
//   fuse l5 l6 -> l43
//   split l43 factors=[null,2,2,32,8] -> l44 l45 l46 l47 l48
//   unroll l44
//   bind l45 thread="threadIdx.y"
//   bind l46 thread="threadIdx.z"
//   bind l47 thread="threadIdx.x"
//   vectorize l48
//   compute_at s3 s0 l40
//   swizzle s3
//   pipeline s3 stages=3
//   fuse l7 l8 -> l49
//   split l49 factors=[null,2,2,32,8] -> l50 l51 l52 l53 l54
//   unroll l50
//   bind l51 thread="threadIdx.y"
//   bind l52 thread="threadIdx.z"
//   bind l53 thread="threadIdx.x"
//   vectorize l54
//   tensorize l15 intrinsic="ldmatrix_a_row_f16"
//   tensorize l19 intrinsic="ldmatrix_b_row_f16"
//   tensorize l23 intrinsic="mma_sync_m16n16k16_f16"
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
static __device__ __forceinline__ int swizzle_8_64_8(int i) { return i ^ ((i >> 6 & 7) << 3); }
static __device__ __forceinline__ void cp_async_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ int swizzle_8_128_8(int i) { return i ^ ((i >> 7 & 7) << 3); }
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_1() { asm volatile("cp.async.wait_group 1;" : : : "memory"); }
static __device__ __forceinline__ void tile_ldmatrix_a_row_f16_shared64(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_ldmatrix_b_row_f16_shared128(const void *src, unsigned int *frag) {
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
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
static __device__ __forceinline__ unsigned int f32_to_f16x2(float low, float high) { return (unsigned int)f32_to_f16(low) | (unsigned int)f32_to_f16(high) << 16; }

extern "C" __global__ void __launch_bounds__(128) C_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ B, unsigned short *__restrict__ C) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int i_0_outer_j_0_i_0_inner_fused = blockIdx.x;  // < 1024
  const int j_1 = threadIdx.z;  // < 2
  const int i_1 = threadIdx.y;  // < 2
  const int ax0_ax1_fused_3 = threadIdx.x;  // < 32
  float sums[128];
  unsigned short *const A_shared = (unsigned short *)(shared_memory + 0);
  unsigned short *const B_shared = (unsigned short *)(shared_memory + 49152);
  unsigned int A_shared_wmma_matrix_a[32];
  unsigned int B_shared_wmma_matrix_b[32];
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
  // A.shared
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + i_1 * 512)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 1024))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 65536)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 2048))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 131072)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 3072))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 196608)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 4096))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 262144)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 5120))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 327680)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 6144))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 393216)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 7168))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 458752)));
  // B.shared
  cp_async_16((B_shared + swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 1024)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 32768)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 2048)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 65536)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 3072)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 98304)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 4096)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 131072)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 5120)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 163840)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 6144)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 196608)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 7168)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 229376)));
  cp_async_commit();
  // A.shared
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 8192))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 64)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 9216))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 65600)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 10240))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 131136)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 11264))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 196672)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 12288))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 262208)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 13312))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 327744)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 14336))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 393280)));
  cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + 15360))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + 458816)));
  // B.shared
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 8192)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 262144)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 9216)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 294912)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 10240)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 327680)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 11264)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 360448)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 12288)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 393216)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 13312)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 425984)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 14336)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 458752)));
  cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + 15360)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + 491520)));
  cp_async_commit();
  cp_async_wait_1();
  __syncthreads();
  // A.shared.wmma.matrix_a
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + i_1 * 4096), A_shared_wmma_matrix_a);
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + 1024)), A_shared_wmma_matrix_a + 4);
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + 2048)), A_shared_wmma_matrix_a + 8);
  tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + 3072)), A_shared_wmma_matrix_a + 12);
  // B.shared.wmma.matrix_b
  tile_ldmatrix_b_row_f16_shared128(B_shared + swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128), B_shared_wmma_matrix_b);
  tile_ldmatrix_b_row_f16_shared128(B_shared + swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 16), B_shared_wmma_matrix_b + 4);
  tile_ldmatrix_b_row_f16_shared128(B_shared + swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 32), B_shared_wmma_matrix_b + 8);
  tile_ldmatrix_b_row_f16_shared128(B_shared + swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 48), B_shared_wmma_matrix_b + 12);
  int k_0_mod_3 = 2;
  int k_0_mod_3_1 = 0;
  int k_0_mod_3_2 = 1;
  for (int k_0 = 0; k_0 < 64; ++k_0) {
    // A.shared
    if (k_0 < 62) {
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 128)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 1024))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 65664)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 2048))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 131200)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 3072))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 196736)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 4096))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 262272)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 5120))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 327808)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 6144))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 393344)));
      cp_async_16((A_shared + (swizzle_8_64_8(j_1 * 256 + ax0_ax1_fused_3 * 8) + (i_1 * 512 + k_0_mod_3 * 8192 + 7168))), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 16384 + i_1 * 32768 + ax0_ax1_fused_3 / 8 * 4096 + ax0_ax1_fused_3 % 8 * 8 + k_0 * 64 + 458880)));
    }
    // B.shared
    if (k_0 < 62) {
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + k_0_mod_3 * 8192)), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 524288)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 1024))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 557056)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 2048))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 589824)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 3072))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 622592)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 4096))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 655360)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 5120))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 688128)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 6144))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 720896)));
      cp_async_16((B_shared + (swizzle_8_128_8(j_1 * 256 + i_1 * 512 + ax0_ax1_fused_3 * 8) + (k_0_mod_3 * 8192 + 7168))), (B + (i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + j_1 * 8192 + i_1 * 16384 + ax0_ax1_fused_3 / 16 * 4096 + ax0_ax1_fused_3 % 16 * 8 + k_0 * 262144 + 753664)));
    }
    cp_async_commit();
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 16) + (i_1 * 4096 + k_0_mod_3_1 * 8192)), A_shared_wmma_matrix_a + 16);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 16) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 1024)), A_shared_wmma_matrix_a + 20);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 16) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 2048)), A_shared_wmma_matrix_a + 24);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 16) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 3072)), A_shared_wmma_matrix_a + 28);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128) + (k_0_mod_3_1 * 8192 + 2048)), B_shared_wmma_matrix_b + 16);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 16) + (k_0_mod_3_1 * 8192 + 2048)), B_shared_wmma_matrix_b + 20);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 32) + (k_0_mod_3_1 * 8192 + 2048)), B_shared_wmma_matrix_b + 24);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 48) + (k_0_mod_3_1 * 8192 + 2048)), B_shared_wmma_matrix_b + 28);
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
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 32) + (i_1 * 4096 + k_0_mod_3_1 * 8192)), A_shared_wmma_matrix_a);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 32) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 1024)), A_shared_wmma_matrix_a + 4);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 32) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 2048)), A_shared_wmma_matrix_a + 8);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 32) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 3072)), A_shared_wmma_matrix_a + 12);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128) + (k_0_mod_3_1 * 8192 + 4096)), B_shared_wmma_matrix_b);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 16) + (k_0_mod_3_1 * 8192 + 4096)), B_shared_wmma_matrix_b + 4);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 32) + (k_0_mod_3_1 * 8192 + 4096)), B_shared_wmma_matrix_b + 8);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 48) + (k_0_mod_3_1 * 8192 + 4096)), B_shared_wmma_matrix_b + 12);
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
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 48) + (i_1 * 4096 + k_0_mod_3_1 * 8192)), A_shared_wmma_matrix_a + 16);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 48) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 1024)), A_shared_wmma_matrix_a + 20);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 48) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 2048)), A_shared_wmma_matrix_a + 24);
    tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64 + 48) + (i_1 * 4096 + k_0_mod_3_1 * 8192 + 3072)), A_shared_wmma_matrix_a + 28);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128) + (k_0_mod_3_1 * 8192 + 6144)), B_shared_wmma_matrix_b + 16);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 16) + (k_0_mod_3_1 * 8192 + 6144)), B_shared_wmma_matrix_b + 20);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 32) + (k_0_mod_3_1 * 8192 + 6144)), B_shared_wmma_matrix_b + 24);
    tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 48) + (k_0_mod_3_1 * 8192 + 6144)), B_shared_wmma_matrix_b + 28);
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
    cp_async_wait_1();
    __syncthreads();
    if (k_0 < 63) {
      // A.shared.wmma.matrix_a
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + k_0_mod_3_2 * 8192)), A_shared_wmma_matrix_a);
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + k_0_mod_3_2 * 8192 + 1024)), A_shared_wmma_matrix_a + 4);
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + k_0_mod_3_2 * 8192 + 2048)), A_shared_wmma_matrix_a + 8);
      tile_ldmatrix_a_row_f16_shared64(A_shared + (swizzle_8_64_8(ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 64) + (i_1 * 4096 + k_0_mod_3_2 * 8192 + 3072)), A_shared_wmma_matrix_a + 12);
      // B.shared.wmma.matrix_b
      tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128) + k_0_mod_3_2 * 8192), B_shared_wmma_matrix_b);
      tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 16) + k_0_mod_3_2 * 8192), B_shared_wmma_matrix_b + 4);
      tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 32) + k_0_mod_3_2 * 8192), B_shared_wmma_matrix_b + 8);
      tile_ldmatrix_b_row_f16_shared128(B_shared + (swizzle_8_128_8(j_1 * 64 + ax0_ax1_fused_3 / 16 * 8 + ax0_ax1_fused_3 % 16 * 128 + 48) + k_0_mod_3_2 * 8192), B_shared_wmma_matrix_b + 12);
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
    k_0_mod_3 = k_0_mod_3 == 2 ? 0 : k_0_mod_3 + 1;
    k_0_mod_3_1 = k_0_mod_3_1 == 2 ? 0 : k_0_mod_3_1 + 1;
    k_0_mod_3_2 = k_0_mod_3_2 == 2 ? 0 : k_0_mod_3_2 + 1;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[0], sums[1]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[4], sums[5]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 8)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[8], sums[9]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 16)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[12], sums[13]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 24)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[16], sums[17]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[20], sums[21]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 40)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[24], sums[25]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 48)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[28], sums[29]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 56)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[2], sums[3]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32768)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[6], sums[7]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32776)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[10], sums[11]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32784)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[14], sums[15]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32792)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[18], sums[19]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32800)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[22], sums[23]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32808)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[26], sums[27]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32816)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[30], sums[31]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 32824)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[32], sums[33]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65536)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[36], sums[37]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65544)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[40], sums[41]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65552)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[44], sums[45]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65560)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[48], sums[49]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65568)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[52], sums[53]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65576)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[56], sums[57]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65584)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[60], sums[61]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 65592)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[34], sums[35]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98304)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[38], sums[39]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98312)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[42], sums[43]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98320)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[46], sums[47]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98328)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[50], sums[51]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98336)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[54], sums[55]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98344)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[58], sums[59]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98352)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[62], sums[63]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 98360)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[64], sums[65]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131072)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[68], sums[69]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131080)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[72], sums[73]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131088)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[76], sums[77]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131096)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[80], sums[81]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131104)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[84], sums[85]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131112)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[88], sums[89]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131120)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[92], sums[93]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 131128)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[66], sums[67]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163840)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[70], sums[71]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163848)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[74], sums[75]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163856)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[78], sums[79]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163864)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[82], sums[83]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163872)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[86], sums[87]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163880)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[90], sums[91]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163888)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[94], sums[95]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 163896)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[96], sums[97]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196608)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[100], sums[101]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196616)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[104], sums[105]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196624)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[108], sums[109]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196632)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[112], sums[113]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196640)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[116], sums[117]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196648)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[120], sums[121]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196656)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[124], sums[125]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 196664)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[98], sums[99]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229376)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[102], sums[103]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229384)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[106], sums[107]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229392)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[110], sums[111]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229400)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[114], sums[115]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229408)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[118], sums[119]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229416)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[122], sums[123]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229424)) = r;
  }
  {
    f16x2 r;
    r.word[0] = f32_to_f16x2(sums[126], sums[127]);
    *(f16x2 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 8 % 32 * 128 + i_0_outer_j_0_i_0_inner_fused % 8 * 524288 + j_1 * 64 + i_1 * 262144 + ax0_ax1_fused_3 / 4 * 4096 + ax0_ax1_fused_3 % 4 * 2 + 229432)) = r;
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
   "dynamic_shared_bytes": 98304,
   "grid": [
    1024,
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
