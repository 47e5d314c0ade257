/** Lanes of a warp: the threads that do an intrinsic together, and that keep a fragment together. */
export const warpSize = 32;
