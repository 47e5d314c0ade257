// conv2d_nhwc_mma published cuda/sm_90
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
//   split l4 factors=[null,2,4,2,8] -> l53 l54 l55 l56 l57
//   split l7 factors=[null,2,4,2,4,2] -> l58 l59 l60 l61 l62 l63
//   fuse l5 l6 -> l64
//   reorder l64 l53 l58 l54 l59 l57 l62 l55 l56 l60 l61 l63
//   bind l64 thread="blockIdx.z"
//   bind l53 thread="blockIdx.y"
//   bind l58 thread="blockIdx.x"
//   bind l54 thread="threadIdx.y"
//   bind l59 thread="threadIdx.z"
//   fuse l57 l62 -> l65
//   bind l65 thread="threadIdx.x"
//   vectorize l63
//   compute_at s6 s1 l59
//   split l10 factors=[null,4,16] -> l66 l67 l68
//   reorder l48 l49 l8 l9 l66 l67 l47 l50 l51 l52 l68
//   fuse l8 l9 l66 -> l69
//   unroll l67
//   compute_at s4 s6 l67
//   double_buffer s4
//   compute_at s5 s6 l67
//   double_buffer s5
//   compute_at s2 s6 l69
//   swizzle s2
//   pipeline s2 stages=3
//   fuse l33 l34 -> l70
//   split l70 factors=[null,2,2,32,8] -> l71 l72 l73 l74 l75
//   unroll l71
//   bind l72 thread="threadIdx.y"
//   bind l73 thread="threadIdx.z"
//   bind l74 thread="threadIdx.x"
//   vectorize l75
//   compute_at s3 s6 l69
//   swizzle s3
//   pipeline s3 stages=3
//   fuse l17 l18 -> l76
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
static __device__ __forceinline__ int swizzle_8_64_8(int i) { return i ^ ((i >> 6 & 7) << 3); }
static __device__ __forceinline__ void cp_async_16_or_zero(void *to, const void *from, const void *valid, bool there) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(there ? from : valid), "r"(there ? 16 : 0) : "memory");
}
static __device__ __forceinline__ int swizzle_8_128_8(int i) { return i ^ ((i >> 7 & 7) << 3); }
static __device__ __forceinline__ void cp_async_16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;"); }
static __device__ __forceinline__ void cp_async_wait_1() { asm volatile("cp.async.wait_group 1;" : : : "memory"); }
static __device__ __forceinline__ void tile_ldmatrix_a_row_f16_shared64(const void *src, unsigned int *frag) {
  asm volatile(
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(frag[0]), "=r"(frag[1]), "=r"(frag[2]), "=r"(frag[3])
    : "r"((unsigned int)__cvta_generic_to_shared(src)) : "memory");
}
static __device__ __forceinline__ void tile_ldmatrix_b_row_f16_shared128(const void *src, unsigned int *frag) {
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

extern "C" __global__ void __launch_bounds__(128) Conv_kernel(const unsigned short *__restrict__ A, const unsigned short *__restrict__ W, float *__restrict__ Conv) {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  const int y_x_fused = blockIdx.z;  // < 196
  const int n_0 = blockIdx.y;  // < 2
  const int f_0 = blockIdx.x;  // < 4
  const int f_1 = threadIdx.z;  // < 2
  const int n_1 = threadIdx.y;  // < 2
  const int n_c_fused_3 = threadIdx.x;  // < 32
  float Conv_wmma_accumulator[128];
  unsigned short *const Apad_shared = (unsigned short *)(shared_memory + 0);
  unsigned short *const W_shared = (unsigned short *)(shared_memory + 49152);
  unsigned int Apad_shared_wmma_matrix_a[32];
  unsigned int W_shared_wmma_matrix_b[32];
  // Conv
  // Conv.wmma.accumulator
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 8);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 16);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 24);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 32);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 40);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 48);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 56);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 64);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 72);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 80);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 88);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 96);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 104);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 112);
  tile_mma_sync_m16n16k16_f16_init(Conv_wmma_accumulator + 120);
  // Apad.shared
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + n_1 * 512)), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 - 3840)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 1024))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 798976)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 2048))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 1601792)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 3072))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 2404608)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 4096))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 3207424)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 5120))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 4010240)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 6144))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 4813056)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 7168))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 5615872)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  // W.shared
  cp_async_16((W_shared + swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 1024)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 4096)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 2048)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 8192)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 3072)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 12288)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 4096)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 16384)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 5120)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 20480)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 6144)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 24576)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 7168)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 28672)));
  cp_async_commit();
  // Apad.shared
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 8192))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 - 3776)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 9216))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 799040)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 10240))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 1601856)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 11264))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 2404672)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 12288))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 3207488)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 13312))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 4010304)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 14336))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 4813120)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + 15360))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + 5615936)), A, y_x_fused >= 14 & y_x_fused % 14 >= 1);
  // W.shared
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 8192)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 32768)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 9216)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 36864)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 10240)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 40960)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 11264)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 45056)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 12288)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 49152)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 13312)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 53248)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 14336)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 57344)));
  cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + 15360)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + 61440)));
  cp_async_commit();
  cp_async_wait_1();
  __syncthreads();
  // Apad.shared.wmma.matrix_a
  tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + n_1 * 4096), Apad_shared_wmma_matrix_a);
  tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + 1024)), Apad_shared_wmma_matrix_a + 4);
  tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + 2048)), Apad_shared_wmma_matrix_a + 8);
  tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + 3072)), Apad_shared_wmma_matrix_a + 12);
  // W.shared.wmma.matrix_b
  tile_ldmatrix_b_row_f16_shared128(W_shared + swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128), W_shared_wmma_matrix_b);
  tile_ldmatrix_b_row_f16_shared128(W_shared + swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 16), W_shared_wmma_matrix_b + 4);
  tile_ldmatrix_b_row_f16_shared128(W_shared + swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 32), W_shared_wmma_matrix_b + 8);
  tile_ldmatrix_b_row_f16_shared128(W_shared + swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 48), W_shared_wmma_matrix_b + 12);
  int ry_rx_rc_0_fused_mod_3 = 2;
  int ry_rx_rc_0_fused_mod_12 = 2;
  int ry_rx_rc_0_fused_mod_3_1 = 0;
  int ry_rx_rc_0_fused_mod_3_2 = 1;
  for (int ry_rx_rc_0_fused = 0; ry_rx_rc_0_fused < 36; ++ry_rx_rc_0_fused) {
    // Apad.shared
    if (ry_rx_rc_0_fused < 34) {
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 - 3840)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 1024))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 798976)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 2048))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 1601792)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 3072))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 2404608)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 4096))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 3207424)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 5120))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 4010240)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 6144))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 4813056)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
      cp_async_16_or_zero((Apad_shared + (swizzle_8_64_8(f_1 * 256 + n_c_fused_3 * 8) + (n_1 * 512 + ry_rx_rc_0_fused_mod_3 * 8192 + 7168))), (A + (y_x_fused * 256 + n_0 * 6422528 + f_1 * 200704 + n_1 * 401408 + n_c_fused_3 / 8 * 50176 + n_c_fused_3 % 8 * 8 + (ry_rx_rc_0_fused + 2) / 12 * 3584 + ry_rx_rc_0_fused_mod_12 * 64 + 5615872)), A, y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 >= 1 & y_x_fused / 14 + (ry_rx_rc_0_fused + 2) / 12 < 15 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 >= 1 & y_x_fused % 14 + (ry_rx_rc_0_fused + 2) / 4 % 3 < 15);
    }
    // W.shared
    if (ry_rx_rc_0_fused < 34) {
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + ry_rx_rc_0_fused_mod_3 * 8192)), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 65536)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 1024))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 69632)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 2048))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 73728)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 3072))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 77824)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 4096))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 81920)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 5120))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 86016)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 6144))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 90112)));
      cp_async_16((W_shared + (swizzle_8_128_8(f_1 * 256 + n_1 * 512 + n_c_fused_3 * 8) + (ry_rx_rc_0_fused_mod_3 * 8192 + 7168))), (W + (f_0 * 128 + f_1 * 1024 + n_1 * 2048 + n_c_fused_3 / 16 * 512 + n_c_fused_3 % 16 * 8 + ry_rx_rc_0_fused * 32768 + 94208)));
    }
    cp_async_commit();
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 16) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192)), Apad_shared_wmma_matrix_a + 16);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 16) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 1024)), Apad_shared_wmma_matrix_a + 20);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 16) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), Apad_shared_wmma_matrix_a + 24);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 16) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 3072)), Apad_shared_wmma_matrix_a + 28);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), W_shared_wmma_matrix_b + 16);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 16) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), W_shared_wmma_matrix_b + 20);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 32) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), W_shared_wmma_matrix_b + 24);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 48) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), W_shared_wmma_matrix_b + 28);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b, Conv_wmma_accumulator);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 8);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 16);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 24);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 32);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 40);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 48);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 56);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 64);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 72);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 80);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 88);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 96);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 104);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 112);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 120);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 32) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192)), Apad_shared_wmma_matrix_a);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 32) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 1024)), Apad_shared_wmma_matrix_a + 4);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 32) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), Apad_shared_wmma_matrix_a + 8);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 32) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 3072)), Apad_shared_wmma_matrix_a + 12);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 4096)), W_shared_wmma_matrix_b);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 16) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 4096)), W_shared_wmma_matrix_b + 4);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 32) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 4096)), W_shared_wmma_matrix_b + 8);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 48) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 4096)), W_shared_wmma_matrix_b + 12);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 8);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 16);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 24);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 32);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 40);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 48);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 56);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 64);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 72);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 80);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 88);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 96);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 104);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 112);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 120);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 48) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192)), Apad_shared_wmma_matrix_a + 16);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 48) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 1024)), Apad_shared_wmma_matrix_a + 20);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 48) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 2048)), Apad_shared_wmma_matrix_a + 24);
    tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64 + 48) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_1 * 8192 + 3072)), Apad_shared_wmma_matrix_a + 28);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 6144)), W_shared_wmma_matrix_b + 16);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 16) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 6144)), W_shared_wmma_matrix_b + 20);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 32) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 6144)), W_shared_wmma_matrix_b + 24);
    tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 48) + (ry_rx_rc_0_fused_mod_3_1 * 8192 + 6144)), W_shared_wmma_matrix_b + 28);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b, Conv_wmma_accumulator);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 8);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 16);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 24);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 32);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 40);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 48);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 4, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 56);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 64);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 72);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 80);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 8, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 88);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b, Conv_wmma_accumulator + 96);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b + 4, Conv_wmma_accumulator + 104);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b + 8, Conv_wmma_accumulator + 112);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 12, W_shared_wmma_matrix_b + 12, Conv_wmma_accumulator + 120);
    cp_async_wait_1();
    __syncthreads();
    if (ry_rx_rc_0_fused < 35) {
      // Apad.shared.wmma.matrix_a
      tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_2 * 8192)), Apad_shared_wmma_matrix_a);
      tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_2 * 8192 + 1024)), Apad_shared_wmma_matrix_a + 4);
      tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_2 * 8192 + 2048)), Apad_shared_wmma_matrix_a + 8);
      tile_ldmatrix_a_row_f16_shared64(Apad_shared + (swizzle_8_64_8(n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 64) + (n_1 * 4096 + ry_rx_rc_0_fused_mod_3_2 * 8192 + 3072)), Apad_shared_wmma_matrix_a + 12);
      // W.shared.wmma.matrix_b
      tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128) + ry_rx_rc_0_fused_mod_3_2 * 8192), W_shared_wmma_matrix_b);
      tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 16) + ry_rx_rc_0_fused_mod_3_2 * 8192), W_shared_wmma_matrix_b + 4);
      tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 32) + ry_rx_rc_0_fused_mod_3_2 * 8192), W_shared_wmma_matrix_b + 8);
      tile_ldmatrix_b_row_f16_shared128(W_shared + (swizzle_8_128_8(f_1 * 64 + n_c_fused_3 / 16 * 8 + n_c_fused_3 % 16 * 128 + 48) + ry_rx_rc_0_fused_mod_3_2 * 8192), W_shared_wmma_matrix_b + 12);
    }
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 8);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 16);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 16, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 24);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 32);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 40);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 48);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 20, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 56);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 64);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 72);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 80);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 24, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 88);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 16, Conv_wmma_accumulator + 96);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 20, Conv_wmma_accumulator + 104);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 24, Conv_wmma_accumulator + 112);
    tile_mma_sync_m16n16k16_f16_update(Apad_shared_wmma_matrix_a + 28, W_shared_wmma_matrix_b + 28, Conv_wmma_accumulator + 120);
    ry_rx_rc_0_fused_mod_3 = ry_rx_rc_0_fused_mod_3 == 2 ? 0 : ry_rx_rc_0_fused_mod_3 + 1;
    ry_rx_rc_0_fused_mod_12 = ry_rx_rc_0_fused_mod_12 == 11 ? 0 : ry_rx_rc_0_fused_mod_12 + 1;
    ry_rx_rc_0_fused_mod_3_1 = ry_rx_rc_0_fused_mod_3_1 == 2 ? 0 : ry_rx_rc_0_fused_mod_3_1 + 1;
    ry_rx_rc_0_fused_mod_3_2 = ry_rx_rc_0_fused_mod_3_2 == 2 ? 0 : ry_rx_rc_0_fused_mod_3_2 + 1;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[0];
    r.lane[1] = Conv_wmma_accumulator[1];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[4];
    r.lane[1] = Conv_wmma_accumulator[5];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 8)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[8];
    r.lane[1] = Conv_wmma_accumulator[9];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 16)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[12];
    r.lane[1] = Conv_wmma_accumulator[13];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 24)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[16];
    r.lane[1] = Conv_wmma_accumulator[17];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 32)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[20];
    r.lane[1] = Conv_wmma_accumulator[21];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 40)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[24];
    r.lane[1] = Conv_wmma_accumulator[25];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 48)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[28];
    r.lane[1] = Conv_wmma_accumulator[29];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 56)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[2];
    r.lane[1] = Conv_wmma_accumulator[3];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802816)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[6];
    r.lane[1] = Conv_wmma_accumulator[7];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802824)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[10];
    r.lane[1] = Conv_wmma_accumulator[11];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802832)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[14];
    r.lane[1] = Conv_wmma_accumulator[15];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802840)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[18];
    r.lane[1] = Conv_wmma_accumulator[19];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802848)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[22];
    r.lane[1] = Conv_wmma_accumulator[23];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802856)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[26];
    r.lane[1] = Conv_wmma_accumulator[27];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802864)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[30];
    r.lane[1] = Conv_wmma_accumulator[31];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 802872)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[32];
    r.lane[1] = Conv_wmma_accumulator[33];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605632)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[36];
    r.lane[1] = Conv_wmma_accumulator[37];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605640)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[40];
    r.lane[1] = Conv_wmma_accumulator[41];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605648)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[44];
    r.lane[1] = Conv_wmma_accumulator[45];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605656)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[48];
    r.lane[1] = Conv_wmma_accumulator[49];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605664)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[52];
    r.lane[1] = Conv_wmma_accumulator[53];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605672)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[56];
    r.lane[1] = Conv_wmma_accumulator[57];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605680)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[60];
    r.lane[1] = Conv_wmma_accumulator[61];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 1605688)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[34];
    r.lane[1] = Conv_wmma_accumulator[35];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408448)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[38];
    r.lane[1] = Conv_wmma_accumulator[39];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408456)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[42];
    r.lane[1] = Conv_wmma_accumulator[43];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408464)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[46];
    r.lane[1] = Conv_wmma_accumulator[47];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408472)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[50];
    r.lane[1] = Conv_wmma_accumulator[51];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408480)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[54];
    r.lane[1] = Conv_wmma_accumulator[55];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408488)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[58];
    r.lane[1] = Conv_wmma_accumulator[59];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408496)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[62];
    r.lane[1] = Conv_wmma_accumulator[63];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 2408504)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[64];
    r.lane[1] = Conv_wmma_accumulator[65];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211264)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[68];
    r.lane[1] = Conv_wmma_accumulator[69];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211272)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[72];
    r.lane[1] = Conv_wmma_accumulator[73];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211280)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[76];
    r.lane[1] = Conv_wmma_accumulator[77];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211288)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[80];
    r.lane[1] = Conv_wmma_accumulator[81];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211296)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[84];
    r.lane[1] = Conv_wmma_accumulator[85];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211304)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[88];
    r.lane[1] = Conv_wmma_accumulator[89];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211312)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[92];
    r.lane[1] = Conv_wmma_accumulator[93];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 3211320)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[66];
    r.lane[1] = Conv_wmma_accumulator[67];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014080)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[70];
    r.lane[1] = Conv_wmma_accumulator[71];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014088)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[74];
    r.lane[1] = Conv_wmma_accumulator[75];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014096)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[78];
    r.lane[1] = Conv_wmma_accumulator[79];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014104)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[82];
    r.lane[1] = Conv_wmma_accumulator[83];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014112)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[86];
    r.lane[1] = Conv_wmma_accumulator[87];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014120)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[90];
    r.lane[1] = Conv_wmma_accumulator[91];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014128)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[94];
    r.lane[1] = Conv_wmma_accumulator[95];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4014136)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[96];
    r.lane[1] = Conv_wmma_accumulator[97];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816896)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[100];
    r.lane[1] = Conv_wmma_accumulator[101];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816904)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[104];
    r.lane[1] = Conv_wmma_accumulator[105];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816912)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[108];
    r.lane[1] = Conv_wmma_accumulator[109];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816920)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[112];
    r.lane[1] = Conv_wmma_accumulator[113];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816928)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[116];
    r.lane[1] = Conv_wmma_accumulator[117];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816936)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[120];
    r.lane[1] = Conv_wmma_accumulator[121];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816944)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[124];
    r.lane[1] = Conv_wmma_accumulator[125];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 4816952)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[98];
    r.lane[1] = Conv_wmma_accumulator[99];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619712)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[102];
    r.lane[1] = Conv_wmma_accumulator[103];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619720)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[106];
    r.lane[1] = Conv_wmma_accumulator[107];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619728)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[110];
    r.lane[1] = Conv_wmma_accumulator[111];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619736)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[114];
    r.lane[1] = Conv_wmma_accumulator[115];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619744)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[118];
    r.lane[1] = Conv_wmma_accumulator[119];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619752)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[122];
    r.lane[1] = Conv_wmma_accumulator[123];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619760)) = r;
  }
  {
    f32x2 r;
    r.lane[0] = Conv_wmma_accumulator[126];
    r.lane[1] = Conv_wmma_accumulator[127];
    *(f32x2 *)(Conv + (y_x_fused * 512 + n_0 * 12845056 + f_0 * 128 + f_1 * 64 + n_1 * 6422528 + n_c_fused_3 / 4 * 100352 + n_c_fused_3 % 4 * 2 + 5619768)) = r;
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
    2,
    2
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 98304,
   "grid": [
    4,
    2,
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
