/**
 * The limits of a device on which checks rely, by the names under which a runner registers them. A GPU's are attributes of the
 * driver (CUdevice_attribute of cuda.h, in lower case). Each has a value that no device exceeds, and none can be zero. Other
 * facts that a runner registers are only shown to people.
 */
export const limitCeilings = {
  threads: 65_536,
  max_threads_per_block: 65_536,
  max_block_dim_x: 65_536,
  max_block_dim_y: 65_536,
  max_block_dim_z: 65_536,
  max_grid_dim_x: 2 ** 32 - 1,
  max_grid_dim_y: 2 ** 32 - 1,
  max_grid_dim_z: 2 ** 32 - 1,
  max_shared_memory_per_block_optin: 2 ** 24,
} as const;
export type LimitName = keyof typeof limitCeilings;
