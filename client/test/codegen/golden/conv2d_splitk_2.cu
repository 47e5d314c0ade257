// conv2d_splitk_2 published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   split l4 factors=[16,null] -> l7 l8
//   rfactor l7 axis=0 -> s1 l9 l10 l11 l12 l13 l14
//   split l8 factors=[8,null] -> l15 l16
//   rfactor l15 axis=0 -> s2 l17 l18 l19 l20 l21 l22 l23
//   set_scope s2 scope="shared"
//   cache_write s2 scope="local" -> s3 l24 l25 l26 l27 l28 l29
//   cache_read i0 s3 scope="shared" -> s4 l30 l31 l32 l33
//   cache_read i1 s3 scope="shared" -> s5 l34 l35 l36 l37
//   cache_read s5 s3 scope="local" -> s6 l38 l39 l40 l41
//   cache_read s4 s3 scope="local" -> s7 l42 l43 l44 l45
//   cache_write s1 scope="local" -> s8 l46 l47 l48 l49 l50
//   transform_layout s1 map={"from":["s","n","f","y","x"],"to":["s","n","y","x","f"]} -> l51 l52 l53 l54 l55
//   split l55 factors=[null,32] -> l56 l57
//   split l53 factors=[null,7] -> l58 l59
//   split l54 factors=[null,7] -> l60 l61
//   reorder l51 l56 l52 l58 l60 l59 l61 l57
//   bind l51 thread="blockIdx.x"
//   bind l56 thread="blockIdx.y"
//   fuse l52 l58 l60 -> l62
//   bind l62 thread="blockIdx.z"
//   fuse l59 l61 -> l63
//   split l63 factors=[null,8] -> l64 l65
//   bind l65 thread="threadIdx.y"
//   bind l57 thread="threadIdx.x"
//   reorder l65 l57 l64
//   unroll l64
//   compute_at s8 s1 l64
//   unroll l23
//   compute_at s2 s1 l62
//   reorder l17 l20 l18 l19 l21 l22
//   bind l17 thread="threadIdx.y"
//   bind l20 thread="threadIdx.x"
//   unroll l21
//   unroll l22
//   compute_at s3 s2 l20
//   reorder l16 l28 l5 l6 l29
//   unroll l16
//   unroll l28
//   unroll l5
//   unroll l6
//   unroll l29
//   compute_at s4 s1 l62
//   compute_at s5 s1 l62
//   fuse l34 l35 l36 l37 -> l66
//   split l66 factors=[null,8,32,4] -> l67 l68 l69 l70
//   unroll l67
//   bind l68 thread="threadIdx.y"
//   bind l69 thread="threadIdx.x"
//   vectorize l70
//   fuse l30 l31 l32 l33 -> l71
//   split l71 factors=[null,8,32,1] -> l72 l73 l74 l75
//   unroll l72
//   bind l73 thread="threadIdx.y"
//   bind l74 thread="threadIdx.x"
//   storage_align s5 axis=0 factor=8 offset=4
//   storage_align s4 axis=2 factor=4 offset=0
//   compute_at s7 s3 l16
//   compute_at s6 s2 l20
//   fuse l38 l39 l40 l41 -> l76
//   split l76 factors=[null,4] -> l77 l78
//   unroll l77
//   vectorize l78
//   split l45 factors=[null,4] -> l79 l80
//   unroll l42
//   unroll l43
//   unroll l44
//   unroll l79
//   vectorize l80
//   reorder l0 l2 l3 l1
//   fuse l0 l2 l3 l1 -> l81
//   split l81 factors=[null,128] -> l82 l83
//   bind l82 thread="blockIdx.x"
//   bind l83 thread="threadIdx.x"
//   unroll l14
struct __align__(16) f32x4 { float lane[4]; };

