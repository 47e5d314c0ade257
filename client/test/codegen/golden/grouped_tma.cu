// grouped_tma published cuda/sm_90
// cuda/sm_90a. Written by Warpfarm.
//   cache_read i0 s0 scope="shared" -> s2 l7 l8 l9
//   cache_read i1 s0 scope="shared" -> s3 l10 l11 l12
//   set_scope s0 scope="warpgroup.accumulator"
//   transform_layout s0 map={"from":["z","i","j"],"to":["z",["floor_div","i",64],["floor_div","j",256],["floor_mod","i",64],["floor_mod","j",256]]} -> l13 l14 l15 l16 l17
//   cache_write s1 scope="shared" -> s4 l18 l19 l20
//   split l5 factors=[null,2,64] -> l21 l22 l23
//   split l6 factors=[null,2,2,64] -> l24 l25 l26 l27
//   fuse l4 l21 -> l28
//   split l28 factors=[null,8] -> l29 l30
//   reorder l29 l24 l30 l22 l25 l26 l23 l27
//   fuse l29 l24 l30 -> l31
//   split l31 factors=[null,132] -> l32 l33
//   reorder l33 l32
//   bind l33 thread="blockIdx.x"
//   bind l22 thread="threadIdx.y"
//   unroll l25
//   copy_by s1 engine="tma"
//   transform_layout s4 map={"from":["z","k","j"],"to":["z",["floor_div","j",64],"k",["floor_mod","j",64]]} -> l34 l35 l36 l37
//   swizzle s4
//   compute_at s4 s1 l25
//   split l36 factors=[null,4,2,8] -> l38 l39 l40 l41
//   split l37 factors=[null,4,2] -> l42 l43 l44
//   reorder l38 l39 l41 l43 l40 l35 l42 l44
//   unroll l40
//   unroll l35
//   unroll l42
//   bind l38 thread="threadIdx.y"
//   fuse l39 l41 l43 -> l45
//   bind l45 thread="threadIdx.x"
//   vectorize l44
//   specialize s1 producer=40 consumer=232
//   compute_at s0 s1 l22
//   split l3 factors=[null,4,16] -> l46 l47 l48
//   reorder l46 l47 l14 l15 l16 l17 l48
//   unroll l47
//   compute_at s2 s0 l46
//   swizzle s2
//   pipeline s2 stages=4
//   copy_by s2 engine="tma"
//   compute_at s3 s0 l46
//   swizzle s3
//   pipeline s3 stages=4
//   copy_by s3 engine="tma"
//   tensorize l16 intrinsic="wgmma_m64n256k16_bf16_k128_k128"
// Map 0: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of A:
//   cuuint64_t dims[] = {7168, 128, 32}, strides[] = {14336, 1835008};
//   cuuint32_t box[] = {64, 128, 1}, steps[] = {1, 1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, A, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
// Map 1: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of B:
//   cuuint64_t dims[] = {7168, 4096, 8}, strides[] = {14336, 58720256};
//   cuuint32_t box[] = {64, 256, 1}, steps[] = {1, 1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, B, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
// Map 2: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of C:
//   cuuint64_t dims[] = {4096, 128, 32}, strides[] = {8192, 1048576};
//   cuuint32_t box[] = {64, 64, 1}, steps[] = {1, 1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, C, dims, strides, box, steps,
//     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
//     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
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
static __device__ __forceinline__ int min_i32(int a, int b) { return a < b ? a : b; }
static __device__ __forceinline__ int max_i32(int a, int b) { return a > b ? a : b; }
static __device__ __forceinline__ void setmaxnreg_inc_232() { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); }
static __device__ __forceinline__ void tile_wgmma_m64n256k16_bf16_k128_k128_init(float *c) {
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
    "mov.f32 %63, 0f00000000;\n\t"
    "mov.f32 %64, 0f00000000;\n\t"
    "mov.f32 %65, 0f00000000;\n\t"
    "mov.f32 %66, 0f00000000;\n\t"
    "mov.f32 %67, 0f00000000;\n\t"
    "mov.f32 %68, 0f00000000;\n\t"
    "mov.f32 %69, 0f00000000;\n\t"
    "mov.f32 %70, 0f00000000;\n\t"
    "mov.f32 %71, 0f00000000;\n\t"
    "mov.f32 %72, 0f00000000;\n\t"
    "mov.f32 %73, 0f00000000;\n\t"
    "mov.f32 %74, 0f00000000;\n\t"
    "mov.f32 %75, 0f00000000;\n\t"
    "mov.f32 %76, 0f00000000;\n\t"
    "mov.f32 %77, 0f00000000;\n\t"
    "mov.f32 %78, 0f00000000;\n\t"
    "mov.f32 %79, 0f00000000;\n\t"
    "mov.f32 %80, 0f00000000;\n\t"
    "mov.f32 %81, 0f00000000;\n\t"
    "mov.f32 %82, 0f00000000;\n\t"
    "mov.f32 %83, 0f00000000;\n\t"
    "mov.f32 %84, 0f00000000;\n\t"
    "mov.f32 %85, 0f00000000;\n\t"
    "mov.f32 %86, 0f00000000;\n\t"
    "mov.f32 %87, 0f00000000;\n\t"
    "mov.f32 %88, 0f00000000;\n\t"
    "mov.f32 %89, 0f00000000;\n\t"
    "mov.f32 %90, 0f00000000;\n\t"
    "mov.f32 %91, 0f00000000;\n\t"
    "mov.f32 %92, 0f00000000;\n\t"
    "mov.f32 %93, 0f00000000;\n\t"
    "mov.f32 %94, 0f00000000;\n\t"
    "mov.f32 %95, 0f00000000;\n\t"
    "mov.f32 %96, 0f00000000;\n\t"
    "mov.f32 %97, 0f00000000;\n\t"
    "mov.f32 %98, 0f00000000;\n\t"
    "mov.f32 %99, 0f00000000;\n\t"
    "mov.f32 %100, 0f00000000;\n\t"
    "mov.f32 %101, 0f00000000;\n\t"
    "mov.f32 %102, 0f00000000;\n\t"
    "mov.f32 %103, 0f00000000;\n\t"
    "mov.f32 %104, 0f00000000;\n\t"
    "mov.f32 %105, 0f00000000;\n\t"
    "mov.f32 %106, 0f00000000;\n\t"
    "mov.f32 %107, 0f00000000;\n\t"
    "mov.f32 %108, 0f00000000;\n\t"
    "mov.f32 %109, 0f00000000;\n\t"
    "mov.f32 %110, 0f00000000;\n\t"
    "mov.f32 %111, 0f00000000;\n\t"
    "mov.f32 %112, 0f00000000;\n\t"
    "mov.f32 %113, 0f00000000;\n\t"
    "mov.f32 %114, 0f00000000;\n\t"
    "mov.f32 %115, 0f00000000;\n\t"
    "mov.f32 %116, 0f00000000;\n\t"
    "mov.f32 %117, 0f00000000;\n\t"
    "mov.f32 %118, 0f00000000;\n\t"
    "mov.f32 %119, 0f00000000;\n\t"
    "mov.f32 %120, 0f00000000;\n\t"
    "mov.f32 %121, 0f00000000;\n\t"
    "mov.f32 %122, 0f00000000;\n\t"
    "mov.f32 %123, 0f00000000;\n\t"
    "mov.f32 %124, 0f00000000;\n\t"
    "mov.f32 %125, 0f00000000;\n\t"
    "mov.f32 %126, 0f00000000;\n\t"
    "mov.f32 %127, 0f00000000;"
    : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3]), "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7]), "=f"(c[8]), "=f"(c[9]), "=f"(c[10]), "=f"(c[11]), "=f"(c[12]), "=f"(c[13]), "=f"(c[14]), "=f"(c[15]), "=f"(c[16]), "=f"(c[17]), "=f"(c[18]), "=f"(c[19]), "=f"(c[20]), "=f"(c[21]), "=f"(c[22]), "=f"(c[23]), "=f"(c[24]), "=f"(c[25]), "=f"(c[26]), "=f"(c[27]), "=f"(c[28]), "=f"(c[29]), "=f"(c[30]), "=f"(c[31]), "=f"(c[32]), "=f"(c[33]), "=f"(c[34]), "=f"(c[35]), "=f"(c[36]), "=f"(c[37]), "=f"(c[38]), "=f"(c[39]), "=f"(c[40]), "=f"(c[41]), "=f"(c[42]), "=f"(c[43]), "=f"(c[44]), "=f"(c[45]), "=f"(c[46]), "=f"(c[47]), "=f"(c[48]), "=f"(c[49]), "=f"(c[50]), "=f"(c[51]), "=f"(c[52]), "=f"(c[53]), "=f"(c[54]), "=f"(c[55]), "=f"(c[56]), "=f"(c[57]), "=f"(c[58]), "=f"(c[59]), "=f"(c[60]), "=f"(c[61]), "=f"(c[62]), "=f"(c[63]), "=f"(c[64]), "=f"(c[65]), "=f"(c[66]), "=f"(c[67]), "=f"(c[68]), "=f"(c[69]), "=f"(c[70]), "=f"(c[71]), "=f"(c[72]), "=f"(c[73]), "=f"(c[74]), "=f"(c[75]), "=f"(c[76]), "=f"(c[77]), "=f"(c[78]), "=f"(c[79]), "=f"(c[80]), "=f"(c[81]), "=f"(c[82]), "=f"(c[83]), "=f"(c[84]), "=f"(c[85]), "=f"(c[86]), "=f"(c[87]), "=f"(c[88]), "=f"(c[89]), "=f"(c[90]), "=f"(c[91]), "=f"(c[92]), "=f"(c[93]), "=f"(c[94]), "=f"(c[95]), "=f"(c[96]), "=f"(c[97]), "=f"(c[98]), "=f"(c[99]), "=f"(c[100]), "=f"(c[101]), "=f"(c[102]), "=f"(c[103]), "=f"(c[104]), "=f"(c[105]), "=f"(c[106]), "=f"(c[107]), "=f"(c[108]), "=f"(c[109]), "=f"(c[110]), "=f"(c[111]), "=f"(c[112]), "=f"(c[113]), "=f"(c[114]), "=f"(c[115]), "=f"(c[116]), "=f"(c[117]), "=f"(c[118]), "=f"(c[119]), "=f"(c[120]), "=f"(c[121]), "=f"(c[122]), "=f"(c[123]), "=f"(c[124]), "=f"(c[125]), "=f"(c[126]), "=f"(c[127])
    : );
}
static __device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}
static __device__ __forceinline__ void tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(unsigned int a, int a_tile, unsigned int b, int b_tile, float *c) {
  asm volatile(
    "{\n\t"
    ".reg .b64 a_descriptor;\n\t"
    ".reg .b32 a_descriptor_place;\n\t"
    "add.s32 a_descriptor_place, %128, %129;\n\t"
    "cvt.u64.u32 a_descriptor, a_descriptor_place;\n\t"
    "or.b64 a_descriptor, a_descriptor, 0x4000004000010000;\n\t"
    ".reg .b64 b_descriptor;\n\t"
    ".reg .b32 b_descriptor_place;\n\t"
    "add.s32 b_descriptor_place, %130, %131;\n\t"
    "cvt.u64.u32 b_descriptor, b_descriptor_place;\n\t"
    "or.b64 b_descriptor, b_descriptor, 0x4000004000010000;\n\t"
    "{\n\t"
    ".reg .pred p;\n\t"
    "setp.eq.u32 p, 0, 0;\n\t"
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, a_descriptor, b_descriptor, p, 1, 1, 0, 0;\n\t"
    "}\n\t"
    "}"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]), "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]), "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]), "+f"(c[79]), "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]), "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]), "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]), "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]), "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]), "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
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
static __device__ __forceinline__ void wgmma_settle_128(float *c) {
  asm volatile("" :
    "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
    "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
    "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
    "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
    "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
    "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
    "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
    "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]),
    "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]),
    "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]), "+f"(c[79]),
    "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]),
    "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]),
    "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]),
    "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]),
    "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]),
    "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
  );
}
static __device__ __forceinline__ void tma_store_read() { asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory"); }
static __device__ __forceinline__ void warpgroup_meets(int group) { asm volatile("bar.sync %0, 128;" : : "r"(group + 2) : "memory"); }
struct __align__(4) bf16x2 { unsigned int word[1]; };
static __device__ __forceinline__ unsigned int f32_to_bf16x2(float low, float high) { unsigned int y; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low)); return y; }
static __device__ __forceinline__ int swizzle_8_64_8(int i) { return i ^ ((i >> 6 & 7) << 3); }
static __device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
static __device__ __forceinline__ void tma_store_3d(const void *from, const tensor_map *map, int x0, int x1, int x2) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%1, {%2, %3, %4}], [%0];"
    : : "r"((unsigned int)__cvta_generic_to_shared(from)), "l"(map), "r"(x0), "r"(x1), "r"(x2) : "memory");
}
static __device__ __forceinline__ void tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }

