static __device__ int first_item(int block, int thread) { return block * (BLOCK * ITEMS) + thread; }
