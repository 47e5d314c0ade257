// conv2d_derived 145992 cuda/sm_90
// cuda/sm_90a. Written by Warpfarm.
//   compute_inline s1
//   compute_inline s0
//   compute_inline s2
//   reorder l14 l15 l16 l17
//   fuse l16 l17 -> l18
//   split l13 factors=[null,2304] -> l19 l20
//   rfactor l19 axis=0 -> s5 l21 l22 l23 l24 l25
//   fuse l14 l15 l18 -> l26
//   split l26 factors=[null,128] -> l27 l28
//   bind l27 thread="blockIdx.x"
//   bind l28 thread="threadIdx.x"
//   set_scope s3 scope="local"
//   compute_at s3 s4 l28
//   unroll l25
//   cache_write s5 scope="local" -> s6 l29 l30 l31 l32
//   split l23 factors=[null,1,2,2,2,4] -> l33 l34 l35 l36 l37 l38
//   split l24 factors=[null,2,4,4,2,4] -> l39 l40 l41 l42 l43 l44
//   reorder l33 l39 l34 l40 l35 l41 l36 l42 l37 l43 l38 l44
//   bind l34 thread="vthread"
//   bind l40 thread="vthread"
//   fuse l35 l41 -> l45
//   bind l45 thread="threadIdx.y"
//   fuse l36 l42 l37 l43 -> l46
//   bind l46 thread="threadIdx.x"
//   unroll l38
//   fuse l21 l22 -> l47
//   bind l47 thread="blockIdx.z"
//   split l33 factors=[null,1] -> l48 l49
//   reorder l48 l39 l49
//   fuse l48 l39 l49 -> l50
//   bind l50 thread="blockIdx.x"
//   vectorize l44
//   min_blocks s5 blocks=2
//   compute_at s6 s5 l46
//   cache_read s0 s6 scope="shared" -> s7 l51 l52 l53
//   cache_read s2 s6 scope="shared" -> s8 l54 l55 l56
//   cache_read s7 s6 scope="local" -> s9 l57 l58 l59
//   cache_read s8 s6 scope="local" -> s10 l60 l61 l62
//   split l20 factors=[null,9] -> l63 l64
//   reorder l63 l64 l29 l30 l31 l32
//   unroll l64
//   compute_at s7 s6 l63
//   pipeline s7 stages=2
//   compute_at s9 s6 l64
//   vectorize l59
//   split l52 factors=[null,8] -> l65 l66
//   split l53 factors=[null,4] -> l67 l68
//   reorder l51 l65 l67 l68 l66
//   fuse l51 l65 l67 l68 l66 -> l69
//   split l69 factors=[null,8,32,1] -> l70 l71 l72 l73
//   unroll l70
//   bind l71 thread="threadIdx.y"
//   bind l72 thread="threadIdx.x"
//   storage_align s7 axis=1 factor=8 offset=4
//   compute_at s8 s6 l63
//   pipeline s8 stages=2
//   compute_at s10 s6 l64
//   vectorize l62
//   split l55 factors=[null,9] -> l74 l75
//   reorder l54 l74 l56 l75
//   fuse l54 l74 l56 -> l76
//   split l76 factors=[null,8,32,1] -> l77 l78 l79 l80
//   unroll l77
//   bind l78 thread="threadIdx.y"
//   bind l79 thread="threadIdx.x"
//   unroll l75
static __device__ __forceinline__ void cp_async_4(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_4_or_zero(void *to, const void *from, const void *valid, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(there ? from : valid), "r"(there ? 4 : 0) : "memory");
}
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_0() { asm volatile("cp.async.wait_group 0;" : : : "memory"); }
struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256, 2) conv_kernel0(const float *__restrict__ data, const float *__restrict__ kernel, float *__restrict__ conv_sums_rf) {
  const int k_outer_z_fused = blockIdx.z;  // < 2
  const int r_0_outer_p_0_r_0_inner_fused = blockIdx.x;  // < 16
  const int r_2_p_2_fused = threadIdx.y;  // < 8
  const int r_3_p_3_r_4_p_4_fused = threadIdx.x;  // < 32
  float conv_sums_rf_local[32];
  __shared__ __align__(16) float conv_left_shared[672];
  __shared__ __align__(16) float conv_right_shared[1152];
  float conv_left_shared_local[4];
  float conv_right_shared_local[8];
  // conv_sums.rf
  // conv_sums.rf.local
  for (int r_c_init = 0; r_c_init < 4; ++r_c_init) {
    for (int p_c_init = 0; p_c_init < 4; ++p_c_init) {
      if (r_2_p_2_fused % 4 < 2) {
        conv_sums_rf_local[r_c_init * 4 + p_c_init] = 0.0f;
      }
    }
  }
  // conv_left.shared
  cp_async_4((conv_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 36)), (kernel + (k_outer_z_fused * 2304 + r_0_outer_p_0_r_0_inner_fused * 147456 + r_2_p_2_fused * 18432 + r_3_p_3_r_4_p_4_fused / 8 * 4608 + r_3_p_3_r_4_p_4_fused % 8)));
  if (r_3_p_3_r_4_p_4_fused % 8 < 1) {
    cp_async_4((conv_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 36 + 288)), (kernel + (k_outer_z_fused * 2304 + r_0_outer_p_0_r_0_inner_fused * 147456 + r_2_p_2_fused * 18432 + r_3_p_3_r_4_p_4_fused / 8 * 4608 + r_3_p_3_r_4_p_4_fused % 8 + 8)));
  }
  // conv_right.shared
  if (r_2_p_2_fused < 2) {
    #pragma unroll
    for (int ax1_inner = 0; ax1_inner < 9; ++ax1_inner) {
      cp_async_4_or_zero((conv_right_shared + (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused + ax1_inner * 64)), (data + (k_outer_z_fused * 12544 + r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused + ax1_inner / 3 * 7 + ax1_inner % 3 - 8)), data, r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused < 49 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) / 7 + ax1_inner / 3 >= 1 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) / 7 + ax1_inner / 3 < 8 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) % 7 + ax1_inner % 3 >= 1 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) % 7 + ax1_inner % 3 < 8);
    }
  }
  cp_async_commit();
  for (int k_inner_outer = 0; k_inner_outer < 256; ++k_inner_outer) {
    cp_async_wait_0();
    __syncthreads();
    // conv_left.shared
    if (k_inner_outer < 255) {
      cp_async_4((conv_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 36 + (k_inner_outer + 1) % 2 * 336)), (kernel + (k_outer_z_fused * 2304 + r_0_outer_p_0_r_0_inner_fused * 147456 + r_2_p_2_fused * 18432 + r_3_p_3_r_4_p_4_fused / 8 * 4608 + r_3_p_3_r_4_p_4_fused % 8 + k_inner_outer * 9 + 9)));
      if (r_3_p_3_r_4_p_4_fused % 8 < 1) {
        cp_async_4((conv_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 36 + (k_inner_outer + 1) % 2 * 336 + 288)), (kernel + (k_outer_z_fused * 2304 + r_0_outer_p_0_r_0_inner_fused * 147456 + r_2_p_2_fused * 18432 + r_3_p_3_r_4_p_4_fused / 8 * 4608 + r_3_p_3_r_4_p_4_fused % 8 + k_inner_outer * 9 + 17)));
      }
    }
    // conv_right.shared
    if (r_2_p_2_fused < 2 && k_inner_outer < 255) {
      #pragma unroll
      for (int ax1_inner = 0; ax1_inner < 9; ++ax1_inner) {
        cp_async_4_or_zero((conv_right_shared + (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused + ax1_inner * 64 + (k_inner_outer + 1) % 2 * 576)), (data + (k_outer_z_fused * 12544 + r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused + ax1_inner / 3 * 7 + ax1_inner % 3 + k_inner_outer * 49 + 41)), data, r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused < 49 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) / 7 + ax1_inner / 3 >= 1 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) / 7 + ax1_inner / 3 < 8 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) % 7 + ax1_inner % 3 >= 1 & (r_2_p_2_fused * 32 + r_3_p_3_r_4_p_4_fused) % 7 + ax1_inner % 3 < 8);
      }
    }
    cp_async_commit();
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 36));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 64));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 72));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 128));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 108));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 192));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 144));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 256));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 180));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 320));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 216));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 384));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 252));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 448));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(conv_left_shared + (r_2_p_2_fused / 4 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 336 + 288));
      conv_left_shared_local[0] = v0.lane[0];
      conv_left_shared_local[1] = v0.lane[1];
      conv_left_shared_local[2] = v0.lane[2];
      conv_left_shared_local[3] = v0.lane[3];
    }
    if (r_2_p_2_fused % 4 < 2) {
      {
        const f32x4 v0 = *(const f32x4 *)(conv_right_shared + (r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 576 + 512));
        conv_right_shared_local[0] = v0.lane[0];
        conv_right_shared_local[1] = v0.lane[1];
        conv_right_shared_local[2] = v0.lane[2];
        conv_right_shared_local[3] = v0.lane[3];
      }
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        if (r_2_p_2_fused % 4 < 2) {
          conv_sums_rf_local[r_c * 4 + p_c] += conv_left_shared_local[r_c] * conv_right_shared_local[p_c];
        }
      }
    }
  }
  if (r_2_p_2_fused % 4 < 2) {
    {
      f32x4 r;
      r.lane[0] = conv_sums_rf_local[0];
      r.lane[1] = conv_sums_rf_local[1];
      r.lane[2] = conv_sums_rf_local[2];
      r.lane[3] = conv_sums_rf_local[3];
      *(f32x4 *)(conv_sums_rf + (k_outer_z_fused * 32768 + r_0_outer_p_0_r_0_inner_fused * 2048 + r_2_p_2_fused / 4 * 1024 + r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4)) = r;
    }
  }
  if (r_2_p_2_fused % 4 < 2) {
    {
      f32x4 r;
      r.lane[0] = conv_sums_rf_local[4];
      r.lane[1] = conv_sums_rf_local[5];
      r.lane[2] = conv_sums_rf_local[6];
      r.lane[3] = conv_sums_rf_local[7];
      *(f32x4 *)(conv_sums_rf + (k_outer_z_fused * 32768 + r_0_outer_p_0_r_0_inner_fused * 2048 + r_2_p_2_fused / 4 * 1024 + r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + 64)) = r;
    }
  }
  if (r_2_p_2_fused % 4 < 2) {
    {
      f32x4 r;
      r.lane[0] = conv_sums_rf_local[8];
      r.lane[1] = conv_sums_rf_local[9];
      r.lane[2] = conv_sums_rf_local[10];
      r.lane[3] = conv_sums_rf_local[11];
      *(f32x4 *)(conv_sums_rf + (k_outer_z_fused * 32768 + r_0_outer_p_0_r_0_inner_fused * 2048 + r_2_p_2_fused / 4 * 1024 + r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + 128)) = r;
    }
  }
  if (r_2_p_2_fused % 4 < 2) {
    {
      f32x4 r;
      r.lane[0] = conv_sums_rf_local[12];
      r.lane[1] = conv_sums_rf_local[13];
      r.lane[2] = conv_sums_rf_local[14];
      r.lane[3] = conv_sums_rf_local[15];
      *(f32x4 *)(conv_sums_rf + (k_outer_z_fused * 32768 + r_0_outer_p_0_r_0_inner_fused * 2048 + r_2_p_2_fused / 4 * 1024 + r_2_p_2_fused % 4 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + 192)) = r;
    }
  }
}

