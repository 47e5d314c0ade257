// cuda/sm_90. Written by Warpfarm.
//   cache_read i0 s0 scope="shared" -> s1 l3 l4
//   cache_read i1 s0 scope="shared" -> s2 l5 l6
//   cache_write s0 scope="local" -> s3 l7 l8
//   split l0 factors=[null,4,16] -> l9 l10 l11
//   split l1 factors=[null,4,16] -> l12 l13 l14
//   reorder l9 l12 l10 l13 l11 l14
//   fuse l9 l12 -> l15
//   bind l15 thread="blockIdx.x"
//   bind l10 thread="vthread"
//   bind l13 thread="vthread"
//   fuse l11 l14 -> l16
//   bind l16 thread="threadIdx.x"
//   compute_at s3 s0 l16
//   split l2 factors=[null,32] -> l17 l18
//   reorder l17 l18 l7 l8
//   compute_at s1 s3 l17
//   storage_align s1 axis=0 factor=2 offset=1
//   fuse l3 l4 -> l19
//   split l19 factors=[null,256] -> l20 l21
//   bind l21 thread="threadIdx.x"
//   compute_at s2 s3 l17
//   storage_align s2 axis=0 factor=2 offset=1
//   fuse l5 l6 -> l22
//   split l22 factors=[null,256] -> l23 l24
//   bind l24 thread="threadIdx.x"
static __device__ __forceinline__ float f16_to_f32(unsigned short x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }

extern "C" __global__ void __launch_bounds__(256) C_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ B, float *__restrict__ C) {
  const int i_0_j_0_fused = blockIdx.x;  // < 256
  const int i_2_j_2_fused = threadIdx.x;  // < 256
  float C_local[16];
  __shared__ __align__(16) unsigned short A_shared[2112];
  __shared__ __align__(16) unsigned short B_shared[2112];
  // C
  // C.local
  C_local[0] = 0.0f;
  C_local[1] = 0.0f;
  if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
    C_local[2] = 0.0f;
  }
  if (i_0_j_0_fused % 16 < 15) {
    C_local[3] = 0.0f;
  }
  C_local[4] = 0.0f;
  C_local[5] = 0.0f;
  if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
    C_local[6] = 0.0f;
  }
  if (i_0_j_0_fused % 16 < 15) {
    C_local[7] = 0.0f;
  }
  if (i_0_j_0_fused / 16 * 64 + i_2_j_2_fused / 16 < 969) {
    C_local[8] = 0.0f;
    C_local[9] = 0.0f;
    if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
      C_local[10] = 0.0f;
    }
    if (i_0_j_0_fused % 16 < 15) {
      C_local[11] = 0.0f;
    }
  }
  if (i_0_j_0_fused < 240) {
    C_local[12] = 0.0f;
    C_local[13] = 0.0f;
    if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
      C_local[14] = 0.0f;
    }
    if (i_0_j_0_fused % 16 < 15) {
      C_local[15] = 0.0f;
    }
  }
  for (int k_outer = 0; k_outer < 63; ++k_outer) {
    __syncthreads();
    // A.shared
    if (i_2_j_2_fused % 32 + k_outer * 32 < 2003) {
      for (int ax0_ax1_fused_outer = 0; ax0_ax1_fused_outer < 8; ++ax0_ax1_fused_outer) {
        if (i_0_j_0_fused / 16 * 64 + i_2_j_2_fused / 32 + ax0_ax1_fused_outer * 8 < 1001) {
          A_shared[i_2_j_2_fused / 32 * 33 + i_2_j_2_fused % 32 + ax0_ax1_fused_outer * 264] = A[i_0_j_0_fused / 16 * 128192 + i_2_j_2_fused / 32 * 2003 + i_2_j_2_fused % 32 + k_outer * 32 + ax0_ax1_fused_outer * 16024];
        }
      }
    }
    // B.shared
    if (i_2_j_2_fused % 32 + k_outer * 32 < 2003) {
      for (int ax0_ax1_fused_outer = 0; ax0_ax1_fused_outer < 8; ++ax0_ax1_fused_outer) {
        if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 32 + ax0_ax1_fused_outer * 8 < 1007) {
          B_shared[i_2_j_2_fused / 32 * 33 + i_2_j_2_fused % 32 + ax0_ax1_fused_outer * 264] = B[i_0_j_0_fused % 16 * 128192 + i_2_j_2_fused / 32 * 2003 + i_2_j_2_fused % 32 + k_outer * 32 + ax0_ax1_fused_outer * 16024];
        }
      }
    }
    __syncthreads();
    for (int k_inner = 0; k_inner < 32; ++k_inner) {
      if (k_outer * 32 + k_inner < 2003) {
        C_local[0] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner]);
        C_local[1] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 528]);
        if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
          C_local[2] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1056]);
        }
        if (i_0_j_0_fused % 16 < 15) {
          C_local[3] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1584]);
        }
        C_local[4] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 528]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner]);
        C_local[5] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 528]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 528]);
        if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
          C_local[6] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 528]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1056]);
        }
        if (i_0_j_0_fused % 16 < 15) {
          C_local[7] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 528]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1584]);
        }
        if (i_0_j_0_fused / 16 * 64 + i_2_j_2_fused / 16 < 969) {
          C_local[8] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1056]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner]);
          C_local[9] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1056]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 528]);
          if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
            C_local[10] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1056]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1056]);
          }
          if (i_0_j_0_fused % 16 < 15) {
            C_local[11] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1056]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1584]);
          }
        }
        if (i_0_j_0_fused < 240) {
          C_local[12] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1584]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner]);
          C_local[13] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1584]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 528]);
          if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
            C_local[14] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1584]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1056]);
          }
          if (i_0_j_0_fused % 16 < 15) {
            C_local[15] += f16_to_f32(A_shared[i_2_j_2_fused / 16 * 33 + k_inner + 1584]) * f16_to_f32(B_shared[i_2_j_2_fused % 16 * 33 + k_inner + 1584]);
          }
        }
      }
    }
  }
  C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16] = C_local[0];
  C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 16] = C_local[1];
  if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 32] = C_local[2];
  }
  if (i_0_j_0_fused % 16 < 15) {
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 48] = C_local[3];
  }
  C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 16112] = C_local[4];
  C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 16128] = C_local[5];
  if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 16144] = C_local[6];
  }
  if (i_0_j_0_fused % 16 < 15) {
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 16160] = C_local[7];
  }
  if (i_0_j_0_fused / 16 * 64 + i_2_j_2_fused / 16 < 969) {
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 32224] = C_local[8];
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 32240] = C_local[9];
    if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
      C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 32256] = C_local[10];
    }
    if (i_0_j_0_fused % 16 < 15) {
      C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 32272] = C_local[11];
    }
  }
  if (i_0_j_0_fused < 240) {
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 48336] = C_local[12];
    C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 48352] = C_local[13];
    if (i_0_j_0_fused % 16 * 64 + i_2_j_2_fused % 16 < 975) {
      C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 48368] = C_local[14];
    }
    if (i_0_j_0_fused % 16 < 15) {
      C[i_0_j_0_fused / 16 * 64448 + i_0_j_0_fused % 16 * 64 + i_2_j_2_fused / 16 * 1007 + i_2_j_2_fused % 16 + 48384] = C_local[15];
    }
  }
}
