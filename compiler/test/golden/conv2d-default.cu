// cuda/sm_90. Written by Warpfarm.
//   fuse l0 l1 l2 l3 -> l11
//   split l11 factors=[null,256] -> l12 l13
//   bind l12 thread="blockIdx.x"
//   bind l13 thread="threadIdx.x"
//   fuse l4 l5 l6 l7 -> l14
//   split l14 factors=[null,256] -> l15 l16
//   bind l15 thread="blockIdx.x"
//   bind l16 thread="threadIdx.x"
extern "C" __global__ void __launch_bounds__(256) conv_kernel0(const float *__restrict__ data, float *__restrict__ pad_temp) {
  const int n_c_y_x_fused_outer = blockIdx.x;  // < 162
  const int n_c_y_x_fused_inner = threadIdx.x;  // < 256
  // pad_temp
  pad_temp[n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner] = (n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) / 9 % 9 >= 1 && (n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) / 9 % 9 < 8 && (n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) % 9 >= 1 && (n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) % 9 < 8 ? data[(n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) / 81 * 49 + (n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) % 9 + (n_c_y_x_fused_outer * 256 + n_c_y_x_fused_inner) / 9 % 9 * 7 - 8] : 0.0f;
}

extern "C" __global__ void __launch_bounds__(256) conv_kernel1(const float *__restrict__ kernel, float *__restrict__ conv, const float *__restrict__ pad_temp) {
  const int n_f_y_x_fused_outer = blockIdx.x;  // < 98
  const int n_f_y_x_fused_inner = threadIdx.x;  // < 256
  // conv
  conv[n_f_y_x_fused_outer * 256 + n_f_y_x_fused_inner] = 0.0f;
  for (int rc = 0; rc < 512; ++rc) {
    for (int ry = 0; ry < 3; ++ry) {
      for (int rx = 0; rx < 3; ++rx) {
        conv[n_f_y_x_fused_outer * 256 + n_f_y_x_fused_inner] += pad_temp[(n_f_y_x_fused_outer * 256 + n_f_y_x_fused_inner) % 7 + (n_f_y_x_fused_outer * 256 + n_f_y_x_fused_inner) / 7 % 7 * 9 + rc * 81 + ry * 9 + rx] * kernel[(n_f_y_x_fused_outer * 256 + n_f_y_x_fused_inner) / 49 * 4608 + rc * 9 + ry * 3 + rx];
      }
    }
  }
}
