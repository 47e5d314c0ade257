// matmul_derived 52680 cuda/sm_90
// cuda/sm_90a. Written by Warpfarm.
//   compute_inline s0
//   compute_inline s1
//   reorder l10 l11
//   set_scope s2 scope="local"
//   split l10 factors=[null,1,2,2,2,4] -> l12 l13 l14 l15 l16 l17
//   split l11 factors=[null,2,4,4,2,4] -> l18 l19 l20 l21 l22 l23
//   reorder l12 l18 l13 l19 l14 l20 l15 l21 l16 l22 l17 l23
//   bind l13 thread="vthread"
//   bind l19 thread="vthread"
//   fuse l14 l20 -> l24
//   bind l24 thread="threadIdx.y"
//   fuse l15 l21 l16 l22 -> l25
//   bind l25 thread="threadIdx.x"
//   unroll l17
//   split l12 factors=[null,1] -> l26 l27
//   reorder l26 l18 l27
//   fuse l26 l18 l27 -> l28
//   bind l28 thread="blockIdx.x"
//   vectorize l23
//   min_blocks s3 blocks=2
//   compute_at s2 s3 l25
//   cache_read s0 s2 scope="shared" -> s4 l29 l30 l31
//   cache_read s1 s2 scope="shared" -> s5 l32 l33 l34
//   cache_read s4 s2 scope="local" -> s6 l35 l36 l37
//   cache_read s5 s2 scope="local" -> s7 l38 l39 l40
//   split l9 factors=[null,8] -> l41 l42
//   reorder l41 l42 l6 l7 l8
//   unroll l42
//   compute_at s4 s2 l41
//   pipeline s4 stages=2
//   compute_at s6 s2 l42
//   vectorize l37
//   split l30 factors=[null,8] -> l43 l44
//   split l31 factors=[null,4] -> l45 l46
//   reorder l29 l43 l45 l46 l44
//   fuse l29 l43 l45 l46 l44 -> l47
//   split l47 factors=[null,8,32,1] -> l48 l49 l50 l51
//   unroll l48
//   bind l49 thread="threadIdx.y"
//   bind l50 thread="threadIdx.x"
//   storage_align s4 axis=1 factor=8 offset=4
//   compute_at s5 s2 l41
//   pipeline s5 stages=2
//   compute_at s7 s2 l42
//   vectorize l40
//   fuse l32 l33 l34 -> l52
//   split l52 factors=[null,8,32,4] -> l53 l54 l55 l56
//   unroll l53
//   bind l54 thread="threadIdx.y"
//   bind l55 thread="threadIdx.x"
//   vectorize l56
static __device__ __forceinline__ void cp_async_4(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_0() { asm volatile("cp.async.wait_group 0;" : : : "memory"); }
struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256, 2) C_kernel(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  const int i_0_outer_j_0_i_0_inner_fused = blockIdx.x;  // < 32
  const int i_2_j_2_fused = threadIdx.y;  // < 8
  const int i_3_j_3_i_4_j_4_fused = threadIdx.x;  // < 32
  float C_sums[32];
  __shared__ __align__(16) float C_left_shared[576];
  __shared__ __align__(16) float C_right_shared[4096];
  float C_left_shared_local[4];
  float C_right_shared_local[8];
  // C
  // C_sums
  for (int r_init = 0; r_init < 4; ++r_init) {
    for (int p_init = 0; p_init < 4; ++p_init) {
      C_sums[r_init * 4 + p_init] = 0.0f;
      C_sums[r_init * 4 + p_init + 16] = 0.0f;
    }
  }
  // C_left.shared
  cp_async_4((C_left_shared + (i_2_j_2_fused * 4 + i_3_j_3_i_4_j_4_fused / 8 + i_3_j_3_i_4_j_4_fused % 8 * 36)), (A + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_2_j_2_fused * 2048 + i_3_j_3_i_4_j_4_fused / 8 * 512 + i_3_j_3_i_4_j_4_fused % 8)));
  // C_right.shared
  cp_async_16((C_right_shared + (i_2_j_2_fused * 128 + i_3_j_3_i_4_j_4_fused * 4)), (B + (i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 2 * 512 + i_2_j_2_fused % 2 * 128 + i_3_j_3_i_4_j_4_fused * 4)));
  cp_async_16((C_right_shared + (i_2_j_2_fused * 128 + i_3_j_3_i_4_j_4_fused * 4 + 1024)), (B + (i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 2 * 512 + i_2_j_2_fused % 2 * 128 + i_3_j_3_i_4_j_4_fused * 4 + 2048)));
  cp_async_commit();
  for (int k_outer = 0; k_outer < 64; ++k_outer) {
    cp_async_wait_0();
    __syncthreads();
    // C_left.shared
    if (k_outer < 63) {
      cp_async_4((C_left_shared + (i_2_j_2_fused * 4 + i_3_j_3_i_4_j_4_fused / 8 + i_3_j_3_i_4_j_4_fused % 8 * 36 + (k_outer + 1) % 2 * 288)), (A + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_2_j_2_fused * 2048 + i_3_j_3_i_4_j_4_fused / 8 * 512 + i_3_j_3_i_4_j_4_fused % 8 + k_outer * 8 + 8)));
    }
    // C_right.shared
    if (k_outer < 63) {
      cp_async_16((C_right_shared + (i_2_j_2_fused * 128 + i_3_j_3_i_4_j_4_fused * 4 + (k_outer + 1) % 2 * 2048)), (B + (i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 2 * 512 + i_2_j_2_fused % 2 * 128 + i_3_j_3_i_4_j_4_fused * 4 + k_outer * 4096 + 4096)));
      cp_async_16((C_right_shared + (i_2_j_2_fused * 128 + i_3_j_3_i_4_j_4_fused * 4 + (k_outer + 1) % 2 * 2048 + 1024)), (B + (i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 2 * 512 + i_2_j_2_fused % 2 * 128 + i_3_j_3_i_4_j_4_fused * 4 + k_outer * 4096 + 6144)));
    }
    cp_async_commit();
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 128));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 36));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 256));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 384));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 72));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 512));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 640));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 108));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 768));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 896));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 144));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1024));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1152));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 180));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1280));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1408));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 216));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1536));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1664));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_left_shared + (i_2_j_2_fused / 4 * 16 + i_3_j_3_i_4_j_4_fused / 16 * 8 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 4 + k_outer % 2 * 288 + 252));
      C_left_shared_local[0] = v0.lane[0];
      C_left_shared_local[1] = v0.lane[1];
      C_left_shared_local[2] = v0.lane[2];
      C_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1792));
      C_right_shared_local[0] = v0.lane[0];
      C_right_shared_local[1] = v0.lane[1];
      C_right_shared_local[2] = v0.lane[2];
      C_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(C_right_shared + (i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + k_outer % 2 * 2048 + 1920));
      C_right_shared_local[4] = v0.lane[0];
      C_right_shared_local[5] = v0.lane[1];
      C_right_shared_local[6] = v0.lane[2];
      C_right_shared_local[7] = v0.lane[3];
    }
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < 4; ++p) {
        C_sums[r * 4 + p] += C_left_shared_local[r] * C_right_shared_local[p];
        C_sums[r * 4 + p + 16] += C_left_shared_local[r] * C_right_shared_local[p + 4];
      }
    }
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[0];
    r.lane[1] = C_sums[1];
    r.lane[2] = C_sums[2];
    r.lane[3] = C_sums[3];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[16];
    r.lane[1] = C_sums[17];
    r.lane[2] = C_sums[18];
    r.lane[3] = C_sums[19];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 128)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[4];
    r.lane[1] = C_sums[5];
    r.lane[2] = C_sums[6];
    r.lane[3] = C_sums[7];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 512)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[20];
    r.lane[1] = C_sums[21];
    r.lane[2] = C_sums[22];
    r.lane[3] = C_sums[23];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 640)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[8];
    r.lane[1] = C_sums[9];
    r.lane[2] = C_sums[10];
    r.lane[3] = C_sums[11];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 1024)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[24];
    r.lane[1] = C_sums[25];
    r.lane[2] = C_sums[26];
    r.lane[3] = C_sums[27];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 1152)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[12];
    r.lane[1] = C_sums[13];
    r.lane[2] = C_sums[14];
    r.lane[3] = C_sums[15];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 1536)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_sums[28];
    r.lane[1] = C_sums[29];
    r.lane[2] = C_sums[30];
    r.lane[3] = C_sums[31];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 2 * 16384 + i_0_outer_j_0_i_0_inner_fused % 2 * 256 + i_2_j_2_fused / 4 * 8192 + i_2_j_2_fused % 4 * 32 + i_3_j_3_i_4_j_4_fused / 16 * 4096 + i_3_j_3_i_4_j_4_fused / 2 % 2 * 2048 + i_3_j_3_i_4_j_4_fused / 4 % 4 * 8 + i_3_j_3_i_4_j_4_fused % 2 * 4 + 1664)) = r;
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
   "reduction": 1,
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
    32,
    8,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    32,
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
 "target": "cuda/sm_90a",
 "toolchain": "none",
 "version": 1
}