extern "C" __global__ void __launch_bounds__(256) conv_kernel0(const float *__restrict__ data, const float *__restrict__ kernel, float *__restrict__ conv_rf) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int f_outer = blockIdx.y;  // < 16
  const int s = blockIdx.x;  // < 16
  const int ax0_ax1_ax2_ax3_fused_1 = threadIdx.y;  // < 8
  const int ax0_ax1_ax2_ax3_fused_2 = threadIdx.x;  // < 32
  float *const data_shared = (float *)(shared_memory + 0);
  float *const kernel_shared = (float *)(shared_memory + 7168);
  float *const conv_rf_rf = (float *)(shared_memory + 44544);
  float kernel_shared_local[36];
  float conv_rf_rf_local[49];
  float data_shared_local[49];
  float conv_rf_local[1];
  // conv.rf
  // data.shared
  data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2];
  data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 256) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 256) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 256];
  data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 512) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 512) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 512];
  data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 768) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 768) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 768];
  data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1024) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1024) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1024];
  data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1280) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1280) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1280];
  if (ax0_ax1_ax2_ax3_fused_1 < 1) {
    data_shared[(ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1536) / 7 * 8 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1536) % 7] = data[s * 1568 + ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + 1536];
  }
  // kernel.shared
  #pragma unroll
  for (int ax0_ax1_ax2_ax3_fused_0 = 0; ax0_ax1_ax2_ax3_fused_0 < 9; ++ax0_ax1_ax2_ax3_fused_0) {
    *(f32x4 *)(kernel_shared + ((ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + ax0_ax1_ax2_ax3_fused_0 * 256) / 72 * 292 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + ax0_ax1_ax2_ax3_fused_0 * 256) % 72 * 4)) = *(const f32x4 *)(kernel + (f_outer * 147456 + s * 288 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + ax0_ax1_ax2_ax3_fused_0 * 256) / 72 * 4608 + (ax0_ax1_ax2_ax3_fused_1 * 32 + ax0_ax1_ax2_ax3_fused_2 + ax0_ax1_ax2_ax3_fused_0 * 256) % 72 * 4));
  }
  __syncthreads();
  // conv.rf.rf
  // kernel.shared.local
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292));
    kernel_shared_local[0] = v0.lane[0];
    kernel_shared_local[1] = v0.lane[1];
    kernel_shared_local[2] = v0.lane[2];
    kernel_shared_local[3] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 4));
    kernel_shared_local[4] = v0.lane[0];
    kernel_shared_local[5] = v0.lane[1];
    kernel_shared_local[6] = v0.lane[2];
    kernel_shared_local[7] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 8));
    kernel_shared_local[8] = v0.lane[0];
    kernel_shared_local[9] = v0.lane[1];
    kernel_shared_local[10] = v0.lane[2];
    kernel_shared_local[11] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 12));
    kernel_shared_local[12] = v0.lane[0];
    kernel_shared_local[13] = v0.lane[1];
    kernel_shared_local[14] = v0.lane[2];
    kernel_shared_local[15] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 16));
    kernel_shared_local[16] = v0.lane[0];
    kernel_shared_local[17] = v0.lane[1];
    kernel_shared_local[18] = v0.lane[2];
    kernel_shared_local[19] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 20));
    kernel_shared_local[20] = v0.lane[0];
    kernel_shared_local[21] = v0.lane[1];
    kernel_shared_local[22] = v0.lane[2];
    kernel_shared_local[23] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 24));
    kernel_shared_local[24] = v0.lane[0];
    kernel_shared_local[25] = v0.lane[1];
    kernel_shared_local[26] = v0.lane[2];
    kernel_shared_local[27] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 28));
    kernel_shared_local[28] = v0.lane[0];
    kernel_shared_local[29] = v0.lane[1];
    kernel_shared_local[30] = v0.lane[2];
    kernel_shared_local[31] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(kernel_shared + (ax0_ax1_ax2_ax3_fused_1 * 36 + ax0_ax1_ax2_ax3_fused_2 * 292 + 32));
    kernel_shared_local[32] = v0.lane[0];
    kernel_shared_local[33] = v0.lane[1];
    kernel_shared_local[34] = v0.lane[2];
    kernel_shared_local[35] = v0.lane[3];
  }
  // conv.rf.rf.local
  conv_rf_rf_local[0] = 0.0f;
  conv_rf_rf_local[1] = 0.0f;
  conv_rf_rf_local[2] = 0.0f;
  conv_rf_rf_local[3] = 0.0f;
  conv_rf_rf_local[4] = 0.0f;
  conv_rf_rf_local[5] = 0.0f;
  conv_rf_rf_local[6] = 0.0f;
  conv_rf_rf_local[7] = 0.0f;
  conv_rf_rf_local[8] = 0.0f;
  conv_rf_rf_local[9] = 0.0f;
  conv_rf_rf_local[10] = 0.0f;
  conv_rf_rf_local[11] = 0.0f;
  conv_rf_rf_local[12] = 0.0f;
  conv_rf_rf_local[13] = 0.0f;
  conv_rf_rf_local[14] = 0.0f;
  conv_rf_rf_local[15] = 0.0f;
  conv_rf_rf_local[16] = 0.0f;
  conv_rf_rf_local[17] = 0.0f;
  conv_rf_rf_local[18] = 0.0f;
  conv_rf_rf_local[19] = 0.0f;
  conv_rf_rf_local[20] = 0.0f;
  conv_rf_rf_local[21] = 0.0f;
  conv_rf_rf_local[22] = 0.0f;
  conv_rf_rf_local[23] = 0.0f;
  conv_rf_rf_local[24] = 0.0f;
  conv_rf_rf_local[25] = 0.0f;
  conv_rf_rf_local[26] = 0.0f;
  conv_rf_rf_local[27] = 0.0f;
  conv_rf_rf_local[28] = 0.0f;
  conv_rf_rf_local[29] = 0.0f;
  conv_rf_rf_local[30] = 0.0f;
  conv_rf_rf_local[31] = 0.0f;
  conv_rf_rf_local[32] = 0.0f;
  conv_rf_rf_local[33] = 0.0f;
  conv_rf_rf_local[34] = 0.0f;
  conv_rf_rf_local[35] = 0.0f;
  conv_rf_rf_local[36] = 0.0f;
  conv_rf_rf_local[37] = 0.0f;
  conv_rf_rf_local[38] = 0.0f;
  conv_rf_rf_local[39] = 0.0f;
  conv_rf_rf_local[40] = 0.0f;
  conv_rf_rf_local[41] = 0.0f;
  conv_rf_rf_local[42] = 0.0f;
  conv_rf_rf_local[43] = 0.0f;
  conv_rf_rf_local[44] = 0.0f;
  conv_rf_rf_local[45] = 0.0f;
  conv_rf_rf_local[46] = 0.0f;
  conv_rf_rf_local[47] = 0.0f;
  conv_rf_rf_local[48] = 0.0f;
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 4] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 4];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 7] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 8];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 11] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 12];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 14] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 16];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 18] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 20];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 21] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 24];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 25] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 28];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 28] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 32];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 32] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 36];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 35] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 40];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 39] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 44];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 42] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 48];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 46] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 52];
    }
  }
  conv_rf_rf_local[1] += data_shared_local[0] * kernel_shared_local[3];
  conv_rf_rf_local[2] += data_shared_local[1] * kernel_shared_local[3];
  conv_rf_rf_local[3] += data_shared_local[2] * kernel_shared_local[3];
  conv_rf_rf_local[4] += data_shared_local[3] * kernel_shared_local[3];
  conv_rf_rf_local[5] += data_shared_local[4] * kernel_shared_local[3];
  conv_rf_rf_local[6] += data_shared_local[5] * kernel_shared_local[3];
  conv_rf_rf_local[0] += data_shared_local[0] * kernel_shared_local[4];
  conv_rf_rf_local[1] += data_shared_local[1] * kernel_shared_local[4];
  conv_rf_rf_local[2] += data_shared_local[2] * kernel_shared_local[4];
  conv_rf_rf_local[3] += data_shared_local[3] * kernel_shared_local[4];
  conv_rf_rf_local[4] += data_shared_local[4] * kernel_shared_local[4];
  conv_rf_rf_local[5] += data_shared_local[5] * kernel_shared_local[4];
  conv_rf_rf_local[6] += data_shared_local[6] * kernel_shared_local[4];
  conv_rf_rf_local[0] += data_shared_local[1] * kernel_shared_local[5];
  conv_rf_rf_local[1] += data_shared_local[2] * kernel_shared_local[5];
  conv_rf_rf_local[2] += data_shared_local[3] * kernel_shared_local[5];
  conv_rf_rf_local[3] += data_shared_local[4] * kernel_shared_local[5];
  conv_rf_rf_local[4] += data_shared_local[5] * kernel_shared_local[5];
  conv_rf_rf_local[5] += data_shared_local[6] * kernel_shared_local[5];
  conv_rf_rf_local[1] += data_shared_local[7] * kernel_shared_local[6];
  conv_rf_rf_local[2] += data_shared_local[8] * kernel_shared_local[6];
  conv_rf_rf_local[3] += data_shared_local[9] * kernel_shared_local[6];
  conv_rf_rf_local[4] += data_shared_local[10] * kernel_shared_local[6];
  conv_rf_rf_local[5] += data_shared_local[11] * kernel_shared_local[6];
  conv_rf_rf_local[6] += data_shared_local[12] * kernel_shared_local[6];
  conv_rf_rf_local[0] += data_shared_local[7] * kernel_shared_local[7];
  conv_rf_rf_local[1] += data_shared_local[8] * kernel_shared_local[7];
  conv_rf_rf_local[2] += data_shared_local[9] * kernel_shared_local[7];
  conv_rf_rf_local[3] += data_shared_local[10] * kernel_shared_local[7];
  conv_rf_rf_local[4] += data_shared_local[11] * kernel_shared_local[7];
  conv_rf_rf_local[5] += data_shared_local[12] * kernel_shared_local[7];
  conv_rf_rf_local[6] += data_shared_local[13] * kernel_shared_local[7];
  conv_rf_rf_local[0] += data_shared_local[8] * kernel_shared_local[8];
  conv_rf_rf_local[1] += data_shared_local[9] * kernel_shared_local[8];
  conv_rf_rf_local[2] += data_shared_local[10] * kernel_shared_local[8];
  conv_rf_rf_local[3] += data_shared_local[11] * kernel_shared_local[8];
  conv_rf_rf_local[4] += data_shared_local[12] * kernel_shared_local[8];
  conv_rf_rf_local[5] += data_shared_local[13] * kernel_shared_local[8];
  conv_rf_rf_local[8] += data_shared_local[0] * kernel_shared_local[0];
  conv_rf_rf_local[9] += data_shared_local[1] * kernel_shared_local[0];
  conv_rf_rf_local[10] += data_shared_local[2] * kernel_shared_local[0];
  conv_rf_rf_local[11] += data_shared_local[3] * kernel_shared_local[0];
  conv_rf_rf_local[12] += data_shared_local[4] * kernel_shared_local[0];
  conv_rf_rf_local[13] += data_shared_local[5] * kernel_shared_local[0];
  conv_rf_rf_local[7] += data_shared_local[0] * kernel_shared_local[1];
  conv_rf_rf_local[8] += data_shared_local[1] * kernel_shared_local[1];
  conv_rf_rf_local[9] += data_shared_local[2] * kernel_shared_local[1];
  conv_rf_rf_local[10] += data_shared_local[3] * kernel_shared_local[1];
  conv_rf_rf_local[11] += data_shared_local[4] * kernel_shared_local[1];
  conv_rf_rf_local[12] += data_shared_local[5] * kernel_shared_local[1];
  conv_rf_rf_local[13] += data_shared_local[6] * kernel_shared_local[1];
  conv_rf_rf_local[7] += data_shared_local[1] * kernel_shared_local[2];
  conv_rf_rf_local[8] += data_shared_local[2] * kernel_shared_local[2];
  conv_rf_rf_local[9] += data_shared_local[3] * kernel_shared_local[2];
  conv_rf_rf_local[10] += data_shared_local[4] * kernel_shared_local[2];
  conv_rf_rf_local[11] += data_shared_local[5] * kernel_shared_local[2];
  conv_rf_rf_local[12] += data_shared_local[6] * kernel_shared_local[2];
  conv_rf_rf_local[8] += data_shared_local[7] * kernel_shared_local[3];
  conv_rf_rf_local[9] += data_shared_local[8] * kernel_shared_local[3];
  conv_rf_rf_local[10] += data_shared_local[9] * kernel_shared_local[3];
  conv_rf_rf_local[11] += data_shared_local[10] * kernel_shared_local[3];
  conv_rf_rf_local[12] += data_shared_local[11] * kernel_shared_local[3];
  conv_rf_rf_local[13] += data_shared_local[12] * kernel_shared_local[3];
  conv_rf_rf_local[7] += data_shared_local[7] * kernel_shared_local[4];
  conv_rf_rf_local[8] += data_shared_local[8] * kernel_shared_local[4];
  conv_rf_rf_local[9] += data_shared_local[9] * kernel_shared_local[4];
  conv_rf_rf_local[10] += data_shared_local[10] * kernel_shared_local[4];
  conv_rf_rf_local[11] += data_shared_local[11] * kernel_shared_local[4];
  conv_rf_rf_local[12] += data_shared_local[12] * kernel_shared_local[4];
  conv_rf_rf_local[13] += data_shared_local[13] * kernel_shared_local[4];
  conv_rf_rf_local[7] += data_shared_local[8] * kernel_shared_local[5];
  conv_rf_rf_local[8] += data_shared_local[9] * kernel_shared_local[5];
  conv_rf_rf_local[9] += data_shared_local[10] * kernel_shared_local[5];
  conv_rf_rf_local[10] += data_shared_local[11] * kernel_shared_local[5];
  conv_rf_rf_local[11] += data_shared_local[12] * kernel_shared_local[5];
  conv_rf_rf_local[12] += data_shared_local[13] * kernel_shared_local[5];
  conv_rf_rf_local[8] += data_shared_local[14] * kernel_shared_local[6];
  conv_rf_rf_local[9] += data_shared_local[15] * kernel_shared_local[6];
  conv_rf_rf_local[10] += data_shared_local[16] * kernel_shared_local[6];
  conv_rf_rf_local[11] += data_shared_local[17] * kernel_shared_local[6];
  conv_rf_rf_local[12] += data_shared_local[18] * kernel_shared_local[6];
  conv_rf_rf_local[13] += data_shared_local[19] * kernel_shared_local[6];
  conv_rf_rf_local[7] += data_shared_local[14] * kernel_shared_local[7];
  conv_rf_rf_local[8] += data_shared_local[15] * kernel_shared_local[7];
  conv_rf_rf_local[9] += data_shared_local[16] * kernel_shared_local[7];
  conv_rf_rf_local[10] += data_shared_local[17] * kernel_shared_local[7];
  conv_rf_rf_local[11] += data_shared_local[18] * kernel_shared_local[7];
  conv_rf_rf_local[12] += data_shared_local[19] * kernel_shared_local[7];
  conv_rf_rf_local[13] += data_shared_local[20] * kernel_shared_local[7];
  conv_rf_rf_local[7] += data_shared_local[15] * kernel_shared_local[8];
  conv_rf_rf_local[8] += data_shared_local[16] * kernel_shared_local[8];
  conv_rf_rf_local[9] += data_shared_local[17] * kernel_shared_local[8];
  conv_rf_rf_local[10] += data_shared_local[18] * kernel_shared_local[8];
  conv_rf_rf_local[11] += data_shared_local[19] * kernel_shared_local[8];
  conv_rf_rf_local[12] += data_shared_local[20] * kernel_shared_local[8];
  conv_rf_rf_local[15] += data_shared_local[7] * kernel_shared_local[0];
  conv_rf_rf_local[16] += data_shared_local[8] * kernel_shared_local[0];
  conv_rf_rf_local[17] += data_shared_local[9] * kernel_shared_local[0];
  conv_rf_rf_local[18] += data_shared_local[10] * kernel_shared_local[0];
  conv_rf_rf_local[19] += data_shared_local[11] * kernel_shared_local[0];
  conv_rf_rf_local[20] += data_shared_local[12] * kernel_shared_local[0];
  conv_rf_rf_local[14] += data_shared_local[7] * kernel_shared_local[1];
  conv_rf_rf_local[15] += data_shared_local[8] * kernel_shared_local[1];
  conv_rf_rf_local[16] += data_shared_local[9] * kernel_shared_local[1];
  conv_rf_rf_local[17] += data_shared_local[10] * kernel_shared_local[1];
  conv_rf_rf_local[18] += data_shared_local[11] * kernel_shared_local[1];
  conv_rf_rf_local[19] += data_shared_local[12] * kernel_shared_local[1];
  conv_rf_rf_local[20] += data_shared_local[13] * kernel_shared_local[1];
  conv_rf_rf_local[14] += data_shared_local[8] * kernel_shared_local[2];
  conv_rf_rf_local[15] += data_shared_local[9] * kernel_shared_local[2];
  conv_rf_rf_local[16] += data_shared_local[10] * kernel_shared_local[2];
  conv_rf_rf_local[17] += data_shared_local[11] * kernel_shared_local[2];
  conv_rf_rf_local[18] += data_shared_local[12] * kernel_shared_local[2];
  conv_rf_rf_local[19] += data_shared_local[13] * kernel_shared_local[2];
  conv_rf_rf_local[15] += data_shared_local[14] * kernel_shared_local[3];
  conv_rf_rf_local[16] += data_shared_local[15] * kernel_shared_local[3];
  conv_rf_rf_local[17] += data_shared_local[16] * kernel_shared_local[3];
  conv_rf_rf_local[18] += data_shared_local[17] * kernel_shared_local[3];
  conv_rf_rf_local[19] += data_shared_local[18] * kernel_shared_local[3];
  conv_rf_rf_local[20] += data_shared_local[19] * kernel_shared_local[3];
  conv_rf_rf_local[14] += data_shared_local[14] * kernel_shared_local[4];
  conv_rf_rf_local[15] += data_shared_local[15] * kernel_shared_local[4];
  conv_rf_rf_local[16] += data_shared_local[16] * kernel_shared_local[4];
  conv_rf_rf_local[17] += data_shared_local[17] * kernel_shared_local[4];
  conv_rf_rf_local[18] += data_shared_local[18] * kernel_shared_local[4];
  conv_rf_rf_local[19] += data_shared_local[19] * kernel_shared_local[4];
  conv_rf_rf_local[20] += data_shared_local[20] * kernel_shared_local[4];
  conv_rf_rf_local[14] += data_shared_local[15] * kernel_shared_local[5];
  conv_rf_rf_local[15] += data_shared_local[16] * kernel_shared_local[5];
  conv_rf_rf_local[16] += data_shared_local[17] * kernel_shared_local[5];
  conv_rf_rf_local[17] += data_shared_local[18] * kernel_shared_local[5];
  conv_rf_rf_local[18] += data_shared_local[19] * kernel_shared_local[5];
  conv_rf_rf_local[19] += data_shared_local[20] * kernel_shared_local[5];
  conv_rf_rf_local[15] += data_shared_local[21] * kernel_shared_local[6];
  conv_rf_rf_local[16] += data_shared_local[22] * kernel_shared_local[6];
  conv_rf_rf_local[17] += data_shared_local[23] * kernel_shared_local[6];
  conv_rf_rf_local[18] += data_shared_local[24] * kernel_shared_local[6];
  conv_rf_rf_local[19] += data_shared_local[25] * kernel_shared_local[6];
  conv_rf_rf_local[20] += data_shared_local[26] * kernel_shared_local[6];
  conv_rf_rf_local[14] += data_shared_local[21] * kernel_shared_local[7];
  conv_rf_rf_local[15] += data_shared_local[22] * kernel_shared_local[7];
  conv_rf_rf_local[16] += data_shared_local[23] * kernel_shared_local[7];
  conv_rf_rf_local[17] += data_shared_local[24] * kernel_shared_local[7];
  conv_rf_rf_local[18] += data_shared_local[25] * kernel_shared_local[7];
  conv_rf_rf_local[19] += data_shared_local[26] * kernel_shared_local[7];
  conv_rf_rf_local[20] += data_shared_local[27] * kernel_shared_local[7];
  conv_rf_rf_local[14] += data_shared_local[22] * kernel_shared_local[8];
  conv_rf_rf_local[15] += data_shared_local[23] * kernel_shared_local[8];
  conv_rf_rf_local[16] += data_shared_local[24] * kernel_shared_local[8];
  conv_rf_rf_local[17] += data_shared_local[25] * kernel_shared_local[8];
  conv_rf_rf_local[18] += data_shared_local[26] * kernel_shared_local[8];
  conv_rf_rf_local[19] += data_shared_local[27] * kernel_shared_local[8];
  conv_rf_rf_local[22] += data_shared_local[14] * kernel_shared_local[0];
  conv_rf_rf_local[23] += data_shared_local[15] * kernel_shared_local[0];
  conv_rf_rf_local[24] += data_shared_local[16] * kernel_shared_local[0];
  conv_rf_rf_local[25] += data_shared_local[17] * kernel_shared_local[0];
  conv_rf_rf_local[26] += data_shared_local[18] * kernel_shared_local[0];
  conv_rf_rf_local[27] += data_shared_local[19] * kernel_shared_local[0];
  conv_rf_rf_local[21] += data_shared_local[14] * kernel_shared_local[1];
  conv_rf_rf_local[22] += data_shared_local[15] * kernel_shared_local[1];
  conv_rf_rf_local[23] += data_shared_local[16] * kernel_shared_local[1];
  conv_rf_rf_local[24] += data_shared_local[17] * kernel_shared_local[1];
  conv_rf_rf_local[25] += data_shared_local[18] * kernel_shared_local[1];
  conv_rf_rf_local[26] += data_shared_local[19] * kernel_shared_local[1];
  conv_rf_rf_local[27] += data_shared_local[20] * kernel_shared_local[1];
  conv_rf_rf_local[21] += data_shared_local[15] * kernel_shared_local[2];
  conv_rf_rf_local[22] += data_shared_local[16] * kernel_shared_local[2];
  conv_rf_rf_local[23] += data_shared_local[17] * kernel_shared_local[2];
  conv_rf_rf_local[24] += data_shared_local[18] * kernel_shared_local[2];
  conv_rf_rf_local[25] += data_shared_local[19] * kernel_shared_local[2];
  conv_rf_rf_local[26] += data_shared_local[20] * kernel_shared_local[2];
  conv_rf_rf_local[22] += data_shared_local[21] * kernel_shared_local[3];
  conv_rf_rf_local[23] += data_shared_local[22] * kernel_shared_local[3];
  conv_rf_rf_local[24] += data_shared_local[23] * kernel_shared_local[3];
  conv_rf_rf_local[25] += data_shared_local[24] * kernel_shared_local[3];
  conv_rf_rf_local[26] += data_shared_local[25] * kernel_shared_local[3];
  conv_rf_rf_local[27] += data_shared_local[26] * kernel_shared_local[3];
  conv_rf_rf_local[21] += data_shared_local[21] * kernel_shared_local[4];
  conv_rf_rf_local[22] += data_shared_local[22] * kernel_shared_local[4];
  conv_rf_rf_local[23] += data_shared_local[23] * kernel_shared_local[4];
  conv_rf_rf_local[24] += data_shared_local[24] * kernel_shared_local[4];
  conv_rf_rf_local[25] += data_shared_local[25] * kernel_shared_local[4];
  conv_rf_rf_local[26] += data_shared_local[26] * kernel_shared_local[4];
  conv_rf_rf_local[27] += data_shared_local[27] * kernel_shared_local[4];
  conv_rf_rf_local[21] += data_shared_local[22] * kernel_shared_local[5];
  conv_rf_rf_local[22] += data_shared_local[23] * kernel_shared_local[5];
  conv_rf_rf_local[23] += data_shared_local[24] * kernel_shared_local[5];
  conv_rf_rf_local[24] += data_shared_local[25] * kernel_shared_local[5];
  conv_rf_rf_local[25] += data_shared_local[26] * kernel_shared_local[5];
  conv_rf_rf_local[26] += data_shared_local[27] * kernel_shared_local[5];
  conv_rf_rf_local[22] += data_shared_local[28] * kernel_shared_local[6];
  conv_rf_rf_local[23] += data_shared_local[29] * kernel_shared_local[6];
  conv_rf_rf_local[24] += data_shared_local[30] * kernel_shared_local[6];
  conv_rf_rf_local[25] += data_shared_local[31] * kernel_shared_local[6];
  conv_rf_rf_local[26] += data_shared_local[32] * kernel_shared_local[6];
  conv_rf_rf_local[27] += data_shared_local[33] * kernel_shared_local[6];
  conv_rf_rf_local[21] += data_shared_local[28] * kernel_shared_local[7];
  conv_rf_rf_local[22] += data_shared_local[29] * kernel_shared_local[7];
  conv_rf_rf_local[23] += data_shared_local[30] * kernel_shared_local[7];
  conv_rf_rf_local[24] += data_shared_local[31] * kernel_shared_local[7];
  conv_rf_rf_local[25] += data_shared_local[32] * kernel_shared_local[7];
  conv_rf_rf_local[26] += data_shared_local[33] * kernel_shared_local[7];
  conv_rf_rf_local[27] += data_shared_local[34] * kernel_shared_local[7];
  conv_rf_rf_local[21] += data_shared_local[29] * kernel_shared_local[8];
  conv_rf_rf_local[22] += data_shared_local[30] * kernel_shared_local[8];
  conv_rf_rf_local[23] += data_shared_local[31] * kernel_shared_local[8];
  conv_rf_rf_local[24] += data_shared_local[32] * kernel_shared_local[8];
  conv_rf_rf_local[25] += data_shared_local[33] * kernel_shared_local[8];
  conv_rf_rf_local[26] += data_shared_local[34] * kernel_shared_local[8];
  conv_rf_rf_local[29] += data_shared_local[21] * kernel_shared_local[0];
  conv_rf_rf_local[30] += data_shared_local[22] * kernel_shared_local[0];
  conv_rf_rf_local[31] += data_shared_local[23] * kernel_shared_local[0];
  conv_rf_rf_local[32] += data_shared_local[24] * kernel_shared_local[0];
  conv_rf_rf_local[33] += data_shared_local[25] * kernel_shared_local[0];
  conv_rf_rf_local[34] += data_shared_local[26] * kernel_shared_local[0];
  conv_rf_rf_local[28] += data_shared_local[21] * kernel_shared_local[1];
  conv_rf_rf_local[29] += data_shared_local[22] * kernel_shared_local[1];
  conv_rf_rf_local[30] += data_shared_local[23] * kernel_shared_local[1];
  conv_rf_rf_local[31] += data_shared_local[24] * kernel_shared_local[1];
  conv_rf_rf_local[32] += data_shared_local[25] * kernel_shared_local[1];
  conv_rf_rf_local[33] += data_shared_local[26] * kernel_shared_local[1];
  conv_rf_rf_local[34] += data_shared_local[27] * kernel_shared_local[1];
  conv_rf_rf_local[28] += data_shared_local[22] * kernel_shared_local[2];
  conv_rf_rf_local[29] += data_shared_local[23] * kernel_shared_local[2];
  conv_rf_rf_local[30] += data_shared_local[24] * kernel_shared_local[2];
  conv_rf_rf_local[31] += data_shared_local[25] * kernel_shared_local[2];
  conv_rf_rf_local[32] += data_shared_local[26] * kernel_shared_local[2];
  conv_rf_rf_local[33] += data_shared_local[27] * kernel_shared_local[2];
  conv_rf_rf_local[29] += data_shared_local[28] * kernel_shared_local[3];
  conv_rf_rf_local[30] += data_shared_local[29] * kernel_shared_local[3];
  conv_rf_rf_local[31] += data_shared_local[30] * kernel_shared_local[3];
  conv_rf_rf_local[32] += data_shared_local[31] * kernel_shared_local[3];
  conv_rf_rf_local[33] += data_shared_local[32] * kernel_shared_local[3];
  conv_rf_rf_local[34] += data_shared_local[33] * kernel_shared_local[3];
  conv_rf_rf_local[28] += data_shared_local[28] * kernel_shared_local[4];
  conv_rf_rf_local[29] += data_shared_local[29] * kernel_shared_local[4];
  conv_rf_rf_local[30] += data_shared_local[30] * kernel_shared_local[4];
  conv_rf_rf_local[31] += data_shared_local[31] * kernel_shared_local[4];
  conv_rf_rf_local[32] += data_shared_local[32] * kernel_shared_local[4];
  conv_rf_rf_local[33] += data_shared_local[33] * kernel_shared_local[4];
  conv_rf_rf_local[34] += data_shared_local[34] * kernel_shared_local[4];
  conv_rf_rf_local[28] += data_shared_local[29] * kernel_shared_local[5];
  conv_rf_rf_local[29] += data_shared_local[30] * kernel_shared_local[5];
  conv_rf_rf_local[30] += data_shared_local[31] * kernel_shared_local[5];
  conv_rf_rf_local[31] += data_shared_local[32] * kernel_shared_local[5];
  conv_rf_rf_local[32] += data_shared_local[33] * kernel_shared_local[5];
  conv_rf_rf_local[33] += data_shared_local[34] * kernel_shared_local[5];
  conv_rf_rf_local[29] += data_shared_local[35] * kernel_shared_local[6];
  conv_rf_rf_local[30] += data_shared_local[36] * kernel_shared_local[6];
  conv_rf_rf_local[31] += data_shared_local[37] * kernel_shared_local[6];
  conv_rf_rf_local[32] += data_shared_local[38] * kernel_shared_local[6];
  conv_rf_rf_local[33] += data_shared_local[39] * kernel_shared_local[6];
  conv_rf_rf_local[34] += data_shared_local[40] * kernel_shared_local[6];
  conv_rf_rf_local[28] += data_shared_local[35] * kernel_shared_local[7];
  conv_rf_rf_local[29] += data_shared_local[36] * kernel_shared_local[7];
  conv_rf_rf_local[30] += data_shared_local[37] * kernel_shared_local[7];
  conv_rf_rf_local[31] += data_shared_local[38] * kernel_shared_local[7];
  conv_rf_rf_local[32] += data_shared_local[39] * kernel_shared_local[7];
  conv_rf_rf_local[33] += data_shared_local[40] * kernel_shared_local[7];
  conv_rf_rf_local[34] += data_shared_local[41] * kernel_shared_local[7];
  conv_rf_rf_local[28] += data_shared_local[36] * kernel_shared_local[8];
  conv_rf_rf_local[29] += data_shared_local[37] * kernel_shared_local[8];
  conv_rf_rf_local[30] += data_shared_local[38] * kernel_shared_local[8];
  conv_rf_rf_local[31] += data_shared_local[39] * kernel_shared_local[8];
  conv_rf_rf_local[32] += data_shared_local[40] * kernel_shared_local[8];
  conv_rf_rf_local[33] += data_shared_local[41] * kernel_shared_local[8];
  conv_rf_rf_local[36] += data_shared_local[28] * kernel_shared_local[0];
  conv_rf_rf_local[37] += data_shared_local[29] * kernel_shared_local[0];
  conv_rf_rf_local[38] += data_shared_local[30] * kernel_shared_local[0];
  conv_rf_rf_local[39] += data_shared_local[31] * kernel_shared_local[0];
  conv_rf_rf_local[40] += data_shared_local[32] * kernel_shared_local[0];
  conv_rf_rf_local[41] += data_shared_local[33] * kernel_shared_local[0];
  conv_rf_rf_local[35] += data_shared_local[28] * kernel_shared_local[1];
  conv_rf_rf_local[36] += data_shared_local[29] * kernel_shared_local[1];
  conv_rf_rf_local[37] += data_shared_local[30] * kernel_shared_local[1];
  conv_rf_rf_local[38] += data_shared_local[31] * kernel_shared_local[1];
  conv_rf_rf_local[39] += data_shared_local[32] * kernel_shared_local[1];
  conv_rf_rf_local[40] += data_shared_local[33] * kernel_shared_local[1];
  conv_rf_rf_local[41] += data_shared_local[34] * kernel_shared_local[1];
  conv_rf_rf_local[35] += data_shared_local[29] * kernel_shared_local[2];
  conv_rf_rf_local[36] += data_shared_local[30] * kernel_shared_local[2];
  conv_rf_rf_local[37] += data_shared_local[31] * kernel_shared_local[2];
  conv_rf_rf_local[38] += data_shared_local[32] * kernel_shared_local[2];
  conv_rf_rf_local[39] += data_shared_local[33] * kernel_shared_local[2];
  conv_rf_rf_local[40] += data_shared_local[34] * kernel_shared_local[2];
  conv_rf_rf_local[36] += data_shared_local[35] * kernel_shared_local[3];
  conv_rf_rf_local[37] += data_shared_local[36] * kernel_shared_local[3];
  conv_rf_rf_local[38] += data_shared_local[37] * kernel_shared_local[3];
  conv_rf_rf_local[39] += data_shared_local[38] * kernel_shared_local[3];
  conv_rf_rf_local[40] += data_shared_local[39] * kernel_shared_local[3];
  conv_rf_rf_local[41] += data_shared_local[40] * kernel_shared_local[3];
  conv_rf_rf_local[35] += data_shared_local[35] * kernel_shared_local[4];
  conv_rf_rf_local[36] += data_shared_local[36] * kernel_shared_local[4];
  conv_rf_rf_local[37] += data_shared_local[37] * kernel_shared_local[4];
  conv_rf_rf_local[38] += data_shared_local[38] * kernel_shared_local[4];
  conv_rf_rf_local[39] += data_shared_local[39] * kernel_shared_local[4];
  conv_rf_rf_local[40] += data_shared_local[40] * kernel_shared_local[4];
  conv_rf_rf_local[41] += data_shared_local[41] * kernel_shared_local[4];
  conv_rf_rf_local[35] += data_shared_local[36] * kernel_shared_local[5];
  conv_rf_rf_local[36] += data_shared_local[37] * kernel_shared_local[5];
  conv_rf_rf_local[37] += data_shared_local[38] * kernel_shared_local[5];
  conv_rf_rf_local[38] += data_shared_local[39] * kernel_shared_local[5];
  conv_rf_rf_local[39] += data_shared_local[40] * kernel_shared_local[5];
  conv_rf_rf_local[40] += data_shared_local[41] * kernel_shared_local[5];
  conv_rf_rf_local[36] += data_shared_local[42] * kernel_shared_local[6];
  conv_rf_rf_local[37] += data_shared_local[43] * kernel_shared_local[6];
  conv_rf_rf_local[38] += data_shared_local[44] * kernel_shared_local[6];
  conv_rf_rf_local[39] += data_shared_local[45] * kernel_shared_local[6];
  conv_rf_rf_local[40] += data_shared_local[46] * kernel_shared_local[6];
  conv_rf_rf_local[41] += data_shared_local[47] * kernel_shared_local[6];
  conv_rf_rf_local[35] += data_shared_local[42] * kernel_shared_local[7];
  conv_rf_rf_local[36] += data_shared_local[43] * kernel_shared_local[7];
  conv_rf_rf_local[37] += data_shared_local[44] * kernel_shared_local[7];
  conv_rf_rf_local[38] += data_shared_local[45] * kernel_shared_local[7];
  conv_rf_rf_local[39] += data_shared_local[46] * kernel_shared_local[7];
  conv_rf_rf_local[40] += data_shared_local[47] * kernel_shared_local[7];
  conv_rf_rf_local[41] += data_shared_local[48] * kernel_shared_local[7];
  conv_rf_rf_local[35] += data_shared_local[43] * kernel_shared_local[8];
  conv_rf_rf_local[36] += data_shared_local[44] * kernel_shared_local[8];
  conv_rf_rf_local[37] += data_shared_local[45] * kernel_shared_local[8];
  conv_rf_rf_local[38] += data_shared_local[46] * kernel_shared_local[8];
  conv_rf_rf_local[39] += data_shared_local[47] * kernel_shared_local[8];
  conv_rf_rf_local[40] += data_shared_local[48] * kernel_shared_local[8];
  conv_rf_rf_local[43] += data_shared_local[35] * kernel_shared_local[0];
  conv_rf_rf_local[44] += data_shared_local[36] * kernel_shared_local[0];
  conv_rf_rf_local[45] += data_shared_local[37] * kernel_shared_local[0];
  conv_rf_rf_local[46] += data_shared_local[38] * kernel_shared_local[0];
  conv_rf_rf_local[47] += data_shared_local[39] * kernel_shared_local[0];
  conv_rf_rf_local[48] += data_shared_local[40] * kernel_shared_local[0];
  conv_rf_rf_local[42] += data_shared_local[35] * kernel_shared_local[1];
  conv_rf_rf_local[43] += data_shared_local[36] * kernel_shared_local[1];
  conv_rf_rf_local[44] += data_shared_local[37] * kernel_shared_local[1];
  conv_rf_rf_local[45] += data_shared_local[38] * kernel_shared_local[1];
  conv_rf_rf_local[46] += data_shared_local[39] * kernel_shared_local[1];
  conv_rf_rf_local[47] += data_shared_local[40] * kernel_shared_local[1];
  conv_rf_rf_local[48] += data_shared_local[41] * kernel_shared_local[1];
  conv_rf_rf_local[42] += data_shared_local[36] * kernel_shared_local[2];
  conv_rf_rf_local[43] += data_shared_local[37] * kernel_shared_local[2];
  conv_rf_rf_local[44] += data_shared_local[38] * kernel_shared_local[2];
  conv_rf_rf_local[45] += data_shared_local[39] * kernel_shared_local[2];
  conv_rf_rf_local[46] += data_shared_local[40] * kernel_shared_local[2];
  conv_rf_rf_local[47] += data_shared_local[41] * kernel_shared_local[2];
  conv_rf_rf_local[43] += data_shared_local[42] * kernel_shared_local[3];
  conv_rf_rf_local[44] += data_shared_local[43] * kernel_shared_local[3];
  conv_rf_rf_local[45] += data_shared_local[44] * kernel_shared_local[3];
  conv_rf_rf_local[46] += data_shared_local[45] * kernel_shared_local[3];
  conv_rf_rf_local[47] += data_shared_local[46] * kernel_shared_local[3];
  conv_rf_rf_local[48] += data_shared_local[47] * kernel_shared_local[3];
  conv_rf_rf_local[42] += data_shared_local[42] * kernel_shared_local[4];
  conv_rf_rf_local[43] += data_shared_local[43] * kernel_shared_local[4];
  conv_rf_rf_local[44] += data_shared_local[44] * kernel_shared_local[4];
  conv_rf_rf_local[45] += data_shared_local[45] * kernel_shared_local[4];
  conv_rf_rf_local[46] += data_shared_local[46] * kernel_shared_local[4];
  conv_rf_rf_local[47] += data_shared_local[47] * kernel_shared_local[4];
  conv_rf_rf_local[48] += data_shared_local[48] * kernel_shared_local[4];
  conv_rf_rf_local[42] += data_shared_local[43] * kernel_shared_local[5];
  conv_rf_rf_local[43] += data_shared_local[44] * kernel_shared_local[5];
  conv_rf_rf_local[44] += data_shared_local[45] * kernel_shared_local[5];
  conv_rf_rf_local[45] += data_shared_local[46] * kernel_shared_local[5];
  conv_rf_rf_local[46] += data_shared_local[47] * kernel_shared_local[5];
  conv_rf_rf_local[47] += data_shared_local[48] * kernel_shared_local[5];
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 56];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 4] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 60];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 7] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 64];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 11] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 68];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 14] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 72];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 18] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 76];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 21] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 80];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 25] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 84];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 28] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 88];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 32] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 92];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 35] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 96];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 39] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 100];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 42] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 104];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 46] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 108];
    }
  }
  conv_rf_rf_local[1] += data_shared_local[0] * kernel_shared_local[12];
  conv_rf_rf_local[2] += data_shared_local[1] * kernel_shared_local[12];
  conv_rf_rf_local[3] += data_shared_local[2] * kernel_shared_local[12];
  conv_rf_rf_local[4] += data_shared_local[3] * kernel_shared_local[12];
  conv_rf_rf_local[5] += data_shared_local[4] * kernel_shared_local[12];
  conv_rf_rf_local[6] += data_shared_local[5] * kernel_shared_local[12];
  conv_rf_rf_local[0] += data_shared_local[0] * kernel_shared_local[13];
  conv_rf_rf_local[1] += data_shared_local[1] * kernel_shared_local[13];
  conv_rf_rf_local[2] += data_shared_local[2] * kernel_shared_local[13];
  conv_rf_rf_local[3] += data_shared_local[3] * kernel_shared_local[13];
  conv_rf_rf_local[4] += data_shared_local[4] * kernel_shared_local[13];
  conv_rf_rf_local[5] += data_shared_local[5] * kernel_shared_local[13];
  conv_rf_rf_local[6] += data_shared_local[6] * kernel_shared_local[13];
  conv_rf_rf_local[0] += data_shared_local[1] * kernel_shared_local[14];
  conv_rf_rf_local[1] += data_shared_local[2] * kernel_shared_local[14];
  conv_rf_rf_local[2] += data_shared_local[3] * kernel_shared_local[14];
  conv_rf_rf_local[3] += data_shared_local[4] * kernel_shared_local[14];
  conv_rf_rf_local[4] += data_shared_local[5] * kernel_shared_local[14];
  conv_rf_rf_local[5] += data_shared_local[6] * kernel_shared_local[14];
  conv_rf_rf_local[1] += data_shared_local[7] * kernel_shared_local[15];
  conv_rf_rf_local[2] += data_shared_local[8] * kernel_shared_local[15];
  conv_rf_rf_local[3] += data_shared_local[9] * kernel_shared_local[15];
  conv_rf_rf_local[4] += data_shared_local[10] * kernel_shared_local[15];
  conv_rf_rf_local[5] += data_shared_local[11] * kernel_shared_local[15];
  conv_rf_rf_local[6] += data_shared_local[12] * kernel_shared_local[15];
  conv_rf_rf_local[0] += data_shared_local[7] * kernel_shared_local[16];
  conv_rf_rf_local[1] += data_shared_local[8] * kernel_shared_local[16];
  conv_rf_rf_local[2] += data_shared_local[9] * kernel_shared_local[16];
  conv_rf_rf_local[3] += data_shared_local[10] * kernel_shared_local[16];
  conv_rf_rf_local[4] += data_shared_local[11] * kernel_shared_local[16];
  conv_rf_rf_local[5] += data_shared_local[12] * kernel_shared_local[16];
  conv_rf_rf_local[6] += data_shared_local[13] * kernel_shared_local[16];
  conv_rf_rf_local[0] += data_shared_local[8] * kernel_shared_local[17];
  conv_rf_rf_local[1] += data_shared_local[9] * kernel_shared_local[17];
  conv_rf_rf_local[2] += data_shared_local[10] * kernel_shared_local[17];
  conv_rf_rf_local[3] += data_shared_local[11] * kernel_shared_local[17];
  conv_rf_rf_local[4] += data_shared_local[12] * kernel_shared_local[17];
  conv_rf_rf_local[5] += data_shared_local[13] * kernel_shared_local[17];
  conv_rf_rf_local[8] += data_shared_local[0] * kernel_shared_local[9];
  conv_rf_rf_local[9] += data_shared_local[1] * kernel_shared_local[9];
  conv_rf_rf_local[10] += data_shared_local[2] * kernel_shared_local[9];
  conv_rf_rf_local[11] += data_shared_local[3] * kernel_shared_local[9];
  conv_rf_rf_local[12] += data_shared_local[4] * kernel_shared_local[9];
  conv_rf_rf_local[13] += data_shared_local[5] * kernel_shared_local[9];
  conv_rf_rf_local[7] += data_shared_local[0] * kernel_shared_local[10];
  conv_rf_rf_local[8] += data_shared_local[1] * kernel_shared_local[10];
  conv_rf_rf_local[9] += data_shared_local[2] * kernel_shared_local[10];
  conv_rf_rf_local[10] += data_shared_local[3] * kernel_shared_local[10];
  conv_rf_rf_local[11] += data_shared_local[4] * kernel_shared_local[10];
  conv_rf_rf_local[12] += data_shared_local[5] * kernel_shared_local[10];
  conv_rf_rf_local[13] += data_shared_local[6] * kernel_shared_local[10];
  conv_rf_rf_local[7] += data_shared_local[1] * kernel_shared_local[11];
  conv_rf_rf_local[8] += data_shared_local[2] * kernel_shared_local[11];
  conv_rf_rf_local[9] += data_shared_local[3] * kernel_shared_local[11];
  conv_rf_rf_local[10] += data_shared_local[4] * kernel_shared_local[11];
  conv_rf_rf_local[11] += data_shared_local[5] * kernel_shared_local[11];
  conv_rf_rf_local[12] += data_shared_local[6] * kernel_shared_local[11];
  conv_rf_rf_local[8] += data_shared_local[7] * kernel_shared_local[12];
  conv_rf_rf_local[9] += data_shared_local[8] * kernel_shared_local[12];
  conv_rf_rf_local[10] += data_shared_local[9] * kernel_shared_local[12];
  conv_rf_rf_local[11] += data_shared_local[10] * kernel_shared_local[12];
  conv_rf_rf_local[12] += data_shared_local[11] * kernel_shared_local[12];
  conv_rf_rf_local[13] += data_shared_local[12] * kernel_shared_local[12];
  conv_rf_rf_local[7] += data_shared_local[7] * kernel_shared_local[13];
  conv_rf_rf_local[8] += data_shared_local[8] * kernel_shared_local[13];
  conv_rf_rf_local[9] += data_shared_local[9] * kernel_shared_local[13];
  conv_rf_rf_local[10] += data_shared_local[10] * kernel_shared_local[13];
  conv_rf_rf_local[11] += data_shared_local[11] * kernel_shared_local[13];
  conv_rf_rf_local[12] += data_shared_local[12] * kernel_shared_local[13];
  conv_rf_rf_local[13] += data_shared_local[13] * kernel_shared_local[13];
  conv_rf_rf_local[7] += data_shared_local[8] * kernel_shared_local[14];
  conv_rf_rf_local[8] += data_shared_local[9] * kernel_shared_local[14];
  conv_rf_rf_local[9] += data_shared_local[10] * kernel_shared_local[14];
  conv_rf_rf_local[10] += data_shared_local[11] * kernel_shared_local[14];
  conv_rf_rf_local[11] += data_shared_local[12] * kernel_shared_local[14];
  conv_rf_rf_local[12] += data_shared_local[13] * kernel_shared_local[14];
  conv_rf_rf_local[8] += data_shared_local[14] * kernel_shared_local[15];
  conv_rf_rf_local[9] += data_shared_local[15] * kernel_shared_local[15];
  conv_rf_rf_local[10] += data_shared_local[16] * kernel_shared_local[15];
  conv_rf_rf_local[11] += data_shared_local[17] * kernel_shared_local[15];
  conv_rf_rf_local[12] += data_shared_local[18] * kernel_shared_local[15];
  conv_rf_rf_local[13] += data_shared_local[19] * kernel_shared_local[15];
  conv_rf_rf_local[7] += data_shared_local[14] * kernel_shared_local[16];
  conv_rf_rf_local[8] += data_shared_local[15] * kernel_shared_local[16];
  conv_rf_rf_local[9] += data_shared_local[16] * kernel_shared_local[16];
  conv_rf_rf_local[10] += data_shared_local[17] * kernel_shared_local[16];
  conv_rf_rf_local[11] += data_shared_local[18] * kernel_shared_local[16];
  conv_rf_rf_local[12] += data_shared_local[19] * kernel_shared_local[16];
  conv_rf_rf_local[13] += data_shared_local[20] * kernel_shared_local[16];
  conv_rf_rf_local[7] += data_shared_local[15] * kernel_shared_local[17];
  conv_rf_rf_local[8] += data_shared_local[16] * kernel_shared_local[17];
  conv_rf_rf_local[9] += data_shared_local[17] * kernel_shared_local[17];
  conv_rf_rf_local[10] += data_shared_local[18] * kernel_shared_local[17];
  conv_rf_rf_local[11] += data_shared_local[19] * kernel_shared_local[17];
  conv_rf_rf_local[12] += data_shared_local[20] * kernel_shared_local[17];
  conv_rf_rf_local[15] += data_shared_local[7] * kernel_shared_local[9];
  conv_rf_rf_local[16] += data_shared_local[8] * kernel_shared_local[9];
  conv_rf_rf_local[17] += data_shared_local[9] * kernel_shared_local[9];
  conv_rf_rf_local[18] += data_shared_local[10] * kernel_shared_local[9];
  conv_rf_rf_local[19] += data_shared_local[11] * kernel_shared_local[9];
  conv_rf_rf_local[20] += data_shared_local[12] * kernel_shared_local[9];
  conv_rf_rf_local[14] += data_shared_local[7] * kernel_shared_local[10];
  conv_rf_rf_local[15] += data_shared_local[8] * kernel_shared_local[10];
  conv_rf_rf_local[16] += data_shared_local[9] * kernel_shared_local[10];
  conv_rf_rf_local[17] += data_shared_local[10] * kernel_shared_local[10];
  conv_rf_rf_local[18] += data_shared_local[11] * kernel_shared_local[10];
  conv_rf_rf_local[19] += data_shared_local[12] * kernel_shared_local[10];
  conv_rf_rf_local[20] += data_shared_local[13] * kernel_shared_local[10];
  conv_rf_rf_local[14] += data_shared_local[8] * kernel_shared_local[11];
  conv_rf_rf_local[15] += data_shared_local[9] * kernel_shared_local[11];
  conv_rf_rf_local[16] += data_shared_local[10] * kernel_shared_local[11];
  conv_rf_rf_local[17] += data_shared_local[11] * kernel_shared_local[11];
  conv_rf_rf_local[18] += data_shared_local[12] * kernel_shared_local[11];
  conv_rf_rf_local[19] += data_shared_local[13] * kernel_shared_local[11];
  conv_rf_rf_local[15] += data_shared_local[14] * kernel_shared_local[12];
  conv_rf_rf_local[16] += data_shared_local[15] * kernel_shared_local[12];
  conv_rf_rf_local[17] += data_shared_local[16] * kernel_shared_local[12];
  conv_rf_rf_local[18] += data_shared_local[17] * kernel_shared_local[12];
  conv_rf_rf_local[19] += data_shared_local[18] * kernel_shared_local[12];
  conv_rf_rf_local[20] += data_shared_local[19] * kernel_shared_local[12];
  conv_rf_rf_local[14] += data_shared_local[14] * kernel_shared_local[13];
  conv_rf_rf_local[15] += data_shared_local[15] * kernel_shared_local[13];
  conv_rf_rf_local[16] += data_shared_local[16] * kernel_shared_local[13];
  conv_rf_rf_local[17] += data_shared_local[17] * kernel_shared_local[13];
  conv_rf_rf_local[18] += data_shared_local[18] * kernel_shared_local[13];
  conv_rf_rf_local[19] += data_shared_local[19] * kernel_shared_local[13];
  conv_rf_rf_local[20] += data_shared_local[20] * kernel_shared_local[13];
  conv_rf_rf_local[14] += data_shared_local[15] * kernel_shared_local[14];
  conv_rf_rf_local[15] += data_shared_local[16] * kernel_shared_local[14];
  conv_rf_rf_local[16] += data_shared_local[17] * kernel_shared_local[14];
  conv_rf_rf_local[17] += data_shared_local[18] * kernel_shared_local[14];
  conv_rf_rf_local[18] += data_shared_local[19] * kernel_shared_local[14];
  conv_rf_rf_local[19] += data_shared_local[20] * kernel_shared_local[14];
  conv_rf_rf_local[15] += data_shared_local[21] * kernel_shared_local[15];
  conv_rf_rf_local[16] += data_shared_local[22] * kernel_shared_local[15];
  conv_rf_rf_local[17] += data_shared_local[23] * kernel_shared_local[15];
  conv_rf_rf_local[18] += data_shared_local[24] * kernel_shared_local[15];
  conv_rf_rf_local[19] += data_shared_local[25] * kernel_shared_local[15];
  conv_rf_rf_local[20] += data_shared_local[26] * kernel_shared_local[15];
  conv_rf_rf_local[14] += data_shared_local[21] * kernel_shared_local[16];
  conv_rf_rf_local[15] += data_shared_local[22] * kernel_shared_local[16];
  conv_rf_rf_local[16] += data_shared_local[23] * kernel_shared_local[16];
  conv_rf_rf_local[17] += data_shared_local[24] * kernel_shared_local[16];
  conv_rf_rf_local[18] += data_shared_local[25] * kernel_shared_local[16];
  conv_rf_rf_local[19] += data_shared_local[26] * kernel_shared_local[16];
  conv_rf_rf_local[20] += data_shared_local[27] * kernel_shared_local[16];
  conv_rf_rf_local[14] += data_shared_local[22] * kernel_shared_local[17];
  conv_rf_rf_local[15] += data_shared_local[23] * kernel_shared_local[17];
  conv_rf_rf_local[16] += data_shared_local[24] * kernel_shared_local[17];
  conv_rf_rf_local[17] += data_shared_local[25] * kernel_shared_local[17];
  conv_rf_rf_local[18] += data_shared_local[26] * kernel_shared_local[17];
  conv_rf_rf_local[19] += data_shared_local[27] * kernel_shared_local[17];
  conv_rf_rf_local[22] += data_shared_local[14] * kernel_shared_local[9];
  conv_rf_rf_local[23] += data_shared_local[15] * kernel_shared_local[9];
  conv_rf_rf_local[24] += data_shared_local[16] * kernel_shared_local[9];
  conv_rf_rf_local[25] += data_shared_local[17] * kernel_shared_local[9];
  conv_rf_rf_local[26] += data_shared_local[18] * kernel_shared_local[9];
  conv_rf_rf_local[27] += data_shared_local[19] * kernel_shared_local[9];
  conv_rf_rf_local[21] += data_shared_local[14] * kernel_shared_local[10];
  conv_rf_rf_local[22] += data_shared_local[15] * kernel_shared_local[10];
  conv_rf_rf_local[23] += data_shared_local[16] * kernel_shared_local[10];
  conv_rf_rf_local[24] += data_shared_local[17] * kernel_shared_local[10];
  conv_rf_rf_local[25] += data_shared_local[18] * kernel_shared_local[10];
  conv_rf_rf_local[26] += data_shared_local[19] * kernel_shared_local[10];
  conv_rf_rf_local[27] += data_shared_local[20] * kernel_shared_local[10];
  conv_rf_rf_local[21] += data_shared_local[15] * kernel_shared_local[11];
  conv_rf_rf_local[22] += data_shared_local[16] * kernel_shared_local[11];
  conv_rf_rf_local[23] += data_shared_local[17] * kernel_shared_local[11];
  conv_rf_rf_local[24] += data_shared_local[18] * kernel_shared_local[11];
  conv_rf_rf_local[25] += data_shared_local[19] * kernel_shared_local[11];
  conv_rf_rf_local[26] += data_shared_local[20] * kernel_shared_local[11];
  conv_rf_rf_local[22] += data_shared_local[21] * kernel_shared_local[12];
  conv_rf_rf_local[23] += data_shared_local[22] * kernel_shared_local[12];
  conv_rf_rf_local[24] += data_shared_local[23] * kernel_shared_local[12];
  conv_rf_rf_local[25] += data_shared_local[24] * kernel_shared_local[12];
  conv_rf_rf_local[26] += data_shared_local[25] * kernel_shared_local[12];
  conv_rf_rf_local[27] += data_shared_local[26] * kernel_shared_local[12];
  conv_rf_rf_local[21] += data_shared_local[21] * kernel_shared_local[13];
  conv_rf_rf_local[22] += data_shared_local[22] * kernel_shared_local[13];
  conv_rf_rf_local[23] += data_shared_local[23] * kernel_shared_local[13];
  conv_rf_rf_local[24] += data_shared_local[24] * kernel_shared_local[13];
  conv_rf_rf_local[25] += data_shared_local[25] * kernel_shared_local[13];
  conv_rf_rf_local[26] += data_shared_local[26] * kernel_shared_local[13];
  conv_rf_rf_local[27] += data_shared_local[27] * kernel_shared_local[13];
  conv_rf_rf_local[21] += data_shared_local[22] * kernel_shared_local[14];
  conv_rf_rf_local[22] += data_shared_local[23] * kernel_shared_local[14];
  conv_rf_rf_local[23] += data_shared_local[24] * kernel_shared_local[14];
  conv_rf_rf_local[24] += data_shared_local[25] * kernel_shared_local[14];
  conv_rf_rf_local[25] += data_shared_local[26] * kernel_shared_local[14];
  conv_rf_rf_local[26] += data_shared_local[27] * kernel_shared_local[14];
  conv_rf_rf_local[22] += data_shared_local[28] * kernel_shared_local[15];
  conv_rf_rf_local[23] += data_shared_local[29] * kernel_shared_local[15];
  conv_rf_rf_local[24] += data_shared_local[30] * kernel_shared_local[15];
  conv_rf_rf_local[25] += data_shared_local[31] * kernel_shared_local[15];
  conv_rf_rf_local[26] += data_shared_local[32] * kernel_shared_local[15];
  conv_rf_rf_local[27] += data_shared_local[33] * kernel_shared_local[15];
  conv_rf_rf_local[21] += data_shared_local[28] * kernel_shared_local[16];
  conv_rf_rf_local[22] += data_shared_local[29] * kernel_shared_local[16];
  conv_rf_rf_local[23] += data_shared_local[30] * kernel_shared_local[16];
  conv_rf_rf_local[24] += data_shared_local[31] * kernel_shared_local[16];
  conv_rf_rf_local[25] += data_shared_local[32] * kernel_shared_local[16];
  conv_rf_rf_local[26] += data_shared_local[33] * kernel_shared_local[16];
  conv_rf_rf_local[27] += data_shared_local[34] * kernel_shared_local[16];
  conv_rf_rf_local[21] += data_shared_local[29] * kernel_shared_local[17];
  conv_rf_rf_local[22] += data_shared_local[30] * kernel_shared_local[17];
  conv_rf_rf_local[23] += data_shared_local[31] * kernel_shared_local[17];
  conv_rf_rf_local[24] += data_shared_local[32] * kernel_shared_local[17];
  conv_rf_rf_local[25] += data_shared_local[33] * kernel_shared_local[17];
  conv_rf_rf_local[26] += data_shared_local[34] * kernel_shared_local[17];
  conv_rf_rf_local[29] += data_shared_local[21] * kernel_shared_local[9];
  conv_rf_rf_local[30] += data_shared_local[22] * kernel_shared_local[9];
  conv_rf_rf_local[31] += data_shared_local[23] * kernel_shared_local[9];
  conv_rf_rf_local[32] += data_shared_local[24] * kernel_shared_local[9];
  conv_rf_rf_local[33] += data_shared_local[25] * kernel_shared_local[9];
  conv_rf_rf_local[34] += data_shared_local[26] * kernel_shared_local[9];
  conv_rf_rf_local[28] += data_shared_local[21] * kernel_shared_local[10];
  conv_rf_rf_local[29] += data_shared_local[22] * kernel_shared_local[10];
  conv_rf_rf_local[30] += data_shared_local[23] * kernel_shared_local[10];
  conv_rf_rf_local[31] += data_shared_local[24] * kernel_shared_local[10];
  conv_rf_rf_local[32] += data_shared_local[25] * kernel_shared_local[10];
  conv_rf_rf_local[33] += data_shared_local[26] * kernel_shared_local[10];
  conv_rf_rf_local[34] += data_shared_local[27] * kernel_shared_local[10];
  conv_rf_rf_local[28] += data_shared_local[22] * kernel_shared_local[11];
  conv_rf_rf_local[29] += data_shared_local[23] * kernel_shared_local[11];
  conv_rf_rf_local[30] += data_shared_local[24] * kernel_shared_local[11];
  conv_rf_rf_local[31] += data_shared_local[25] * kernel_shared_local[11];
  conv_rf_rf_local[32] += data_shared_local[26] * kernel_shared_local[11];
  conv_rf_rf_local[33] += data_shared_local[27] * kernel_shared_local[11];
  conv_rf_rf_local[29] += data_shared_local[28] * kernel_shared_local[12];
  conv_rf_rf_local[30] += data_shared_local[29] * kernel_shared_local[12];
  conv_rf_rf_local[31] += data_shared_local[30] * kernel_shared_local[12];
  conv_rf_rf_local[32] += data_shared_local[31] * kernel_shared_local[12];
  conv_rf_rf_local[33] += data_shared_local[32] * kernel_shared_local[12];
  conv_rf_rf_local[34] += data_shared_local[33] * kernel_shared_local[12];
  conv_rf_rf_local[28] += data_shared_local[28] * kernel_shared_local[13];
  conv_rf_rf_local[29] += data_shared_local[29] * kernel_shared_local[13];
  conv_rf_rf_local[30] += data_shared_local[30] * kernel_shared_local[13];
  conv_rf_rf_local[31] += data_shared_local[31] * kernel_shared_local[13];
  conv_rf_rf_local[32] += data_shared_local[32] * kernel_shared_local[13];
  conv_rf_rf_local[33] += data_shared_local[33] * kernel_shared_local[13];
  conv_rf_rf_local[34] += data_shared_local[34] * kernel_shared_local[13];
  conv_rf_rf_local[28] += data_shared_local[29] * kernel_shared_local[14];
  conv_rf_rf_local[29] += data_shared_local[30] * kernel_shared_local[14];
  conv_rf_rf_local[30] += data_shared_local[31] * kernel_shared_local[14];
  conv_rf_rf_local[31] += data_shared_local[32] * kernel_shared_local[14];
  conv_rf_rf_local[32] += data_shared_local[33] * kernel_shared_local[14];
  conv_rf_rf_local[33] += data_shared_local[34] * kernel_shared_local[14];
  conv_rf_rf_local[29] += data_shared_local[35] * kernel_shared_local[15];
  conv_rf_rf_local[30] += data_shared_local[36] * kernel_shared_local[15];
  conv_rf_rf_local[31] += data_shared_local[37] * kernel_shared_local[15];
  conv_rf_rf_local[32] += data_shared_local[38] * kernel_shared_local[15];
  conv_rf_rf_local[33] += data_shared_local[39] * kernel_shared_local[15];
  conv_rf_rf_local[34] += data_shared_local[40] * kernel_shared_local[15];
  conv_rf_rf_local[28] += data_shared_local[35] * kernel_shared_local[16];
  conv_rf_rf_local[29] += data_shared_local[36] * kernel_shared_local[16];
  conv_rf_rf_local[30] += data_shared_local[37] * kernel_shared_local[16];
  conv_rf_rf_local[31] += data_shared_local[38] * kernel_shared_local[16];
  conv_rf_rf_local[32] += data_shared_local[39] * kernel_shared_local[16];
  conv_rf_rf_local[33] += data_shared_local[40] * kernel_shared_local[16];
  conv_rf_rf_local[34] += data_shared_local[41] * kernel_shared_local[16];
  conv_rf_rf_local[28] += data_shared_local[36] * kernel_shared_local[17];
  conv_rf_rf_local[29] += data_shared_local[37] * kernel_shared_local[17];
  conv_rf_rf_local[30] += data_shared_local[38] * kernel_shared_local[17];
  conv_rf_rf_local[31] += data_shared_local[39] * kernel_shared_local[17];
  conv_rf_rf_local[32] += data_shared_local[40] * kernel_shared_local[17];
  conv_rf_rf_local[33] += data_shared_local[41] * kernel_shared_local[17];
  conv_rf_rf_local[36] += data_shared_local[28] * kernel_shared_local[9];
  conv_rf_rf_local[37] += data_shared_local[29] * kernel_shared_local[9];
  conv_rf_rf_local[38] += data_shared_local[30] * kernel_shared_local[9];
  conv_rf_rf_local[39] += data_shared_local[31] * kernel_shared_local[9];
  conv_rf_rf_local[40] += data_shared_local[32] * kernel_shared_local[9];
  conv_rf_rf_local[41] += data_shared_local[33] * kernel_shared_local[9];
  conv_rf_rf_local[35] += data_shared_local[28] * kernel_shared_local[10];
  conv_rf_rf_local[36] += data_shared_local[29] * kernel_shared_local[10];
  conv_rf_rf_local[37] += data_shared_local[30] * kernel_shared_local[10];
  conv_rf_rf_local[38] += data_shared_local[31] * kernel_shared_local[10];
  conv_rf_rf_local[39] += data_shared_local[32] * kernel_shared_local[10];
  conv_rf_rf_local[40] += data_shared_local[33] * kernel_shared_local[10];
  conv_rf_rf_local[41] += data_shared_local[34] * kernel_shared_local[10];
  conv_rf_rf_local[35] += data_shared_local[29] * kernel_shared_local[11];
  conv_rf_rf_local[36] += data_shared_local[30] * kernel_shared_local[11];
  conv_rf_rf_local[37] += data_shared_local[31] * kernel_shared_local[11];
  conv_rf_rf_local[38] += data_shared_local[32] * kernel_shared_local[11];
  conv_rf_rf_local[39] += data_shared_local[33] * kernel_shared_local[11];
  conv_rf_rf_local[40] += data_shared_local[34] * kernel_shared_local[11];
  conv_rf_rf_local[36] += data_shared_local[35] * kernel_shared_local[12];
  conv_rf_rf_local[37] += data_shared_local[36] * kernel_shared_local[12];
  conv_rf_rf_local[38] += data_shared_local[37] * kernel_shared_local[12];
  conv_rf_rf_local[39] += data_shared_local[38] * kernel_shared_local[12];
  conv_rf_rf_local[40] += data_shared_local[39] * kernel_shared_local[12];
  conv_rf_rf_local[41] += data_shared_local[40] * kernel_shared_local[12];
  conv_rf_rf_local[35] += data_shared_local[35] * kernel_shared_local[13];
  conv_rf_rf_local[36] += data_shared_local[36] * kernel_shared_local[13];
  conv_rf_rf_local[37] += data_shared_local[37] * kernel_shared_local[13];
  conv_rf_rf_local[38] += data_shared_local[38] * kernel_shared_local[13];
  conv_rf_rf_local[39] += data_shared_local[39] * kernel_shared_local[13];
  conv_rf_rf_local[40] += data_shared_local[40] * kernel_shared_local[13];
  conv_rf_rf_local[41] += data_shared_local[41] * kernel_shared_local[13];
  conv_rf_rf_local[35] += data_shared_local[36] * kernel_shared_local[14];
  conv_rf_rf_local[36] += data_shared_local[37] * kernel_shared_local[14];
  conv_rf_rf_local[37] += data_shared_local[38] * kernel_shared_local[14];
  conv_rf_rf_local[38] += data_shared_local[39] * kernel_shared_local[14];
  conv_rf_rf_local[39] += data_shared_local[40] * kernel_shared_local[14];
  conv_rf_rf_local[40] += data_shared_local[41] * kernel_shared_local[14];
  conv_rf_rf_local[36] += data_shared_local[42] * kernel_shared_local[15];
  conv_rf_rf_local[37] += data_shared_local[43] * kernel_shared_local[15];
  conv_rf_rf_local[38] += data_shared_local[44] * kernel_shared_local[15];
  conv_rf_rf_local[39] += data_shared_local[45] * kernel_shared_local[15];
  conv_rf_rf_local[40] += data_shared_local[46] * kernel_shared_local[15];
  conv_rf_rf_local[41] += data_shared_local[47] * kernel_shared_local[15];
  conv_rf_rf_local[35] += data_shared_local[42] * kernel_shared_local[16];
  conv_rf_rf_local[36] += data_shared_local[43] * kernel_shared_local[16];
  conv_rf_rf_local[37] += data_shared_local[44] * kernel_shared_local[16];
  conv_rf_rf_local[38] += data_shared_local[45] * kernel_shared_local[16];
  conv_rf_rf_local[39] += data_shared_local[46] * kernel_shared_local[16];
  conv_rf_rf_local[40] += data_shared_local[47] * kernel_shared_local[16];
  conv_rf_rf_local[41] += data_shared_local[48] * kernel_shared_local[16];
  conv_rf_rf_local[35] += data_shared_local[43] * kernel_shared_local[17];
  conv_rf_rf_local[36] += data_shared_local[44] * kernel_shared_local[17];
  conv_rf_rf_local[37] += data_shared_local[45] * kernel_shared_local[17];
  conv_rf_rf_local[38] += data_shared_local[46] * kernel_shared_local[17];
  conv_rf_rf_local[39] += data_shared_local[47] * kernel_shared_local[17];
  conv_rf_rf_local[40] += data_shared_local[48] * kernel_shared_local[17];
  conv_rf_rf_local[43] += data_shared_local[35] * kernel_shared_local[9];
  conv_rf_rf_local[44] += data_shared_local[36] * kernel_shared_local[9];
  conv_rf_rf_local[45] += data_shared_local[37] * kernel_shared_local[9];
  conv_rf_rf_local[46] += data_shared_local[38] * kernel_shared_local[9];
  conv_rf_rf_local[47] += data_shared_local[39] * kernel_shared_local[9];
  conv_rf_rf_local[48] += data_shared_local[40] * kernel_shared_local[9];
  conv_rf_rf_local[42] += data_shared_local[35] * kernel_shared_local[10];
  conv_rf_rf_local[43] += data_shared_local[36] * kernel_shared_local[10];
  conv_rf_rf_local[44] += data_shared_local[37] * kernel_shared_local[10];
  conv_rf_rf_local[45] += data_shared_local[38] * kernel_shared_local[10];
  conv_rf_rf_local[46] += data_shared_local[39] * kernel_shared_local[10];
  conv_rf_rf_local[47] += data_shared_local[40] * kernel_shared_local[10];
  conv_rf_rf_local[48] += data_shared_local[41] * kernel_shared_local[10];
  conv_rf_rf_local[42] += data_shared_local[36] * kernel_shared_local[11];
  conv_rf_rf_local[43] += data_shared_local[37] * kernel_shared_local[11];
  conv_rf_rf_local[44] += data_shared_local[38] * kernel_shared_local[11];
  conv_rf_rf_local[45] += data_shared_local[39] * kernel_shared_local[11];
  conv_rf_rf_local[46] += data_shared_local[40] * kernel_shared_local[11];
  conv_rf_rf_local[47] += data_shared_local[41] * kernel_shared_local[11];
  conv_rf_rf_local[43] += data_shared_local[42] * kernel_shared_local[12];
  conv_rf_rf_local[44] += data_shared_local[43] * kernel_shared_local[12];
  conv_rf_rf_local[45] += data_shared_local[44] * kernel_shared_local[12];
  conv_rf_rf_local[46] += data_shared_local[45] * kernel_shared_local[12];
  conv_rf_rf_local[47] += data_shared_local[46] * kernel_shared_local[12];
  conv_rf_rf_local[48] += data_shared_local[47] * kernel_shared_local[12];
  conv_rf_rf_local[42] += data_shared_local[42] * kernel_shared_local[13];
  conv_rf_rf_local[43] += data_shared_local[43] * kernel_shared_local[13];
  conv_rf_rf_local[44] += data_shared_local[44] * kernel_shared_local[13];
  conv_rf_rf_local[45] += data_shared_local[45] * kernel_shared_local[13];
  conv_rf_rf_local[46] += data_shared_local[46] * kernel_shared_local[13];
  conv_rf_rf_local[47] += data_shared_local[47] * kernel_shared_local[13];
  conv_rf_rf_local[48] += data_shared_local[48] * kernel_shared_local[13];
  conv_rf_rf_local[42] += data_shared_local[43] * kernel_shared_local[14];
  conv_rf_rf_local[43] += data_shared_local[44] * kernel_shared_local[14];
  conv_rf_rf_local[44] += data_shared_local[45] * kernel_shared_local[14];
  conv_rf_rf_local[45] += data_shared_local[46] * kernel_shared_local[14];
  conv_rf_rf_local[46] += data_shared_local[47] * kernel_shared_local[14];
  conv_rf_rf_local[47] += data_shared_local[48] * kernel_shared_local[14];
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 112];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 4] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 116];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 7] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 120];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 11] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 124];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 14] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 128];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 18] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 132];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 21] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 136];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 25] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 140];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 28] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 144];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 32] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 148];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 35] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 152];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 39] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 156];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 42] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 160];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 46] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 164];
    }
  }
  conv_rf_rf_local[1] += data_shared_local[0] * kernel_shared_local[21];
  conv_rf_rf_local[2] += data_shared_local[1] * kernel_shared_local[21];
  conv_rf_rf_local[3] += data_shared_local[2] * kernel_shared_local[21];
  conv_rf_rf_local[4] += data_shared_local[3] * kernel_shared_local[21];
  conv_rf_rf_local[5] += data_shared_local[4] * kernel_shared_local[21];
  conv_rf_rf_local[6] += data_shared_local[5] * kernel_shared_local[21];
  conv_rf_rf_local[0] += data_shared_local[0] * kernel_shared_local[22];
  conv_rf_rf_local[1] += data_shared_local[1] * kernel_shared_local[22];
  conv_rf_rf_local[2] += data_shared_local[2] * kernel_shared_local[22];
  conv_rf_rf_local[3] += data_shared_local[3] * kernel_shared_local[22];
  conv_rf_rf_local[4] += data_shared_local[4] * kernel_shared_local[22];
  conv_rf_rf_local[5] += data_shared_local[5] * kernel_shared_local[22];
  conv_rf_rf_local[6] += data_shared_local[6] * kernel_shared_local[22];
  conv_rf_rf_local[0] += data_shared_local[1] * kernel_shared_local[23];
  conv_rf_rf_local[1] += data_shared_local[2] * kernel_shared_local[23];
  conv_rf_rf_local[2] += data_shared_local[3] * kernel_shared_local[23];
  conv_rf_rf_local[3] += data_shared_local[4] * kernel_shared_local[23];
  conv_rf_rf_local[4] += data_shared_local[5] * kernel_shared_local[23];
  conv_rf_rf_local[5] += data_shared_local[6] * kernel_shared_local[23];
  conv_rf_rf_local[1] += data_shared_local[7] * kernel_shared_local[24];
  conv_rf_rf_local[2] += data_shared_local[8] * kernel_shared_local[24];
  conv_rf_rf_local[3] += data_shared_local[9] * kernel_shared_local[24];
  conv_rf_rf_local[4] += data_shared_local[10] * kernel_shared_local[24];
  conv_rf_rf_local[5] += data_shared_local[11] * kernel_shared_local[24];
  conv_rf_rf_local[6] += data_shared_local[12] * kernel_shared_local[24];
  conv_rf_rf_local[0] += data_shared_local[7] * kernel_shared_local[25];
  conv_rf_rf_local[1] += data_shared_local[8] * kernel_shared_local[25];
  conv_rf_rf_local[2] += data_shared_local[9] * kernel_shared_local[25];
  conv_rf_rf_local[3] += data_shared_local[10] * kernel_shared_local[25];
  conv_rf_rf_local[4] += data_shared_local[11] * kernel_shared_local[25];
  conv_rf_rf_local[5] += data_shared_local[12] * kernel_shared_local[25];
  conv_rf_rf_local[6] += data_shared_local[13] * kernel_shared_local[25];
  conv_rf_rf_local[0] += data_shared_local[8] * kernel_shared_local[26];
  conv_rf_rf_local[1] += data_shared_local[9] * kernel_shared_local[26];
  conv_rf_rf_local[2] += data_shared_local[10] * kernel_shared_local[26];
  conv_rf_rf_local[3] += data_shared_local[11] * kernel_shared_local[26];
  conv_rf_rf_local[4] += data_shared_local[12] * kernel_shared_local[26];
  conv_rf_rf_local[5] += data_shared_local[13] * kernel_shared_local[26];
  conv_rf_rf_local[8] += data_shared_local[0] * kernel_shared_local[18];
  conv_rf_rf_local[9] += data_shared_local[1] * kernel_shared_local[18];
  conv_rf_rf_local[10] += data_shared_local[2] * kernel_shared_local[18];
  conv_rf_rf_local[11] += data_shared_local[3] * kernel_shared_local[18];
  conv_rf_rf_local[12] += data_shared_local[4] * kernel_shared_local[18];
  conv_rf_rf_local[13] += data_shared_local[5] * kernel_shared_local[18];
  conv_rf_rf_local[7] += data_shared_local[0] * kernel_shared_local[19];
  conv_rf_rf_local[8] += data_shared_local[1] * kernel_shared_local[19];
  conv_rf_rf_local[9] += data_shared_local[2] * kernel_shared_local[19];
  conv_rf_rf_local[10] += data_shared_local[3] * kernel_shared_local[19];
  conv_rf_rf_local[11] += data_shared_local[4] * kernel_shared_local[19];
  conv_rf_rf_local[12] += data_shared_local[5] * kernel_shared_local[19];
  conv_rf_rf_local[13] += data_shared_local[6] * kernel_shared_local[19];
  conv_rf_rf_local[7] += data_shared_local[1] * kernel_shared_local[20];
  conv_rf_rf_local[8] += data_shared_local[2] * kernel_shared_local[20];
  conv_rf_rf_local[9] += data_shared_local[3] * kernel_shared_local[20];
  conv_rf_rf_local[10] += data_shared_local[4] * kernel_shared_local[20];
  conv_rf_rf_local[11] += data_shared_local[5] * kernel_shared_local[20];
  conv_rf_rf_local[12] += data_shared_local[6] * kernel_shared_local[20];
  conv_rf_rf_local[8] += data_shared_local[7] * kernel_shared_local[21];
  conv_rf_rf_local[9] += data_shared_local[8] * kernel_shared_local[21];
  conv_rf_rf_local[10] += data_shared_local[9] * kernel_shared_local[21];
  conv_rf_rf_local[11] += data_shared_local[10] * kernel_shared_local[21];
  conv_rf_rf_local[12] += data_shared_local[11] * kernel_shared_local[21];
  conv_rf_rf_local[13] += data_shared_local[12] * kernel_shared_local[21];
  conv_rf_rf_local[7] += data_shared_local[7] * kernel_shared_local[22];
  conv_rf_rf_local[8] += data_shared_local[8] * kernel_shared_local[22];
  conv_rf_rf_local[9] += data_shared_local[9] * kernel_shared_local[22];
  conv_rf_rf_local[10] += data_shared_local[10] * kernel_shared_local[22];
  conv_rf_rf_local[11] += data_shared_local[11] * kernel_shared_local[22];
  conv_rf_rf_local[12] += data_shared_local[12] * kernel_shared_local[22];
  conv_rf_rf_local[13] += data_shared_local[13] * kernel_shared_local[22];
  conv_rf_rf_local[7] += data_shared_local[8] * kernel_shared_local[23];
  conv_rf_rf_local[8] += data_shared_local[9] * kernel_shared_local[23];
  conv_rf_rf_local[9] += data_shared_local[10] * kernel_shared_local[23];
  conv_rf_rf_local[10] += data_shared_local[11] * kernel_shared_local[23];
  conv_rf_rf_local[11] += data_shared_local[12] * kernel_shared_local[23];
  conv_rf_rf_local[12] += data_shared_local[13] * kernel_shared_local[23];
  conv_rf_rf_local[8] += data_shared_local[14] * kernel_shared_local[24];
  conv_rf_rf_local[9] += data_shared_local[15] * kernel_shared_local[24];
  conv_rf_rf_local[10] += data_shared_local[16] * kernel_shared_local[24];
  conv_rf_rf_local[11] += data_shared_local[17] * kernel_shared_local[24];
  conv_rf_rf_local[12] += data_shared_local[18] * kernel_shared_local[24];
  conv_rf_rf_local[13] += data_shared_local[19] * kernel_shared_local[24];
  conv_rf_rf_local[7] += data_shared_local[14] * kernel_shared_local[25];
  conv_rf_rf_local[8] += data_shared_local[15] * kernel_shared_local[25];
  conv_rf_rf_local[9] += data_shared_local[16] * kernel_shared_local[25];
  conv_rf_rf_local[10] += data_shared_local[17] * kernel_shared_local[25];
  conv_rf_rf_local[11] += data_shared_local[18] * kernel_shared_local[25];
  conv_rf_rf_local[12] += data_shared_local[19] * kernel_shared_local[25];
  conv_rf_rf_local[13] += data_shared_local[20] * kernel_shared_local[25];
  conv_rf_rf_local[7] += data_shared_local[15] * kernel_shared_local[26];
  conv_rf_rf_local[8] += data_shared_local[16] * kernel_shared_local[26];
  conv_rf_rf_local[9] += data_shared_local[17] * kernel_shared_local[26];
  conv_rf_rf_local[10] += data_shared_local[18] * kernel_shared_local[26];
  conv_rf_rf_local[11] += data_shared_local[19] * kernel_shared_local[26];
  conv_rf_rf_local[12] += data_shared_local[20] * kernel_shared_local[26];
  conv_rf_rf_local[15] += data_shared_local[7] * kernel_shared_local[18];
  conv_rf_rf_local[16] += data_shared_local[8] * kernel_shared_local[18];
  conv_rf_rf_local[17] += data_shared_local[9] * kernel_shared_local[18];
  conv_rf_rf_local[18] += data_shared_local[10] * kernel_shared_local[18];
  conv_rf_rf_local[19] += data_shared_local[11] * kernel_shared_local[18];
  conv_rf_rf_local[20] += data_shared_local[12] * kernel_shared_local[18];
  conv_rf_rf_local[14] += data_shared_local[7] * kernel_shared_local[19];
  conv_rf_rf_local[15] += data_shared_local[8] * kernel_shared_local[19];
  conv_rf_rf_local[16] += data_shared_local[9] * kernel_shared_local[19];
  conv_rf_rf_local[17] += data_shared_local[10] * kernel_shared_local[19];
  conv_rf_rf_local[18] += data_shared_local[11] * kernel_shared_local[19];
  conv_rf_rf_local[19] += data_shared_local[12] * kernel_shared_local[19];
  conv_rf_rf_local[20] += data_shared_local[13] * kernel_shared_local[19];
  conv_rf_rf_local[14] += data_shared_local[8] * kernel_shared_local[20];
  conv_rf_rf_local[15] += data_shared_local[9] * kernel_shared_local[20];
  conv_rf_rf_local[16] += data_shared_local[10] * kernel_shared_local[20];
  conv_rf_rf_local[17] += data_shared_local[11] * kernel_shared_local[20];
  conv_rf_rf_local[18] += data_shared_local[12] * kernel_shared_local[20];
  conv_rf_rf_local[19] += data_shared_local[13] * kernel_shared_local[20];
  conv_rf_rf_local[15] += data_shared_local[14] * kernel_shared_local[21];
  conv_rf_rf_local[16] += data_shared_local[15] * kernel_shared_local[21];
  conv_rf_rf_local[17] += data_shared_local[16] * kernel_shared_local[21];
  conv_rf_rf_local[18] += data_shared_local[17] * kernel_shared_local[21];
  conv_rf_rf_local[19] += data_shared_local[18] * kernel_shared_local[21];
  conv_rf_rf_local[20] += data_shared_local[19] * kernel_shared_local[21];
  conv_rf_rf_local[14] += data_shared_local[14] * kernel_shared_local[22];
  conv_rf_rf_local[15] += data_shared_local[15] * kernel_shared_local[22];
  conv_rf_rf_local[16] += data_shared_local[16] * kernel_shared_local[22];
  conv_rf_rf_local[17] += data_shared_local[17] * kernel_shared_local[22];
  conv_rf_rf_local[18] += data_shared_local[18] * kernel_shared_local[22];
  conv_rf_rf_local[19] += data_shared_local[19] * kernel_shared_local[22];
  conv_rf_rf_local[20] += data_shared_local[20] * kernel_shared_local[22];
  conv_rf_rf_local[14] += data_shared_local[15] * kernel_shared_local[23];
  conv_rf_rf_local[15] += data_shared_local[16] * kernel_shared_local[23];
  conv_rf_rf_local[16] += data_shared_local[17] * kernel_shared_local[23];
  conv_rf_rf_local[17] += data_shared_local[18] * kernel_shared_local[23];
  conv_rf_rf_local[18] += data_shared_local[19] * kernel_shared_local[23];
  conv_rf_rf_local[19] += data_shared_local[20] * kernel_shared_local[23];
  conv_rf_rf_local[15] += data_shared_local[21] * kernel_shared_local[24];
  conv_rf_rf_local[16] += data_shared_local[22] * kernel_shared_local[24];
  conv_rf_rf_local[17] += data_shared_local[23] * kernel_shared_local[24];
  conv_rf_rf_local[18] += data_shared_local[24] * kernel_shared_local[24];
  conv_rf_rf_local[19] += data_shared_local[25] * kernel_shared_local[24];
  conv_rf_rf_local[20] += data_shared_local[26] * kernel_shared_local[24];
  conv_rf_rf_local[14] += data_shared_local[21] * kernel_shared_local[25];
  conv_rf_rf_local[15] += data_shared_local[22] * kernel_shared_local[25];
  conv_rf_rf_local[16] += data_shared_local[23] * kernel_shared_local[25];
  conv_rf_rf_local[17] += data_shared_local[24] * kernel_shared_local[25];
  conv_rf_rf_local[18] += data_shared_local[25] * kernel_shared_local[25];
  conv_rf_rf_local[19] += data_shared_local[26] * kernel_shared_local[25];
  conv_rf_rf_local[20] += data_shared_local[27] * kernel_shared_local[25];
  conv_rf_rf_local[14] += data_shared_local[22] * kernel_shared_local[26];
  conv_rf_rf_local[15] += data_shared_local[23] * kernel_shared_local[26];
  conv_rf_rf_local[16] += data_shared_local[24] * kernel_shared_local[26];
  conv_rf_rf_local[17] += data_shared_local[25] * kernel_shared_local[26];
  conv_rf_rf_local[18] += data_shared_local[26] * kernel_shared_local[26];
  conv_rf_rf_local[19] += data_shared_local[27] * kernel_shared_local[26];
  conv_rf_rf_local[22] += data_shared_local[14] * kernel_shared_local[18];
  conv_rf_rf_local[23] += data_shared_local[15] * kernel_shared_local[18];
  conv_rf_rf_local[24] += data_shared_local[16] * kernel_shared_local[18];
  conv_rf_rf_local[25] += data_shared_local[17] * kernel_shared_local[18];
  conv_rf_rf_local[26] += data_shared_local[18] * kernel_shared_local[18];
  conv_rf_rf_local[27] += data_shared_local[19] * kernel_shared_local[18];
  conv_rf_rf_local[21] += data_shared_local[14] * kernel_shared_local[19];
  conv_rf_rf_local[22] += data_shared_local[15] * kernel_shared_local[19];
  conv_rf_rf_local[23] += data_shared_local[16] * kernel_shared_local[19];
  conv_rf_rf_local[24] += data_shared_local[17] * kernel_shared_local[19];
  conv_rf_rf_local[25] += data_shared_local[18] * kernel_shared_local[19];
  conv_rf_rf_local[26] += data_shared_local[19] * kernel_shared_local[19];
  conv_rf_rf_local[27] += data_shared_local[20] * kernel_shared_local[19];
  conv_rf_rf_local[21] += data_shared_local[15] * kernel_shared_local[20];
  conv_rf_rf_local[22] += data_shared_local[16] * kernel_shared_local[20];
  conv_rf_rf_local[23] += data_shared_local[17] * kernel_shared_local[20];
  conv_rf_rf_local[24] += data_shared_local[18] * kernel_shared_local[20];
  conv_rf_rf_local[25] += data_shared_local[19] * kernel_shared_local[20];
  conv_rf_rf_local[26] += data_shared_local[20] * kernel_shared_local[20];
  conv_rf_rf_local[22] += data_shared_local[21] * kernel_shared_local[21];
  conv_rf_rf_local[23] += data_shared_local[22] * kernel_shared_local[21];
  conv_rf_rf_local[24] += data_shared_local[23] * kernel_shared_local[21];
  conv_rf_rf_local[25] += data_shared_local[24] * kernel_shared_local[21];
  conv_rf_rf_local[26] += data_shared_local[25] * kernel_shared_local[21];
  conv_rf_rf_local[27] += data_shared_local[26] * kernel_shared_local[21];
  conv_rf_rf_local[21] += data_shared_local[21] * kernel_shared_local[22];
  conv_rf_rf_local[22] += data_shared_local[22] * kernel_shared_local[22];
  conv_rf_rf_local[23] += data_shared_local[23] * kernel_shared_local[22];
  conv_rf_rf_local[24] += data_shared_local[24] * kernel_shared_local[22];
  conv_rf_rf_local[25] += data_shared_local[25] * kernel_shared_local[22];
  conv_rf_rf_local[26] += data_shared_local[26] * kernel_shared_local[22];
  conv_rf_rf_local[27] += data_shared_local[27] * kernel_shared_local[22];
  conv_rf_rf_local[21] += data_shared_local[22] * kernel_shared_local[23];
  conv_rf_rf_local[22] += data_shared_local[23] * kernel_shared_local[23];
  conv_rf_rf_local[23] += data_shared_local[24] * kernel_shared_local[23];
  conv_rf_rf_local[24] += data_shared_local[25] * kernel_shared_local[23];
  conv_rf_rf_local[25] += data_shared_local[26] * kernel_shared_local[23];
  conv_rf_rf_local[26] += data_shared_local[27] * kernel_shared_local[23];
  conv_rf_rf_local[22] += data_shared_local[28] * kernel_shared_local[24];
  conv_rf_rf_local[23] += data_shared_local[29] * kernel_shared_local[24];
  conv_rf_rf_local[24] += data_shared_local[30] * kernel_shared_local[24];
  conv_rf_rf_local[25] += data_shared_local[31] * kernel_shared_local[24];
  conv_rf_rf_local[26] += data_shared_local[32] * kernel_shared_local[24];
  conv_rf_rf_local[27] += data_shared_local[33] * kernel_shared_local[24];
  conv_rf_rf_local[21] += data_shared_local[28] * kernel_shared_local[25];
  conv_rf_rf_local[22] += data_shared_local[29] * kernel_shared_local[25];
  conv_rf_rf_local[23] += data_shared_local[30] * kernel_shared_local[25];
  conv_rf_rf_local[24] += data_shared_local[31] * kernel_shared_local[25];
  conv_rf_rf_local[25] += data_shared_local[32] * kernel_shared_local[25];
  conv_rf_rf_local[26] += data_shared_local[33] * kernel_shared_local[25];
  conv_rf_rf_local[27] += data_shared_local[34] * kernel_shared_local[25];
  conv_rf_rf_local[21] += data_shared_local[29] * kernel_shared_local[26];
  conv_rf_rf_local[22] += data_shared_local[30] * kernel_shared_local[26];
  conv_rf_rf_local[23] += data_shared_local[31] * kernel_shared_local[26];
  conv_rf_rf_local[24] += data_shared_local[32] * kernel_shared_local[26];
  conv_rf_rf_local[25] += data_shared_local[33] * kernel_shared_local[26];
  conv_rf_rf_local[26] += data_shared_local[34] * kernel_shared_local[26];
  conv_rf_rf_local[29] += data_shared_local[21] * kernel_shared_local[18];
  conv_rf_rf_local[30] += data_shared_local[22] * kernel_shared_local[18];
  conv_rf_rf_local[31] += data_shared_local[23] * kernel_shared_local[18];
  conv_rf_rf_local[32] += data_shared_local[24] * kernel_shared_local[18];
  conv_rf_rf_local[33] += data_shared_local[25] * kernel_shared_local[18];
  conv_rf_rf_local[34] += data_shared_local[26] * kernel_shared_local[18];
  conv_rf_rf_local[28] += data_shared_local[21] * kernel_shared_local[19];
  conv_rf_rf_local[29] += data_shared_local[22] * kernel_shared_local[19];
  conv_rf_rf_local[30] += data_shared_local[23] * kernel_shared_local[19];
  conv_rf_rf_local[31] += data_shared_local[24] * kernel_shared_local[19];
  conv_rf_rf_local[32] += data_shared_local[25] * kernel_shared_local[19];
  conv_rf_rf_local[33] += data_shared_local[26] * kernel_shared_local[19];
  conv_rf_rf_local[34] += data_shared_local[27] * kernel_shared_local[19];
  conv_rf_rf_local[28] += data_shared_local[22] * kernel_shared_local[20];
  conv_rf_rf_local[29] += data_shared_local[23] * kernel_shared_local[20];
  conv_rf_rf_local[30] += data_shared_local[24] * kernel_shared_local[20];
  conv_rf_rf_local[31] += data_shared_local[25] * kernel_shared_local[20];
  conv_rf_rf_local[32] += data_shared_local[26] * kernel_shared_local[20];
  conv_rf_rf_local[33] += data_shared_local[27] * kernel_shared_local[20];
  conv_rf_rf_local[29] += data_shared_local[28] * kernel_shared_local[21];
  conv_rf_rf_local[30] += data_shared_local[29] * kernel_shared_local[21];
  conv_rf_rf_local[31] += data_shared_local[30] * kernel_shared_local[21];
  conv_rf_rf_local[32] += data_shared_local[31] * kernel_shared_local[21];
  conv_rf_rf_local[33] += data_shared_local[32] * kernel_shared_local[21];
  conv_rf_rf_local[34] += data_shared_local[33] * kernel_shared_local[21];
  conv_rf_rf_local[28] += data_shared_local[28] * kernel_shared_local[22];
  conv_rf_rf_local[29] += data_shared_local[29] * kernel_shared_local[22];
  conv_rf_rf_local[30] += data_shared_local[30] * kernel_shared_local[22];
  conv_rf_rf_local[31] += data_shared_local[31] * kernel_shared_local[22];
  conv_rf_rf_local[32] += data_shared_local[32] * kernel_shared_local[22];
  conv_rf_rf_local[33] += data_shared_local[33] * kernel_shared_local[22];
  conv_rf_rf_local[34] += data_shared_local[34] * kernel_shared_local[22];
  conv_rf_rf_local[28] += data_shared_local[29] * kernel_shared_local[23];
  conv_rf_rf_local[29] += data_shared_local[30] * kernel_shared_local[23];
  conv_rf_rf_local[30] += data_shared_local[31] * kernel_shared_local[23];
  conv_rf_rf_local[31] += data_shared_local[32] * kernel_shared_local[23];
  conv_rf_rf_local[32] += data_shared_local[33] * kernel_shared_local[23];
  conv_rf_rf_local[33] += data_shared_local[34] * kernel_shared_local[23];
  conv_rf_rf_local[29] += data_shared_local[35] * kernel_shared_local[24];
  conv_rf_rf_local[30] += data_shared_local[36] * kernel_shared_local[24];
  conv_rf_rf_local[31] += data_shared_local[37] * kernel_shared_local[24];
  conv_rf_rf_local[32] += data_shared_local[38] * kernel_shared_local[24];
  conv_rf_rf_local[33] += data_shared_local[39] * kernel_shared_local[24];
  conv_rf_rf_local[34] += data_shared_local[40] * kernel_shared_local[24];
  conv_rf_rf_local[28] += data_shared_local[35] * kernel_shared_local[25];
  conv_rf_rf_local[29] += data_shared_local[36] * kernel_shared_local[25];
  conv_rf_rf_local[30] += data_shared_local[37] * kernel_shared_local[25];
  conv_rf_rf_local[31] += data_shared_local[38] * kernel_shared_local[25];
  conv_rf_rf_local[32] += data_shared_local[39] * kernel_shared_local[25];
  conv_rf_rf_local[33] += data_shared_local[40] * kernel_shared_local[25];
  conv_rf_rf_local[34] += data_shared_local[41] * kernel_shared_local[25];
  conv_rf_rf_local[28] += data_shared_local[36] * kernel_shared_local[26];
  conv_rf_rf_local[29] += data_shared_local[37] * kernel_shared_local[26];
  conv_rf_rf_local[30] += data_shared_local[38] * kernel_shared_local[26];
  conv_rf_rf_local[31] += data_shared_local[39] * kernel_shared_local[26];
  conv_rf_rf_local[32] += data_shared_local[40] * kernel_shared_local[26];
  conv_rf_rf_local[33] += data_shared_local[41] * kernel_shared_local[26];
  conv_rf_rf_local[36] += data_shared_local[28] * kernel_shared_local[18];
  conv_rf_rf_local[37] += data_shared_local[29] * kernel_shared_local[18];
  conv_rf_rf_local[38] += data_shared_local[30] * kernel_shared_local[18];
  conv_rf_rf_local[39] += data_shared_local[31] * kernel_shared_local[18];
  conv_rf_rf_local[40] += data_shared_local[32] * kernel_shared_local[18];
  conv_rf_rf_local[41] += data_shared_local[33] * kernel_shared_local[18];
  conv_rf_rf_local[35] += data_shared_local[28] * kernel_shared_local[19];
  conv_rf_rf_local[36] += data_shared_local[29] * kernel_shared_local[19];
  conv_rf_rf_local[37] += data_shared_local[30] * kernel_shared_local[19];
  conv_rf_rf_local[38] += data_shared_local[31] * kernel_shared_local[19];
  conv_rf_rf_local[39] += data_shared_local[32] * kernel_shared_local[19];
  conv_rf_rf_local[40] += data_shared_local[33] * kernel_shared_local[19];
  conv_rf_rf_local[41] += data_shared_local[34] * kernel_shared_local[19];
  conv_rf_rf_local[35] += data_shared_local[29] * kernel_shared_local[20];
  conv_rf_rf_local[36] += data_shared_local[30] * kernel_shared_local[20];
  conv_rf_rf_local[37] += data_shared_local[31] * kernel_shared_local[20];
  conv_rf_rf_local[38] += data_shared_local[32] * kernel_shared_local[20];
  conv_rf_rf_local[39] += data_shared_local[33] * kernel_shared_local[20];
  conv_rf_rf_local[40] += data_shared_local[34] * kernel_shared_local[20];
  conv_rf_rf_local[36] += data_shared_local[35] * kernel_shared_local[21];
  conv_rf_rf_local[37] += data_shared_local[36] * kernel_shared_local[21];
  conv_rf_rf_local[38] += data_shared_local[37] * kernel_shared_local[21];
  conv_rf_rf_local[39] += data_shared_local[38] * kernel_shared_local[21];
  conv_rf_rf_local[40] += data_shared_local[39] * kernel_shared_local[21];
  conv_rf_rf_local[41] += data_shared_local[40] * kernel_shared_local[21];
  conv_rf_rf_local[35] += data_shared_local[35] * kernel_shared_local[22];
  conv_rf_rf_local[36] += data_shared_local[36] * kernel_shared_local[22];
  conv_rf_rf_local[37] += data_shared_local[37] * kernel_shared_local[22];
  conv_rf_rf_local[38] += data_shared_local[38] * kernel_shared_local[22];
  conv_rf_rf_local[39] += data_shared_local[39] * kernel_shared_local[22];
  conv_rf_rf_local[40] += data_shared_local[40] * kernel_shared_local[22];
  conv_rf_rf_local[41] += data_shared_local[41] * kernel_shared_local[22];
  conv_rf_rf_local[35] += data_shared_local[36] * kernel_shared_local[23];
  conv_rf_rf_local[36] += data_shared_local[37] * kernel_shared_local[23];
  conv_rf_rf_local[37] += data_shared_local[38] * kernel_shared_local[23];
  conv_rf_rf_local[38] += data_shared_local[39] * kernel_shared_local[23];
  conv_rf_rf_local[39] += data_shared_local[40] * kernel_shared_local[23];
  conv_rf_rf_local[40] += data_shared_local[41] * kernel_shared_local[23];
  conv_rf_rf_local[36] += data_shared_local[42] * kernel_shared_local[24];
  conv_rf_rf_local[37] += data_shared_local[43] * kernel_shared_local[24];
  conv_rf_rf_local[38] += data_shared_local[44] * kernel_shared_local[24];
  conv_rf_rf_local[39] += data_shared_local[45] * kernel_shared_local[24];
  conv_rf_rf_local[40] += data_shared_local[46] * kernel_shared_local[24];
  conv_rf_rf_local[41] += data_shared_local[47] * kernel_shared_local[24];
  conv_rf_rf_local[35] += data_shared_local[42] * kernel_shared_local[25];
  conv_rf_rf_local[36] += data_shared_local[43] * kernel_shared_local[25];
  conv_rf_rf_local[37] += data_shared_local[44] * kernel_shared_local[25];
  conv_rf_rf_local[38] += data_shared_local[45] * kernel_shared_local[25];
  conv_rf_rf_local[39] += data_shared_local[46] * kernel_shared_local[25];
  conv_rf_rf_local[40] += data_shared_local[47] * kernel_shared_local[25];
  conv_rf_rf_local[41] += data_shared_local[48] * kernel_shared_local[25];
  conv_rf_rf_local[35] += data_shared_local[43] * kernel_shared_local[26];
  conv_rf_rf_local[36] += data_shared_local[44] * kernel_shared_local[26];
  conv_rf_rf_local[37] += data_shared_local[45] * kernel_shared_local[26];
  conv_rf_rf_local[38] += data_shared_local[46] * kernel_shared_local[26];
  conv_rf_rf_local[39] += data_shared_local[47] * kernel_shared_local[26];
  conv_rf_rf_local[40] += data_shared_local[48] * kernel_shared_local[26];
  conv_rf_rf_local[43] += data_shared_local[35] * kernel_shared_local[18];
  conv_rf_rf_local[44] += data_shared_local[36] * kernel_shared_local[18];
  conv_rf_rf_local[45] += data_shared_local[37] * kernel_shared_local[18];
  conv_rf_rf_local[46] += data_shared_local[38] * kernel_shared_local[18];
  conv_rf_rf_local[47] += data_shared_local[39] * kernel_shared_local[18];
  conv_rf_rf_local[48] += data_shared_local[40] * kernel_shared_local[18];
  conv_rf_rf_local[42] += data_shared_local[35] * kernel_shared_local[19];
  conv_rf_rf_local[43] += data_shared_local[36] * kernel_shared_local[19];
  conv_rf_rf_local[44] += data_shared_local[37] * kernel_shared_local[19];
  conv_rf_rf_local[45] += data_shared_local[38] * kernel_shared_local[19];
  conv_rf_rf_local[46] += data_shared_local[39] * kernel_shared_local[19];
  conv_rf_rf_local[47] += data_shared_local[40] * kernel_shared_local[19];
  conv_rf_rf_local[48] += data_shared_local[41] * kernel_shared_local[19];
  conv_rf_rf_local[42] += data_shared_local[36] * kernel_shared_local[20];
  conv_rf_rf_local[43] += data_shared_local[37] * kernel_shared_local[20];
  conv_rf_rf_local[44] += data_shared_local[38] * kernel_shared_local[20];
  conv_rf_rf_local[45] += data_shared_local[39] * kernel_shared_local[20];
  conv_rf_rf_local[46] += data_shared_local[40] * kernel_shared_local[20];
  conv_rf_rf_local[47] += data_shared_local[41] * kernel_shared_local[20];
  conv_rf_rf_local[43] += data_shared_local[42] * kernel_shared_local[21];
  conv_rf_rf_local[44] += data_shared_local[43] * kernel_shared_local[21];
  conv_rf_rf_local[45] += data_shared_local[44] * kernel_shared_local[21];
  conv_rf_rf_local[46] += data_shared_local[45] * kernel_shared_local[21];
  conv_rf_rf_local[47] += data_shared_local[46] * kernel_shared_local[21];
  conv_rf_rf_local[48] += data_shared_local[47] * kernel_shared_local[21];
  conv_rf_rf_local[42] += data_shared_local[42] * kernel_shared_local[22];
  conv_rf_rf_local[43] += data_shared_local[43] * kernel_shared_local[22];
  conv_rf_rf_local[44] += data_shared_local[44] * kernel_shared_local[22];
  conv_rf_rf_local[45] += data_shared_local[45] * kernel_shared_local[22];
  conv_rf_rf_local[46] += data_shared_local[46] * kernel_shared_local[22];
  conv_rf_rf_local[47] += data_shared_local[47] * kernel_shared_local[22];
  conv_rf_rf_local[48] += data_shared_local[48] * kernel_shared_local[22];
  conv_rf_rf_local[42] += data_shared_local[43] * kernel_shared_local[23];
  conv_rf_rf_local[43] += data_shared_local[44] * kernel_shared_local[23];
  conv_rf_rf_local[44] += data_shared_local[45] * kernel_shared_local[23];
  conv_rf_rf_local[45] += data_shared_local[46] * kernel_shared_local[23];
  conv_rf_rf_local[46] += data_shared_local[47] * kernel_shared_local[23];
  conv_rf_rf_local[47] += data_shared_local[48] * kernel_shared_local[23];
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 168];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 4] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 172];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 7] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 176];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 11] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 180];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 14] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 184];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 18] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 188];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 21] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 192];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 25] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 196];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 28] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 200];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 32] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 204];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 35] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 208];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 39] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 212];
    }
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    data_shared_local[ax3_inner + 42] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 216];
  }
  for (int ax3_inner = 0; ax3_inner < 4; ++ax3_inner) {
    if (ax3_inner < 3) {
      data_shared_local[ax3_inner + 46] = data_shared[ax0_ax1_ax2_ax3_fused_1 * 224 + ax3_inner + 220];
    }
  }
  conv_rf_rf_local[1] += data_shared_local[0] * kernel_shared_local[30];
  conv_rf_rf_local[2] += data_shared_local[1] * kernel_shared_local[30];
  conv_rf_rf_local[3] += data_shared_local[2] * kernel_shared_local[30];
  conv_rf_rf_local[4] += data_shared_local[3] * kernel_shared_local[30];
  conv_rf_rf_local[5] += data_shared_local[4] * kernel_shared_local[30];
  conv_rf_rf_local[6] += data_shared_local[5] * kernel_shared_local[30];
  conv_rf_rf_local[0] += data_shared_local[0] * kernel_shared_local[31];
  conv_rf_rf_local[1] += data_shared_local[1] * kernel_shared_local[31];
  conv_rf_rf_local[2] += data_shared_local[2] * kernel_shared_local[31];
  conv_rf_rf_local[3] += data_shared_local[3] * kernel_shared_local[31];
  conv_rf_rf_local[4] += data_shared_local[4] * kernel_shared_local[31];
  conv_rf_rf_local[5] += data_shared_local[5] * kernel_shared_local[31];
  conv_rf_rf_local[6] += data_shared_local[6] * kernel_shared_local[31];
  conv_rf_rf_local[0] += data_shared_local[1] * kernel_shared_local[32];
  conv_rf_rf_local[1] += data_shared_local[2] * kernel_shared_local[32];
  conv_rf_rf_local[2] += data_shared_local[3] * kernel_shared_local[32];
  conv_rf_rf_local[3] += data_shared_local[4] * kernel_shared_local[32];
  conv_rf_rf_local[4] += data_shared_local[5] * kernel_shared_local[32];
  conv_rf_rf_local[5] += data_shared_local[6] * kernel_shared_local[32];
  conv_rf_rf_local[1] += data_shared_local[7] * kernel_shared_local[33];
  conv_rf_rf_local[2] += data_shared_local[8] * kernel_shared_local[33];
  conv_rf_rf_local[3] += data_shared_local[9] * kernel_shared_local[33];
  conv_rf_rf_local[4] += data_shared_local[10] * kernel_shared_local[33];
  conv_rf_rf_local[5] += data_shared_local[11] * kernel_shared_local[33];
  conv_rf_rf_local[6] += data_shared_local[12] * kernel_shared_local[33];
  conv_rf_rf_local[0] += data_shared_local[7] * kernel_shared_local[34];
  conv_rf_rf_local[1] += data_shared_local[8] * kernel_shared_local[34];
  conv_rf_rf_local[2] += data_shared_local[9] * kernel_shared_local[34];
  conv_rf_rf_local[3] += data_shared_local[10] * kernel_shared_local[34];
  conv_rf_rf_local[4] += data_shared_local[11] * kernel_shared_local[34];
  conv_rf_rf_local[5] += data_shared_local[12] * kernel_shared_local[34];
  conv_rf_rf_local[6] += data_shared_local[13] * kernel_shared_local[34];
  conv_rf_rf_local[0] += data_shared_local[8] * kernel_shared_local[35];
  conv_rf_rf_local[1] += data_shared_local[9] * kernel_shared_local[35];
  conv_rf_rf_local[2] += data_shared_local[10] * kernel_shared_local[35];
  conv_rf_rf_local[3] += data_shared_local[11] * kernel_shared_local[35];
  conv_rf_rf_local[4] += data_shared_local[12] * kernel_shared_local[35];
  conv_rf_rf_local[5] += data_shared_local[13] * kernel_shared_local[35];
  conv_rf_rf_local[8] += data_shared_local[0] * kernel_shared_local[27];
  conv_rf_rf_local[9] += data_shared_local[1] * kernel_shared_local[27];
  conv_rf_rf_local[10] += data_shared_local[2] * kernel_shared_local[27];
  conv_rf_rf_local[11] += data_shared_local[3] * kernel_shared_local[27];
  conv_rf_rf_local[12] += data_shared_local[4] * kernel_shared_local[27];
  conv_rf_rf_local[13] += data_shared_local[5] * kernel_shared_local[27];
  conv_rf_rf_local[7] += data_shared_local[0] * kernel_shared_local[28];
  conv_rf_rf_local[8] += data_shared_local[1] * kernel_shared_local[28];
  conv_rf_rf_local[9] += data_shared_local[2] * kernel_shared_local[28];
  conv_rf_rf_local[10] += data_shared_local[3] * kernel_shared_local[28];
  conv_rf_rf_local[11] += data_shared_local[4] * kernel_shared_local[28];
  conv_rf_rf_local[12] += data_shared_local[5] * kernel_shared_local[28];
  conv_rf_rf_local[13] += data_shared_local[6] * kernel_shared_local[28];
  conv_rf_rf_local[7] += data_shared_local[1] * kernel_shared_local[29];
  conv_rf_rf_local[8] += data_shared_local[2] * kernel_shared_local[29];
  conv_rf_rf_local[9] += data_shared_local[3] * kernel_shared_local[29];
  conv_rf_rf_local[10] += data_shared_local[4] * kernel_shared_local[29];
  conv_rf_rf_local[11] += data_shared_local[5] * kernel_shared_local[29];
  conv_rf_rf_local[12] += data_shared_local[6] * kernel_shared_local[29];
  conv_rf_rf_local[8] += data_shared_local[7] * kernel_shared_local[30];
  conv_rf_rf_local[9] += data_shared_local[8] * kernel_shared_local[30];
  conv_rf_rf_local[10] += data_shared_local[9] * kernel_shared_local[30];
  conv_rf_rf_local[11] += data_shared_local[10] * kernel_shared_local[30];
  conv_rf_rf_local[12] += data_shared_local[11] * kernel_shared_local[30];
  conv_rf_rf_local[13] += data_shared_local[12] * kernel_shared_local[30];
  conv_rf_rf_local[7] += data_shared_local[7] * kernel_shared_local[31];
  conv_rf_rf_local[8] += data_shared_local[8] * kernel_shared_local[31];
  conv_rf_rf_local[9] += data_shared_local[9] * kernel_shared_local[31];
  conv_rf_rf_local[10] += data_shared_local[10] * kernel_shared_local[31];
  conv_rf_rf_local[11] += data_shared_local[11] * kernel_shared_local[31];
  conv_rf_rf_local[12] += data_shared_local[12] * kernel_shared_local[31];
  conv_rf_rf_local[13] += data_shared_local[13] * kernel_shared_local[31];
  conv_rf_rf_local[7] += data_shared_local[8] * kernel_shared_local[32];
  conv_rf_rf_local[8] += data_shared_local[9] * kernel_shared_local[32];
  conv_rf_rf_local[9] += data_shared_local[10] * kernel_shared_local[32];
  conv_rf_rf_local[10] += data_shared_local[11] * kernel_shared_local[32];
  conv_rf_rf_local[11] += data_shared_local[12] * kernel_shared_local[32];
  conv_rf_rf_local[12] += data_shared_local[13] * kernel_shared_local[32];
  conv_rf_rf_local[8] += data_shared_local[14] * kernel_shared_local[33];
  conv_rf_rf_local[9] += data_shared_local[15] * kernel_shared_local[33];
  conv_rf_rf_local[10] += data_shared_local[16] * kernel_shared_local[33];
  conv_rf_rf_local[11] += data_shared_local[17] * kernel_shared_local[33];
  conv_rf_rf_local[12] += data_shared_local[18] * kernel_shared_local[33];
  conv_rf_rf_local[13] += data_shared_local[19] * kernel_shared_local[33];
  conv_rf_rf_local[7] += data_shared_local[14] * kernel_shared_local[34];
  conv_rf_rf_local[8] += data_shared_local[15] * kernel_shared_local[34];
  conv_rf_rf_local[9] += data_shared_local[16] * kernel_shared_local[34];
  conv_rf_rf_local[10] += data_shared_local[17] * kernel_shared_local[34];
  conv_rf_rf_local[11] += data_shared_local[18] * kernel_shared_local[34];
  conv_rf_rf_local[12] += data_shared_local[19] * kernel_shared_local[34];
  conv_rf_rf_local[13] += data_shared_local[20] * kernel_shared_local[34];
  conv_rf_rf_local[7] += data_shared_local[15] * kernel_shared_local[35];
  conv_rf_rf_local[8] += data_shared_local[16] * kernel_shared_local[35];
  conv_rf_rf_local[9] += data_shared_local[17] * kernel_shared_local[35];
  conv_rf_rf_local[10] += data_shared_local[18] * kernel_shared_local[35];
  conv_rf_rf_local[11] += data_shared_local[19] * kernel_shared_local[35];
  conv_rf_rf_local[12] += data_shared_local[20] * kernel_shared_local[35];
  conv_rf_rf_local[15] += data_shared_local[7] * kernel_shared_local[27];
  conv_rf_rf_local[16] += data_shared_local[8] * kernel_shared_local[27];
  conv_rf_rf_local[17] += data_shared_local[9] * kernel_shared_local[27];
  conv_rf_rf_local[18] += data_shared_local[10] * kernel_shared_local[27];
  conv_rf_rf_local[19] += data_shared_local[11] * kernel_shared_local[27];
  conv_rf_rf_local[20] += data_shared_local[12] * kernel_shared_local[27];
  conv_rf_rf_local[14] += data_shared_local[7] * kernel_shared_local[28];
  conv_rf_rf_local[15] += data_shared_local[8] * kernel_shared_local[28];
  conv_rf_rf_local[16] += data_shared_local[9] * kernel_shared_local[28];
  conv_rf_rf_local[17] += data_shared_local[10] * kernel_shared_local[28];
  conv_rf_rf_local[18] += data_shared_local[11] * kernel_shared_local[28];
  conv_rf_rf_local[19] += data_shared_local[12] * kernel_shared_local[28];
  conv_rf_rf_local[20] += data_shared_local[13] * kernel_shared_local[28];
  conv_rf_rf_local[14] += data_shared_local[8] * kernel_shared_local[29];
  conv_rf_rf_local[15] += data_shared_local[9] * kernel_shared_local[29];
  conv_rf_rf_local[16] += data_shared_local[10] * kernel_shared_local[29];
  conv_rf_rf_local[17] += data_shared_local[11] * kernel_shared_local[29];
  conv_rf_rf_local[18] += data_shared_local[12] * kernel_shared_local[29];
  conv_rf_rf_local[19] += data_shared_local[13] * kernel_shared_local[29];
  conv_rf_rf_local[15] += data_shared_local[14] * kernel_shared_local[30];
  conv_rf_rf_local[16] += data_shared_local[15] * kernel_shared_local[30];
  conv_rf_rf_local[17] += data_shared_local[16] * kernel_shared_local[30];
  conv_rf_rf_local[18] += data_shared_local[17] * kernel_shared_local[30];
  conv_rf_rf_local[19] += data_shared_local[18] * kernel_shared_local[30];
  conv_rf_rf_local[20] += data_shared_local[19] * kernel_shared_local[30];
  conv_rf_rf_local[14] += data_shared_local[14] * kernel_shared_local[31];
  conv_rf_rf_local[15] += data_shared_local[15] * kernel_shared_local[31];
  conv_rf_rf_local[16] += data_shared_local[16] * kernel_shared_local[31];
  conv_rf_rf_local[17] += data_shared_local[17] * kernel_shared_local[31];
  conv_rf_rf_local[18] += data_shared_local[18] * kernel_shared_local[31];
  conv_rf_rf_local[19] += data_shared_local[19] * kernel_shared_local[31];
  conv_rf_rf_local[20] += data_shared_local[20] * kernel_shared_local[31];
  conv_rf_rf_local[14] += data_shared_local[15] * kernel_shared_local[32];
  conv_rf_rf_local[15] += data_shared_local[16] * kernel_shared_local[32];
  conv_rf_rf_local[16] += data_shared_local[17] * kernel_shared_local[32];
  conv_rf_rf_local[17] += data_shared_local[18] * kernel_shared_local[32];
  conv_rf_rf_local[18] += data_shared_local[19] * kernel_shared_local[32];
  conv_rf_rf_local[19] += data_shared_local[20] * kernel_shared_local[32];
  conv_rf_rf_local[15] += data_shared_local[21] * kernel_shared_local[33];
  conv_rf_rf_local[16] += data_shared_local[22] * kernel_shared_local[33];
  conv_rf_rf_local[17] += data_shared_local[23] * kernel_shared_local[33];
  conv_rf_rf_local[18] += data_shared_local[24] * kernel_shared_local[33];
  conv_rf_rf_local[19] += data_shared_local[25] * kernel_shared_local[33];
  conv_rf_rf_local[20] += data_shared_local[26] * kernel_shared_local[33];
  conv_rf_rf_local[14] += data_shared_local[21] * kernel_shared_local[34];
  conv_rf_rf_local[15] += data_shared_local[22] * kernel_shared_local[34];
  conv_rf_rf_local[16] += data_shared_local[23] * kernel_shared_local[34];
  conv_rf_rf_local[17] += data_shared_local[24] * kernel_shared_local[34];
  conv_rf_rf_local[18] += data_shared_local[25] * kernel_shared_local[34];
  conv_rf_rf_local[19] += data_shared_local[26] * kernel_shared_local[34];
  conv_rf_rf_local[20] += data_shared_local[27] * kernel_shared_local[34];
  conv_rf_rf_local[14] += data_shared_local[22] * kernel_shared_local[35];
  conv_rf_rf_local[15] += data_shared_local[23] * kernel_shared_local[35];
  conv_rf_rf_local[16] += data_shared_local[24] * kernel_shared_local[35];
  conv_rf_rf_local[17] += data_shared_local[25] * kernel_shared_local[35];
  conv_rf_rf_local[18] += data_shared_local[26] * kernel_shared_local[35];
  conv_rf_rf_local[19] += data_shared_local[27] * kernel_shared_local[35];
  conv_rf_rf_local[22] += data_shared_local[14] * kernel_shared_local[27];
  conv_rf_rf_local[23] += data_shared_local[15] * kernel_shared_local[27];
  conv_rf_rf_local[24] += data_shared_local[16] * kernel_shared_local[27];
  conv_rf_rf_local[25] += data_shared_local[17] * kernel_shared_local[27];
  conv_rf_rf_local[26] += data_shared_local[18] * kernel_shared_local[27];
  conv_rf_rf_local[27] += data_shared_local[19] * kernel_shared_local[27];
  conv_rf_rf_local[21] += data_shared_local[14] * kernel_shared_local[28];
  conv_rf_rf_local[22] += data_shared_local[15] * kernel_shared_local[28];
  conv_rf_rf_local[23] += data_shared_local[16] * kernel_shared_local[28];
  conv_rf_rf_local[24] += data_shared_local[17] * kernel_shared_local[28];
  conv_rf_rf_local[25] += data_shared_local[18] * kernel_shared_local[28];
  conv_rf_rf_local[26] += data_shared_local[19] * kernel_shared_local[28];
  conv_rf_rf_local[27] += data_shared_local[20] * kernel_shared_local[28];
  conv_rf_rf_local[21] += data_shared_local[15] * kernel_shared_local[29];
  conv_rf_rf_local[22] += data_shared_local[16] * kernel_shared_local[29];
  conv_rf_rf_local[23] += data_shared_local[17] * kernel_shared_local[29];
  conv_rf_rf_local[24] += data_shared_local[18] * kernel_shared_local[29];
  conv_rf_rf_local[25] += data_shared_local[19] * kernel_shared_local[29];
  conv_rf_rf_local[26] += data_shared_local[20] * kernel_shared_local[29];
  conv_rf_rf_local[22] += data_shared_local[21] * kernel_shared_local[30];
  conv_rf_rf_local[23] += data_shared_local[22] * kernel_shared_local[30];
  conv_rf_rf_local[24] += data_shared_local[23] * kernel_shared_local[30];
  conv_rf_rf_local[25] += data_shared_local[24] * kernel_shared_local[30];
  conv_rf_rf_local[26] += data_shared_local[25] * kernel_shared_local[30];
  conv_rf_rf_local[27] += data_shared_local[26] * kernel_shared_local[30];
  conv_rf_rf_local[21] += data_shared_local[21] * kernel_shared_local[31];
  conv_rf_rf_local[22] += data_shared_local[22] * kernel_shared_local[31];
  conv_rf_rf_local[23] += data_shared_local[23] * kernel_shared_local[31];
  conv_rf_rf_local[24] += data_shared_local[24] * kernel_shared_local[31];
  conv_rf_rf_local[25] += data_shared_local[25] * kernel_shared_local[31];
  conv_rf_rf_local[26] += data_shared_local[26] * kernel_shared_local[31];
  conv_rf_rf_local[27] += data_shared_local[27] * kernel_shared_local[31];
  conv_rf_rf_local[21] += data_shared_local[22] * kernel_shared_local[32];
  conv_rf_rf_local[22] += data_shared_local[23] * kernel_shared_local[32];
  conv_rf_rf_local[23] += data_shared_local[24] * kernel_shared_local[32];
  conv_rf_rf_local[24] += data_shared_local[25] * kernel_shared_local[32];
  conv_rf_rf_local[25] += data_shared_local[26] * kernel_shared_local[32];
  conv_rf_rf_local[26] += data_shared_local[27] * kernel_shared_local[32];
  conv_rf_rf_local[22] += data_shared_local[28] * kernel_shared_local[33];
  conv_rf_rf_local[23] += data_shared_local[29] * kernel_shared_local[33];
  conv_rf_rf_local[24] += data_shared_local[30] * kernel_shared_local[33];
  conv_rf_rf_local[25] += data_shared_local[31] * kernel_shared_local[33];
  conv_rf_rf_local[26] += data_shared_local[32] * kernel_shared_local[33];
  conv_rf_rf_local[27] += data_shared_local[33] * kernel_shared_local[33];
  conv_rf_rf_local[21] += data_shared_local[28] * kernel_shared_local[34];
  conv_rf_rf_local[22] += data_shared_local[29] * kernel_shared_local[34];
  conv_rf_rf_local[23] += data_shared_local[30] * kernel_shared_local[34];
  conv_rf_rf_local[24] += data_shared_local[31] * kernel_shared_local[34];
  conv_rf_rf_local[25] += data_shared_local[32] * kernel_shared_local[34];
  conv_rf_rf_local[26] += data_shared_local[33] * kernel_shared_local[34];
  conv_rf_rf_local[27] += data_shared_local[34] * kernel_shared_local[34];
  conv_rf_rf_local[21] += data_shared_local[29] * kernel_shared_local[35];
  conv_rf_rf_local[22] += data_shared_local[30] * kernel_shared_local[35];
  conv_rf_rf_local[23] += data_shared_local[31] * kernel_shared_local[35];
  conv_rf_rf_local[24] += data_shared_local[32] * kernel_shared_local[35];
  conv_rf_rf_local[25] += data_shared_local[33] * kernel_shared_local[35];
  conv_rf_rf_local[26] += data_shared_local[34] * kernel_shared_local[35];
  conv_rf_rf_local[29] += data_shared_local[21] * kernel_shared_local[27];
  conv_rf_rf_local[30] += data_shared_local[22] * kernel_shared_local[27];
  conv_rf_rf_local[31] += data_shared_local[23] * kernel_shared_local[27];
  conv_rf_rf_local[32] += data_shared_local[24] * kernel_shared_local[27];
  conv_rf_rf_local[33] += data_shared_local[25] * kernel_shared_local[27];
  conv_rf_rf_local[34] += data_shared_local[26] * kernel_shared_local[27];
  conv_rf_rf_local[28] += data_shared_local[21] * kernel_shared_local[28];
  conv_rf_rf_local[29] += data_shared_local[22] * kernel_shared_local[28];
  conv_rf_rf_local[30] += data_shared_local[23] * kernel_shared_local[28];
  conv_rf_rf_local[31] += data_shared_local[24] * kernel_shared_local[28];
  conv_rf_rf_local[32] += data_shared_local[25] * kernel_shared_local[28];
  conv_rf_rf_local[33] += data_shared_local[26] * kernel_shared_local[28];
  conv_rf_rf_local[34] += data_shared_local[27] * kernel_shared_local[28];
  conv_rf_rf_local[28] += data_shared_local[22] * kernel_shared_local[29];
  conv_rf_rf_local[29] += data_shared_local[23] * kernel_shared_local[29];
  conv_rf_rf_local[30] += data_shared_local[24] * kernel_shared_local[29];
  conv_rf_rf_local[31] += data_shared_local[25] * kernel_shared_local[29];
  conv_rf_rf_local[32] += data_shared_local[26] * kernel_shared_local[29];
  conv_rf_rf_local[33] += data_shared_local[27] * kernel_shared_local[29];
  conv_rf_rf_local[29] += data_shared_local[28] * kernel_shared_local[30];
  conv_rf_rf_local[30] += data_shared_local[29] * kernel_shared_local[30];
  conv_rf_rf_local[31] += data_shared_local[30] * kernel_shared_local[30];
  conv_rf_rf_local[32] += data_shared_local[31] * kernel_shared_local[30];
  conv_rf_rf_local[33] += data_shared_local[32] * kernel_shared_local[30];
  conv_rf_rf_local[34] += data_shared_local[33] * kernel_shared_local[30];
  conv_rf_rf_local[28] += data_shared_local[28] * kernel_shared_local[31];
  conv_rf_rf_local[29] += data_shared_local[29] * kernel_shared_local[31];
  conv_rf_rf_local[30] += data_shared_local[30] * kernel_shared_local[31];
  conv_rf_rf_local[31] += data_shared_local[31] * kernel_shared_local[31];
  conv_rf_rf_local[32] += data_shared_local[32] * kernel_shared_local[31];
  conv_rf_rf_local[33] += data_shared_local[33] * kernel_shared_local[31];
  conv_rf_rf_local[34] += data_shared_local[34] * kernel_shared_local[31];
  conv_rf_rf_local[28] += data_shared_local[29] * kernel_shared_local[32];
  conv_rf_rf_local[29] += data_shared_local[30] * kernel_shared_local[32];
  conv_rf_rf_local[30] += data_shared_local[31] * kernel_shared_local[32];
  conv_rf_rf_local[31] += data_shared_local[32] * kernel_shared_local[32];
  conv_rf_rf_local[32] += data_shared_local[33] * kernel_shared_local[32];
  conv_rf_rf_local[33] += data_shared_local[34] * kernel_shared_local[32];
  conv_rf_rf_local[29] += data_shared_local[35] * kernel_shared_local[33];
  conv_rf_rf_local[30] += data_shared_local[36] * kernel_shared_local[33];
  conv_rf_rf_local[31] += data_shared_local[37] * kernel_shared_local[33];
  conv_rf_rf_local[32] += data_shared_local[38] * kernel_shared_local[33];
  conv_rf_rf_local[33] += data_shared_local[39] * kernel_shared_local[33];
  conv_rf_rf_local[34] += data_shared_local[40] * kernel_shared_local[33];
  conv_rf_rf_local[28] += data_shared_local[35] * kernel_shared_local[34];
  conv_rf_rf_local[29] += data_shared_local[36] * kernel_shared_local[34];
  conv_rf_rf_local[30] += data_shared_local[37] * kernel_shared_local[34];
  conv_rf_rf_local[31] += data_shared_local[38] * kernel_shared_local[34];
  conv_rf_rf_local[32] += data_shared_local[39] * kernel_shared_local[34];
  conv_rf_rf_local[33] += data_shared_local[40] * kernel_shared_local[34];
  conv_rf_rf_local[34] += data_shared_local[41] * kernel_shared_local[34];
  conv_rf_rf_local[28] += data_shared_local[36] * kernel_shared_local[35];
  conv_rf_rf_local[29] += data_shared_local[37] * kernel_shared_local[35];
  conv_rf_rf_local[30] += data_shared_local[38] * kernel_shared_local[35];
  conv_rf_rf_local[31] += data_shared_local[39] * kernel_shared_local[35];
  conv_rf_rf_local[32] += data_shared_local[40] * kernel_shared_local[35];
  conv_rf_rf_local[33] += data_shared_local[41] * kernel_shared_local[35];
  conv_rf_rf_local[36] += data_shared_local[28] * kernel_shared_local[27];
  conv_rf_rf_local[37] += data_shared_local[29] * kernel_shared_local[27];
  conv_rf_rf_local[38] += data_shared_local[30] * kernel_shared_local[27];
  conv_rf_rf_local[39] += data_shared_local[31] * kernel_shared_local[27];
  conv_rf_rf_local[40] += data_shared_local[32] * kernel_shared_local[27];
  conv_rf_rf_local[41] += data_shared_local[33] * kernel_shared_local[27];
  conv_rf_rf_local[35] += data_shared_local[28] * kernel_shared_local[28];
  conv_rf_rf_local[36] += data_shared_local[29] * kernel_shared_local[28];
  conv_rf_rf_local[37] += data_shared_local[30] * kernel_shared_local[28];
  conv_rf_rf_local[38] += data_shared_local[31] * kernel_shared_local[28];
  conv_rf_rf_local[39] += data_shared_local[32] * kernel_shared_local[28];
  conv_rf_rf_local[40] += data_shared_local[33] * kernel_shared_local[28];
  conv_rf_rf_local[41] += data_shared_local[34] * kernel_shared_local[28];
  conv_rf_rf_local[35] += data_shared_local[29] * kernel_shared_local[29];
  conv_rf_rf_local[36] += data_shared_local[30] * kernel_shared_local[29];
  conv_rf_rf_local[37] += data_shared_local[31] * kernel_shared_local[29];
  conv_rf_rf_local[38] += data_shared_local[32] * kernel_shared_local[29];
  conv_rf_rf_local[39] += data_shared_local[33] * kernel_shared_local[29];
  conv_rf_rf_local[40] += data_shared_local[34] * kernel_shared_local[29];
  conv_rf_rf_local[36] += data_shared_local[35] * kernel_shared_local[30];
  conv_rf_rf_local[37] += data_shared_local[36] * kernel_shared_local[30];
  conv_rf_rf_local[38] += data_shared_local[37] * kernel_shared_local[30];
  conv_rf_rf_local[39] += data_shared_local[38] * kernel_shared_local[30];
  conv_rf_rf_local[40] += data_shared_local[39] * kernel_shared_local[30];
  conv_rf_rf_local[41] += data_shared_local[40] * kernel_shared_local[30];
  conv_rf_rf_local[35] += data_shared_local[35] * kernel_shared_local[31];
  conv_rf_rf_local[36] += data_shared_local[36] * kernel_shared_local[31];
  conv_rf_rf_local[37] += data_shared_local[37] * kernel_shared_local[31];
  conv_rf_rf_local[38] += data_shared_local[38] * kernel_shared_local[31];
  conv_rf_rf_local[39] += data_shared_local[39] * kernel_shared_local[31];
  conv_rf_rf_local[40] += data_shared_local[40] * kernel_shared_local[31];
  conv_rf_rf_local[41] += data_shared_local[41] * kernel_shared_local[31];
  conv_rf_rf_local[35] += data_shared_local[36] * kernel_shared_local[32];
  conv_rf_rf_local[36] += data_shared_local[37] * kernel_shared_local[32];
  conv_rf_rf_local[37] += data_shared_local[38] * kernel_shared_local[32];
  conv_rf_rf_local[38] += data_shared_local[39] * kernel_shared_local[32];
  conv_rf_rf_local[39] += data_shared_local[40] * kernel_shared_local[32];
  conv_rf_rf_local[40] += data_shared_local[41] * kernel_shared_local[32];
  conv_rf_rf_local[36] += data_shared_local[42] * kernel_shared_local[33];
  conv_rf_rf_local[37] += data_shared_local[43] * kernel_shared_local[33];
  conv_rf_rf_local[38] += data_shared_local[44] * kernel_shared_local[33];
  conv_rf_rf_local[39] += data_shared_local[45] * kernel_shared_local[33];
  conv_rf_rf_local[40] += data_shared_local[46] * kernel_shared_local[33];
  conv_rf_rf_local[41] += data_shared_local[47] * kernel_shared_local[33];
  conv_rf_rf_local[35] += data_shared_local[42] * kernel_shared_local[34];
  conv_rf_rf_local[36] += data_shared_local[43] * kernel_shared_local[34];
  conv_rf_rf_local[37] += data_shared_local[44] * kernel_shared_local[34];
  conv_rf_rf_local[38] += data_shared_local[45] * kernel_shared_local[34];
  conv_rf_rf_local[39] += data_shared_local[46] * kernel_shared_local[34];
  conv_rf_rf_local[40] += data_shared_local[47] * kernel_shared_local[34];
  conv_rf_rf_local[41] += data_shared_local[48] * kernel_shared_local[34];
  conv_rf_rf_local[35] += data_shared_local[43] * kernel_shared_local[35];
  conv_rf_rf_local[36] += data_shared_local[44] * kernel_shared_local[35];
  conv_rf_rf_local[37] += data_shared_local[45] * kernel_shared_local[35];
  conv_rf_rf_local[38] += data_shared_local[46] * kernel_shared_local[35];
  conv_rf_rf_local[39] += data_shared_local[47] * kernel_shared_local[35];
  conv_rf_rf_local[40] += data_shared_local[48] * kernel_shared_local[35];
  conv_rf_rf_local[43] += data_shared_local[35] * kernel_shared_local[27];
  conv_rf_rf_local[44] += data_shared_local[36] * kernel_shared_local[27];
  conv_rf_rf_local[45] += data_shared_local[37] * kernel_shared_local[27];
  conv_rf_rf_local[46] += data_shared_local[38] * kernel_shared_local[27];
  conv_rf_rf_local[47] += data_shared_local[39] * kernel_shared_local[27];
  conv_rf_rf_local[48] += data_shared_local[40] * kernel_shared_local[27];
  conv_rf_rf_local[42] += data_shared_local[35] * kernel_shared_local[28];
  conv_rf_rf_local[43] += data_shared_local[36] * kernel_shared_local[28];
  conv_rf_rf_local[44] += data_shared_local[37] * kernel_shared_local[28];
  conv_rf_rf_local[45] += data_shared_local[38] * kernel_shared_local[28];
  conv_rf_rf_local[46] += data_shared_local[39] * kernel_shared_local[28];
  conv_rf_rf_local[47] += data_shared_local[40] * kernel_shared_local[28];
  conv_rf_rf_local[48] += data_shared_local[41] * kernel_shared_local[28];
  conv_rf_rf_local[42] += data_shared_local[36] * kernel_shared_local[29];
  conv_rf_rf_local[43] += data_shared_local[37] * kernel_shared_local[29];
  conv_rf_rf_local[44] += data_shared_local[38] * kernel_shared_local[29];
  conv_rf_rf_local[45] += data_shared_local[39] * kernel_shared_local[29];
  conv_rf_rf_local[46] += data_shared_local[40] * kernel_shared_local[29];
  conv_rf_rf_local[47] += data_shared_local[41] * kernel_shared_local[29];
  conv_rf_rf_local[43] += data_shared_local[42] * kernel_shared_local[30];
  conv_rf_rf_local[44] += data_shared_local[43] * kernel_shared_local[30];
  conv_rf_rf_local[45] += data_shared_local[44] * kernel_shared_local[30];
  conv_rf_rf_local[46] += data_shared_local[45] * kernel_shared_local[30];
  conv_rf_rf_local[47] += data_shared_local[46] * kernel_shared_local[30];
  conv_rf_rf_local[48] += data_shared_local[47] * kernel_shared_local[30];
  conv_rf_rf_local[42] += data_shared_local[42] * kernel_shared_local[31];
  conv_rf_rf_local[43] += data_shared_local[43] * kernel_shared_local[31];
  conv_rf_rf_local[44] += data_shared_local[44] * kernel_shared_local[31];
  conv_rf_rf_local[45] += data_shared_local[45] * kernel_shared_local[31];
  conv_rf_rf_local[46] += data_shared_local[46] * kernel_shared_local[31];
  conv_rf_rf_local[47] += data_shared_local[47] * kernel_shared_local[31];
  conv_rf_rf_local[48] += data_shared_local[48] * kernel_shared_local[31];
  conv_rf_rf_local[42] += data_shared_local[43] * kernel_shared_local[32];
  conv_rf_rf_local[43] += data_shared_local[44] * kernel_shared_local[32];
  conv_rf_rf_local[44] += data_shared_local[45] * kernel_shared_local[32];
  conv_rf_rf_local[45] += data_shared_local[46] * kernel_shared_local[32];
  conv_rf_rf_local[46] += data_shared_local[47] * kernel_shared_local[32];
  conv_rf_rf_local[47] += data_shared_local[48] * kernel_shared_local[32];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49] = conv_rf_rf_local[0];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1] = conv_rf_rf_local[1];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 2] = conv_rf_rf_local[2];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3] = conv_rf_rf_local[3];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4] = conv_rf_rf_local[4];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 5] = conv_rf_rf_local[5];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6] = conv_rf_rf_local[6];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7] = conv_rf_rf_local[7];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 8] = conv_rf_rf_local[8];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9] = conv_rf_rf_local[9];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 10] = conv_rf_rf_local[10];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 11] = conv_rf_rf_local[11];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 12] = conv_rf_rf_local[12];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 13] = conv_rf_rf_local[13];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 14] = conv_rf_rf_local[14];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 15] = conv_rf_rf_local[15];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 16] = conv_rf_rf_local[16];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 17] = conv_rf_rf_local[17];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 18] = conv_rf_rf_local[18];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 19] = conv_rf_rf_local[19];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 20] = conv_rf_rf_local[20];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 21] = conv_rf_rf_local[21];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 22] = conv_rf_rf_local[22];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 23] = conv_rf_rf_local[23];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 24] = conv_rf_rf_local[24];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 25] = conv_rf_rf_local[25];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 26] = conv_rf_rf_local[26];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 27] = conv_rf_rf_local[27];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 28] = conv_rf_rf_local[28];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 29] = conv_rf_rf_local[29];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 30] = conv_rf_rf_local[30];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 31] = conv_rf_rf_local[31];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 32] = conv_rf_rf_local[32];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 33] = conv_rf_rf_local[33];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 34] = conv_rf_rf_local[34];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 35] = conv_rf_rf_local[35];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 36] = conv_rf_rf_local[36];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 37] = conv_rf_rf_local[37];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 38] = conv_rf_rf_local[38];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 39] = conv_rf_rf_local[39];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 40] = conv_rf_rf_local[40];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 41] = conv_rf_rf_local[41];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 42] = conv_rf_rf_local[42];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 43] = conv_rf_rf_local[43];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 44] = conv_rf_rf_local[44];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 45] = conv_rf_rf_local[45];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 46] = conv_rf_rf_local[46];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 47] = conv_rf_rf_local[47];
  conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 * 1568 + ax0_ax1_ax2_ax3_fused_2 * 49 + 48] = conv_rf_rf_local[48];
  __syncthreads();
  conv_rf_local[0] = 0.0f;
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1568];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3136];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4704];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6272];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7840];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9408];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 10976];
  conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2] = conv_rf_local[0];
  conv_rf_local[0] = 0.0f;
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 8];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1576];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3144];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4712];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6280];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7848];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9416];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 10984];
  conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2 + 4096] = conv_rf_local[0];
  conv_rf_local[0] = 0.0f;
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 16];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1584];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3152];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4720];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6288];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7856];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9424];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 10992];
  conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2 + 8192] = conv_rf_local[0];
  conv_rf_local[0] = 0.0f;
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 24];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1592];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3160];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4728];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6296];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7864];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9432];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 11000];
  conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2 + 12288] = conv_rf_local[0];
  conv_rf_local[0] = 0.0f;
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 32];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1600];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3168];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4736];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6304];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7872];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9440];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 11008];
  conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2 + 16384] = conv_rf_local[0];
  conv_rf_local[0] = 0.0f;
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 40];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1608];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3176];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4744];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6312];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7880];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9448];
  conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 11016];
  conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2 + 20480] = conv_rf_local[0];
  if (ax0_ax1_ax2_ax3_fused_1 < 1) {
    conv_rf_local[0] = 0.0f;
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 48];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 1616];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 3184];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 4752];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 6320];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 7888];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 9456];
    conv_rf_local[0] += conv_rf_rf[ax0_ax1_ax2_ax3_fused_1 + ax0_ax1_ax2_ax3_fused_2 * 49 + 11024];
  }
  if (ax0_ax1_ax2_ax3_fused_1 < 1) {
    conv_rf[f_outer * 32 + s * 25088 + ax0_ax1_ax2_ax3_fused_1 * 512 + ax0_ax1_ax2_ax3_fused_2 + 24576] = conv_rf_local[0];
  }
}

