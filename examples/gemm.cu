// C = A B, row-major: a block makes BM by BN of C, a thread TM by TN, over slices of BK in shared memory. Sizes are multiples.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN)) gemm(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float as[BK][BM];
  __shared__ float bs[BK][BN];
  constexpr int across = BN / TN, threads = (BM / TM) * across;
  const int tx = threadIdx.x % across, ty = threadIdx.x / across;
  const float *rows = a + (size_t)blockIdx.y * BM * k;
  const float *columns = b + (size_t)blockIdx.x * BN;
  float sum[TM][TN] = {};
  for (int start = 0; start < k; start += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += threads) as[i % BK][i / BK] = rows[(size_t)(i / BK) * k + start + i % BK];
    for (int i = threadIdx.x; i < BK * BN; i += threads) bs[i / BN][i % BN] = columns[(size_t)(start + i / BN) * n + i % BN];
    __syncthreads();
#pragma unroll
    for (int l = 0; l < BK; l++)
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) sum[i][j] += as[l][ty * TM + i] * bs[l][tx * TN + j];
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++)
      c[(size_t)(blockIdx.y * BM + ty * TM + i) * n + blockIdx.x * BN + tx * TN + j] = sum[i][j];
}