extern "C" __global__ void __launch_bounds__(128) conv_kernel1(float *__restrict__ conv, const float *__restrict__ conv_sums_rf) {
  const int n_f_y_x_fused_fused_outer = blockIdx.x;  // < 196
  const int n_f_y_x_fused_fused_inner = threadIdx.x;  // < 128
  float conv_sums[1];
  // conv
  // conv_sums
  conv_sums[0] = 0.0f;
  conv_sums[0] += conv_sums_rf[(n_f_y_x_fused_fused_outer * 128 + n_f_y_x_fused_fused_inner) / 49 * 64 + (n_f_y_x_fused_fused_outer * 128 + n_f_y_x_fused_fused_inner) % 49];
  conv_sums[0] += conv_sums_rf[(n_f_y_x_fused_fused_outer * 128 + n_f_y_x_fused_fused_inner) / 49 * 64 + (n_f_y_x_fused_fused_outer * 128 + n_f_y_x_fused_fused_inner) % 49 + 32768];
  conv[n_f_y_x_fused_fused_outer * 128 + n_f_y_x_fused_fused_inner] = conv_sums[0];
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
   "bytes": 262144,
   "dtype": "float32",
   "name": "conv_sums_rf",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    2,
    1,
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
    "conv_sums_rf"
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
    16,
    1,
    2
   ],
   "name": "conv_kernel0"
  },
  {
   "args": [
    "conv",
    "conv_sums_rf"
   ],
   "block": [
    128,
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
    196,
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
 "target": "cuda/sm_90a",
 "toolchain": "none",
 "version": 1
}
