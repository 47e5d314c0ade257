/**
 * The limits of a device that somebody relies on, by the names under which a runner registers them: a GPU's are the driver's
 * attributes (CUdevice_attribute of cuda.h, lower case). Each with the most that could be true of any device; none can be zero.
 * What else a runner registers is told to people and judged by nobody.
 */
export const limitCeilings = {
  /** Of a processor. */
  threads: 65_536,
  max_threads_per_block: 65_536,
  max_block_dim_x: 65_536,
  max_block_dim_y: 65_536,
  max_block_dim_z: 65_536,
  max_grid_dim_x: 2 ** 32 - 1,
  max_grid_dim_y: 2 ** 32 - 1,
  max_grid_dim_z: 2 ** 32 - 1,
  /** Bytes. */
  max_shared_memory_per_block_optin: 2 ** 24,
} as const;
export type LimitName = keyof typeof limitCeilings;