extern "C" __global__ void __launch_bounds__(384, 1) C_kernel(const int *__restrict__ group, const __grid_constant__ tensor_map A_map, const __grid_constant__ tensor_map B_map, const __grid_constant__ tensor_map C_map) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  const int z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner = blockIdx.x;  // < 132
  const int i_1 = threadIdx.y;  // < 2
  const int k_1_k_3_j_inner_1_fused = threadIdx.x;  // < 128
  float sums[128];
  unsigned short *const A_shared = (unsigned short *)(shared_memory + 0);
  unsigned short *const B_shared = (unsigned short *)(shared_memory + 65536);
  unsigned short *const C_shared = (unsigned short *)(shared_memory + 196608);
  unsigned long long *const A_shared_ring = (unsigned long long *)(shared_memory + 229376);
  if (i_1 == 0 && k_1_k_3_j_inner_1_fused == 0) {
    for (int i = 0; i < 4; ++i) mbarrier_init(A_shared_ring + i, 1);
    for (int i = 0; i < 4; ++i) mbarrier_init(A_shared_ring + 4 + i, 8);
    mbarrier_init_done();
  }
  __syncwarp();
  __syncthreads();
  if (threadIdx.y == 2) {
    setmaxnreg_dec_40();
    if (threadIdx.x == 0) {
      for (int z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer = 0; z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer < 4; ++z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer) {
        for (int k_0 = 0; k_0 < 112; ++k_0) {
          {
            mbarrier_wait(A_shared_ring + 4 + k_0 % 4, 1 - k_0 / 4 % 2);
            mbarrier_expect(A_shared_ring + k_0 % 4, 49152);
            // A.shared
            tma_load_3d(A_shared + k_0 % 4 * 8192, &A_map, k_0 * 64, 0, (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, A_shared_ring + k_0 % 4);
            // B.shared
            tma_load_3d(B_shared + k_0 % 4 * 16384, &B_map, k_0 * 64, (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 8 % 16 * 256, min_i32(max_i32(group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)], 0), 7), A_shared_ring + k_0 % 4);
          }
        }
      }
    }
  } else {
    setmaxnreg_inc_232();
    for (int z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer = 0; z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer < 4; ++z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer) {
      tile_wgmma_m64n256k16_bf16_k128_k128_init(sums);
      #pragma unroll 1
      for (int k_0_round = 0; k_0_round < 28; ++k_0_round) {
        mbarrier_wait(A_shared_ring, k_0_round % 2);
        __syncwarp();
        wgmma_fence();
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 0, place_of(B_shared), 0, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 2, place_of(B_shared), 2, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 4, place_of(B_shared), 4, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 6, place_of(B_shared), 6, sums);
        wgmma_commit();
        wgmma_wait_1();
        if (k_0_round >= 1) {
          __syncwarp();
          if (k_1_k_3_j_inner_1_fused % 32 == 0) mbarrier_arrive(A_shared_ring + 7);
        }
        mbarrier_wait(A_shared_ring + 1, k_0_round % 2);
        __syncwarp();
        wgmma_fence();
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 1024, place_of(B_shared), 2048, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 1026, place_of(B_shared), 2050, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 1028, place_of(B_shared), 2052, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 1030, place_of(B_shared), 2054, sums);
        wgmma_commit();
        wgmma_wait_1();
        __syncwarp();
        if (k_1_k_3_j_inner_1_fused % 32 == 0) mbarrier_arrive(A_shared_ring + 4);
        mbarrier_wait(A_shared_ring + 2, k_0_round % 2);
        __syncwarp();
        wgmma_fence();
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 2048, place_of(B_shared), 4096, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 2050, place_of(B_shared), 4098, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 2052, place_of(B_shared), 4100, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 2054, place_of(B_shared), 4102, sums);
        wgmma_commit();
        wgmma_wait_1();
        __syncwarp();
        if (k_1_k_3_j_inner_1_fused % 32 == 0) mbarrier_arrive(A_shared_ring + 5);
        mbarrier_wait(A_shared_ring + 3, k_0_round % 2);
        __syncwarp();
        wgmma_fence();
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 3072, place_of(B_shared), 6144, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 3074, place_of(B_shared), 6146, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 3076, place_of(B_shared), 6148, sums);
        tile_wgmma_m64n256k16_bf16_k128_k128_update_shared_shared(place_of(A_shared) + i_1 * 512, 3078, place_of(B_shared), 6150, sums);
        wgmma_commit();
        wgmma_wait_1();
        __syncwarp();
        if (k_1_k_3_j_inner_1_fused % 32 == 0) mbarrier_arrive(A_shared_ring + 6);
      }
      wgmma_wait_0();
      wgmma_settle_128(sums);
      __syncwarp();
      if (k_1_k_3_j_inner_1_fused % 32 == 0) mbarrier_arrive(A_shared_ring + 7);
      if (k_1_k_3_j_inner_1_fused == 0) {
        tma_store_read();
      }
      __syncwarp();
      warpgroup_meets(i_1);
      if (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132 < 512) {
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[0] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[1] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[4] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[5] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[8] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[9] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[12] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[13] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[16] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[17] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[20] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[21] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[24] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[25] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[28] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[29] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[32] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[33] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[36] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[37] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[40] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[41] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[44] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[45] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[48] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[49] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[52] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[53] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[56] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[57] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[60] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[61] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[2] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[3] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[6] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[7] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[10] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[11] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[14] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[15] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[18] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[19] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[22] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[23] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[26] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[27] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[30] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[31] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[34] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[35] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[38] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[39] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[42] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[43] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[46] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[47] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[50] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[51] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[54] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[55] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[58] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[59] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[62] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[63] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
      }
      fence_async();
      if (k_1_k_3_j_inner_1_fused == 0) {
        tma_store_read();
      }
      __syncwarp();
      warpgroup_meets(i_1);
      if (k_1_k_3_j_inner_1_fused == 0) {
        for (int j_2 = 0; j_2 < 2; ++j_2) {
          tma_store_3d(C_shared + (i_1 * 4096 + j_2 * 8192), &C_map, (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 8 % 16 * 256 + j_2 * 64, i_1 * 64, (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8);
        }
        tma_store_commit();
      }
      __syncwarp();
      if (k_1_k_3_j_inner_1_fused == 0) {
        tma_store_read();
      }
      __syncwarp();
      warpgroup_meets(i_1);
      if (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132 < 512) {
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[64] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[65] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[68] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[69] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[72] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[73] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[76] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[77] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[80] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[81] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[84] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[85] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[88] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[89] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[92] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[93] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[96] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[97] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[100] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[101] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[104] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[105] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[108] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[109] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[112] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[113] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[116] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[117] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[120] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[121] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[124] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[125] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8192))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[66] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[67] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[70] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[71] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[74] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[75] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[78] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[79] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[82] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[83] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[86] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[87] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[90] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[91] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[94] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[95] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 512))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[98] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[99] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[102] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[103] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 8) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[106] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[107] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 16) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[110] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[111] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 24) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[114] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[115] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 32) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[118] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[119] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 40) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[122] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[123] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 48) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
        {
          bf16x2 r;
          r.word[0] = f32_to_bf16x2((group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[126] : 0.0f), (group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] >= 0 && group[min_i32((z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8, 31)] < 8 ? sums[127] : 0.0f));
          *(bf16x2 *)(C_shared + (swizzle_8_64_8(k_1_k_3_j_inner_1_fused / 4 % 8 * 64 + k_1_k_3_j_inner_1_fused % 4 * 2 + 56) + (i_1 * 4096 + k_1_k_3_j_inner_1_fused / 32 * 1024 + 8704))) = r;
        }
      }
      fence_async();
      if (k_1_k_3_j_inner_1_fused == 0) {
        tma_store_read();
      }
      __syncwarp();
      warpgroup_meets(i_1);
      if (k_1_k_3_j_inner_1_fused == 0) {
        for (int j_2 = 0; j_2 < 2; ++j_2) {
          tma_store_3d(C_shared + (i_1 * 4096 + j_2 * 8192), &C_map, (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 8 % 16 * 256 + j_2 * 64 + 128, i_1 * 64, (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) / 128 * 8 + (z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_inner + z_i_0_fused_outer_j_0_z_i_0_fused_inner_fused_outer * 132) % 8);
        }
        tma_store_commit();
      }
      __syncwarp();
    }
    if (k_1_k_3_j_inner_1_fused == 0) {
      tma_store_read();
    }
    __syncwarp();
  }
}

