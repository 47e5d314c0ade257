// matmul_3xtf32 published cuda/sm_90
// cuda/sm_90a. Written by Warpfarm.
//   fuse l1 l2 -> l12
//   split l12 factors=[null,256] -> l13 l14
//   reorder l13 l14 l0
//   bind l13 thread="blockIdx.x"
//   bind l14 thread="threadIdx.x"
//   unroll l0
//   split l4 factors=[null,4,8] -> l15 l16 l17
//   split l5 factors=[null,32] -> l18 l19
//   reorder l15 l18 l17 l19 l16 l3
//   fuse l15 l18 -> l20
//   bind l20 thread="blockIdx.x"
//   bind l17 thread="threadIdx.y"
//   bind l19 thread="threadIdx.x"
//   unroll l16
//   unroll l3
//   cache_read i1 s1 scope="shared" -> s4 l21 l22
//   compute_at s4 s1 l20
//   storage_align s4 axis=0 factor=32 offset=1
//   split l21 factors=[null,8] -> l23 l24
//   unroll l23
//   bind l24 thread="threadIdx.y"
//   bind l22 thread="threadIdx.x"
//   split l8 factors=[null,128] -> l25 l26
//   rfactor l25 axis=0 -> s5 l27 l28 l29 l30
//   cache_read s0 s5 scope="shared" -> s6 l31 l32 l33
//   cache_read s1 s5 scope="shared" -> s7 l34 l35 l36
//   set_scope s5 scope="warpgroup.accumulator"
//   transform_layout s5 map={"from":["s","i","j"],"to":["s",["floor_div","i",64],["floor_div","j",128],["floor_mod","i",64],["floor_mod","j",128]]} -> l37 l38 l39 l40 l41
//   split l10 factors=[null,2,4,2,8] -> l42 l43 l44 l45 l46
//   split l11 factors=[null,16,4,2] -> l47 l48 l49 l50
//   split l42 factors=[null,16] -> l51 l52
//   reorder l51 l47 l52 l43 l44 l46 l49 l45 l48 l50
//   fuse l51 l47 l52 -> l53
//   split l53 factors=[null,132] -> l54 l55
//   reorder l55 l54
//   bind l55 thread="blockIdx.x"
//   bind l43 thread="threadIdx.y"
//   fuse l44 l46 l49 -> l56
//   bind l56 thread="threadIdx.x"
//   vectorize l50
//   specialize s3 producer=40 consumer=232
//   unroll l45
//   unroll l48
//   set_scope s2 scope="local"
//   transform_layout s2 map={"from":["i","j"],"to":[["floor_div","i",16],["floor_mod","i",8],["floor_div",["floor_mod","j",8],2],["floor_mod",["floor_div","i",8],2],["floor_div","j",8],["floor_mod","j",2]]} -> l57 l58 l59 l60 l61 l62
//   compute_at s2 s3 l56
//   reorder l30 l57 l58 l59 l60 l61 l62
//   unroll l60
//   unroll l61
//   unroll l62
//   compute_at s5 s2 l30
//   split l26 factors=[null,4,8] -> l63 l64 l65
//   reorder l63 l9 l64 l38 l39 l40 l41 l65
//   unroll l9
//   unroll l64
//   compute_at s6 s5 l63
//   swizzle s6
//   pipeline s6 stages=3
//   copy_by s6 engine="tma"
//   compute_at s7 s5 l63
//   swizzle s7
//   pipeline s7 stages=3
//   copy_by s7 engine="tma"
//   tensorize l40 intrinsic="wgmma_m64n128k8_tf32_k128_k128"
// Map 0: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of A_halves:
//   cuuint64_t dims[] = {4096, 4096, 2}, strides[] = {16384, 67108864};
//   cuuint32_t box[] = {32, 128, 2}, steps[] = {1, 1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, A_halves, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
// Map 1: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of B_halves:
//   cuuint64_t dims[] = {4096, 4096, 2}, strides[] = {16384, 67108864};
//   cuuint32_t box[] = {32, 128, 2}, steps[] = {1, 1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, B_halves, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static __device__ __forceinline__ float round_tf32(float x) { unsigned int y; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x)); return __uint_as_float(y); }
struct __align__(64) tensor_map { unsigned char bytes[128]; };
static __device__ __forceinline__ void mbarrier_init(unsigned long long *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(arrivals) : "memory");
}
static __device__ __forceinline__ void mbarrier_init_done() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
static __device__ __forceinline__ void setmaxnreg_dec_40() { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); }
static __device__ __forceinline__ void mbarrier_wait(unsigned long long *barrier, int parity) {
  asm volatile(
    "{\n\t"
    ".reg .pred done;\n\t"
    "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
    "@!done bra AGAIN;\n\t"
    "}" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ __forceinline__ void mbarrier_expect(unsigned long long *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void tma_load_3d(void *to, const tensor_map *map, int x0, int x1, int x2, unsigned long long *barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
    : : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(map), "r"(x0), "r"(x1), "r"(x2), "r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ __forceinline__ void setmaxnreg_inc_232() { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); }
static __device__ __forceinline__ void tile_wgmma_m64n128k8_tf32_k128_k128_init(float *c) {
  asm volatile(
    "mov.f32 %0, 0f00000000;\n\t"
    "mov.f32 %1, 0f00000000;\n\t"
    "mov.f32 %2, 0f00000000;\n\t"
    "mov.f32 %3, 0f00000000;\n\t"
    "mov.f32 %4, 0f00000000;\n\t"
    "mov.f32 %5, 0f00000000;\n\t"
    "mov.f32 %6, 0f00000000;\n\t"
    "mov.f32 %7, 0f00000000;\n\t"
    "mov.f32 %8, 0f00000000;\n\t"
    "mov.f32 %9, 0f00000000;\n\t"
    "mov.f32 %10, 0f00000000;\n\t"
    "mov.f32 %11, 0f00000000;\n\t"
    "mov.f32 %12, 0f00000000;\n\t"
    "mov.f32 %13, 0f00000000;\n\t"
    "mov.f32 %14, 0f00000000;\n\t"
    "mov.f32 %15, 0f00000000;\n\t"
    "mov.f32 %16, 0f00000000;\n\t"
    "mov.f32 %17, 0f00000000;\n\t"
    "mov.f32 %18, 0f00000000;\n\t"
    "mov.f32 %19, 0f00000000;\n\t"
    "mov.f32 %20, 0f00000000;\n\t"
    "mov.f32 %21, 0f00000000;\n\t"
    "mov.f32 %22, 0f00000000;\n\t"
    "mov.f32 %23, 0f00000000;\n\t"
    "mov.f32 %24, 0f00000000;\n\t"
    "mov.f32 %25, 0f00000000;\n\t"
    "mov.f32 %26, 0f00000000;\n\t"
    "mov.f32 %27, 0f00000000;\n\t"
    "mov.f32 %28, 0f00000000;\n\t"
    "mov.f32 %29, 0f00000000;\n\t"
    "mov.f32 %30, 0f00000000;\n\t"
    "mov.f32 %31, 0f00000000;\n\t"
    "mov.f32 %32, 0f00000000;\n\t"
    "mov.f32 %33, 0f00000000;\n\t"
    "mov.f32 %34, 0f00000000;\n\t"
    "mov.f32 %35, 0f00000000;\n\t"
    "mov.f32 %36, 0f00000000;\n\t"
    "mov.f32 %37, 0f00000000;\n\t"
    "mov.f32 %38, 0f00000000;\n\t"
    "mov.f32 %39, 0f00000000;\n\t"
    "mov.f32 %40, 0f00000000;\n\t"
    "mov.f32 %41, 0f00000000;\n\t"
    "mov.f32 %42, 0f00000000;\n\t"
    "mov.f32 %43, 0f00000000;\n\t"
    "mov.f32 %44, 0f00000000;\n\t"
    "mov.f32 %45, 0f00000000;\n\t"
    "mov.f32 %46, 0f00000000;\n\t"
    "mov.f32 %47, 0f00000000;\n\t"
    "mov.f32 %48, 0f00000000;\n\t"
    "mov.f32 %49, 0f00000000;\n\t"
    "mov.f32 %50, 0f00000000;\n\t"
    "mov.f32 %51, 0f00000000;\n\t"
    "mov.f32 %52, 0f00000000;\n\t"
    "mov.f32 %53, 0f00000000;\n\t"
    "mov.f32 %54, 0f00000000;\n\t"
    "mov.f32 %55, 0f00000000;\n\t"
    "mov.f32 %56, 0f00000000;\n\t"
    "mov.f32 %57, 0f00000000;\n\t"
    "mov.f32 %58, 0f00000000;\n\t"
    "mov.f32 %59, 0f00000000;\n\t"
    "mov.f32 %60, 0f00000000;\n\t"
    "mov.f32 %61, 0f00000000;\n\t"
    "mov.f32 %62, 0f00000000;\n\t"
    "mov.f32 %63, 0f00000000;"
    : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3]), "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7]), "=f"(c[8]), "=f"(c[9]), "=f"(c[10]), "=f"(c[11]), "=f"(c[12]), "=f"(c[13]), "=f"(c[14]), "=f"(c[15]), "=f"(c[16]), "=f"(c[17]), "=f"(c[18]), "=f"(c[19]), "=f"(c[20]), "=f"(c[21]), "=f"(c[22]), "=f"(c[23]), "=f"(c[24]), "=f"(c[25]), "=f"(c[26]), "=f"(c[27]), "=f"(c[28]), "=f"(c[29]), "=f"(c[30]), "=f"(c[31]), "=f"(c[32]), "=f"(c[33]), "=f"(c[34]), "=f"(c[35]), "=f"(c[36]), "=f"(c[37]), "=f"(c[38]), "=f"(c[39]), "=f"(c[40]), "=f"(c[41]), "=f"(c[42]), "=f"(c[43]), "=f"(c[44]), "=f"(c[45]), "=f"(c[46]), "=f"(c[47]), "=f"(c[48]), "=f"(c[49]), "=f"(c[50]), "=f"(c[51]), "=f"(c[52]), "=f"(c[53]), "=f"(c[54]), "=f"(c[55]), "=f"(c[56]), "=f"(c[57]), "=f"(c[58]), "=f"(c[59]), "=f"(c[60]), "=f"(c[61]), "=f"(c[62]), "=f"(c[63])
    : );
}
static __device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}
static __device__ __forceinline__ void tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(unsigned int a, int a_tile, unsigned int b, int b_tile, float *c) {
  asm volatile(
    "{\n\t"
    ".reg .b64 a_descriptor;\n\t"
    ".reg .b32 a_descriptor_place;\n\t"
    "add.s32 a_descriptor_place, %64, %65;\n\t"
    "cvt.u64.u32 a_descriptor, a_descriptor_place;\n\t"
    "or.b64 a_descriptor, a_descriptor, 0x4000004000010000;\n\t"
    ".reg .b64 b_descriptor;\n\t"
    ".reg .b32 b_descriptor_place;\n\t"
    "add.s32 b_descriptor_place, %66, %67;\n\t"
    "cvt.u64.u32 b_descriptor, b_descriptor_place;\n\t"
    "or.b64 b_descriptor, b_descriptor, 0x4000004000010000;\n\t"
    "{\n\t"
    ".reg .pred p;\n\t"
    "setp.eq.u32 p, 0, 0;\n\t"
    "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, a_descriptor, b_descriptor, p, 1, 1;\n\t"
    "}\n\t"
    "}"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
    : "r"(a), "r"(a_tile), "r"(b), "r"(b_tile));
}
static __device__ __forceinline__ unsigned int place_of(const void *p) { return ((unsigned int)__cvta_generic_to_shared(p) & 0x3ffffu) / 16; }
static __device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}
static __device__ __forceinline__ void wgmma_wait_1() {
  asm volatile("wgmma.wait_group.sync.aligned 1;" : : : "memory");
}
static __device__ __forceinline__ void mbarrier_arrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ __forceinline__ void wgmma_wait_0() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
}
static __device__ __forceinline__ void wgmma_settle_64(float *c) {
  asm volatile("" :
    "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
    "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
    "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
    "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
    "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
    "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
    "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
    "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
  );
}
struct __align__(8) f32x2 { float lane[2]; };