extern "C" __global__ void __launch_bounds__(128) conv_kernel1(float *__restrict__ conv, const float *__restrict__ conv_rf) {
  const int n_y_x_f_fused_outer = blockIdx.x;  // < 196
  const int n_y_x_f_fused_inner = threadIdx.x;  // < 128
  // conv
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] = 0.0f;
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 25088];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 50176];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 75264];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 100352];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 125440];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 150528];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 175616];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 200704];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 225792];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 250880];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 275968];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 301056];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 326144];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 351232];
  conv[n_y_x_f_fused_outer / 4 + n_y_x_f_fused_outer % 4 * 6272 + n_y_x_f_fused_inner * 49] += conv_rf[n_y_x_f_fused_outer * 128 + n_y_x_f_fused_inner + 376320];
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
   "reduction": 4608,
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
   "bytes": 1605632,
   "dtype": "float32",
   "name": "conv_rf",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    16,
    1,
    7,
    7,
    512
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
    "conv_rf"
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
   "dynamic_shared_bytes": 94720,
   "grid": [
    16,
    16,
    1
   ],
   "name": "conv_kernel0"
  },
  {
   "args": [
    "conv",
    "conv_rf"
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
 "notes": [
  {
   "message": "loop \"ax3.inner\" of 4 is vectorized, but done element by element: a condition differs from lane to lane",
   "rule": "vectorize.narrow"
  }
 ],
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