{
 "buffers": [
  {
   "align": 64,
   "bytes": 58720256,
   "dtype": "bfloat16",
   "name": "A",
   "reduction": 1,
   "role": "in",
   "shape": [
    32,
    128,
    7168
   ]
  },
  {
   "align": 64,
   "bytes": 469762048,
   "dtype": "bfloat16",
   "name": "B",
   "reduction": 1,
   "role": "in",
   "shape": [
    8,
    4096,
    7168
   ]
  },
  {
   "align": 64,
   "bytes": 128,
   "dtype": "int32",
   "fill": {
    "from": "0",
    "kind": "range",
    "to": "7"
   },
   "name": "group",
   "reduction": 1,
   "role": "in",
   "shape": [
    32
   ]
  },
  {
   "align": 64,
   "bytes": 33554432,
   "dtype": "bfloat16",
   "name": "C",
   "reduction": 1,
   "role": "out",
   "shape": [
    32,
    128,
    4096
   ]
  }
 ],
 "code": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
 "format": "cubin",
 "kernels": [
  {
   "args": [
    "group",
    {
     "map": 0
    },
    {
     "map": 1
    },
    {
     "map": 2
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
   "dynamic_shared_bytes": 229440,
   "grid": [
    132,
    1,
    1
   ],
   "name": "C_kernel"
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
