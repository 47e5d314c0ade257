// attention_derived 29304460 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   cache_read i0 s0 scope="global" -> s8 l26 l27 l28 l29
//   transform_layout s8 map={"from":["x0","x1","x2","x3"],"to":["x0","x1",["floor_div","x2",8],"x3",["floor_mod","x2",8]]} -> l30 l31 l32 l33 l34
//   parallel l30
//   set_scope s0 scope="local"
//   cache_write s0 scope="local" -> s9 l35 l36 l37 l38
//   transform_layout s0 map={"from":["x0","x1","x2","x3"],"to":["x0","x1",["floor_div","x2",8],"x3",["floor_mod","x2",8]]} -> l39 l40 l41 l42 l43
//   transform_layout s9 map={"from":["x0","x1","x2","x3"],"to":["x0","x1",["floor_div","x2",8],"x3",["floor_mod","x2",8]]} -> l44 l45 l46 l47 l48
//   split l5 factors=[null,1] -> l49 l50
//   split l6 factors=[null,1] -> l51 l52
//   split l7 factors=[null,8] -> l53 l54
//   split l8 factors=[null,2] -> l55 l56
//   reorder l49 l51 l55 l53 l50 l52 l54 l56
//   compute_at s0 s1 l53
//   compute_at s9 s1 l53
//   fuse l49 l51 l55 -> l57
//   parallel l57
//   unroll l39
//   unroll l40
//   unroll l41
//   unroll l42
//   vectorize l43
//   split l4 factors=[null,1] -> l58 l59
//   reorder l58 l59 l44 l45 l46 l47 l48
//   unroll l44
//   unroll l45
//   unroll l46
//   unroll l47
//   vectorize l48
//   compute_inline s2
//   split l20 factors=[null,1024] -> l60 l61
//   fuse l17 l18 l19 l60 -> l62
//   split l62 factors=[null,1] -> l63 l64
//   parallel l63
//   split l61 factors=[null,8] -> l65 l66
//   vectorize l66
//   compute_inline s4
//   split l12 factors=[null,8] -> l67 l68
//   rfactor l68 axis=1 -> s10 l69 l70 l71
//   cache_write s10 scope="local" -> s11 l72 l73
//   set_scope s10 scope="local"
//   compute_at s10 s6 l64
//   compute_at s11 s6 l64
//   vectorize l70
//   reorder l67 l73
//   vectorize l73
//   unroll l71
//   compute_at s3 s6 l64
//   split l16 factors=[null,8] -> l74 l75
//   rfactor l75 axis=1 -> s12 l76 l77 l78
//   cache_write s12 scope="local" -> s13 l79 l80
//   set_scope s12 scope="local"
//   compute_at s12 s6 l64
//   compute_at s13 s6 l64
//   vectorize l77
//   reorder l74 l80
//   vectorize l80
//   unroll l78
//   compute_at s5 s6 l64
//   cache_read s6 s7 scope="global" -> s14 l81 l82 l83 l84
//   transform_layout s14 map={"from":["x0","x1","x2","x3"],"to":["x0","x1",["floor_div","x2",8],"x3",["floor_mod","x2",8]]} -> l85 l86 l87 l88 l89
//   parallel l85
//   cache_write s7 scope="local" -> s15 l90 l91 l92 l93
//   cache_write s15 scope="local" -> s16 l94 l95 l96 l97
//   transform_layout s15 map={"from":["x0","x1","x2","x3"],"to":["x0","x1",["floor_div","x2",8],"x3",["floor_mod","x2",8]]} -> l98 l99 l100 l101 l102
//   transform_layout s16 map={"from":["x0","x1","x2","x3"],"to":["x0","x1",["floor_div","x2",8],"x3",["floor_mod","x2",8]]} -> l103 l104 l105 l106 l107
//   split l21 factors=[null,1] -> l108 l109
//   split l22 factors=[null,1] -> l110 l111
//   split l23 factors=[null,32] -> l112 l113
//   split l24 factors=[null,2] -> l114 l115
//   reorder l108 l110 l112 l114 l109 l111 l113 l115
//   compute_at s15 s7 l114
//   compute_at s16 s7 l114
//   fuse l108 l110 l112 -> l116
//   parallel l116
//   unroll l98
//   unroll l99
//   unroll l100
//   unroll l101
//   vectorize l102
//   split l25 factors=[null,1] -> l117 l118
//   reorder l117 l118 l103 l104 l105 l106 l107
//   unroll l103
//   unroll l104
//   unroll l105
//   unroll l106
//   vectorize l107
//   unroll l118
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline f32x8 splat_f32x8(float x) { return x - (f32x8){0}; }
static inline f32x8 max_f32x8(f32x8 a, f32x8 b) {
  f32x8 v;
  for (int i = 0; i < 8; ++i) v[i] = a[i] > b[i] ? a[i] : b[i];
  return v;
}
static inline float max_f32(float a, float b) { return a > b ? a : b; }

