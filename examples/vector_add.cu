#include "items.cuh"

// c[i] = a[i] + b[i]: ITEMS elements a thread, neighbours in neighbouring threads.
extern "C" __global__ void __launch_bounds__(BLOCK) vector_add(float *c, const float *a, const float *b, int n) {
  const int first = first_item(blockIdx.x, threadIdx.x);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = first + k * BLOCK;
    if (i < n) c[i] = a[i] + b[i];
  }
}
