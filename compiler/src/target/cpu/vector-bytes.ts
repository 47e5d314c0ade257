import type { Target } from "@warpfarm/common";

/** Bytes of the widest vector register: AVX-512 from x86-64-v4 on, AVX from v3 on, SSE, NEON. */
export function vectorBytes({ level, features }: Target): number {
  if (!features.has("x86-64") || level < 3) return 16;
  return level < 4 ? 32 : 64;
}