void attention_kernel(void *const *args) {
  const float *restrict const Q = (const float *)args[0];
  const float *restrict const K = (const float *)args[1];
  const float *restrict const V = (const float *)args[2];
  float *restrict const attention = (float *)args[3];
  float *restrict const Q_global = (float *)args[4];
  float *restrict const attention_scores = (float *)args[5];
  float *restrict const attention_weights = (float *)args[6];
  float *restrict const attention_weights_global = (float *)args[7];
  // Q.global
  for (int x1 = 0; x1 < 16; ++x1) {
    for (int x2_outer = 0; x2_outer < 128; ++x2_outer) {
      for (int x3 = 0; x3 < 64; ++x3) {
        for (int x2_inner = 0; x2_inner < 8; ++x2_inner) {
          Q_global[x1 * 65536 + x2_outer * 512 + x3 * 8 + x2_inner] = Q[x1 * 65536 + x2_outer * 512 + x3 + x2_inner * 64];
        }
      }
    }
  }
  // attention_scores
  #pragma omp parallel for schedule(static)
  for (int i0_outer_i1_outer_i3_outer_fused = 0; i0_outer_i1_outer_i3_outer_fused < 8192; ++i0_outer_i1_outer_i3_outer_fused) {
    for (int i2_outer = 0; i2_outer < 128; ++i2_outer) {
      f32x8 attention_products_local[2] __attribute__((aligned(64)));
      float attention_products[16] __attribute__((aligned(64)));
      // attention_products.local
      attention_products_local[0] = splat_f32x8(0.0f);
      attention_products_local[1] = splat_f32x8(0.0f);
      for (int k_outer = 0; k_outer < 64; ++k_outer) {
        attention_products_local[0] += *(const f32x8 *)(Q_global + (i0_outer_i1_outer_i3_outer_fused / 512 * 65536 + i2_outer * 512 + k_outer * 8)) * splat_f32x8(K[i0_outer_i1_outer_i3_outer_fused * 128 + k_outer]);
        attention_products_local[1] += *(const f32x8 *)(Q_global + (i0_outer_i1_outer_i3_outer_fused / 512 * 65536 + i2_outer * 512 + k_outer * 8)) * splat_f32x8(K[i0_outer_i1_outer_i3_outer_fused * 128 + k_outer + 64]);
      }
      // attention_products
      *(f32x8 *)attention_products = attention_products_local[0];
      *(f32x8 *)(attention_products + 8) = attention_products_local[1];
      for (int i2_inner = 0; i2_inner < 8; ++i2_inner) {
        for (int i3_inner = 0; i3_inner < 2; ++i3_inner) {
          attention_scores[i0_outer_i1_outer_i3_outer_fused / 512 * 1048576 + i0_outer_i1_outer_i3_outer_fused % 512 * 2 + i2_outer * 8192 + i2_inner * 1024 + i3_inner] = attention_products[i2_inner + i3_inner * 8] * 0.125f;
        }
      }
    }
  }
  // attention_weights
  #pragma omp parallel for schedule(static)
  for (int i0_i1_i2_i3_outer_fused_outer = 0; i0_i1_i2_i3_outer_fused_outer < 16384; ++i0_i1_i2_i3_outer_fused_outer) {
    f32x8 attention_weights_max_rf_local[1] __attribute__((aligned(64)));
    float attention_weights_max_rf[8] __attribute__((aligned(64)));
    float attention_weights_max[1] __attribute__((aligned(64)));
    float attention_weights_sum_rf_local[8] __attribute__((aligned(64)));
    float attention_weights_sum_rf[8] __attribute__((aligned(64)));
    float attention_weights_sum[1] __attribute__((aligned(64)));
    // attention_weights_max.rf.local
    attention_weights_max_rf_local[0] = splat_f32x8(-__builtin_inff());
    for (int k_outer = 0; k_outer < 128; ++k_outer) {
      attention_weights_max_rf_local[0] = max_f32x8(attention_weights_max_rf_local[0], *(const f32x8 *)(attention_scores + (i0_i1_i2_i3_outer_fused_outer * 1024 + k_outer * 8)));
    }
    // attention_weights_max.rf
    *(f32x8 *)attention_weights_max_rf = attention_weights_max_rf_local[0];
    // attention_weights_max
    attention_weights_max[0] = -__builtin_inff();
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[0]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[1]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[2]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[3]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[4]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[5]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[6]);
    attention_weights_max[0] = max_f32(attention_weights_max[0], attention_weights_max_rf[7]);
    // attention_weights_sum.rf.local
    *(f32x8 *)attention_weights_sum_rf_local = splat_f32x8(0.0f);
    for (int k_outer = 0; k_outer < 128; ++k_outer) {
      for (int k_inner_c = 0; k_inner_c < 8; ++k_inner_c) {
        attention_weights_sum_rf_local[k_inner_c] += __builtin_expf(attention_scores[i0_i1_i2_i3_outer_fused_outer * 1024 + k_outer * 8 + k_inner_c] - attention_weights_max[0]);
      }
    }
    // attention_weights_sum.rf
    *(f32x8 *)attention_weights_sum_rf = *(const f32x8 *)attention_weights_sum_rf_local;
    // attention_weights_sum
    attention_weights_sum[0] = 0.0f;
    attention_weights_sum[0] += attention_weights_sum_rf[0];
    attention_weights_sum[0] += attention_weights_sum_rf[1];
    attention_weights_sum[0] += attention_weights_sum_rf[2];
    attention_weights_sum[0] += attention_weights_sum_rf[3];
    attention_weights_sum[0] += attention_weights_sum_rf[4];
    attention_weights_sum[0] += attention_weights_sum_rf[5];
    attention_weights_sum[0] += attention_weights_sum_rf[6];
    attention_weights_sum[0] += attention_weights_sum_rf[7];
    for (int i3_inner_outer = 0; i3_inner_outer < 128; ++i3_inner_outer) {
      for (int i3_inner_inner = 0; i3_inner_inner < 8; ++i3_inner_inner) {
        attention_weights[i0_i1_i2_i3_outer_fused_outer * 1024 + i3_inner_outer * 8 + i3_inner_inner] = __builtin_expf(attention_scores[i0_i1_i2_i3_outer_fused_outer * 1024 + i3_inner_outer * 8 + i3_inner_inner] - attention_weights_max[0]) / attention_weights_sum[0];
      }
    }
  }
  // attention_weights.global
  for (int x1 = 0; x1 < 16; ++x1) {
    for (int x2_outer = 0; x2_outer < 128; ++x2_outer) {
      for (int x3 = 0; x3 < 1024; ++x3) {
        for (int x2_inner = 0; x2_inner < 8; ++x2_inner) {
          attention_weights_global[x1 * 1048576 + x2_outer * 8192 + x3 * 8 + x2_inner] = attention_weights[x1 * 1048576 + x2_outer * 8192 + x3 + x2_inner * 1024];
        }
      }
    }
  }
  // attention
  #pragma omp parallel for schedule(static)
  for (int b0_outer_b1_outer_i_outer_fused = 0; b0_outer_b1_outer_i_outer_fused < 512; ++b0_outer_b1_outer_i_outer_fused) {
    for (int j_outer = 0; j_outer < 32; ++j_outer) {
      f32x8 attention_local_local[8] __attribute__((aligned(64)));
      float attention_local[64] __attribute__((aligned(64)));
      // attention.local.local
      attention_local_local[0] = splat_f32x8(0.0f);
      attention_local_local[1] = splat_f32x8(0.0f);
      attention_local_local[2] = splat_f32x8(0.0f);
      attention_local_local[3] = splat_f32x8(0.0f);
      attention_local_local[4] = splat_f32x8(0.0f);
      attention_local_local[5] = splat_f32x8(0.0f);
      attention_local_local[6] = splat_f32x8(0.0f);
      attention_local_local[7] = splat_f32x8(0.0f);
      for (int k_outer = 0; k_outer < 1024; ++k_outer) {
        attention_local_local[0] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64]);
        attention_local_local[1] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64 + 1]);
        attention_local_local[2] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8 + 8192)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64]);
        attention_local_local[3] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8 + 8192)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64 + 1]);
        attention_local_local[4] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8 + 16384)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64]);
        attention_local_local[5] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8 + 16384)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64 + 1]);
        attention_local_local[6] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8 + 24576)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64]);
        attention_local_local[7] += *(const f32x8 *)(attention_weights_global + (b0_outer_b1_outer_i_outer_fused * 32768 + k_outer * 8 + 24576)) * splat_f32x8(V[b0_outer_b1_outer_i_outer_fused / 32 * 65536 + j_outer * 2 + k_outer * 64 + 1]);
      }
      // attention.local
      *(f32x8 *)attention_local = attention_local_local[0];
      *(f32x8 *)(attention_local + 8) = attention_local_local[1];
      *(f32x8 *)(attention_local + 16) = attention_local_local[2];
      *(f32x8 *)(attention_local + 24) = attention_local_local[3];
      *(f32x8 *)(attention_local + 32) = attention_local_local[4];
      *(f32x8 *)(attention_local + 40) = attention_local_local[5];
      *(f32x8 *)(attention_local + 48) = attention_local_local[6];
      *(f32x8 *)(attention_local + 56) = attention_local_local[7];
      for (int i_inner = 0; i_inner < 32; ++i_inner) {
        for (int j_inner = 0; j_inner < 2; ++j_inner) {
          attention[b0_outer_b1_outer_i_outer_fused * 2048 + j_outer * 2 + i_inner * 64 + j_inner] = attention_local[i_inner / 8 * 16 + i_inner % 8 + j_inner * 8];
        }
      }
    }
  }
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
   "reduction": 1024,
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
   "bytes": 4194304,
   "dtype": "float32",
   "name": "Q_global",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    1,
    16,
    128,
    64,
    8
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
   "bytes": 67108864,
   "dtype": "float32",
   "name": "attention_weights_global",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    1,
    16,
    128,
    1024,
    8
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "so",
 "kernels": [
  {
   "args": [
    "Q",
    "K",
    "V",
    "attention",
    "Q_global",
    "attention_scores",
    "attention_weights",
    "attention_weights_global"
   ],
   "block": [
    1,
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
    1,
    1,
    1
   ],
   "name": "attention_kernel"
  }
 ],
 "notes": [
  {
   "message": "loop \"k.inner.c\" of 8 is vectorized, but done element by element: its values are no vectors here",
   "rule": "vectorize.narrow"
  },
  {
   "message": "loop \"i3.inner.inner\" of 8 is vectorized, but done element by element: its values are no vectors here",
   "rule": "vectorize.narrow"
  }
 ],
 "program": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "resources": {
  "registers": 0,
  "spill_bytes": 0,
  "static_shared_bytes": 0
 },
 "target": "cpu/x86-64-v3",
 "toolchain": "none",
 "version": 1
}
