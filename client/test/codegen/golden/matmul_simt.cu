// matmul_simt published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   cache_read i0 s0 scope="shared" -> s1 l3 l4
//   cache_read i1 s0 scope="shared" -> s2 l5 l6
//   cache_read s1 s0 scope="local" -> s3 l7 l8
//   cache_read s2 s0 scope="local" -> s4 l9 l10
//   cache_write s0 scope="local" -> s5 l11 l12
//   min_blocks s0 blocks=2
//   split l0 factors=[null,2,4,2,4] -> l13 l14 l15 l16 l17
//   split l1 factors=[null,2,2,16,4] -> l18 l19 l20 l21 l22
//   reorder l13 l18 l14 l19 l15 l20 l16 l21 l17 l22
//   bind l14 thread="vthread"
//   bind l19 thread="vthread"
//   fuse l15 l20 -> l23
//   bind l23 thread="threadIdx.y"
//   fuse l16 l21 -> l24
//   bind l24 thread="threadIdx.x"
//   unroll l17
//   split l13 factors=[null,16] -> l25 l26
//   reorder l25 l18 l26
//   fuse l25 l18 l26 -> l27
//   bind l27 thread="blockIdx.x"
//   vectorize l22
//   compute_at s5 s0 l24
//   split l2 factors=[null,8,4] -> l28 l29 l30
//   reorder l28 l29 l30 l11 l12
//   unroll l29
//   unroll l30
//   compute_at s1 s5 l28
//   pipeline s1 stages=2
//   transform_layout s1 map={"from":["r","k"],"to":["k","r"]} -> l31 l32
//   split l31 factors=[null,8] -> l33 l34
//   split l32 factors=[null,4] -> l35 l36
//   reorder l33 l35 l36 l34
//   fuse l33 l35 l36 l34 -> l37
//   split l37 factors=[null,8,32,1] -> l38 l39 l40 l41
//   unroll l38
//   bind l39 thread="threadIdx.y"
//   bind l40 thread="threadIdx.x"
//   storage_align s1 axis=0 factor=8 offset=4
//   compute_at s3 s5 l30
//   vectorize l7
//   compute_at s2 s5 l28
//   pipeline s2 stages=2
//   fuse l5 l6 -> l42
//   split l42 factors=[null,8,32,4] -> l43 l44 l45 l46
//   unroll l43
//   bind l44 thread="threadIdx.y"
//   bind l45 thread="threadIdx.x"
//   vectorize l46
//   compute_at s4 s5 l30
//   vectorize l10
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
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int i_0_outer_j_0_i_0_inner_fused = blockIdx.x;  // < 1024
  const int i_2_j_2_fused = threadIdx.y;  // < 8
  const int i_3_j_3_fused = threadIdx.x;  // < 32
  float C_local[64];
  float *const A_shared = (float *)(shared_memory + 0);
  float *const B_shared = (float *)(shared_memory + 17408);
  float A_shared_local[8];
  float B_shared_local[8];
  // C
  // C.local
  for (int i_c_init = 0; i_c_init < 4; ++i_c_init) {
    for (int j_c_init = 0; j_c_init < 4; ++j_c_init) {
      C_local[i_c_init * 4 + j_c_init] = 0.0f;
      C_local[i_c_init * 4 + j_c_init + 16] = 0.0f;
      C_local[i_c_init * 4 + j_c_init + 32] = 0.0f;
      C_local[i_c_init * 4 + j_c_init + 48] = 0.0f;
    }
  }
  // A.shared
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 32)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 131072)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 544)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 8)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 576)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 131080)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 1088)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 16)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 1120)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 131088)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 1632)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 24)));
  cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + 1664)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + 131096)));
  // B.shared
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 1024)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 16384)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 2048)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 32768)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 3072)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 49152)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 4096)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 65536)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 5120)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 81920)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 6144)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 98304)));
  cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + 7168)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + 114688)));
  cp_async_commit();
  for (int k_0 = 0; k_0 < 128; ++k_0) {
    cp_async_wait_0();
    __syncthreads();
    // A.shared
    if (k_0 < 127) {
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 32)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 32)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 131104)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 544)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 40)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 576)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 131112)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 1088)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 48)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 1120)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 131120)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 1632)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 56)));
      cp_async_4((A_shared + (i_2_j_2_fused * 4 + i_3_j_3_fused / 8 + i_3_j_3_fused % 8 * 68 + (k_0 + 1) % 2 * 2176 + 1664)), (A + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused * 16384 + i_3_j_3_fused / 8 * 4096 + i_3_j_3_fused % 8 + k_0 * 32 + 131128)));
    }
    // B.shared
    if (k_0 < 127) {
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 131072)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 1024)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 147456)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 2048)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 163840)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 3072)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 180224)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 4096)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 196608)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 5120)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 212992)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 6144)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 229376)));
      cp_async_16((B_shared + (i_2_j_2_fused * 128 + i_3_j_3_fused * 4 + (k_0 + 1) % 2 * 8192 + 7168)), (B + (i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_2_j_2_fused / 2 * 4096 + i_2_j_2_fused % 2 * 128 + i_3_j_3_fused * 4 + k_0 * 131072 + 245760)));
    }
    cp_async_commit();
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 32));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 128));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 68));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 100));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 256));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 384));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 136));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 168));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 512));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 640));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 204));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 236));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 768));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 896));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 272));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 304));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1024));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1152));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 340));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 372));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1280));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1408));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 408));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 440));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1536));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1664));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 476));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 508));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1792));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 1920));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 544));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 576));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2048));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2176));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 612));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 644));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2304));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2432));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 680));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 712));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2560));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2688));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 748));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 780));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2816));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 2944));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 816));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 848));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3072));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3200));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 884));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 916));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3328));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3456));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 952));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 984));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3584));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3712));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1020));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1052));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3840));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 3968));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1088));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1120));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4096));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4224));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1156));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1188));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4352));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4480));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1224));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1256));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4608));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4736));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1292));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1324));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4864));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 4992));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1360));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1392));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5120));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5248));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1428));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1460));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5376));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5504));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1496));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1528));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5632));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5760));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1564));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1596));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 5888));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6016));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1632));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1664));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6144));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6272));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1700));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1732));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6400));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6528));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1768));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1800));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6656));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6784));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1836));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1868));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 6912));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7040));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1904));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1936));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7168));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7296));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 1972));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 2004));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7424));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7552));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 2040));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 2072));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7680));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7808));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 2108));
      A_shared_local[0] = v0.lane[0];
      A_shared_local[1] = v0.lane[1];
      A_shared_local[2] = v0.lane[2];
      A_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(A_shared + (i_2_j_2_fused / 2 * 8 + i_3_j_3_fused / 16 * 4 + k_0 % 2 * 2176 + 2140));
      A_shared_local[4] = v0.lane[0];
      A_shared_local[5] = v0.lane[1];
      A_shared_local[6] = v0.lane[2];
      A_shared_local[7] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 7936));
      B_shared_local[0] = v0.lane[0];
      B_shared_local[1] = v0.lane[1];
      B_shared_local[2] = v0.lane[2];
      B_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(B_shared + (i_2_j_2_fused % 2 * 64 + i_3_j_3_fused % 16 * 4 + k_0 % 2 * 8192 + 8064));
      B_shared_local[4] = v0.lane[0];
      B_shared_local[5] = v0.lane[1];
      B_shared_local[6] = v0.lane[2];
      B_shared_local[7] = v0.lane[3];
    }
    for (int i_c = 0; i_c < 4; ++i_c) {
      for (int j_c = 0; j_c < 4; ++j_c) {
        C_local[i_c * 4 + j_c] += A_shared_local[i_c] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 16] += A_shared_local[i_c] * B_shared_local[j_c + 4];
        C_local[i_c * 4 + j_c + 32] += A_shared_local[i_c + 4] * B_shared_local[j_c];
        C_local[i_c * 4 + j_c + 48] += A_shared_local[i_c + 4] * B_shared_local[j_c + 4];
      }
    }
  }
  {
    f32x4 r;
    r.lane[0] = C_local[0];
    r.lane[1] = C_local[1];
    r.lane[2] = C_local[2];
    r.lane[3] = C_local[3];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[16];
    r.lane[1] = C_local[17];
    r.lane[2] = C_local[18];
    r.lane[3] = C_local[19];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 128)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[32];
    r.lane[1] = C_local[33];
    r.lane[2] = C_local[34];
    r.lane[3] = C_local[35];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 131072)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[48];
    r.lane[1] = C_local[49];
    r.lane[2] = C_local[50];
    r.lane[3] = C_local[51];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 131200)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[4];
    r.lane[1] = C_local[5];
    r.lane[2] = C_local[6];
    r.lane[3] = C_local[7];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 4096)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[20];
    r.lane[1] = C_local[21];
    r.lane[2] = C_local[22];
    r.lane[3] = C_local[23];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 4224)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[36];
    r.lane[1] = C_local[37];
    r.lane[2] = C_local[38];
    r.lane[3] = C_local[39];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 135168)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[52];
    r.lane[1] = C_local[53];
    r.lane[2] = C_local[54];
    r.lane[3] = C_local[55];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 135296)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[8];
    r.lane[1] = C_local[9];
    r.lane[2] = C_local[10];
    r.lane[3] = C_local[11];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 8192)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[24];
    r.lane[1] = C_local[25];
    r.lane[2] = C_local[26];
    r.lane[3] = C_local[27];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 8320)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[40];
    r.lane[1] = C_local[41];
    r.lane[2] = C_local[42];
    r.lane[3] = C_local[43];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 139264)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[56];
    r.lane[1] = C_local[57];
    r.lane[2] = C_local[58];
    r.lane[3] = C_local[59];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 139392)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[12];
    r.lane[1] = C_local[13];
    r.lane[2] = C_local[14];
    r.lane[3] = C_local[15];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 12288)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[28];
    r.lane[1] = C_local[29];
    r.lane[2] = C_local[30];
    r.lane[3] = C_local[31];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 12416)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[44];
    r.lane[1] = C_local[45];
    r.lane[2] = C_local[46];
    r.lane[3] = C_local[47];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 143360)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = C_local[60];
    r.lane[1] = C_local[61];
    r.lane[2] = C_local[62];
    r.lane[3] = C_local[63];
    *(f32x4 *)(C + (i_0_outer_j_0_i_0_inner_fused / 256 * 4194304 + i_0_outer_j_0_i_0_inner_fused / 16 % 16 * 256 + i_0_outer_j_0_i_0_inner_fused % 16 * 262144 + i_2_j_2_fused / 2 * 32768 + i_2_j_2_fused % 2 * 64 + i_3_j_3_fused / 16 * 16384 + i_3_j_3_fused % 16 * 4 + 143488)) = r;
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
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
   "bytes": 67108864,
   "dtype": "float32",
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
   "bytes": 67108864,
   "dtype": "float32",
   "name": "C",
   "reduction": 4096,
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
    8,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 82944,
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
