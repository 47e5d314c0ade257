// attention_derived 22105866730170 cuda/sm_90
// cuda/sm_90a. Written by Warpfarm.
//   compute_inline s0
//   compute_inline s1
//   compute_inline s3
//   reorder l14 l15 l16 l17
//   fuse l14 l15 -> l44
//   split l9 factors=[null,32] -> l45 l46
//   rfactor l45 axis=0 -> s14 l47 l48 l49 l50 l51
//   fuse l44 l16 l17 -> l52
//   split l52 factors=[null,128] -> l53 l54
//   bind l53 thread="blockIdx.x"
//   bind l54 thread="threadIdx.x"
//   set_scope s2 scope="local"
//   compute_at s2 s4 l54
//   unroll l51
//   cache_write s14 scope="local" -> s15 l55 l56 l57 l58
//   split l49 factors=[null,1,8,2,4] -> l59 l60 l61 l62 l63
//   split l50 factors=[null,2,1,16,4] -> l64 l65 l66 l67 l68
//   reorder l59 l64 l60 l65 l61 l66 l62 l67 l63 l68
//   bind l60 thread="vthread"
//   bind l65 thread="vthread"
//   fuse l61 l66 -> l69
//   bind l69 thread="threadIdx.y"
//   fuse l62 l67 -> l70
//   bind l70 thread="threadIdx.x"
//   unroll l63
//   fuse l47 l48 -> l71
//   bind l71 thread="blockIdx.z"
//   split l59 factors=[null,4] -> l72 l73
//   reorder l72 l64 l73
//   fuse l72 l64 l73 -> l74
//   bind l74 thread="blockIdx.x"
//   vectorize l68
//   min_blocks s14 blocks=1
//   compute_at s15 s14 l70
//   cache_read s0 s15 scope="shared" -> s16 l75 l76 l77
//   cache_read s1 s15 scope="shared" -> s17 l78 l79 l80
//   cache_read s16 s15 scope="local" -> s18 l81 l82 l83
//   cache_read s17 s15 scope="local" -> s19 l84 l85 l86
//   split l46 factors=[null,8] -> l87 l88
//   reorder l87 l88 l55 l56 l57 l58
//   unroll l88
//   compute_at s16 s15 l87
//   pipeline s16 stages=4
//   compute_at s18 s15 l88
//   vectorize l83
//   split l76 factors=[null,8] -> l89 l90
//   split l77 factors=[null,4] -> l91 l92
//   reorder l75 l89 l91 l92 l90
//   fuse l75 l89 l91 l92 l90 -> l93
//   split l93 factors=[null,8,32,1] -> l94 l95 l96 l97
//   unroll l94
//   bind l95 thread="threadIdx.y"
//   bind l96 thread="threadIdx.x"
//   storage_align s16 axis=1 factor=8 offset=4
//   compute_at s17 s15 l87
//   pipeline s17 stages=4
//   compute_at s19 s15 l88
//   vectorize l86
//   split l79 factors=[null,8] -> l98 l99
//   split l80 factors=[null,4] -> l100 l101
//   reorder l78 l98 l100 l101 l99
//   fuse l78 l98 l100 l101 l99 -> l102
//   split l102 factors=[null,8,32,1] -> l103 l104 l105 l106
//   unroll l103
//   bind l104 thread="threadIdx.y"
//   bind l105 thread="threadIdx.x"
//   storage_align s17 axis=1 factor=8 offset=4
//   set_scope s5 scope="local"
//   transform_layout s5 map={"from":["r","k"],"to":["r",["floor_div","k",512],["floor_mod",["floor_div","k",4],128],["floor_mod","k",4]]} -> l107 l108 l109 l110
//   set_scope s7 scope="local"
//   transform_layout s7 map={"from":["r","k"],"to":["r",["floor_div","k",512],["floor_mod",["floor_div","k",4],128],["floor_mod","k",4]]} -> l111 l112 l113 l114
//   split l29 factors=[null,1024] -> l115 l116
//   fuse l26 l27 l28 l115 -> l117
//   split l117 factors=[null,2] -> l118 l119
//   bind l118 thread="blockIdx.x"
//   bind l119 thread="threadIdx.y"
//   split l116 factors=[null,128,4] -> l120 l121 l122
//   bind l121 thread="threadIdx.x"
//   vectorize l122
//   reorder l121 l120
//   unroll l120
//   compute_at s5 s9 l121
//   vectorize l110
//   unroll l108
//   compute_at s7 s9 l121
//   vectorize l114
//   unroll l112
//   set_scope s6 scope="local"
//   compute_at s6 s9 l121
//   split l21 factors=[null,128,4] -> l123 l124 l125
//   bind l124 thread="threadIdx.x"
//   unroll l123
//   unroll l125
//   set_scope s8 scope="local"
//   compute_at s8 s9 l121
//   split l25 factors=[null,128,4] -> l126 l127 l128
//   bind l127 thread="threadIdx.x"
//   unroll l126
//   unroll l128
//   compute_inline s10
//   compute_inline s11
//   reorder l40 l41 l42 l43
//   fuse l40 l41 -> l129
//   split l39 factors=[null,32] -> l130 l131
//   rfactor l130 axis=0 -> s20 l132 l133 l134 l135 l136
//   fuse l129 l42 l43 -> l137
//   split l137 factors=[null,128] -> l138 l139
//   bind l138 thread="blockIdx.x"
//   bind l139 thread="threadIdx.x"
//   set_scope s12 scope="local"
//   compute_at s12 s13 l139
//   unroll l136
//   cache_write s20 scope="local" -> s21 l140 l141 l142 l143
//   split l134 factors=[null,1,8,2,2,4] -> l144 l145 l146 l147 l148 l149
//   split l135 factors=[null,4,2,4,2,4] -> l150 l151 l152 l153 l154 l155
//   reorder l144 l150 l145 l151 l146 l152 l147 l153 l148 l154 l149 l155
//   bind l145 thread="vthread"
//   bind l151 thread="vthread"
//   fuse l146 l152 -> l156
//   bind l156 thread="threadIdx.y"
//   fuse l147 l153 l148 l154 -> l157
//   bind l157 thread="threadIdx.x"
//   unroll l149
//   fuse l132 l133 -> l158
//   bind l158 thread="blockIdx.z"
//   split l144 factors=[null,8] -> l159 l160
//   reorder l159 l150 l160
//   fuse l159 l150 l160 -> l161
//   bind l161 thread="blockIdx.x"
//   vectorize l155
//   compute_at s21 s20 l157
//   cache_read s10 s21 scope="shared" -> s22 l162 l163 l164
//   cache_read s11 s21 scope="shared" -> s23 l165 l166 l167
//   cache_read s22 s21 scope="local" -> s24 l168 l169 l170
//   cache_read s23 s21 scope="local" -> s25 l171 l172 l173
//   split l131 factors=[null,8] -> l174 l175
//   reorder l174 l175 l140 l141 l142 l143
//   unroll l175
//   compute_at s22 s21 l174
//   pipeline s22 stages=2
//   compute_at s24 s21 l175
//   vectorize l170
//   split l163 factors=[null,8] -> l176 l177
//   split l164 factors=[null,4] -> l178 l179
//   reorder l162 l176 l178 l179 l177
//   fuse l162 l176 l178 l179 l177 -> l180
//   split l180 factors=[null,16,32,1] -> l181 l182 l183 l184
//   unroll l181
//   bind l182 thread="threadIdx.y"
//   bind l183 thread="threadIdx.x"
//   storage_align s22 axis=1 factor=8 offset=4
//   compute_at s23 s21 l174
//   pipeline s23 stages=2
//   compute_at s25 s21 l175
//   vectorize l173
//   fuse l165 l166 l167 -> l185
//   split l185 factors=[null,16,32,4] -> l186 l187 l188 l189
//   unroll l186
//   bind l187 thread="threadIdx.y"
//   bind l188 thread="threadIdx.x"
//   vectorize l189
static __device__ __forceinline__ void cp_async_4(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_3() { asm volatile("cp.async.wait_group 3;" : : : "memory"); }
struct __align__(16) f32x4 { float lane[4]; };
static __device__ __forceinline__ float max_f32(float a, float b) { return fmaxf(a, b); }
static __device__ __forceinline__ float fold_max_f32_x32(float x) {
  float v = x;
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 16));
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 8));
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 4));
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 2));
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 1));
  return v;
}
static __device__ __forceinline__ void warpgroup_meets(int group) { asm volatile("bar.sync %0, 128;" : : "r"(group + 2) : "memory"); }
static __device__ __forceinline__ float fold_max_f32_x4(float x) {
  float v = x;
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 2));
  v = max_f32(v, __shfl_xor_sync(0xffffffffu, v, 1));
  return v;
}
static __device__ __forceinline__ float fold_sum_f32_x32(float x) {
  float v = x;
  v = v + __shfl_xor_sync(0xffffffffu, v, 16);
  v = v + __shfl_xor_sync(0xffffffffu, v, 8);
  v = v + __shfl_xor_sync(0xffffffffu, v, 4);
  v = v + __shfl_xor_sync(0xffffffffu, v, 2);
  v = v + __shfl_xor_sync(0xffffffffu, v, 1);
  return v;
}
static __device__ __forceinline__ float fold_sum_f32_x4(float x) {
  float v = x;
  v = v + __shfl_xor_sync(0xffffffffu, v, 2);
  v = v + __shfl_xor_sync(0xffffffffu, v, 1);
  return v;
}
static __device__ __forceinline__ void cp_async_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_wait_0() { asm volatile("cp.async.wait_group 0;" : : : "memory"); }

