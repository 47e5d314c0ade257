// conv2d_nhwc_wmma published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   cache_read s0 s1 scope="shared" -> s2 l11 l12 l13 l14
//   cache_read i1 s1 scope="shared" -> s3 l15 l16 l17 l18
//   cache_read s2 s1 scope="wmma.matrix_a" -> s4 l19 l20 l21 l22
//   cache_read s3 s1 scope="wmma.matrix_b" -> s5 l23 l24 l25 l26
//   cache_write s1 scope="wmma.accumulator" -> s6 l27 l28 l29 l30
//   transform_layout s2 map={"from":["n","y","x","c"],"to":["y","x","n","c"]} -> l31 l32 l33 l34
//   transform_layout s4 map={"from":["n","y","x","c"],"to":[["floor_div","n",16],"y","x",["floor_div","c",16],["floor_mod","n",16],["floor_mod","c",16]]} -> l35 l36 l37 l38 l39 l40
//   transform_layout s5 map={"from":["ry","rx","c","f"],"to":["ry","rx",["floor_div","c",16],["floor_div","f",16],["floor_mod","c",16],["floor_mod","f",16]]} -> l41 l42 l43 l44 l45 l46
//   transform_layout s6 map={"from":["n","y","x","c"],"to":[["floor_div","n",16],"y","x",["floor_div","c",16],["floor_mod","n",16],["floor_mod","c",16]]} -> l47 l48 l49 l50 l51 l52
//   fuse l5 l6 -> l53
//   bind l53 thread="blockIdx.z"
//   split l4 factors=[null,4,2,16] -> l54 l55 l56 l57
//   split l7 factors=[null,2,4,16] -> l58 l59 l60 l61
//   reorder l53 l54 l58 l55 l59 l56 l60 l57 l61
//   bind l54 thread="blockIdx.x"
//   bind l58 thread="blockIdx.y"
//   bind l55 thread="threadIdx.y"
//   bind l59 thread="threadIdx.z"
//   compute_at s6 s1 l59
//   split l10 factors=[null,2,16] -> l62 l63 l64
//   reorder l62 l8 l63 l9 l47 l50 l51 l52 l64
//   compute_at s4 s6 l9
//   compute_at s5 s6 l9
//   compute_at s2 s6 l8
//   compute_at s3 s6 l8
//   storage_align s2 axis=2 factor=16 offset=8
//   fuse l33 l34 -> l65
//   split l65 factors=[null,4,2,32,8] -> l66 l67 l68 l69 l70
//   bind l67 thread="threadIdx.y"
//   bind l68 thread="threadIdx.z"
//   bind l69 thread="threadIdx.x"
//   vectorize l70
//   storage_align s3 axis=2 factor=16 offset=8
//   fuse l17 l18 -> l71
//   split l71 factors=[null,4,2,32,8] -> l72 l73 l74 l75 l76
//   bind l73 thread="threadIdx.y"
//   bind l74 thread="threadIdx.z"
//   bind l75 thread="threadIdx.x"
//   vectorize l76
//   tensorize l39 intrinsic="wmma_load_a"
//   tensorize l45 intrinsic="wmma_load_b"
//   tensorize l57 intrinsic="wmma_store"
//   tensorize l51 intrinsic="wmma_gemm"
static __device__ __forceinline__ void tile_wmma_gemm_init(float *C) {
  asm volatile(
    "mov.f32 %0, 0f00000000;\n\t"
    "mov.f32 %1, 0f00000000;\n\t"
    "mov.f32 %2, 0f00000000;\n\t"
    "mov.f32 %3, 0f00000000;\n\t"
    "mov.f32 %4, 0f00000000;\n\t"
    "mov.f32 %5, 0f00000000;\n\t"
    "mov.f32 %6, 0f00000000;\n\t"
    "mov.f32 %7, 0f00000000;"
    : "=f"(C[0]), "=f"(C[1]), "=f"(C[2]), "=f"(C[3]), "=f"(C[4]), "=f"(C[5]), "=f"(C[6]), "=f"(C[7])
    : );
}
struct __align__(16) f16x8 { unsigned short lane[8]; };
static __device__ __forceinline__ f16x8 splat_f16x8(unsigned short x) { f16x8 v = {{x, x, x, x, x, x, x, x}}; return v; }
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
static __device__ __forceinline__ void tile_wmma_load_a_shared40(const void *A, unsigned int *C) {
  asm volatile(
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 40;"
    : "=r"(C[0]), "=r"(C[1]), "=r"(C[2]), "=r"(C[3]), "=r"(C[4]), "=r"(C[5]), "=r"(C[6]), "=r"(C[7])
    : "r"((unsigned int)__cvta_generic_to_shared(A)) : "memory");
}
static __device__ __forceinline__ void tile_wmma_load_b_shared136(const void *A, unsigned int *C) {
  asm volatile(
    "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 136;"
    : "=r"(C[0]), "=r"(C[1]), "=r"(C[2]), "=r"(C[3]), "=r"(C[4]), "=r"(C[5]), "=r"(C[6]), "=r"(C[7])
    : "r"((unsigned int)__cvta_generic_to_shared(A)) : "memory");
}
static __device__ __forceinline__ void tile_wmma_gemm_update(const unsigned int *A, const unsigned int *B, float *C) {
  asm volatile(
    "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
    : "+f"(C[0]), "+f"(C[1]), "+f"(C[2]), "+f"(C[3]), "+f"(C[4]), "+f"(C[5]), "+f"(C[6]), "+f"(C[7])
    : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(A[4]), "r"(A[5]), "r"(A[6]), "r"(A[7]), "r"(B[0]), "r"(B[1]), "r"(B[2]), "r"(B[3]), "r"(B[4]), "r"(B[5]), "r"(B[6]), "r"(B[7]));
}
static __device__ __forceinline__ void tile_wmma_store_global100352(const float *A, void *C) {
  asm volatile(
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 100352;"
    :
    : "l"(C), "f"(A[0]), "f"(A[1]), "f"(A[2]), "f"(A[3]), "f"(A[4]), "f"(A[5]), "f"(A[6]), "f"(A[7]) : "memory");
}

