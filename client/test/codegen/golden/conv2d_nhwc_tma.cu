// conv2d_nhwc_tma published cuda/sm_90
refused: Conv_kernel: copyBy: boxes begin at f.2 * 8192 + n.y.x.fused.2 * 64 + n.y.x.fused.1 * 4096 of made, which is not proven a multiple of 512 [copyBy.match]