extern "C" __global__ void __launch_bounds__(256, 1) attention_kernel0(const float *__restrict__ Q, const float *__restrict__ K, float *__restrict__ attention_products_sums_rf) {
  const int k_outer_z_fused = blockIdx.z;  // < 32
  const int r_0_outer_p_0_r_0_inner_fused = blockIdx.x;  // < 128
  const int r_2_p_2_fused = threadIdx.y;  // < 8
  const int r_3_p_3_fused = threadIdx.x;  // < 32
  float attention_products_sums_rf_local[32];
  __shared__ __align__(16) float attention_products_left_shared[2176];
  __shared__ __align__(16) float attention_products_right_shared[4224];
  float attention_products_left_shared_local[4];
  float attention_products_right_shared_local[8];
  // attention_products_sums.rf
  // attention_products_sums.rf.local
  for (int r_c_init = 0; r_c_init < 4; ++r_c_init) {
    for (int p_c_init = 0; p_c_init < 4; ++p_c_init) {
      attention_products_sums_rf_local[r_c_init * 4 + p_c_init] = 0.0f;
      attention_products_sums_rf_local[r_c_init * 4 + p_c_init + 16] = 0.0f;
    }
  }
  // attention_products_left.shared
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8)));
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 32)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2048)));
  // attention_products_right.shared
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 32)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2048)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 64)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 4096)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 96)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 6144)));
  cp_async_commit();
  // attention_products_left.shared
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 544)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 8)));
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 576)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2056)));
  // attention_products_right.shared
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 1056)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 8)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 1088)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2056)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 1120)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 4104)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 1152)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 6152)));
  cp_async_commit();
  // attention_products_left.shared
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 1088)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 16)));
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 1120)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2064)));
  // attention_products_right.shared
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 2112)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 16)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 2144)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2064)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 2176)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 4112)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 2208)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 6160)));
  cp_async_commit();
  // attention_products_left.shared
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 1632)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 24)));
  cp_async_4((attention_products_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 68 + 1664)), (Q + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 32 * 16384 + r_0_outer_p_0_r_0_inner_fused % 4 * 4096 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2072)));
  // attention_products_right.shared
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 3168)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 24)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 3200)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 2072)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 3232)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 4120)));
  cp_async_4((attention_products_right_shared + (r_2_p_2_fused * 4 + r_3_p_3_fused / 8 + r_3_p_3_fused % 8 * 132 + 3264)), (K + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 65536 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 8192 + r_2_p_2_fused * 256 + r_3_p_3_fused / 8 * 64 + r_3_p_3_fused % 8 + 6168)));
  cp_async_commit();
  for (int k_inner_outer = 0; k_inner_outer < 4; ++k_inner_outer) {
    cp_async_wait_3();
    __syncthreads();
    cp_async_commit();
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 64));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 68));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 132));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 196));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 136));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 264));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 328));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 204));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 396));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 460));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 272));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 528));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 592));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 340));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 660));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 724));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 408));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 792));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 856));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_left_shared + (r_2_p_2_fused * 8 + r_3_p_3_fused / 16 * 4 + k_inner_outer * 544 + 476));
      attention_products_left_shared_local[0] = v0.lane[0];
      attention_products_left_shared_local[1] = v0.lane[1];
      attention_products_left_shared_local[2] = v0.lane[2];
      attention_products_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 924));
      attention_products_right_shared_local[0] = v0.lane[0];
      attention_products_right_shared_local[1] = v0.lane[1];
      attention_products_right_shared_local[2] = v0.lane[2];
      attention_products_right_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_products_right_shared + (r_3_p_3_fused % 16 * 4 + k_inner_outer * 1056 + 988));
      attention_products_right_shared_local[4] = v0.lane[0];
      attention_products_right_shared_local[5] = v0.lane[1];
      attention_products_right_shared_local[6] = v0.lane[2];
      attention_products_right_shared_local[7] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_products_sums_rf_local[r_c * 4 + p_c] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c];
        attention_products_sums_rf_local[r_c * 4 + p_c + 16] += attention_products_left_shared_local[r_c] * attention_products_right_shared_local[p_c + 4];
      }
    }
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[0];
    r.lane[1] = attention_products_sums_rf_local[1];
    r.lane[2] = attention_products_sums_rf_local[2];
    r.lane[3] = attention_products_sums_rf_local[3];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[16];
    r.lane[1] = attention_products_sums_rf_local[17];
    r.lane[2] = attention_products_sums_rf_local[18];
    r.lane[3] = attention_products_sums_rf_local[19];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 64)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[4];
    r.lane[1] = attention_products_sums_rf_local[5];
    r.lane[2] = attention_products_sums_rf_local[6];
    r.lane[3] = attention_products_sums_rf_local[7];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 1024)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[20];
    r.lane[1] = attention_products_sums_rf_local[21];
    r.lane[2] = attention_products_sums_rf_local[22];
    r.lane[3] = attention_products_sums_rf_local[23];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 1088)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[8];
    r.lane[1] = attention_products_sums_rf_local[9];
    r.lane[2] = attention_products_sums_rf_local[10];
    r.lane[3] = attention_products_sums_rf_local[11];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 2048)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[24];
    r.lane[1] = attention_products_sums_rf_local[25];
    r.lane[2] = attention_products_sums_rf_local[26];
    r.lane[3] = attention_products_sums_rf_local[27];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 2112)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[12];
    r.lane[1] = attention_products_sums_rf_local[13];
    r.lane[2] = attention_products_sums_rf_local[14];
    r.lane[3] = attention_products_sums_rf_local[15];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 3072)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_products_sums_rf_local[28];
    r.lane[1] = attention_products_sums_rf_local[29];
    r.lane[2] = attention_products_sums_rf_local[30];
    r.lane[3] = attention_products_sums_rf_local[31];
    *(f32x4 *)(attention_products_sums_rf + (k_outer_z_fused * 1048576 + r_0_outer_p_0_r_0_inner_fused / 32 * 262144 + r_0_outer_p_0_r_0_inner_fused / 4 % 8 * 128 + r_0_outer_p_0_r_0_inner_fused % 4 * 65536 + r_2_p_2_fused * 8192 + r_3_p_3_fused / 16 * 4096 + r_3_p_3_fused % 16 * 4 + 3136)) = r;
  }
}

