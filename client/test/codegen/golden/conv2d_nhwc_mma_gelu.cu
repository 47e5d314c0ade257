// conv2d_nhwc_mma_gelu 220 cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   cache_read s0 s1 scope="shared" -> s3 l15 l16 l17 l18
//   cache_read i1 s1 scope="shared" -> s4 l19 l20 l21 l22
//   cache_read s3 s1 scope="wmma.matrix_a" -> s5 l23 l24 l25 l26
//   cache_read s4 s1 scope="wmma.matrix_b" -> s6 l27 l28 l29 l30
//   set_scope s1 scope="wmma.accumulator"
//   transform_layout s3 map={"from":["n","y","x","c"],"to":["y","x","n","c"]} -> l31 l32 l33 l34
//   transform_layout s5 map={"from":["n","y","x","c"],"to":[["floor_div","n",16],"y","x",["floor_div","c",16],["floor_mod","n",16],["floor_mod","c",16]]} -> l35 l36 l37 l38 l39 l40
//   transform_layout s6 map={"from":["ry","rx","c","f"],"to":["ry","rx",["floor_div","c",16],["floor_div","f",16],["floor_mod","c",16],["floor_mod","f",16]]} -> l41 l42 l43 l44 l45 l46
//   transform_layout s1 map={"from":["n","y","x","c"],"to":[["floor_div","n",16],"y","x",["floor_div","c",16],["floor_mod","n",16],["floor_mod","c",16]]} -> l47 l48 l49 l50 l51 l52
//   split l11 factors=[null,2,1,2,8] -> l53 l54 l55 l56 l57
//   split l14 factors=[null,2,1,2,4,2] -> l58 l59 l60 l61 l62 l63
//   fuse l12 l13 -> l64
//   reorder l64 l53 l58 l54 l59 l57 l62 l55 l56 l60 l61 l63
//   bind l64 thread="blockIdx.z"
//   bind l53 thread="blockIdx.y"
//   bind l58 thread="blockIdx.x"
//   bind l54 thread="threadIdx.y"
//   bind l59 thread="threadIdx.z"
//   fuse l57 l62 -> l65
//   bind l65 thread="threadIdx.x"
//   vectorize l63
//   compute_at s1 s2 l59
//   split l10 factors=[null,4,16] -> l66 l67 l68
//   reorder l48 l49 l8 l9 l66 l67 l47 l50 l51 l52 l68
//   fuse l8 l9 l66 -> l69
//   unroll l67
//   compute_at s5 s1 l67
//   double_buffer s5
//   compute_at s6 s1 l67
//   double_buffer s6
//   compute_at s3 s1 l69
//   swizzle s3
//   fuse l33 l34 -> l70
//   split l70 factors=[null,2,2,32,8] -> l71 l72 l73 l74 l75
//   unroll l71
//   bind l72 thread="threadIdx.y"
//   bind l73 thread="threadIdx.z"
//   bind l74 thread="threadIdx.x"
//   vectorize l75
//   compute_at s4 s1 l69
//   swizzle s4
//   fuse l21 l22 -> l76
//   split l76 factors=[null,2,2,32,8] -> l77 l78 l79 l80 l81
//   unroll l77
//   bind l78 thread="threadIdx.y"
//   bind l79 thread="threadIdx.z"
//   bind l80 thread="threadIdx.x"
//   vectorize l81
//   tensorize l39 intrinsic="ldmatrix_a_row_f16"
//   tensorize l45 intrinsic="ldmatrix_b_row_f16"
//   tensorize l51 intrinsic="mma_sync_m16n16k16_f16"
static __device__ __forceinline__ void tile_mma_sync_m16n16k16_f16_init(float *c) {
  asm volatile(
    "mov.f32 %0, 0f00000000;\n\t"
    "mov.f32 %1, 0f00000000;\n\t"
    "mov.f32 %2, 0f00000000;\n\t"
    "mov.f32 %3, 0f00000000;\n\t"
    "mov.f32 %4, 0f00000000;\n\t"
    "mov.f32 %5, 0f00000000;\n\t"
    "mov.f32 %6, 0f00000000;\n\t"
    "mov.f32 %7, 0f00000000;"
    : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3]), "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7])
    : );
}
struct __align__(16) f16x8 { unsigned int word[4]; };
static __device__ __forceinline__ int swizzle_8_64_8(int i) { return i ^ ((i >> 6 & 7) << 3); }
static __device__ __forceinline__ f16x8 splat_f16x8(int x) { const unsigned int w = ((unsigned int)x & 65535) * 0x10001u; const f16x8 v = {{(unsigned int)w, (unsigned int)w, (unsigned int)w, (unsigned int)w}}; return v; }
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
static __device__ __forceinline__ int swizzle_8_64_4(int i) { return i ^ ((i >> 6 & 3) << 3); }
static __device__ __forceinline__ void tile_ldmatrix_a_row_f16_shared64(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_ldmatrix_b_row_f16_shared32(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_mma_sync_m16n16k16_f16_update(const unsigned int *a, const unsigned int *b, float *c) {
  asm volatile(
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%8, %9, %10, %11}, {%12, %13}, {%0, %1, %2, %3};\n\t"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%14, %15}, {%4, %5, %6, %7};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]));
}
struct __align__(8) f32x2 { float lane[2]; };
struct __align__(4) f16x2 { unsigned int word[1]; };
static __device__ __forceinline__ unsigned int f32_to_f16x2(float low, float high) { return (unsigned int)f32_to_f16(low) | (unsigned int)f32_to_f16(high) << 16; }

extern "C" __global__ void __launch_bounds__(128) Conv_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ W, const float *__restrict__ bias, unsigned short *__restrict__ Conv) {
  const int y_x_fused = blockIdx.z;  // < 196
  const int n_0 = blockIdx.y;  // < 8
  const int f_0 = blockIdx.x;  // < 16
  const int f_1 = threadIdx.z;  // < 2
  const int n_1 = threadIdx.y;  // < 2
  const int n_c_fused_3 = threadIdx.x;  // < 32
  float Conv_sums[8];
  __shared__ __align__(128) unsigned short Apad_shared[2048];
  __shared__ __align__(128) unsigned short W_shared[2048];
  unsigned int Apad_shared_wmma_matrix_a[8];
  unsigned int W_shared_wmma_matrix_b[8];
  // Conv
  // Conv_sums
  tile_mma_sync_m16n16k16_f16_init(Conv_sums);
  int ry_rx_rc_0_fused_mod_12 = 0;
  for (int ry_rx_rc_0_fused = 0; ry_rx_rc_0_fused < 36; ++ry_rx_rc_0_fused) {
    __syncthreads();
    // Apad.shared
    *(f16x8 *)(Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + n_1 * 512)) = y_x_fused / 14 + ry_rx_rc_0_fused / 12 >= 1 && y_x_fused / 14 + ry_rx_rc_0_fused / 12 < 15 && y_x_fused % 14 + ry_rx_rc_0_fused / 4 % 3 >= 1 && y_x_fused % 14 + ry_rx_rc_0_fused / 4 % 3 < 15 ? *(const f16x8 *)(A + (y_x_fused * 256 + n_0 * 1605632 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + ry_rx_rc_0_fused / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 - 3840)) : splat_f16x8(f32_to_f16(0.0f));
    *(f16x8 *)(Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 1024))) = y_x_fused / 14 + ry_rx_rc_0_fused / 12 >= 1 && y_x_fused / 14 + ry_rx_rc_0_fused / 12 < 15 && y_x_fused % 14 + ry_rx_rc_0_fused / 4 % 3 >= 1 && y_x_fused % 14 + ry_rx_rc_0_fused / 4 % 3 < 15 ? *(const f16x8 *)(A + (y_x_fused * 256 + n_0 * 1605632 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + ry_rx_rc_0_fused / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 798976)) : splat_f16x8(f32_to_f16(0.0f));
    // W.shared
    *(f16x8 *)(W_shared + (swizzle_8_64_4(n_c_fused_3 * 8) + (f_1 * 256 + n_1 * 512))) = *(const f16x8 *)(W + (f_0 * 32 + f_1 * 4096 + n_1 * 8192 + n_c_fused_3 / 4 * 512 + n_c_fused_3 % 4 * 8 + ry_rx_rc_0_fused * 32768));
    *(f16x8 *)(W_shared + (swizzle_8_64_4(n_c_fused_3 * 8) + (f_1 * 256 + n_1 * 512 + 1024))) = *(const f16x8 *)(W + (f_0 * 32 + f_1 * 4096 + n_1 * 8192 + n_c_fused_3 / 4 * 512 + n_c_fused_3 % 4 * 8 + ry_rx_rc_0_fused * 32768 + 16384));
    __syncthreads();
    // Apad.shared.wmma.matrix_a
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + n_1 * 1024), Apad_shared_wmma_matrix_a);
    // W.shared.wmma.matrix_b
    tile_ldmatrix_b_row_f16_shared32(W_shared + swizzle_8_64_4(f_1 * 16 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 32), W_shared_wmma_matrix_b);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 16) + n_1 * 1024), Apad_shared_wmma_matrix_a + 4);
    tile_ldmatrix_b_row_f16_shared32(W_shared + (swizzle_8_64_4(f_1 * 16 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 32) + 512), W_shared_wmma_matrix_b + 4);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b, Conv_sums);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 32) + n_1 * 1024), Apad_shared_wmma_matrix_a);
    tile_ldmatrix_b_row_f16_shared32(W_shared + (swizzle_8_64_4(f_1 * 16 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 32) + 1024), W_shared_wmma_matrix_b);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 4, Conv_sums);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 48) + n_1 * 1024), Apad_shared_wmma_matrix_a + 4);
    tile_ldmatrix_b_row_f16_shared32(W_shared + (swizzle_8_64_4(f_1 * 16 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 32) + 1536), W_shared_wmma_matrix_b + 4);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b, Conv_sums);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 4, Conv_sums);
    ry_rx_rc_0_fused_mod_12 = ry_rx_rc_0_fused_mod_12 == 11 ? 0 : ry_rx_rc_0_fused_mod_12 + 1;
  }
  {
    const f32x2 v0 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2));
    const f32x2 v1 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2));
    f16x2 r;
    r.word[0] = f32_to_f16x2(((Conv_sums[0] + v0.lane[0]) * 0.5f * (1.0f + erff((Conv_sums[0] + v1.lane[0]) * 0.7071067690849304f))), ((Conv_sums[1] + v0.lane[1]) * 0.5f * (1.0f + erff((Conv_sums[1] + v1.lane[1]) * 0.7071067690849304f))));
    *(f16x2 *)(Conv + (y_x_fused * 512 + n_0 * 3211264 + f_0 * 32 + f_1 * 16 + n_1 * 1605632 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2)) = r;
  }
  {
    const f32x2 v0 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2 + 8));
    const f32x2 v1 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2 + 8));
    f16x2 r;
    r.word[0] = f32_to_f16x2(((Conv_sums[4] + v0.lane[0]) * 0.5f * (1.0f + erff((Conv_sums[4] + v1.lane[0]) * 0.7071067690849304f))), ((Conv_sums[5] + v0.lane[1]) * 0.5f * (1.0f + erff((Conv_sums[5] + v1.lane[1]) * 0.7071067690849304f))));
    *(f16x2 *)(Conv + (y_x_fused * 512 + n_0 * 3211264 + f_0 * 32 + f_1 * 16 + n_1 * 1605632 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 8)) = r;
  }
  {
    const f32x2 v0 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2));
    const f32x2 v1 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2));
    f16x2 r;
    r.word[0] = f32_to_f16x2(((Conv_sums[2] + v0.lane[0]) * 0.5f * (1.0f + erff((Conv_sums[2] + v1.lane[0]) * 0.7071067690849304f))), ((Conv_sums[3] + v0.lane[1]) * 0.5f * (1.0f + erff((Conv_sums[3] + v1.lane[1]) * 0.7071067690849304f))));
    *(f16x2 *)(Conv + (y_x_fused * 512 + n_0 * 3211264 + f_0 * 32 + f_1 * 16 + n_1 * 1605632 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802816)) = r;
  }
  {
    const f32x2 v0 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2 + 8));
    const f32x2 v1 = *(const f32x2 *)(bias + (f_0 * 32 + f_1 * 16 + n_c_fused_3 % 4 * 2 + 8));
    f16x2 r;
    r.word[0] = f32_to_f16x2(((Conv_sums[6] + v0.lane[0]) * 0.5f * (1.0f + erff((Conv_sums[6] + v1.lane[0]) * 0.7071067690849304f))), ((Conv_sums[7] + v0.lane[1]) * 0.5f * (1.0f + erff((Conv_sums[7] + v1.lane[1]) * 0.7071067690849304f))));
    *(f16x2 *)(Conv + (y_x_fused * 512 + n_0 * 3211264 + f_0 * 32 + f_1 * 16 + n_1 * 1605632 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802824)) = r;
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 25690112,
   "dtype": "float16",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    256,
    14,
    14,
    256
   ]
  },
  {
   "align": 64,
   "bytes": 2359296,
   "dtype": "float16",
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
   "bytes": 2048,
   "dtype": "float32",
   "name": "bias",
   "reduction": 1,
   "role": "in",
   "shape": [
    512
   ]
  },
  {
   "align": 64,
   "bytes": 51380224,
   "dtype": "float16",
   "name": "Conv",
   "reduction": 1,
   "role": "out",
   "shape": [
    256,
    14,
    14,
    512
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
    "bias",
    "Conv"
   ],
   "block": [
    32,
    2,
    2
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 0,
   "grid": [
    16,
    8,
    196
   ],
   "name": "Conv_kernel"
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
