// conv2d_hwcn published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   cache_read s0 s1 scope="shared" -> s2 l11 l12 l13 l14
//   cache_read i1 s1 scope="shared" -> s3 l15 l16 l17 l18
//   cache_read s2 s1 scope="local" -> s4 l19 l20 l21 l22
//   cache_read s3 s1 scope="local" -> s5 l23 l24 l25 l26
//   cache_write s1 scope="local" -> s6 l27 l28 l29 l30
//   fuse l4 l5 -> l31
//   split l6 factors=[null,64] -> l32 l33
//   split l7 factors=[null,64] -> l34 l35
//   bind l31 thread="blockIdx.z"
//   bind l32 thread="blockIdx.y"
//   bind l34 thread="blockIdx.x"
//   split l33 factors=[2,null] -> l36 l37
//   split l35 factors=[2,null] -> l38 l39
//   split l37 factors=[8,null] -> l40 l41
//   split l39 factors=[8,null] -> l42 l43
//   reorder l31 l32 l34 l36 l38 l40 l42 l41 l43
//   bind l36 thread="vthread"
//   bind l38 thread="vthread"
//   bind l40 thread="threadIdx.y"
//   bind l42 thread="threadIdx.x"
//   compute_at s6 s1 l42
//   split l10 factors=[null,8] -> l44 l45
//   reorder l44 l8 l9 l45 l29 l30
//   compute_at s2 s6 l9
//   compute_at s3 s6 l9
//   compute_at s4 s6 l45
//   compute_at s5 s6 l45
//   split l13 factors=[8,null] -> l46 l47
//   split l14 factors=[8,null] -> l48 l49
//   split l49 factors=[null,4] -> l50 l51
//   reorder l46 l48 l11 l12 l47 l51
//   bind l46 thread="threadIdx.y"
//   bind l48 thread="threadIdx.x"
//   vectorize l51
//   split l17 factors=[8,null] -> l52 l53
//   split l18 factors=[8,null] -> l54 l55
//   split l55 factors=[null,4] -> l56 l57
//   reorder l52 l54 l15 l16 l53 l57
//   bind l52 thread="threadIdx.y"
//   bind l54 thread="threadIdx.x"
//   vectorize l57
struct __align__(16) f32x4 { float lane[4]; };
static __device__ __forceinline__ f32x4 splat_f32x4(float x) { f32x4 v = {{x, x, x, x}}; return v; }