extern "C" __global__ void __launch_bounds__(128) attention_kernel1(const float *__restrict__ attention_products_sums_rf, float *__restrict__ attention_scores) {
  const int i0_i1_fused_i2_i3_fused_outer = blockIdx.x;  // < 131072
  const int i0_i1_fused_i2_i3_fused_inner = threadIdx.x;  // < 128
  float attention_products_sums[1];
  // attention_scores
  // attention_products_sums
  attention_products_sums[0] = 0.0f;
  attention_products_sums[0] += attention_products_sums_rf[i0_i1_fused_i2_i3_fused_outer * 128 + i0_i1_fused_i2_i3_fused_inner];
  attention_products_sums[0] += attention_products_sums_rf[i0_i1_fused_i2_i3_fused_outer * 128 + i0_i1_fused_i2_i3_fused_inner + 16777216];
  attention_scores[i0_i1_fused_i2_i3_fused_outer * 128 + i0_i1_fused_i2_i3_fused_inner] = attention_products_sums[0] * 0.125f;
}

extern "C" __global__ void __launch_bounds__(256) attention_kernel2(const float *__restrict__ attention_scores, float *__restrict__ attention_weights) {
  const int i0_i1_i2_i3_outer_fused_outer = blockIdx.x;  // < 8192
  const int i0_i1_i2_i3_outer_fused_inner = threadIdx.y;  // < 2
  const int i3_inner_1 = threadIdx.x;  // < 128
  __shared__ __align__(16) float attention_weights_max_part_warps[8];
  __shared__ __align__(16) float attention_weights_sum_part_warps[8];
  float attention_weights_attention_scores[8];
  float attention_weights_max[1];
  float attention_weights_exp[8];
  float attention_weights_sum[1];
  float attention_weights_max_part[1];
  float attention_weights_sum_part[1];
  // attention_weights
  // attention_weights_attention_scores
  {
    const f32x4 v0 = *(const f32x4 *)(attention_scores + (i0_i1_i2_i3_outer_fused_outer * 2048 + i0_i1_i2_i3_outer_fused_inner * 1024 + i3_inner_1 * 4));
    attention_weights_attention_scores[0] = v0.lane[0];
    attention_weights_attention_scores[1] = v0.lane[1];
    attention_weights_attention_scores[2] = v0.lane[2];
    attention_weights_attention_scores[3] = v0.lane[3];
  }
  {
    const f32x4 v0 = *(const f32x4 *)(attention_scores + (i0_i1_i2_i3_outer_fused_outer * 2048 + i0_i1_i2_i3_outer_fused_inner * 1024 + i3_inner_1 * 4 + 512));
    attention_weights_attention_scores[4] = v0.lane[0];
    attention_weights_attention_scores[5] = v0.lane[1];
    attention_weights_attention_scores[6] = v0.lane[2];
    attention_weights_attention_scores[7] = v0.lane[3];
  }
  // attention_weights_max
  attention_weights_max_part[0] = __int_as_float(0xff800000);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[0]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[1]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[2]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[3]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[4]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[5]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[6]);
  attention_weights_max_part[0] = max_f32(attention_weights_max_part[0], attention_weights_attention_scores[7]);
  attention_weights_max_part[0] = fold_max_f32_x32(attention_weights_max_part[0]);
  if (i3_inner_1 % 32 == 0) {
    attention_weights_max_part_warps[i0_i1_i2_i3_outer_fused_inner * 4 + i3_inner_1 / 32] = attention_weights_max_part[0];
  }
  warpgroup_meets(i0_i1_i2_i3_outer_fused_inner);
  attention_weights_max_part[0] = attention_weights_max_part_warps[i0_i1_i2_i3_outer_fused_inner * 4 + i3_inner_1 % 4];
  attention_weights_max_part[0] = fold_max_f32_x4(attention_weights_max_part[0]);
  attention_weights_max[0] = attention_weights_max_part[0];
  // attention_weights_exp
  {
    attention_weights_exp[0] = expf(attention_weights_attention_scores[0] - attention_weights_max[0]);
    attention_weights_exp[1] = expf(attention_weights_attention_scores[1] - attention_weights_max[0]);
    attention_weights_exp[2] = expf(attention_weights_attention_scores[2] - attention_weights_max[0]);
    attention_weights_exp[3] = expf(attention_weights_attention_scores[3] - attention_weights_max[0]);
  }
  {
    attention_weights_exp[4] = expf(attention_weights_attention_scores[4] - attention_weights_max[0]);
    attention_weights_exp[5] = expf(attention_weights_attention_scores[5] - attention_weights_max[0]);
    attention_weights_exp[6] = expf(attention_weights_attention_scores[6] - attention_weights_max[0]);
    attention_weights_exp[7] = expf(attention_weights_attention_scores[7] - attention_weights_max[0]);
  }
  // attention_weights_sum
  attention_weights_sum_part[0] = 0.0f;
  attention_weights_sum_part[0] += attention_weights_exp[0];
  attention_weights_sum_part[0] += attention_weights_exp[1];
  attention_weights_sum_part[0] += attention_weights_exp[2];
  attention_weights_sum_part[0] += attention_weights_exp[3];
  attention_weights_sum_part[0] += attention_weights_exp[4];
  attention_weights_sum_part[0] += attention_weights_exp[5];
  attention_weights_sum_part[0] += attention_weights_exp[6];
  attention_weights_sum_part[0] += attention_weights_exp[7];
  attention_weights_sum_part[0] = fold_sum_f32_x32(attention_weights_sum_part[0]);
  if (i3_inner_1 % 32 == 0) {
    attention_weights_sum_part_warps[i0_i1_i2_i3_outer_fused_inner * 4 + i3_inner_1 / 32] = attention_weights_sum_part[0];
  }
  warpgroup_meets(i0_i1_i2_i3_outer_fused_inner);
  attention_weights_sum_part[0] = attention_weights_sum_part_warps[i0_i1_i2_i3_outer_fused_inner * 4 + i3_inner_1 % 4];
  attention_weights_sum_part[0] = fold_sum_f32_x4(attention_weights_sum_part[0]);
  attention_weights_sum[0] = attention_weights_sum_part[0];
  {
    f32x4 r;
    r.lane[0] = attention_weights_exp[0] / attention_weights_sum[0];
    r.lane[1] = attention_weights_exp[1] / attention_weights_sum[0];
    r.lane[2] = attention_weights_exp[2] / attention_weights_sum[0];
    r.lane[3] = attention_weights_exp[3] / attention_weights_sum[0];
    *(f32x4 *)(attention_weights + (i0_i1_i2_i3_outer_fused_outer * 2048 + i0_i1_i2_i3_outer_fused_inner * 1024 + i3_inner_1 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_weights_exp[4] / attention_weights_sum[0];
    r.lane[1] = attention_weights_exp[5] / attention_weights_sum[0];
    r.lane[2] = attention_weights_exp[6] / attention_weights_sum[0];
    r.lane[3] = attention_weights_exp[7] / attention_weights_sum[0];
    *(f32x4 *)(attention_weights + (i0_i1_i2_i3_outer_fused_outer * 2048 + i0_i1_i2_i3_outer_fused_inner * 1024 + i3_inner_1 * 4 + 512)) = r;
  }
}

extern "C" __global__ void __launch_bounds__(512) attention_kernel3(const float *__restrict__ V, const float *__restrict__ attention_weights, float *__restrict__ attention_sums_rf) {
  const int k_outer_z_fused = blockIdx.z;  // < 512
  const int r_0_outer_p_0_r_0_inner_fused = blockIdx.x;  // < 8
  const int r_2_p_2_fused = threadIdx.y;  // < 16
  const int r_3_p_3_r_4_p_4_fused = threadIdx.x;  // < 32
  float attention_sums_rf_local[64];
  __shared__ __align__(16) float attention_left_shared[2112];
  __shared__ __align__(16) float attention_right_shared[1024];
  float attention_left_shared_local[4];
  float attention_right_shared_local[16];
  // attention_sums.rf
  // attention_sums.rf.local
  for (int r_c_init = 0; r_c_init < 4; ++r_c_init) {
    for (int p_c_init = 0; p_c_init < 4; ++p_c_init) {
      attention_sums_rf_local[r_c_init * 4 + p_c_init] = 0.0f;
    }
  }
  // attention_left.shared
  cp_async_4((attention_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 132)), (attention_weights + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 1048576 + r_0_outer_p_0_r_0_inner_fused * 131072 + r_2_p_2_fused * 4096 + r_3_p_3_r_4_p_4_fused / 8 * 1024 + r_3_p_3_r_4_p_4_fused % 8)));
  cp_async_4((attention_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 132 + 64)), (attention_weights + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 1048576 + r_0_outer_p_0_r_0_inner_fused * 131072 + r_2_p_2_fused * 4096 + r_3_p_3_r_4_p_4_fused / 8 * 1024 + r_3_p_3_r_4_p_4_fused % 8 + 65536)));
  // attention_right.shared
  if (r_2_p_2_fused < 4) {
    cp_async_16((attention_right_shared + (r_2_p_2_fused * 128 + r_3_p_3_r_4_p_4_fused * 4)), (V + (k_outer_z_fused / 16 * 2048 + k_outer_z_fused % 16 * 65536 + r_2_p_2_fused * 128 + r_3_p_3_r_4_p_4_fused * 4)));
  }
  cp_async_commit();
  for (int k_inner_outer = 0; k_inner_outer < 4; ++k_inner_outer) {
    cp_async_wait_0();
    __syncthreads();
    // attention_left.shared
    if (k_inner_outer < 3) {
      cp_async_4((attention_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 132 + (k_inner_outer + 1) % 2 * 1056)), (attention_weights + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 1048576 + r_0_outer_p_0_r_0_inner_fused * 131072 + r_2_p_2_fused * 4096 + r_3_p_3_r_4_p_4_fused / 8 * 1024 + r_3_p_3_r_4_p_4_fused % 8 + k_inner_outer * 8 + 8)));
      cp_async_4((attention_left_shared + (r_2_p_2_fused * 4 + r_3_p_3_r_4_p_4_fused / 8 + r_3_p_3_r_4_p_4_fused % 8 * 132 + (k_inner_outer + 1) % 2 * 1056 + 64)), (attention_weights + (k_outer_z_fused / 16 * 32 + k_outer_z_fused % 16 * 1048576 + r_0_outer_p_0_r_0_inner_fused * 131072 + r_2_p_2_fused * 4096 + r_3_p_3_r_4_p_4_fused / 8 * 1024 + r_3_p_3_r_4_p_4_fused % 8 + k_inner_outer * 8 + 65544)));
    }
    // attention_right.shared
    if (r_2_p_2_fused < 4 && k_inner_outer < 3) {
      cp_async_16((attention_right_shared + (r_2_p_2_fused * 128 + r_3_p_3_r_4_p_4_fused * 4 + (k_inner_outer + 1) % 2 * 512)), (V + (k_outer_z_fused / 16 * 2048 + k_outer_z_fused % 16 * 65536 + r_2_p_2_fused * 128 + r_3_p_3_r_4_p_4_fused * 4 + k_inner_outer * 512 + 512)));
    }
    cp_async_commit();
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 132));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 64));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 264));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 128));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 396));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 192));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 528));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 256));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 660));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 320));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 792));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 384));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_left_shared + (r_2_p_2_fused / 2 * 16 + r_3_p_3_r_4_p_4_fused / 16 * 8 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 4 + k_inner_outer % 2 * 1056 + 924));
      attention_left_shared_local[0] = v0.lane[0];
      attention_left_shared_local[1] = v0.lane[1];
      attention_left_shared_local[2] = v0.lane[2];
      attention_left_shared_local[3] = v0.lane[3];
    }
    {
      const f32x4 v0 = *(const f32x4 *)(attention_right_shared + (r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + k_inner_outer % 2 * 512 + 448));
      attention_right_shared_local[0] = v0.lane[0];
      attention_right_shared_local[1] = v0.lane[1];
      attention_right_shared_local[2] = v0.lane[2];
      attention_right_shared_local[3] = v0.lane[3];
    }
    for (int r_c = 0; r_c < 4; ++r_c) {
      for (int p_c = 0; p_c < 4; ++p_c) {
        attention_sums_rf_local[r_c * 4 + p_c] += attention_left_shared_local[r_c] * attention_right_shared_local[p_c];
      }
    }
  }
  {
    f32x4 r;
    r.lane[0] = attention_sums_rf_local[0];
    r.lane[1] = attention_sums_rf_local[1];
    r.lane[2] = attention_sums_rf_local[2];
    r.lane[3] = attention_sums_rf_local[3];
    *(f32x4 *)(attention_sums_rf + (k_outer_z_fused * 65536 + r_0_outer_p_0_r_0_inner_fused * 8192 + r_2_p_2_fused / 2 * 1024 + r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_sums_rf_local[4];
    r.lane[1] = attention_sums_rf_local[5];
    r.lane[2] = attention_sums_rf_local[6];
    r.lane[3] = attention_sums_rf_local[7];
    *(f32x4 *)(attention_sums_rf + (k_outer_z_fused * 65536 + r_0_outer_p_0_r_0_inner_fused * 8192 + r_2_p_2_fused / 2 * 1024 + r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + 64)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_sums_rf_local[8];
    r.lane[1] = attention_sums_rf_local[9];
    r.lane[2] = attention_sums_rf_local[10];
    r.lane[3] = attention_sums_rf_local[11];
    *(f32x4 *)(attention_sums_rf + (k_outer_z_fused * 65536 + r_0_outer_p_0_r_0_inner_fused * 8192 + r_2_p_2_fused / 2 * 1024 + r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + 128)) = r;
  }
  {
    f32x4 r;
    r.lane[0] = attention_sums_rf_local[12];
    r.lane[1] = attention_sums_rf_local[13];
    r.lane[2] = attention_sums_rf_local[14];
    r.lane[3] = attention_sums_rf_local[15];
    *(f32x4 *)(attention_sums_rf + (k_outer_z_fused * 65536 + r_0_outer_p_0_r_0_inner_fused * 8192 + r_2_p_2_fused / 2 * 1024 + r_2_p_2_fused % 2 * 32 + r_3_p_3_r_4_p_4_fused / 16 * 512 + r_3_p_3_r_4_p_4_fused / 2 % 2 * 256 + r_3_p_3_r_4_p_4_fused / 4 % 4 * 8 + r_3_p_3_r_4_p_4_fused % 2 * 4 + 192)) = r;
  }
}

extern "C" __global__ void __launch_bounds__(128) attention_kernel4(float *__restrict__ attention, const float *__restrict__ attention_sums_rf) {
  const int b0_b1_fused_i_j_fused_outer = blockIdx.x;  // < 8192
  const int b0_b1_fused_i_j_fused_inner = threadIdx.x;  // < 128
  float attention_sums[1];
  // attention
  // attention_sums
  attention_sums[0] = 0.0f;
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 1048576];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 2097152];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 3145728];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 4194304];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 5242880];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 6291456];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 7340032];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 8388608];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 9437184];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 10485760];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 11534336];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 12582912];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 13631488];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 14680064];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 15728640];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 16777216];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 17825792];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 18874368];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 19922944];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 20971520];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 22020096];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 23068672];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 24117248];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 25165824];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 26214400];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 27262976];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 28311552];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 29360128];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 30408704];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 31457280];
  attention_sums[0] += attention_sums_rf[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner + 32505856];
  attention[b0_b1_fused_i_j_fused_outer * 128 + b0_b1_fused_i_j_fused_inner] = attention_sums[0];
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 4194304,
   "dtype": "float32",
   "name": "Q",
   "reduction": 1,
   "role": "in",
   "shape": [
    1,
    16,
    1024,
    64
   ]
  },
  {
   "align": 64,
   "bytes": 4194304,
   "dtype": "float32",
   "name": "K",
   "reduction": 1,
   "role": "in",
   "shape": [
    1,
    16,
    1024,
    64
   ]
  },
  {
   "align": 64,
   "bytes": 4194304,
   "dtype": "float32",
   "name": "V",
   "reduction": 1,
   "role": "in",
   "shape": [
    1,
    16,
    1024,
    64
   ]
  },
  {
   "align": 64,
   "bytes": 4194304,
   "dtype": "float32",
   "name": "attention",
   "reduction": 1,
   "role": "out",
   "shape": [
    1,
    16,
    1024,
    64
   ]
  },
  {
   "align": 64,
   "bytes": 134217728,
   "dtype": "float32",
   "name": "attention_products_sums_rf",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    2,
    16,
    1024,
    1024
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "attention_scores",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    1,
    16,
    1024,
    1024
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "attention_weights",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    1,
    16,
    1024,
    1024
   ]
  },
  {
   "align": 64,
   "bytes": 134217728,
   "dtype": "float32",
   "name": "attention_sums_rf",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    32,
    16,
    1024,
    64
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "Q",
    "K",
    "attention_products_sums_rf"
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
    128,
    1,
    32
   ],
   "name": "attention_kernel0"
  },
  {
   "args": [
    "attention_products_sums_rf",
    "attention_scores"
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
    131072,
    1,
    1
   ],
   "name": "attention_kernel1"
  },
  {
   "args": [
    "attention_scores",
    "attention_weights"
   ],
   "block": [
    128,
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
    8192,
    1,
    1
   ],
   "name": "attention_kernel2"
  },
  {
   "args": [
    "V",
    "attention_weights",
    "attention_sums_rf"
   ],
   "block": [
    32,
    16,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    8,
    1,
    512
   ],
   "name": "attention_kernel3"
  },
  {
   "args": [
    "attention",
    "attention_sums_rf"
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
    8192,
    1,
    1
   ],
   "name": "attention_kernel4"
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
