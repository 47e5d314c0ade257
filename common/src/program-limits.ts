/** What every reader of a Program's document knows of it. */

/** Versions of a Program's document that this release reads and its builders register. */
export const programVersions = [1] as const;
export type ProgramVersion = (typeof programVersions)[number];

export const maxProgramBytes = 1 << 20;
/** Levels of nested lists and objects. */
export const maxProgramDepth = 64;
