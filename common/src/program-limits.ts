/** What every reader of a Program's document knows of it. */

/**
 * Versions of a Program's document that this release reads and its builders register. A writer writes the lowest that can say it:
 * 2 for fills and tolerances, 3 for arguments per kernel, 4 for PTX, cubins, template arguments, some intrinsics, and the
 * primitives of `sinceVersion4`; 5 for bundles of headers; 6 for tensors that are filled from blobs, and a compiler that is asked
 * for; 7 for clusters of blocks in a schedule, the primitives of `sinceVersion7`, cooperative launches, and outputs in parts.
 */
export const programVersions = [1, 2, 3, 4, 5, 6, 7] as const;
export type ProgramVersion = (typeof programVersions)[number];

export const maxProgramBytes = 1 << 20;
/** Levels of nested lists and objects. */
export const maxProgramDepth = 64;
