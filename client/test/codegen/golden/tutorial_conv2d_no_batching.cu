// tutorial/conv2d_no_batching published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   cache_write s1 scope="local" -> s2 l11 l12 l13 l14
//   cache_read s0 s2 scope="shared" -> s3 l15 l16 l17 l18
//   cache_read i1 s2 scope="shared" -> s4 l19 l20 l21 l22
//   cache_read s3 s2 scope="local" -> s5 l23 l24 l25 l26
//   cache_read s4 s2 scope="local" -> s6 l27 l28 l29 l30
//   split l5 factors=[null,2,64,1] -> l31 l32 l33 l34
//   split l6 factors=[null,1,1,7] -> l35 l36 l37 l38
//   split l7 factors=[null,1,7,1] -> l39 l40 l41 l42
//   bind l31 thread="blockIdx.z"
//   bind l35 thread="blockIdx.y"
//   bind l39 thread="blockIdx.x"
//   bind l32 thread="vthread"
//   bind l36 thread="vthread"
//   bind l40 thread="vthread"
//   bind l33 thread="threadIdx.z"
//   bind l37 thread="threadIdx.y"
//   bind l41 thread="threadIdx.x"
//   reorder l4 l31 l35 l39 l32 l36 l40 l33 l37 l41 l34 l38 l42
//   compute_at s2 s1 l41
//   split l8 factors=[null,2,2] -> l43 l44 l45
//   split l9 factors=[null,1,3] -> l46 l47 l48
//   split l10 factors=[null,3,1] -> l49 l50 l51
//   reorder l43 l46 l49 l44 l47 l50 l45 l48 l51 l11 l12 l13 l14
//   compute_at s3 s2 l49
//   compute_at s4 s2 l49
//   compute_at s5 s2 l50
//   compute_at s6 s2 l50
//   fuse l15 l16 l17 l18 -> l52
//   split l52 factors=[64,null] -> l53 l54
//   split l54 factors=[1,null] -> l55 l56
//   split l56 factors=[7,null] -> l57 l58
//   bind l53 thread="threadIdx.z"
//   bind l55 thread="threadIdx.y"
//   bind l57 thread="threadIdx.x"
//   fuse l19 l20 l21 l22 -> l59
//   split l59 factors=[64,null] -> l60 l61
//   split l61 factors=[1,null] -> l62 l63
//   split l63 factors=[7,null] -> l64 l65
//   bind l60 thread="threadIdx.z"
//   bind l62 thread="threadIdx.y"
//   bind l64 thread="threadIdx.x"
//   pragma l4 key="auto_unroll_max_step" value=1500
//   pragma l4 key="unroll_explicit" value=0
static __device__ __forceinline__ int min_i32(int a, int b) { return a < b ? a : b; }

extern "C" __global__ void __launch_bounds__(448) conv_kernel(const float *__restrict__ data, const float *__restrict__ kernel, float *__restrict__ conv) {
  const int f_0 = blockIdx.z;  // < 4
  const int f_2 = threadIdx.z;  // < 64
  const int x_2 = threadIdx.x;  // < 7
  float conv_local[14];
  __shared__ __align__(16) float pad_temp_shared[324];
  __shared__ __align__(16) float kernel_shared[4608];
  float pad_temp_shared_local[18];
  float kernel_shared_local[12];
  // conv
  // conv.local
  #pragma unroll
  for (int y_c_init = 0; y_c_init < 7; ++y_c_init) {
    conv_local[y_c_init] = 0.0f;
    conv_local[y_c_init + 7] = 0.0f;
  }
  const int start = min_i32(x_2 * 11, 61);
  for (int rc_0 = 0; rc_0 < 128; ++rc_0) {
    __syncthreads();
    // pad_temp.shared
    if (f_2 * 6 + x_2 < 324 && x_2 < 6) {
      pad_temp_shared[f_2 * 6 + x_2] = (f_2 * 6 + x_2) / 9 % 9 >= 1 && (f_2 * 6 + x_2) / 9 % 9 < 8 && (f_2 * 6 + x_2) % 9 >= 1 && (f_2 * 6 + x_2) % 9 < 8 ? data[(f_2 * 6 + x_2) / 81 * 49 + (f_2 * 6 + x_2) % 9 + (f_2 * 6 + x_2) / 9 % 9 * 7 + rc_0 * 196 - 8] : 0.0f;
    }
    // kernel.shared
    #pragma unroll
    for (int ax0_ax1_ax2_ax3_fused_inner_inner_inner = 0; ax0_ax1_ax2_ax3_fused_inner_inner_inner < 11; ++ax0_ax1_ax2_ax3_fused_inner_inner_inner) {
      kernel_shared[f_2 * 72 + ax0_ax1_ax2_ax3_fused_inner_inner_inner + start] = kernel[f_0 * 589824 + f_2 * 9216 + rc_0 * 36 + (ax0_ax1_ax2_ax3_fused_inner_inner_inner + start) / 36 * 4608 + (ax0_ax1_ax2_ax3_fused_inner_inner_inner + start) % 36];
    }
    __syncthreads();
    #pragma unroll
    for (int rc_1 = 0; rc_1 < 2; ++rc_1) {
      #pragma unroll
      for (int rx_1 = 0; rx_1 < 3; ++rx_1) {
        // pad_temp.shared.local
        #pragma unroll
        for (int ax1 = 0; ax1 < 2; ++ax1) {
          #pragma unroll
          for (int ax2 = 0; ax2 < 9; ++ax2) {
            pad_temp_shared_local[ax1 * 9 + ax2] = pad_temp_shared[x_2 + rc_1 * 162 + rx_1 + ax1 * 81 + ax2 * 9];
          }
        }
        // kernel.shared.local
        #pragma unroll
        for (int ax1 = 0; ax1 < 2; ++ax1) {
          #pragma unroll
          for (int ax2 = 0; ax2 < 3; ++ax2) {
            kernel_shared_local[ax1 * 3 + ax2] = kernel_shared[f_2 * 36 + rc_1 * 18 + rx_1 + ax1 * 9 + ax2 * 3];
            kernel_shared_local[ax1 * 3 + ax2 + 6] = kernel_shared[f_2 * 36 + rc_1 * 18 + rx_1 + ax1 * 9 + ax2 * 3 + 2304];
          }
        }
        #pragma unroll
        for (int rc_2 = 0; rc_2 < 2; ++rc_2) {
          #pragma unroll
          for (int ry_2 = 0; ry_2 < 3; ++ry_2) {
            #pragma unroll
            for (int y_c = 0; y_c < 7; ++y_c) {
              conv_local[y_c] += pad_temp_shared_local[rc_2 * 9 + ry_2 + y_c] * kernel_shared_local[rc_2 * 3 + ry_2];
              conv_local[y_c + 7] += pad_temp_shared_local[rc_2 * 9 + ry_2 + y_c] * kernel_shared_local[rc_2 * 3 + ry_2 + 6];
            }
          }
        }
      }
    }
  }
  #pragma unroll
  for (int y_3 = 0; y_3 < 7; ++y_3) {
    conv[f_0 * 6272 + f_2 * 49 + x_2 + y_3 * 7] = conv_local[y_3];
    conv[f_0 * 6272 + f_2 * 49 + x_2 + y_3 * 7 + 3136] = conv_local[y_3 + 7];
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
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "data",
    "kernel",
    "conv"
   ],
   "block": [
    7,
    1,
    64
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
    4
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
 "target": "cuda/sm_90",
 "toolchain": "none",
 "version": 1
}
