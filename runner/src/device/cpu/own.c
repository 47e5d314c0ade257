/*
 * The node's own kernels for processors (device/own.ts says what they are for and what they answer). Compiled ahead by
 * scripts/gen-own-code.mjs, because a runner has no compiler; freestanding, so that any C library may load them.
 */
typedef unsigned int u32;

enum { CHAINS = 256, ROUNDS = 4096, WORDS = 1 << 18 };

static u32 bits_of(float value) {
  union {
    float value;
    u32 bits;
  } both = {value};
  return both.bits;
}

/* out[i] of 256: an integer and a float chain, in which one wrong bit of one step changes the end. */
void arithmetic(void *const *args) {
  u32 *out = args[0];
  for (u32 i = 0; i < CHAINS; i++) {
    u32 u = i;
    float f = (float)i / 256.0f;
    for (u32 round = 0; round < ROUNDS; round++) {
      u = (u ^ (u >> 15)) * 0x2c1b3c6du + 1u;
      f = 1.9375f - f * f;
    }
    out[i] = u ^ bits_of(f);
  }
}

/* out[i] = in[i] + i * 0x9e3779b1: reads and writes each word once. */
void memory(void *const *args) {
  const u32 *in = args[0];
  u32 *out = args[1];
  for (u32 i = 0; i < WORDS; i++) out[i] = in[i] + i * 0x9e3779b1u;
}
