// conv2d_nhwcnc_wmma published cuda/sm_90
// cuda/sm_90. Written by Warpfarm.
//   compute_inline s0
//   cache_read s0 s1 scope="shared" -> s2 l16 l17 l18 l19 l20 l21
//   cache_read i1 s1 scope="shared" -> s3 l22 l23 l24 l25 l26 l27
//   cache_read s2 s1 scope="wmma.matrix_a" -> s4 l28 l29 l30 l31 l32 l33
//   cache_read s3 s1 scope="wmma.matrix_b" -> s5 l34 l35 l36 l37 l38 l39
//   cache_write s1 scope="wmma.accumulator" -> s6 l40 l41 l42 l43 l44 l45
//   fuse l7 l8 -> l46
//   bind l46 thread="blockIdx.z"
//   split l6 factors=[null,2] -> l47 l48
//   split l47 factors=[null,4] -> l49 l50
//   split l9 factors=[null,4] -> l51 l52
//   split l51 factors=[null,2] -> l53 l54
//   reorder l46 l49 l53 l50 l54 l48 l52 l10 l11
//   bind l49 thread="blockIdx.x"
//   bind l53 thread="blockIdx.y"
//   bind l50 thread="threadIdx.y"
//   bind l54 thread="threadIdx.z"
//   compute_at s6 s1 l54
//   split l12 factors=[null,2] -> l55 l56
//   reorder l55 l13 l56 l14 l40 l43 l44 l45 l15
//   compute_at s4 s6 l14
//   compute_at s5 s6 l14
//   compute_at s2 s6 l13
//   compute_at s3 s6 l13
//   split l16 factors=[4,null] -> l57 l58
//   split l58 factors=[2,null] -> l59 l60
//   fuse l20 l21 -> l61
//   split l61 factors=[null,32,1] -> l62 l63 l64
//   bind l57 thread="threadIdx.y"
//   bind l59 thread="threadIdx.z"
//   bind l63 thread="threadIdx.x"
//   vectorize l64
//   split l25 factors=[4,null] -> l65 l66
//   split l66 factors=[2,null] -> l67 l68
//   fuse l26 l27 -> l69
//   split l69 factors=[null,32,8] -> l70 l71 l72
//   bind l65 thread="threadIdx.y"
//   bind l67 thread="threadIdx.z"
//   bind l71 thread="threadIdx.x"
//   vectorize l72
//   tensorize l32 intrinsic="wmma_load_a"
//   tensorize l38 intrinsic="wmma_load_b"
//   tensorize l10 intrinsic="wmma_store"
//   tensorize l44 intrinsic="wmma_gemm"
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
static __device__ __forceinline__ unsigned short f32_to_f16(float x) { unsigned short y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
struct __align__(16) f16x8 { unsigned int word[4]; };
static __device__ __forceinline__ void tile_wmma_load_a_shared16(const void *A, unsigned int *C) {
  asm volatile(
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
    : "=r"(C[0]), "=r"(C[1]), "=r"(C[2]), "=r"(C[3]), "=r"(C[4]), "=r"(C[5]), "=r"(C[6]), "=r"(C[7])
    : "r"((unsigned int)__cvta_generic_to_shared(A)) : "memory");
}
static __device__ __forceinline__ void tile_wmma_load_b_shared16(const void *A, unsigned int *C) {
  asm volatile(
    "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
    : "=r"(C[0]), "=r"(C[1]), "=r"(C[2]), "=r"(C[3]), "=r"(C[4]), "=r"(C[5]), "=r"(C[6]), "=r"(C[7])
    : "r"((unsigned int)__cvta_generic_to_shared(A)) : "memory");
}
static __device__ __forceinline__ void tile_wmma_gemm_update(const unsigned int *A, const unsigned int *B, float *C) {
  asm volatile(
    "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
    : "+f"(C[0]), "+f"(C[1]), "+f"(C[2]), "+f"(C[3]), "+f"(C[4]), "+f"(C[5]), "+f"(C[6]), "+f"(C[7])
    : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(A[4]), "r"(A[5]), "r"(A[6]), "r"(A[7]), "r"(B[0]), "r"(B[1]), "r"(B[2]), "r"(B[3]), "r"(B[4]), "r"(B[5]), "r"(B[6]), "r"(B[7]));
}
static __device__ __forceinline__ void tile_wmma_store_global16(const float *A, void *C) {
  asm volatile(
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 16;"
    :
    : "l"(C), "f"(A[0]), "f"(A[1]), "f"(A[2]), "f"(A[3]), "f"(A[4]), "f"(A[5]), "f"(A[6]), "f"(A[7]) : "memory");
}

extern "C" __global__ void __launch_bounds__(256) Conv_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ W, float *__restrict__ Conv) {
  const int h_w_fused = blockIdx.z;  // < 196
  const int o_outer_outer = blockIdx.y;  // < 4
  const int n_outer_outer = blockIdx.x;  // < 2
  const int o_outer_inner = threadIdx.z;  // < 2
  const int n_outer_inner = threadIdx.y;  // < 4
  const int ax4_ax5_fused_1 = threadIdx.x;  // < 32
  float Conv_wmma_accumulator[64];
  __shared__ __align__(128) unsigned short Apad_shared[12288];
  __shared__ __align__(128) unsigned short W_shared[12288];
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
  for (int ic_outer = 0; ic_outer < 8; ++ic_outer) {
    #pragma unroll 1
    for (int kh = 0; kh < 3; ++kh) {
      __syncthreads();
      // Apad.shared
      for (int ax2 = 0; ax2 < 3; ++ax2) {
        for (int ax3 = 0; ax3 < 2; ++ax3) {
          for (int ax4_ax5_fused_0 = 0; ax4_ax5_fused_0 < 8; ++ax4_ax5_fused_0) {
            Apad_shared[o_outer_inner * 1536 + n_outer_inner * 3072 + ax4_ax5_fused_1 + ax2 * 512 + ax3 * 256 + ax4_ax5_fused_0 * 32] = h_w_fused / 14 + kh >= 1 && h_w_fused / 14 + kh < 15 && h_w_fused % 14 + ax2 >= 1 && h_w_fused % 14 + ax2 < 15 ? A[h_w_fused * 4096 + n_outer_outer * 6422528 + o_outer_inner * 802816 + n_outer_inner * 1605632 + ax4_ax5_fused_1 + ic_outer * 512 + kh * 57344 + ax2 * 4096 + ax3 * 256 + ax4_ax5_fused_0 * 32 - 61440] : f32_to_f16(0.0f);
          }
        }
      }
      // W.shared
      for (int ax1 = 0; ax1 < 3; ++ax1) {
        for (int ax2 = 0; ax2 < 2; ++ax2) {
          *(f16x8 *)(W_shared + (o_outer_inner * 256 + n_outer_inner * 512 + ax4_ax5_fused_1 * 8 + ax1 * 4096 + ax2 * 2048)) = *(const f16x8 *)(W + (o_outer_outer * 2048 + o_outer_inner * 256 + n_outer_inner * 512 + ax4_ax5_fused_1 * 8 + ic_outer * 16384 + kh * 393216 + ax1 * 131072 + ax2 * 8192));
        }
      }
      __syncthreads();
      #pragma unroll 1
      for (int ic_inner = 0; ic_inner < 2; ++ic_inner) {
        #pragma unroll 1
        for (int kw = 0; kw < 3; ++kw) {
          // Apad.shared.wmma.matrix_a
          tile_wmma_load_a_shared16(Apad_shared + (n_outer_inner * 3072 + ic_inner * 256 + kw * 512), Apad_shared_wmma_matrix_a);
          tile_wmma_load_a_shared16(Apad_shared + (n_outer_inner * 3072 + ic_inner * 256 + kw * 512 + 1536), Apad_shared_wmma_matrix_a + 8);
          // W.shared.wmma.matrix_b
          tile_wmma_load_b_shared16(W_shared + (o_outer_inner * 1024 + ic_inner * 2048 + kw * 4096), W_shared_wmma_matrix_b);
          tile_wmma_load_b_shared16(W_shared + (o_outer_inner * 1024 + ic_inner * 2048 + kw * 4096 + 256), W_shared_wmma_matrix_b + 8);
          tile_wmma_load_b_shared16(W_shared + (o_outer_inner * 1024 + ic_inner * 2048 + kw * 4096 + 512), W_shared_wmma_matrix_b + 16);
          tile_wmma_load_b_shared16(W_shared + (o_outer_inner * 1024 + ic_inner * 2048 + kw * 4096 + 768), W_shared_wmma_matrix_b + 24);
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
  tile_wmma_store_global16(Conv_wmma_accumulator, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264));
  tile_wmma_store_global16(Conv_wmma_accumulator + 8, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 256));
  tile_wmma_store_global16(Conv_wmma_accumulator + 16, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 512));
  tile_wmma_store_global16(Conv_wmma_accumulator + 24, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 768));
  tile_wmma_store_global16(Conv_wmma_accumulator + 32, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 1605632));
  tile_wmma_store_global16(Conv_wmma_accumulator + 40, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 1605888));
  tile_wmma_store_global16(Conv_wmma_accumulator + 48, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 1606144));
  tile_wmma_store_global16(Conv_wmma_accumulator + 56, Conv + (h_w_fused * 8192 + o_outer_outer * 2048 + n_outer_outer * 12845056 + o_outer_inner * 1024 + n_outer_inner * 3211264 + 1606400));
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
    16,
    14,
    14,
    16,
    16,
    16
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
    16,
    32,
    16,
    16
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
    16,
    14,
    14,
    32,
    16,
    16
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
   "dynamic_shared_bytes": 0,
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