extern "C" __global__ void __launch_bounds__(256) Conv_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ W, float *__restrict__ Conv) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int y_x_fused = blockIdx.z;  // < 196
  const int f_0 = blockIdx.y;  // < 4
  const int n_0 = blockIdx.x;  // < 2
  const int f_1 = threadIdx.z;  // < 2
  const int n_1 = threadIdx.y;  // < 4
  const int n_c_fused_3 = threadIdx.x;  // < 32
  float Conv_wmma_accumulator[64];
  unsigned short *const Apad_shared = (unsigned short *)(shared_memory + 0);
  unsigned short *const W_shared = (unsigned short *)(shared_memory + 30720);
  unsigned int Apad_shared_wmma_matrix_a[16];
  unsigned int W_shared_wmma_matrix_b[32];
  // Conv
  // Conv.wmma.accumulator
  tile_wmma_gemm_init(Conv_wmma_accumulator);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 8);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 16);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 24);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 32);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 40);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 48);
  tile_wmma_gemm_init(Conv_wmma_accumulator + 56);
  #pragma unroll 1
  for (int rc_0 = 0; rc_0 < 8; ++rc_0) {
    #pragma unroll 1
    for (int ry = 0; ry < 3; ++ry) {
      __syncthreads();
      // Apad.shared
      for (int x = 0; x < 3; ++x) {
        for (int n_c_fused_0 = 0; n_c_fused_0 < 2; ++n_c_fused_0) {
          *(f16x8 *)(Apad_shared + (f_1 * 320 + n_1 * 640 + n_c_fused_3 / 4 * 40 + n_c_fused_3 % 4 * 8 + x * 5120 + n_c_fused_0 * 2560)) = y_x_fused / 14 + ry >= 1 && y_x_fused / 14 + ry < 15 && y_x_fused % 14 + x >= 1 && y_x_fused % 14 + x < 15 ? *(const f16x8 *)(A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 401408 + n_1 * 802816 + n_c_fused_3 / 4 * 50176 + n_c_fused_3 % 4 * 8 + rc_0 * 32 + ry * 3584 + x * 256 + n_c_fused_0 * 3211264 - 3840)) : splat_f16x8(f32_to_f16(0.0f));
        }
      }
      // W.shared
      for (int ax1 = 0; ax1 < 3; ++ax1) {
        for (int ax2_ax3_fused_0 = 0; ax2_ax3_fused_0 < 2; ++ax2_ax3_fused_0) {
          *(f16x8 *)(W_shared + (f_1 * 272 + n_1 * 544 + n_c_fused_3 / 16 * 136 + n_c_fused_3 % 16 * 8 + ax1 * 4352 + ax2_ax3_fused_0 * 2176)) = *(const f16x8 *)(W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + rc_0 * 16384 + ry * 393216 + ax1 * 131072 + ax2_ax3_fused_0 * 8192));
        }
      }
      __syncthreads();
      #pragma unroll 1
      for (int rc_1 = 0; rc_1 < 2; ++rc_1) {
        #pragma unroll 1
        for (int rx = 0; rx < 3; ++rx) {
          // Apad.shared.wmma.matrix_a
          tile_wmma_load_a_shared40(Apad_shared + (n_1 * 1280 + rc_1 * 16 + rx * 5120), Apad_shared_wmma_matrix_a);
          tile_wmma_load_a_shared40(Apad_shared + (n_1 * 1280 + rc_1 * 16 + rx * 5120 + 640), Apad_shared_wmma_matrix_a + 8);
          // W.shared.wmma.matrix_b
          tile_wmma_load_b_shared136(W_shared + (f_1 * 64 + rc_1 * 2176 + rx * 4352), W_shared_wmma_matrix_b);
          tile_wmma_load_b_shared136(W_shared + (f_1 * 64 + rc_1 * 2176 + rx * 4352 + 16), W_shared_wmma_matrix_b + 8);
          tile_wmma_load_b_shared136(W_shared + (f_1 * 64 + rc_1 * 2176 + rx * 4352 + 32), W_shared_wmma_matrix_b + 16);
          tile_wmma_load_b_shared136(W_shared + (f_1 * 64 + rc_1 * 2176 + rx * 4352 + 48), W_shared_wmma_matrix_b + 24);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b, Conv_wmma_accumulator);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 8);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 16);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 24);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 32);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 40);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 48);
          tile_wmma_gemm_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 56);
        }
      }
    }
  }
  tile_wmma_store_global100352(Conv_wmma_accumulator, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 8, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 16));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 16, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 32));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 24, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 48));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 32, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 1605632));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 40, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 1605648));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 48, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 1605664));
  tile_wmma_store_global100352(Conv_wmma_accumulator + 56, Conv + (y_x_fused * 512 + f_0 * 128 + n_0 * 12845056 + f_1 * 64 + n_1 * 3211264 + 1605680));
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
   "bytes": 102760448,
   "dtype": "float32",
   "name": "Conv",
   "reduction": 2304,
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
    "Conv"
   ],
   "block": [
    32,
    4,
    2
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 56832,
   "grid": [
    2,
    4,
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
