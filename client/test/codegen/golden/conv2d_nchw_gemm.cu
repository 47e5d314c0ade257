// conv2d_nchw_gemm published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   compute_inline s1
//   reorder l8 l7 l9 l10
//   fuse l7 l9 l10 -> l11
//   split l6 factors=[null,160] -> l12 l13
//   rfactor l12 axis=0 -> s4 l14 l15 l16 l17
//   cache_write s4 scope="local" -> s5 l18 l19 l20
//   bind l14 thread="blockIdx.z"
//   split l15 factors=[null,1,8,4,4] -> l21 l22 l23 l24 l25
//   split l16 factors=[null,1,1,8,4] -> l26 l27 l28 l29 l30
//   reorder l21 l26 l22 l27 l23 l28 l24 l29 l25 l30
//   bind l22 thread="vthread"
//   bind l27 thread="vthread"
//   fuse l23 l28 -> l31
//   bind l31 thread="threadIdx.y"
//   fuse l24 l29 -> l32
//   bind l32 thread="threadIdx.x"
//   unroll l25
//   bind l21 thread="blockIdx.y"
//   bind l26 thread="blockIdx.x"
//   vectorize l30
//   min_blocks s4 blocks=1
//   compute_at s5 s4 l32
//   cache_read s0 s5 scope="shared" -> s6 l33 l34
//   cache_read s1 s5 scope="shared" -> s7 l35 l36
//   cache_read s6 s5 scope="local" -> s8 l37 l38
//   cache_read s7 s5 scope="local" -> s9 l39 l40
//   split l13 factors=[null,32] -> l41 l42
//   reorder l41 l42 l19 l20
//   unroll l42
//   compute_at s6 s5 l41
//   pipeline s6 stages=2
//   compute_at s8 s5 l42
//   vectorize l38
//   compute_at s7 s5 l41
//   pipeline s7 stages=2
//   compute_at s9 s5 l42
//   vectorize l40
//   split l33 factors=[null,8] -> l43 l44
//   split l34 factors=[null,4] -> l45 l46
//   reorder l43 l45 l46 l44
//   fuse l43 l45 l46 l44 -> l47
//   split l47 factors=[null,8,32,1] -> l48 l49 l50 l51
//   unroll l48
//   bind l49 thread="threadIdx.y"
//   bind l50 thread="threadIdx.x"
//   storage_align s6 axis=0 factor=8 offset=4
//   fuse l35 l36 -> l52
//   split l52 factors=[null,8,32,1] -> l53 l54 l55 l56
//   unroll l53
//   bind l54 thread="threadIdx.y"
//   bind l55 thread="threadIdx.x"
//   fuse l8 l11 -> l57
//   split l57 factors=[null,256] -> l58 l59
//   bind l58 thread="blockIdx.x"
//   bind l59 thread="threadIdx.x"
//   set_scope s2 scope="local"
//   compute_at s2 s3 l59
//   unroll l17
static __device__ __forceinline__ void cp_async_4(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_4_or_zero(void *to, const void *from, const void *valid, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(there ? from : valid), "r"(there ? 4 : 0) : "memory");
}
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_0() { asm volatile("cp.async.wait_group 0;" : : : "memory"); }
struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256, 1) conv_kernel0(const float *__restrict__ data, const float *__restrict__ kernel, float *__restrict__ sums_rf) {
  const int k_outer = blockIdx.z;  // < 29
  const int f_0 = blockIdx.y;  // < 4
  const int p_0 = blockIdx.x;  // < 2
  const int f_2_p_2_fused = threadIdx.y;  // < 8
  const int f_3_p_3_fused = threadIdx.x;  // < 32
  float sums_rf_local[16];
  __shared__ __align__(16) float taps_shared[8448];
  __shared__ __align__(16) float pixels_shared[2048];
  float taps_shared_local[4];
  float pixels_shared_local[4];
  // sums.rf
  // sums.rf.local
  for (int f_c_init = 0; f_c_init < 4; ++f_c_init) {
    for (int p_c_init = 0; p_c_init < 4; ++p_c_init) {
      sums_rf_local[f_c_init * 4 + p_c_init] = 0.0f;
    }
  }
  // taps.shared
  #pragma unroll
  for (int ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 = 0; ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 < 16; ++ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0) {
    cp_async_4((taps_shared + (f_2_p_2_fused * 4 + f_3_p_3_fused / 8 + f_3_p_3_fused % 8 * 132 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 / 4 * 1056 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 % 4 * 32)), (kernel + (k_outer * 160 + f_0 * 589824 + f_2_p_2_fused * 18432 + f_3_p_3_fused / 8 * 4608 + f_3_p_3_fused % 8 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 / 4 * 8 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 % 4 * 147456)));
  }
  // pixels.shared
  cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused)), (data + ((k_outer * 160 + f_2_p_2_fused) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused) % 3 + (k_outer * 160 + f_2_p_2_fused) / 3 % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 - 8)), data, (k_outer * 160 + f_2_p_2_fused) / 3 % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused) / 3 % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
  cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + 256)), (data + ((k_outer * 160 + f_2_p_2_fused + 8) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + 8) % 3 + (k_outer * 160 + f_2_p_2_fused + 8) / 3 % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 - 8)), data, ((k_outer * 160 + f_2_p_2_fused + 2) / 3 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & ((k_outer * 160 + f_2_p_2_fused + 2) / 3 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
  cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + 512)), (data + ((k_outer * 160 + f_2_p_2_fused + 16) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + 16) % 3 + (k_outer * 160 + f_2_p_2_fused + 16) / 3 % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 - 8)), data, ((k_outer * 160 + f_2_p_2_fused + 1) / 3 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & ((k_outer * 160 + f_2_p_2_fused + 1) / 3 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
  cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + 768)), (data + ((k_outer * 160 + f_2_p_2_fused + 24) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + 24) % 3 + (k_outer * 160 + f_2_p_2_fused + 24) / 3 % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 - 8)), data, ((k_outer * 160 + f_2_p_2_fused) / 3 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & ((k_outer * 160 + f_2_p_2_fused) / 3 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
  cp_async_commit();
  for (int k_inner_outer = 0; k_inner_outer < 5; ++k_inner_outer) {
    cp_async_wait_0();
    __syncthreads();
    // taps.shared
    if (k_outer * 5 + k_inner_outer < 143 && k_inner_outer < 4) {
      #pragma unroll
      for (int ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 = 0; ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 < 16; ++ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0) {
        cp_async_4((taps_shared + (f_2_p_2_fused * 4 + f_3_p_3_fused / 8 + f_3_p_3_fused % 8 * 132 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 / 4 * 1056 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 % 4 * 32 + (k_inner_outer + 1) % 2 * 4224)), (kernel + ((k_outer * 160 + f_3_p_3_fused % 8 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 / 4 * 8 + k_inner_outer * 32 + 5) / 9 * 9 + (k_outer * 160 + f_3_p_3_fused % 8 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 / 4 * 8 + k_inner_outer * 32 + 2) % 3 + ((k_outer * 160 + f_3_p_3_fused % 8 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 / 4 * 8 + k_inner_outer * 32 + 2) / 3 + 1) % 3 * 3 + f_0 * 589824 + f_2_p_2_fused * 18432 + f_3_p_3_fused / 8 * 4608 + ax0_outer_ax1_outer_ax1_inner_ax0_inner_fused_0 % 4 * 147456 + 27)));
      }
    }
    // pixels.shared
    if (k_outer * 5 + k_inner_outer < 143 && k_inner_outer < 4) {
      cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + (k_inner_outer + 1) % 2 * 1024)), (data + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 5) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) % 3 + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) / 3 + 1) % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 + 139)), data, ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) / 3 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) / 3 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
      cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + (k_inner_outer + 1) % 2 * 1024 + 256)), (data + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 13) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 10) % 3 + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 10) / 3 + 1) % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 + 139)), data, ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 1) / 3 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 1) / 3 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
      cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + (k_inner_outer + 1) % 2 * 1024 + 512)), (data + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 21) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 18) % 3 + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 18) / 3 + 1) % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 + 139)), data, ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32) / 3 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32) / 3 + 1) % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
      cp_async_4_or_zero((pixels_shared + (f_2_p_2_fused * 32 + f_3_p_3_fused + (k_inner_outer + 1) % 2 * 1024 + 768)), (data + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 29) / 9 * 49 + (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 26) % 3 + ((k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 26) / 3 + 1) % 3 * 7 + (p_0 * 32 + f_3_p_3_fused) / 49 * 25088 + (p_0 * 32 + f_3_p_3_fused) % 49 + 139)), data, (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) / 3 % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) / 3 % 3 + (p_0 * 32 + f_3_p_3_fused) / 7 % 7 < 8 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 >= 1 & (k_outer * 160 + f_2_p_2_fused + k_inner_outer * 32 + 2) % 3 + (p_0 * 32 + f_3_p_3_fused) % 7 < 8 & p_0 * 32 + f_3_p_3_fused < 49);
    }
    cp_async_commit();
    if (k_outer * 5 + k_inner_outer < 144) {
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 132));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 32));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 264));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 64));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 396));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 96));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 528));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 128));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 660));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 160));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 792));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 192));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 924));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 224));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1056));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 256));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1188));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 288));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1320));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 320));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1452));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 352));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1584));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 384));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1716));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 416));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1848));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 448));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 1980));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 480));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2112));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 512));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2244));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 544));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2376));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 576));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2508));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 608));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2640));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 640));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2772));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 672));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 2904));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 704));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3036));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 736));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3168));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 768));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3300));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 800));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3432));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 832));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3564));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 864));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3696));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 896));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3828));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 928));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 3960));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 960));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
      {
        const f32x4 v0 = *(const f32x4 *)(taps_shared + (f_2_p_2_fused * 16 + f_3_p_3_fused / 8 * 4 + k_inner_outer % 2 * 4224 + 4092));
        taps_shared_local[0] = v0.lane[0];
        taps_shared_local[1] = v0.lane[1];
        taps_shared_local[2] = v0.lane[2];
        taps_shared_local[3] = v0.lane[3];
      }
      {
        const f32x4 v0 = *(const f32x4 *)(pixels_shared + (f_3_p_3_fused % 8 * 4 + k_inner_outer % 2 * 1024 + 992));
        pixels_shared_local[0] = v0.lane[0];
        pixels_shared_local[1] = v0.lane[1];
        pixels_shared_local[2] = v0.lane[2];
        pixels_shared_local[3] = v0.lane[3];
      }
      for (int f_c = 0; f_c < 4; ++f_c) {
        for (int p_c = 0; p_c < 4; ++p_c) {
          sums_rf_local[f_c * 4 + p_c] += taps_shared_local[f_c] * pixels_shared_local[p_c];
        }
      }
    }
  }
  {
    f32x4 r;
    r.lane[0] = sums_rf_local[0];
    r.lane[1] = sums_rf_local[1];
    r.lane[2] = sums_rf_local[2];
    r.lane[3] = sums_rf_local[3];
    *(f32x4 *)(sums_rf + (k_outer * 32768 + f_0 * 8192 + p_0 * 32 + f_2_p_2_fused * 1024 + f_3_p_3_fused / 8 * 256 + f_3_p_3_fused % 8 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = sums_rf_local[4];
    r.lane[1] = sums_rf_local[5];
    r.lane[2] = sums_rf_local[6];
    r.lane[3] = sums_rf_local[7];
    *(f32x4 *)(sums_rf + (k_outer * 32768 + f_0 * 8192 + p_0 * 32 + f_2_p_2_fused * 1024 + f_3_p_3_fused / 8 * 256 + f_3_p_3_fused % 8 * 4 + 64)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = sums_rf_local[8];
    r.lane[1] = sums_rf_local[9];
    r.lane[2] = sums_rf_local[10];
    r.lane[3] = sums_rf_local[11];
    *(f32x4 *)(sums_rf + (k_outer * 32768 + f_0 * 8192 + p_0 * 32 + f_2_p_2_fused * 1024 + f_3_p_3_fused / 8 * 256 + f_3_p_3_fused % 8 * 4 + 128)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = sums_rf_local[12];
    r.lane[1] = sums_rf_local[13];
    r.lane[2] = sums_rf_local[14];
    r.lane[3] = sums_rf_local[15];
    *(f32x4 *)(sums_rf + (k_outer * 32768 + f_0 * 8192 + p_0 * 32 + f_2_p_2_fused * 1024 + f_3_p_3_fused / 8 * 256 + f_3_p_3_fused % 8 * 4 + 192)) = r;
  }
}

extern "C" __global__ void __launch_bounds__(256) conv_kernel1(float *__restrict__ conv, const float *__restrict__ sums_rf) {
  const int f_n_y_x_fused_fused_outer = blockIdx.x;  // < 98
  const int f_n_y_x_fused_fused_inner = threadIdx.x;  // < 256
  float sums[1];
  // conv
  // sums
  sums[0] = 0.0f;
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 32768];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 65536];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 98304];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 131072];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 163840];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 196608];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 229376];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 262144];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 294912];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 327680];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 360448];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 393216];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 425984];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 458752];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 491520];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 524288];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 557056];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 589824];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 622592];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 655360];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 688128];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 720896];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 753664];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 786432];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 819200];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 851968];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 884736];
  sums[0] += sums_rf[(f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) / 49 * 64 + (f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner) % 49 + 917504];
  conv[f_n_y_x_fused_fused_outer * 256 + f_n_y_x_fused_fused_inner] = sums[0];
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 100352,
   "dtype": "float32",
   "name": "data",
   "reduction": 1,
   "role": "in",
   "shape": [
    1,
    512,
    7,
    7
   ]
  },
  {
   "align": 64,
   "bytes": 9437184,
   "dtype": "float32",
   "name": "kernel",
   "reduction": 1,
   "role": "in",
   "shape": [
    512,
    512,
    3,
    3
   ]
  },
  {
   "align": 64,
   "bytes": 100352,
   "dtype": "float32",
   "name": "conv",
   "reduction": 1,
   "role": "out",
   "shape": [
    1,
    512,
    7,
    7
   ]
  },
  {
   "align": 64,
   "bytes": 3801088,
   "dtype": "float32",
   "name": "sums_rf",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    29,
    512,
    64
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "data",
    "kernel",
    "sums_rf"
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
    2,
    4,
    29
   ],
   "name": "conv_kernel0"
  },
  {
   "args": [
    "conv",
    "sums_rf"
   ],
   "block": [
    256,
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
    98,
    1,
    1
   ],
   "name": "conv_kernel1"
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