extern "C" __global__ void __launch_bounds__(256) C_kernel0(const float *__restrict__ A, float *__restrict__ A_halves) {
  const int i_k_fused_outer = blockIdx.x;  // < 65536
  const int i_k_fused_inner = threadIdx.x;  // < 256
  // A_halves
  A_halves[i_k_fused_outer * 256 + i_k_fused_inner] = round_tf32(A[i_k_fused_outer * 256 + i_k_fused_inner]);
  A_halves[i_k_fused_outer * 256 + i_k_fused_inner + 16777216] = round_tf32(A[i_k_fused_outer * 256 + i_k_fused_inner] - round_tf32(A[i_k_fused_outer * 256 + i_k_fused_inner]));
}

extern "C" __global__ void __launch_bounds__(256) C_kernel1(const float *__restrict__ B, float *__restrict__ B_halves) {
  const int i_0_k_outer_fused = blockIdx.x;  // < 16384
  const int ax0_inner = threadIdx.y;  // < 8
  const int ax1 = threadIdx.x;  // < 32
  __shared__ __align__(16) float B_shared[1056];
  // B_halves
  // B.shared
  B_shared[ax0_inner * 33 + ax1] = B[i_0_k_outer_fused / 128 * 32 + i_0_k_outer_fused % 128 * 131072 + ax0_inner * 4096 + ax1];
  B_shared[ax0_inner * 33 + ax1 + 264] = B[i_0_k_outer_fused / 128 * 32 + i_0_k_outer_fused % 128 * 131072 + ax0_inner * 4096 + ax1 + 32768];
  B_shared[ax0_inner * 33 + ax1 + 528] = B[i_0_k_outer_fused / 128 * 32 + i_0_k_outer_fused % 128 * 131072 + ax0_inner * 4096 + ax1 + 65536];
  B_shared[ax0_inner * 33 + ax1 + 792] = B[i_0_k_outer_fused / 128 * 32 + i_0_k_outer_fused % 128 * 131072 + ax0_inner * 4096 + ax1 + 98304];
  __syncthreads();
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1] = round_tf32(B_shared[ax0_inner + ax1 * 33]);
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 16777216] = round_tf32(B_shared[ax0_inner + ax1 * 33] - round_tf32(B_shared[ax0_inner + ax1 * 33]));
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 32768] = round_tf32(B_shared[ax0_inner + ax1 * 33 + 8]);
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 16809984] = round_tf32(B_shared[ax0_inner + ax1 * 33 + 8] - round_tf32(B_shared[ax0_inner + ax1 * 33 + 8]));
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 65536] = round_tf32(B_shared[ax0_inner + ax1 * 33 + 16]);
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 16842752] = round_tf32(B_shared[ax0_inner + ax1 * 33 + 16] - round_tf32(B_shared[ax0_inner + ax1 * 33 + 16]));
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 98304] = round_tf32(B_shared[ax0_inner + ax1 * 33 + 24]);
  B_halves[i_0_k_outer_fused / 128 * 131072 + i_0_k_outer_fused % 128 * 32 + ax0_inner * 4096 + ax1 + 16875520] = round_tf32(B_shared[ax0_inner + ax1 * 33 + 24] - round_tf32(B_shared[ax0_inner + ax1 * 33 + 24]));
}

