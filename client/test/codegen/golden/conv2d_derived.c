// conv2d_derived 1397 cpu/x86-64-v3
// cpu/x86-64-v3. Written by Warpfarm.
//   fuse l0 l1 l2 -> l11
//   split l11 factors=[null,2] -> l12 l13
//   parallel l12
//   cache_read i1 s1 scope="global" -> s2 l14 l15 l16 l17
//   transform_layout s2 map={"from":["x0","x1","x2","x3"],"to":[["floor_div","x0",8],"x1","x2","x3",["floor_mod","x0",8]]} -> l18 l19 l20 l21 l22
//   parallel l18
//   cache_write s1 scope="local" -> s3 l23 l24 l25 l26
//   cache_write s3 scope="local" -> s4 l27 l28 l29 l30
//   transform_layout s3 map={"from":["x0","x1","x2","x3"],"to":["x0",["floor_div","x1",8],"x2","x3",["floor_mod","x1",8]]} -> l31 l32 l33 l34 l35
//   transform_layout s4 map={"from":["x0","x1","x2","x3"],"to":["x0",["floor_div","x1",8],"x2","x3",["floor_mod","x1",8]]} -> l36 l37 l38 l39 l40
//   split l4 factors=[null,1] -> l41 l42
//   split l5 factors=[null,16] -> l43 l44
//   split l6 factors=[null,1] -> l45 l46
//   split l7 factors=[null,1] -> l47 l48
//   reorder l41 l45 l47 l43 l42 l44 l46 l48
//   compute_at s3 s1 l43
//   compute_at s4 s1 l43
//   fuse l41 l45 l47 -> l49
//   parallel l49
//   unroll l31
//   unroll l32
//   unroll l33
//   unroll l34
//   vectorize l35
//   split l8 factors=[null,16] -> l50 l51
//   reorder l50 l9 l10 l51 l36 l37 l38 l39 l40
//   unroll l36
//   unroll l37
//   unroll l38
//   unroll l39
//   vectorize l40
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline f32x8 splat_f32x8(float x) { return x - (f32x8){0}; }

void conv_kernel(void *const *args) {
  const float *restrict const data = (const float *)args[0];
  const float *restrict const kernel = (const float *)args[1];
  float *restrict const conv = (float *)args[2];
  float *restrict const pad_temp = (float *)args[3];
  float *restrict const kernel_global = (float *)args[4];
  // pad_temp
  #pragma omp parallel for schedule(static)
  for (int n_c_y_fused_outer = 0; n_c_y_fused_outer < 2304; ++n_c_y_fused_outer) {
    for (int n_c_y_fused_inner = 0; n_c_y_fused_inner < 2; ++n_c_y_fused_inner) {
      for (int x = 0; x < 9; ++x) {
        pad_temp[n_c_y_fused_outer * 18 + n_c_y_fused_inner * 9 + x] = (n_c_y_fused_outer * 2 + n_c_y_fused_inner) % 9 >= 1 && (n_c_y_fused_outer * 2 + n_c_y_fused_inner) % 9 < 8 && x >= 1 && x < 8 ? data[(n_c_y_fused_outer * 2 + n_c_y_fused_inner) / 9 * 49 + (n_c_y_fused_outer * 2 + n_c_y_fused_inner) % 9 * 7 + x - 8] : 0.0f;
      }
    }
  }
  // kernel.global
  #pragma omp parallel for schedule(static)
  for (int x0_outer = 0; x0_outer < 64; ++x0_outer) {
    for (int x1 = 0; x1 < 512; ++x1) {
      for (int x2 = 0; x2 < 3; ++x2) {
        for (int x3 = 0; x3 < 3; ++x3) {
          for (int x0_inner = 0; x0_inner < 8; ++x0_inner) {
            kernel_global[x0_outer * 36864 + x1 * 72 + x2 * 24 + x3 * 8 + x0_inner] = kernel[x0_outer * 36864 + x1 * 9 + x2 * 3 + x3 + x0_inner * 4608];
          }
        }
      }
    }
  }
  // conv
  #pragma omp parallel for schedule(static)
  for (int n_outer_y_outer_x_outer_fused = 0; n_outer_y_outer_x_outer_fused < 49; ++n_outer_y_outer_x_outer_fused) {
    for (int f_outer = 0; f_outer < 32; ++f_outer) {
      f32x8 conv_local_local[2] __attribute__((aligned(64)));
      float conv_local[16] __attribute__((aligned(64)));
      // conv.local.local
      conv_local_local[0] = splat_f32x8(0.0f);
      conv_local_local[1] = splat_f32x8(0.0f);
      for (int rc_outer = 0; rc_outer < 32; ++rc_outer) {
        for (int ry = 0; ry < 3; ++ry) {
          for (int rx = 0; rx < 3; ++rx) {
            for (int rc_inner = 0; rc_inner < 16; ++rc_inner) {
              conv_local_local[0] += splat_f32x8(pad_temp[n_outer_y_outer_x_outer_fused / 7 * 9 + n_outer_y_outer_x_outer_fused % 7 + rc_outer * 1296 + ry * 9 + rx + rc_inner * 81]) * *(const f32x8 *)(kernel_global + (f_outer * 73728 + rc_outer * 1152 + ry * 24 + rx * 8 + rc_inner * 72));
              conv_local_local[1] += splat_f32x8(pad_temp[n_outer_y_outer_x_outer_fused / 7 * 9 + n_outer_y_outer_x_outer_fused % 7 + rc_outer * 1296 + ry * 9 + rx + rc_inner * 81]) * *(const f32x8 *)(kernel_global + (f_outer * 73728 + rc_outer * 1152 + ry * 24 + rx * 8 + rc_inner * 72 + 36864));
            }
          }
        }
      }
      // conv.local
      *(f32x8 *)conv_local = conv_local_local[0];
      *(f32x8 *)(conv_local + 8) = conv_local_local[1];
      for (int f_inner = 0; f_inner < 16; ++f_inner) {
        conv[n_outer_y_outer_x_outer_fused + f_outer * 784 + f_inner * 49] = conv_local[f_inner];
      }
    }
  }
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
   "bytes": 165888,
   "dtype": "float32",
   "name": "pad_temp",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    1,
    512,
    9,
    9
   ]
  },
  {
   "align": 64,
   "bytes": 9437184,
   "dtype": "float32",
   "name": "kernel_global",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    64,
    512,
    3,
    3,
    8
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "so",
 "kernels": [
  {
   "args": [
    "data",
    "kernel",
    "conv",
    "pad_temp",
    "kernel_global"
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
   "name": "conv_kernel"
  }
 ],
 "notes": [],
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
