// CUTLASS's example 14 (ampere_tf32_tensorop_gemm) with its tile sizes, stages and order of tiles as template arguments. A farm
// launches a kernel with pointers and numbers, so each thread builds CUTLASS's Params itself; the compiler folds most of them.
#include "cutlass/gemm/device/gemm.h"

/// C = A B of TF32 products: A and C row-major, B column-major. Sizes are multiples of the tiles. SHARED: bytes of the launch.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int GROUP>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32) gemm(float *c, const float *a, const float *b, int m, int n, int k) {
  using Rows = cutlass::layout::RowMajor;
  using Columns = cutlass::layout::ColumnMajor;
  using Gemm = typename cutlass::gemm::device::Gemm<
      float, Rows, float, Columns, float, Rows, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
      cutlass::gemm::GemmShape<BM, BN, BK>, cutlass::gemm::GemmShape<WM, WN, BK>, cutlass::gemm::GemmShape<16, 8, 8>,
      cutlass::epilogue::thread::LinearCombination<float, 4, float, float>,
      cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<GROUP>, STAGES>::GemmKernel;
  using Shared = typename Gemm::SharedStorage;
  static_assert(sizeof(Shared) <= SHARED, "the launch has too few bytes of shared memory");
  extern __shared__ __align__(128) char shared[];
  const typename Gemm::Params params({m, n, k}, {m / BM, n / BN, 1}, {const_cast<float *>(a), k}, {const_cast<float *>(b), k}, {c, n},
                                     {c, n}, {1.0f, 0.0f});
  Gemm()(params, *reinterpret_cast<Shared *>(shared));
}