extern "C" __global__ void __launch_bounds__(384, 1) C_kernel2(float *__restrict__ C, const __grid_constant__ tensor_map A_halves_map, const __grid_constant__ tensor_map B_halves_map) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const int i_0_outer_j_0_i_0_inner_fused_inner = blockIdx.x;  // < 132
  const int i_1 = threadIdx.y;  // < 2
  const int i_2_i_4_j_2_fused = threadIdx.x;  // < 128
  float sums[64];
  float sums_rf[64];
  float *const A_halves_shared = (float *)(shared_memory + 0);
  float *const B_halves_shared = (float *)(shared_memory + 98304);
  unsigned long long *const A_halves_shared_ring = (unsigned long long *)(shared_memory + 196608);
  if (i_1 == 0 && i_2_i_4_j_2_fused == 0) {
    for (int i = 0; i < 3; ++i) mbarrier_init(A_halves_shared_ring + i, 1);
    for (int i = 0; i < 3; ++i) mbarrier_init(A_halves_shared_ring + 3 + i, 8);
    mbarrier_init_done();
  }
  __syncwarp();
  __syncthreads();
  if (threadIdx.y == 2) {
    setmaxnreg_dec_40();
    if (threadIdx.x == 0) {
      for (int i_0_outer_j_0_i_0_inner_fused_outer = 0; i_0_outer_j_0_i_0_inner_fused_outer < 8; ++i_0_outer_j_0_i_0_inner_fused_outer) {
        for (int k_outer_v = 0; k_outer_v < 32; ++k_outer_v) {
          for (int k_inner_0 = 0; k_inner_0 < 4; ++k_inner_0) {
            {
              mbarrier_wait(A_halves_shared_ring + 3 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3, 1 - (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) / 3 % 2);
              mbarrier_expect(A_halves_shared_ring + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3, 65536);
              // A_halves.shared
              tma_load_3d(A_halves_shared + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 8192, &A_halves_map, k_outer_v * 128 + k_inner_0 * 32, (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 2048 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 128, 0, A_halves_shared_ring + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3);
              // B_halves.shared
              tma_load_3d(B_halves_shared + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 8192, &B_halves_map, k_outer_v * 128 + k_inner_0 * 32, (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128, 0, A_halves_shared_ring + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3);
            }
          }
        }
      }
    }
  } else {
    setmaxnreg_inc_232();
    for (int i_0_outer_j_0_i_0_inner_fused_outer = 0; i_0_outer_j_0_i_0_inner_fused_outer < 8; ++i_0_outer_j_0_i_0_inner_fused_outer) {
      if (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132 < 1024) {
        sums[0] = 0.0f;
        sums[1] = 0.0f;
        sums[2] = 0.0f;
        sums[3] = 0.0f;
        sums[4] = 0.0f;
        sums[5] = 0.0f;
        sums[6] = 0.0f;
        sums[7] = 0.0f;
        sums[8] = 0.0f;
        sums[9] = 0.0f;
        sums[10] = 0.0f;
        sums[11] = 0.0f;
        sums[12] = 0.0f;
        sums[13] = 0.0f;
        sums[14] = 0.0f;
        sums[15] = 0.0f;
        sums[16] = 0.0f;
        sums[17] = 0.0f;
        sums[18] = 0.0f;
        sums[19] = 0.0f;
        sums[20] = 0.0f;
        sums[21] = 0.0f;
        sums[22] = 0.0f;
        sums[23] = 0.0f;
        sums[24] = 0.0f;
        sums[25] = 0.0f;
        sums[26] = 0.0f;
        sums[27] = 0.0f;
        sums[28] = 0.0f;
        sums[29] = 0.0f;
        sums[30] = 0.0f;
        sums[31] = 0.0f;
        sums[32] = 0.0f;
        sums[33] = 0.0f;
        sums[34] = 0.0f;
        sums[35] = 0.0f;
        sums[36] = 0.0f;
        sums[37] = 0.0f;
        sums[38] = 0.0f;
        sums[39] = 0.0f;
        sums[40] = 0.0f;
        sums[41] = 0.0f;
        sums[42] = 0.0f;
        sums[43] = 0.0f;
        sums[44] = 0.0f;
        sums[45] = 0.0f;
        sums[46] = 0.0f;
        sums[47] = 0.0f;
        sums[48] = 0.0f;
        sums[49] = 0.0f;
        sums[50] = 0.0f;
        sums[51] = 0.0f;
        sums[52] = 0.0f;
        sums[53] = 0.0f;
        sums[54] = 0.0f;
        sums[55] = 0.0f;
        sums[56] = 0.0f;
        sums[57] = 0.0f;
        sums[58] = 0.0f;
        sums[59] = 0.0f;
        sums[60] = 0.0f;
        sums[61] = 0.0f;
        sums[62] = 0.0f;
        sums[63] = 0.0f;
      }
      for (int k_outer_v = 0; k_outer_v < 32; ++k_outer_v) {
        tile_wgmma_m64n128k8_tf32_k128_k128_init(sums_rf);
        for (int k_inner_0 = 0; k_inner_0 < 4; ++k_inner_0) {
          mbarrier_wait(A_halves_shared_ring + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3, (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) / 3 % 2);
          __syncwarp();
          wgmma_fence();
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 1024, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 0, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 1026, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 2, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 1028, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 4, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 1030, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 6, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 0, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 1024, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 2, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 1026, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 4, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 1028, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 6, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 1030, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 0, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 0, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 2, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 2, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 4, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 4, sums_rf);
          tile_wgmma_m64n128k8_tf32_k128_k128_update_shared_shared(place_of(A_halves_shared) + (i_1 * 512 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048), 6, place_of(B_halves_shared) + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0) % 3 * 2048, 6, sums_rf);
          wgmma_commit();
          wgmma_wait_1();
          if (k_inner_0 >= 1) {
            __syncwarp();
            if (i_2_i_4_j_2_fused % 32 == 0) mbarrier_arrive(A_halves_shared_ring + 3 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4 + k_inner_0 + 2) % 3);
          }
        }
        wgmma_wait_0();
        wgmma_settle_64(sums_rf);
        __syncwarp();
        if (i_2_i_4_j_2_fused % 32 == 0) mbarrier_arrive(A_halves_shared_ring + 3 + (i_0_outer_j_0_i_0_inner_fused_outer * 128 + k_outer_v * 4) % 3);
        if (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132 < 1024) {
          sums[0] += sums_rf[0];
          sums[1] += sums_rf[1];
          sums[2] += sums_rf[4];
          sums[3] += sums_rf[5];
          sums[4] += sums_rf[8];
          sums[5] += sums_rf[9];
          sums[6] += sums_rf[12];
          sums[7] += sums_rf[13];
          sums[8] += sums_rf[16];
          sums[9] += sums_rf[17];
          sums[10] += sums_rf[20];
          sums[11] += sums_rf[21];
          sums[12] += sums_rf[24];
          sums[13] += sums_rf[25];
          sums[14] += sums_rf[28];
          sums[15] += sums_rf[29];
          sums[16] += sums_rf[32];
          sums[17] += sums_rf[33];
          sums[18] += sums_rf[36];
          sums[19] += sums_rf[37];
          sums[20] += sums_rf[40];
          sums[21] += sums_rf[41];
          sums[22] += sums_rf[44];
          sums[23] += sums_rf[45];
          sums[24] += sums_rf[48];
          sums[25] += sums_rf[49];
          sums[26] += sums_rf[52];
          sums[27] += sums_rf[53];
          sums[28] += sums_rf[56];
          sums[29] += sums_rf[57];
          sums[30] += sums_rf[60];
          sums[31] += sums_rf[61];
          sums[32] += sums_rf[2];
          sums[33] += sums_rf[3];
          sums[34] += sums_rf[6];
          sums[35] += sums_rf[7];
          sums[36] += sums_rf[10];
          sums[37] += sums_rf[11];
          sums[38] += sums_rf[14];
          sums[39] += sums_rf[15];
          sums[40] += sums_rf[18];
          sums[41] += sums_rf[19];
          sums[42] += sums_rf[22];
          sums[43] += sums_rf[23];
          sums[44] += sums_rf[26];
          sums[45] += sums_rf[27];
          sums[46] += sums_rf[30];
          sums[47] += sums_rf[31];
          sums[48] += sums_rf[34];
          sums[49] += sums_rf[35];
          sums[50] += sums_rf[38];
          sums[51] += sums_rf[39];
          sums[52] += sums_rf[42];
          sums[53] += sums_rf[43];
          sums[54] += sums_rf[46];
          sums[55] += sums_rf[47];
          sums[56] += sums_rf[50];
          sums[57] += sums_rf[51];
          sums[58] += sums_rf[54];
          sums[59] += sums_rf[55];
          sums[60] += sums_rf[58];
          sums[61] += sums_rf[59];
          sums[62] += sums_rf[62];
          sums[63] += sums_rf[63];
        }
      }
      if (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132 < 1024) {
        {
          f32x2 r;
          r.lane[0] = sums[0];
          r.lane[1] = sums[1];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[2];
          r.lane[1] = sums[3];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 8)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[4];
          r.lane[1] = sums[5];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 16)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[6];
          r.lane[1] = sums[7];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 24)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[8];
          r.lane[1] = sums[9];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[10];
          r.lane[1] = sums[11];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 40)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[12];
          r.lane[1] = sums[13];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 48)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[14];
          r.lane[1] = sums[15];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 56)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[16];
          r.lane[1] = sums[17];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 64)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[18];
          r.lane[1] = sums[19];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 72)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[20];
          r.lane[1] = sums[21];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 80)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[22];
          r.lane[1] = sums[23];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 88)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[24];
          r.lane[1] = sums[25];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 96)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[26];
          r.lane[1] = sums[27];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 104)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[28];
          r.lane[1] = sums[29];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 112)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[30];
          r.lane[1] = sums[31];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 120)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[32];
          r.lane[1] = sums[33];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32768)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[34];
          r.lane[1] = sums[35];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32776)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[36];
          r.lane[1] = sums[37];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32784)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[38];
          r.lane[1] = sums[39];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32792)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[40];
          r.lane[1] = sums[41];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32800)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[42];
          r.lane[1] = sums[43];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32808)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[44];
          r.lane[1] = sums[45];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32816)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[46];
          r.lane[1] = sums[47];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32824)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[48];
          r.lane[1] = sums[49];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32832)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[50];
          r.lane[1] = sums[51];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32840)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[52];
          r.lane[1] = sums[53];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32848)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[54];
          r.lane[1] = sums[55];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32856)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[56];
          r.lane[1] = sums[57];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32864)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[58];
          r.lane[1] = sums[59];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32872)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[60];
          r.lane[1] = sums[61];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32880)) = r;
        }
        {
          f32x2 r;
          r.lane[0] = sums[62];
          r.lane[1] = sums[63];
          *(f32x2 *)(C + ((i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 512 * 8388608 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) % 16 * 524288 + (i_0_outer_j_0_i_0_inner_fused_inner + i_0_outer_j_0_i_0_inner_fused_outer * 132) / 16 % 32 * 128 + i_1 * 262144 + i_2_i_4_j_2_fused / 32 * 65536 + i_2_i_4_j_2_fused / 4 % 8 * 4096 + i_2_i_4_j_2_fused % 4 * 2 + 32888)) = r;
        }
      }
    }
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "B",
   "reduction": 1,
   "role": "in",
   "shape": [
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 67108864,
   "dtype": "float32",
   "name": "C",
   "reduction": 1,
   "role": "out",
   "shape": [
    4096,
    4096
   ],
   "tolerance": {
    "atol": "0.000768",
    "rtol": "0"
   }
  },
  {
   "align": 64,
   "bytes": 134217728,
   "dtype": "float32",
   "name": "A_halves",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    2,
    4096,
    4096
   ]
  },
  {
   "align": 64,
   "bytes": 134217728,
   "dtype": "float32",
   "name": "B_halves",
   "reduction": 1,
   "role": "workspace",
   "shape": [
    2,
    4096,
    4096
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "A",
    "A_halves"
   ],
   "block": [
    256,
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
    65536,
    1,
    1
   ],
   "name": "C_kernel0"
  },
  {
   "args": [
    "B",
    "B_halves"
   ],
   "block": [
    32,
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
    16384,
    1,
    1
   ],
   "name": "C_kernel1"
  },
  {
   "args": [
    "C",
    {
     "map": 0
    },
    {
     "map": 1
    }
   ],
   "block": [
    128,
    3,
    1
   ],
   "cluster": [
    1,
    1,
    1
   ],
   "dynamic_shared_bytes": 196656,
   "grid": [
    132,
    1,
    1
   ],
   "name": "C_kernel2"
  }
 ],
 "notes": [],
 "program": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "resources": {
  "registers": 0,
  "spill_bytes": 0,
  "static_shared_bytes": 0
 },
 "target": "cuda/sm_90a",
 "toolchain": "none",
 "version": 1
}
