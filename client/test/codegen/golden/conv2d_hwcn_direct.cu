// conv2d_hwcn_direct published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   cache_read i0 s0 scope="shared" -> s1 l7 l8 l9 l10
//   cache_read i1 s0 scope="shared" -> s2 l11 l12 l13 l14
//   cache_read s1 s0 scope="local" -> s3 l15 l16 l17 l18
//   cache_read s2 s0 scope="local" -> s4 l19 l20 l21 l22
//   cache_write s0 scope="local" -> s5 l23 l24 l25 l26
//   fuse l0 l1 -> l27
//   split l2 factors=[null,2,2,4,4] -> l28 l29 l30 l31 l32
//   split l3 factors=[null,2,1,8,4] -> l33 l34 l35 l36 l37
//   reorder l28 l33 l29 l34 l30 l35 l31 l36 l32 l37
//   bind l29 thread="vthread"
//   bind l34 thread="vthread"
//   fuse l30 l35 -> l38
//   bind l38 thread="threadIdx.y"
//   fuse l31 l36 -> l39
//   bind l39 thread="threadIdx.x"
//   unroll l32
//   bind l27 thread="blockIdx.z"
//   bind l28 thread="blockIdx.y"
//   bind l33 thread="blockIdx.x"
//   vectorize l37
//   compute_at s5 s0 l39
//   split l6 factors=[null,16] -> l40 l41
//   reorder l4 l5 l40 l41 l25 l26
//   unroll l41
//   compute_at s1 s5 l40
//   pipeline s1 stages=4
//   fuse l7 l8 l9 l10 -> l42
//   split l42 factors=[null,2,32,4] -> l43 l44 l45 l46
//   unroll l43
//   bind l44 thread="threadIdx.y"
//   bind l45 thread="threadIdx.x"
//   vectorize l46
//   compute_at s3 s5 l41
//   vectorize l18
//   compute_at s2 s5 l40
//   pipeline s2 stages=4
//   fuse l11 l12 l13 l14 -> l47
//   split l47 factors=[null,2,32,4] -> l48 l49 l50 l51
//   unroll l48
//   bind l49 thread="threadIdx.y"
//   bind l50 thread="threadIdx.x"
//   vectorize l51
//   compute_at s4 s5 l41
//   vectorize l22
static __device__ __forceinline__ void cp_async_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_2() { asm volatile("cp.async.wait_group 2;" : : : "memory"); }
struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(64) B_kernel(const float *__restrict__ A, const float *__restrict__ W, float *__restrict__ B) {
  const int yy_xx_fused = blockIdx.z;  // < 196
  const int ff_0 = blockIdx.y;  // < 8
  const int nn_0 = blockIdx.x;  // < 4
  const int ff_2_nn_2_fused = threadIdx.y;  // < 2
  const int ff_3_nn_3_fused = threadIdx.x;  // < 32
  float B_local[64];
  __shared__ __align__(16) float A_shared[4096];
  __shared__ __align__(16) float W_shared[4096];
  float A_shared_local[8];
  float W_shared_local[8];
  // B
  // B.local
  for (int ff_c_init = 0; ff_c_init < 4; ++ff_c_init) {
    for (int nn_c_init = 0; nn_c_init < 4; ++nn_c_init) {
      B_local[ff_c_init * 4 + nn_c_init] = 0.0f;
      B_local[ff_c_init * 4 + nn_c_init + 16] = 0.0f;
      B_local[ff_c_init * 4 + nn_c_init + 32] = 0.0f;
      B_local[ff_c_init * 4 + nn_c_init + 48] = 0.0f;
    }
  }
  for (int ry = 0; ry < 3; ++ry) {
    if (yy_xx_fused / 14 + ry >= 1 && yy_xx_fused / 14 + ry < 15) {
      for (int rx = 0; rx < 3; ++rx) {
        __syncthreads();
        if (yy_xx_fused % 14 + rx >= 1 && yy_xx_fused % 14 + rx < 15) {
          // A.shared
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 983040)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 256)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 982016)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 512)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 980992)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 768)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 979968)));
          // W.shared
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 256)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 2048)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 512)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 4096)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 768)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 6144)));
          cp_async_commit();
          // A.shared
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1024)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 978944)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1280)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 977920)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1536)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 976896)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1792)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 975872)));
          // W.shared
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1024)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 8192)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1280)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 10240)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1536)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 12288)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 1792)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 14336)));
          cp_async_commit();
          // A.shared
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2048)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 974848)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2304)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 973824)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2560)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 972800)));
          cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2816)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 - 971776)));
          // W.shared
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2048)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 16384)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2304)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 18432)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2560)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 20480)));
          cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + 2816)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + 22528)));
          cp_async_commit();
          for (int rc_outer = 0; rc_outer < 16; ++rc_outer) {
            cp_async_wait_2();
            __syncthreads();
            // A.shared
            if (rc_outer < 13) {
              cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 + rc_outer * 4096 - 970752)));
              cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024 + 256)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 + rc_outer * 4096 - 969728)));
              cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024 + 512)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 + rc_outer * 4096 - 968704)));
              cp_async_16((A_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024 + 768)), (A + (yy_xx_fused * 65536 + nn_0 * 64 + ff_2_nn_2_fused * 512 + ff_3_nn_3_fused / 16 * 256 + ff_3_nn_3_fused % 16 * 4 + ry * 917504 + rx * 65536 + rc_outer * 4096 - 967680)));
            }
            // W.shared
            if (rc_outer < 13) {
              cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + rc_outer * 8192 + 24576)));
              cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024 + 256)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + rc_outer * 8192 + 26624)));
              cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024 + 512)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + rc_outer * 8192 + 28672)));
              cp_async_16((W_shared + (ff_2_nn_2_fused * 128 + ff_3_nn_3_fused * 4 + (rc_outer + 3) % 4 * 1024 + 768)), (W + (ff_0 * 64 + ff_2_nn_2_fused * 1024 + ff_3_nn_3_fused / 16 * 512 + ff_3_nn_3_fused % 16 * 4 + ry * 393216 + rx * 131072 + rc_outer * 8192 + 30720)));
            }
            cp_async_commit();
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 32));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 32));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 64));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 96));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 64));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 96));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 128));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 160));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 128));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 160));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 192));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 224));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 192));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 224));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 256));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 288));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 256));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 288));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 320));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 352));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 320));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 352));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 384));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 416));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 384));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 416));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 448));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 480));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 448));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 480));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 512));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 544));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 512));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 544));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 576));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 608));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 576));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 608));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 640));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 672));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 640));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 672));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 704));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 736));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 704));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 736));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 768));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 800));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 768));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 800));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 832));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 864));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 832));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 864));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 896));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 928));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 896));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 928));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 960));
              A_shared_local[0] = v0.lane[0];
              A_shared_local[1] = v0.lane[1];
              A_shared_local[2] = v0.lane[2];
              A_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(A_shared + (ff_3_nn_3_fused % 8 * 4 + rc_outer % 4 * 1024 + 992));
              A_shared_local[4] = v0.lane[0];
              A_shared_local[5] = v0.lane[1];
              A_shared_local[6] = v0.lane[2];
              A_shared_local[7] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 960));
              W_shared_local[0] = v0.lane[0];
              W_shared_local[1] = v0.lane[1];
              W_shared_local[2] = v0.lane[2];
              W_shared_local[3] = v0.lane[3];
            }
            {
              const f32x4 v0 = *(const f32x4 *)(W_shared + (ff_2_nn_2_fused * 16 + ff_3_nn_3_fused / 8 * 4 + rc_outer % 4 * 1024 + 992));
              W_shared_local[4] = v0.lane[0];
              W_shared_local[5] = v0.lane[1];
              W_shared_local[6] = v0.lane[2];
              W_shared_local[7] = v0.lane[3];
            }
            for (int ff_c = 0; ff_c < 4; ++ff_c) {
              for (int nn_c = 0; nn_c < 4; ++nn_c) {
                B_local[ff_c * 4 + nn_c] += A_shared_local[nn_c] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 16] += A_shared_local[nn_c + 4] * W_shared_local[ff_c];
                B_local[ff_c * 4 + nn_c + 32] += A_shared_local[nn_c] * W_shared_local[ff_c + 4];
                B_local[ff_c * 4 + nn_c + 48] += A_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
              }
            }
          }
        }
      }
    }
  }
  {
    f32x4 r;
    r.lane[0] = B_local[0];
    r.lane[1] = B_local[1];
    r.lane[2] = B_local[2];
    r.lane[3] = B_local[3];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[16];
    r.lane[1] = B_local[17];
    r.lane[2] = B_local[18];
    r.lane[3] = B_local[19];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 32)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[32];
    r.lane[1] = B_local[33];
    r.lane[2] = B_local[34];
    r.lane[3] = B_local[35];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8192)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[48];
    r.lane[1] = B_local[49];
    r.lane[2] = B_local[50];
    r.lane[3] = B_local[51];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8224)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[4];
    r.lane[1] = B_local[5];
    r.lane[2] = B_local[6];
    r.lane[3] = B_local[7];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 256)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[20];
    r.lane[1] = B_local[21];
    r.lane[2] = B_local[22];
    r.lane[3] = B_local[23];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 288)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[36];
    r.lane[1] = B_local[37];
    r.lane[2] = B_local[38];
    r.lane[3] = B_local[39];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8448)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[52];
    r.lane[1] = B_local[53];
    r.lane[2] = B_local[54];
    r.lane[3] = B_local[55];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8480)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[8];
    r.lane[1] = B_local[9];
    r.lane[2] = B_local[10];
    r.lane[3] = B_local[11];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 512)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[24];
    r.lane[1] = B_local[25];
    r.lane[2] = B_local[26];
    r.lane[3] = B_local[27];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 544)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[40];
    r.lane[1] = B_local[41];
    r.lane[2] = B_local[42];
    r.lane[3] = B_local[43];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8704)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[56];
    r.lane[1] = B_local[57];
    r.lane[2] = B_local[58];
    r.lane[3] = B_local[59];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8736)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[12];
    r.lane[1] = B_local[13];
    r.lane[2] = B_local[14];
    r.lane[3] = B_local[15];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 768)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[28];
    r.lane[1] = B_local[29];
    r.lane[2] = B_local[30];
    r.lane[3] = B_local[31];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 800)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[44];
    r.lane[1] = B_local[45];
    r.lane[2] = B_local[46];
    r.lane[3] = B_local[47];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8960)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = B_local[60];
    r.lane[1] = B_local[61];
    r.lane[2] = B_local[62];
    r.lane[3] = B_local[63];
    *(f32x4 *)(B + (yy_xx_fused * 131072 + ff_0 * 16384 + nn_0 * 64 + ff_2_nn_2_fused * 4096 + ff_3_nn_3_fused / 8 * 1024 + ff_3_nn_3_fused % 8 * 4 + 8992)) = r;
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 51380224,
   "dtype": "float32",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    14,
    14,
    256,
    256
   ]
  },
  {
   "align": 64,
   "bytes": 4718592,
   "dtype": "float32",
   "name": "W",
   "reduction": 1,
   "role": "in",
   "shape": [
    3,
    3,
    256,
    512
   ]
  },
  {
   "align": 64,
   "bytes": 102760448,
   "dtype": "float32",
   "name": "B",
   "reduction": 2304,
   "role": "out",
   "shape": [
    14,
    14,
    512,
    256
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "A",
    "W",
    "B"
   ],
   "block": [
    32,
    2,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    4,
    8,
    196
   ],
   "name": "B_kernel"
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
