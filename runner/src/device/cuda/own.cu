/**
 * The node's own kernels for GPUs (device/own.ts says what they are for and what they answer), one thread a word of the output. PTX is generated
 * by scripts/gen-cuda-helper.mjs with -fmad=false, because a runner has no compiler and the answer must be that of rounding each step.
 */
typedef unsigned int u32;
static const u32 kChains = 256, kRounds = 4096;

/** out[i]: an integer and a float chain of i % 256, in which one wrong bit of one step changes the end. */
extern "C" __global__ void arithmetic(u32 *out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 u = i % kChains;
  float f = (float)u / 256.0f;
  for (u32 round = 0; round < kRounds; round++) {
    u = (u ^ (u >> 15)) * 0x2c1b3c6du + 1u;
    f = 1.9375f - f * f;
  }
  out[i] = u ^ __float_as_uint(f);
}

/** out[i] = in[i] + i * 0x9e3779b1: reads and writes each word once. */
extern "C" __global__ void memory(const u32 *in, u32 *out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + i * 0x9e3779b1u;
}
