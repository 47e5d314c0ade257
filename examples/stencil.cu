// A five-point stencil over a grid with a fixed rim: TILE_Y rows a thread, in shared memory where CACHED is 1.
#ifndef CACHED
#define CACHED 0
#endif

extern "C" __global__ void stencil(float *out, const float *in, int width, int height, float centre, float side) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int top = blockIdx.y * BLOCK_Y * TILE_Y;
#if CACHED
  __shared__ float tile[BLOCK_Y * TILE_Y + 2][BLOCK_X + 2];
  for (int j = threadIdx.y; j < BLOCK_Y * TILE_Y + 2; j += BLOCK_Y)
    for (int i = threadIdx.x; i < BLOCK_X + 2; i += BLOCK_X) {
      const int gx = blockIdx.x * BLOCK_X + i - 1, gy = top + j - 1;
      tile[j][i] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0.0f;
    }
  __syncthreads();
#define AT(dx, dy) tile[row + 1 + (dy)][threadIdx.x + 1 + (dx)]
#else
#define AT(dx, dy) in[(y + (dy)) * width + x + (dx)]
#endif
#pragma unroll TILE_Y
  for (int t = 0; t < TILE_Y; t++) {
    const int row = threadIdx.y + t * BLOCK_Y, y = top + row;
    if (x >= width || y >= height) continue;
    const bool isRim = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    out[y * width + x] = isRim ? in[y * width + x]
                               : centre * AT(0, 0) + side * (AT(-1, 0) + AT(1, 0) + AT(0, -1) + AT(0, 1));
  }
}