extern "C" __global__ void __launch_bounds__(64) B_kernel(const float *__restrict__ A, const float *__restrict__ W, float *__restrict__ B) {
  const int yy_xx_fused = blockIdx.z;  // < 196
  const int ff_outer = blockIdx.y;  // < 8
  const int nn_outer = blockIdx.x;  // < 4
  const int ff_inner_inner_outer = threadIdx.y;  // < 8
  const int nn_inner_inner_outer = threadIdx.x;  // < 8
  float B_local[64];
  __shared__ __align__(16) float Apad_shared[512];
  __shared__ __align__(16) float W_shared[512];
  float Apad_shared_local[8];
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
  for (int rc_outer = 0; rc_outer < 32; ++rc_outer) {
    for (int ry = 0; ry < 3; ++ry) {
      for (int rx = 0; rx < 3; ++rx) {
        __syncthreads();
        // Apad.shared
        for (int ax3_inner_outer = 0; ax3_inner_outer < 2; ++ax3_inner_outer) {
          *(f32x4 *)(Apad_shared + (ff_inner_inner_outer * 64 + nn_inner_inner_outer * 8 + ax3_inner_outer * 4)) = yy_xx_fused / 14 + ry >= 1 && yy_xx_fused / 14 + ry < 15 && yy_xx_fused % 14 + rx >= 1 && yy_xx_fused % 14 + rx < 15 ? *(const f32x4 *)(A + (yy_xx_fused * 65536 + nn_outer * 64 + ff_inner_inner_outer * 256 + nn_inner_inner_outer * 8 + rc_outer * 2048 + ry * 917504 + rx * 65536 + ax3_inner_outer * 4 - 983040)) : splat_f32x4(0.0f);
        }
        // W.shared
        for (int ax3_inner_outer = 0; ax3_inner_outer < 2; ++ax3_inner_outer) {
          *(f32x4 *)(W_shared + (ff_inner_inner_outer * 64 + nn_inner_inner_outer * 8 + ax3_inner_outer * 4)) = *(const f32x4 *)(W + (ff_outer * 64 + ff_inner_inner_outer * 512 + nn_inner_inner_outer * 8 + rc_outer * 4096 + ry * 393216 + rx * 131072 + ax3_inner_outer * 4));
        }
        __syncthreads();
        for (int rc_inner = 0; rc_inner < 8; ++rc_inner) {
          // Apad.shared.local
          for (int ax3 = 0; ax3 < 4; ++ax3) {
            Apad_shared_local[ax3] = Apad_shared[nn_inner_inner_outer * 4 + rc_inner * 64 + ax3];
            Apad_shared_local[ax3 + 4] = Apad_shared[nn_inner_inner_outer * 4 + rc_inner * 64 + ax3 + 32];
          }
          // W.shared.local
          for (int ax3 = 0; ax3 < 4; ++ax3) {
            W_shared_local[ax3] = W_shared[ff_inner_inner_outer * 4 + rc_inner * 64 + ax3];
            W_shared_local[ax3 + 4] = W_shared[ff_inner_inner_outer * 4 + rc_inner * 64 + ax3 + 32];
          }
          for (int ff_c = 0; ff_c < 4; ++ff_c) {
            for (int nn_c = 0; nn_c < 4; ++nn_c) {
              B_local[ff_c * 4 + nn_c] += Apad_shared_local[nn_c] * W_shared_local[ff_c];
              B_local[ff_c * 4 + nn_c + 16] += Apad_shared_local[nn_c + 4] * W_shared_local[ff_c];
              B_local[ff_c * 4 + nn_c + 32] += Apad_shared_local[nn_c] * W_shared_local[ff_c + 4];
              B_local[ff_c * 4 + nn_c + 48] += Apad_shared_local[nn_c + 4] * W_shared_local[ff_c + 4];
            }
          }
        }
      }
    }
  }
  for (int ff_inner_inner_inner = 0; ff_inner_inner_inner < 4; ++ff_inner_inner_inner) {
    for (int nn_inner_inner_inner = 0; nn_inner_inner_inner < 4; ++nn_inner_inner_inner) {
      B[yy_xx_fused * 131072 + ff_outer * 16384 + nn_outer * 64 + ff_inner_inner_outer * 1024 + nn_inner_inner_outer * 4 + ff_inner_inner_inner * 256 + nn_inner_inner_inner] = B_local[ff_inner_inner_inner * 4 + nn_inner_inner_inner];
      B[yy_xx_fused * 131072 + ff_outer * 16384 + nn_outer * 64 + ff_inner_inner_outer * 1024 + nn_inner_inner_outer * 4 + ff_inner_inner_inner * 256 + nn_inner_inner_inner + 32] = B_local[ff_inner_inner_inner * 4 + nn_inner_inner_inner + 16];
      B[yy_xx_fused * 131072 + ff_outer * 16384 + nn_outer * 64 + ff_inner_inner_outer * 1024 + nn_inner_inner_outer * 4 + ff_inner_inner_inner * 256 + nn_inner_inner_inner + 8192] = B_local[ff_inner_inner_inner * 4 + nn_inner_inner_inner + 32];
      B[yy_xx_fused * 131072 + ff_outer * 16384 + nn_outer * 64 + ff_inner_inner_outer * 1024 + nn_inner_inner_outer * 4 + ff_inner_inner_inner * 256 + nn_inner_inner_inner + 8224] = B_local[ff_inner_inner_inner * 4 + nn_inner_inner_inner + 48];
    }
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
    8,
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
