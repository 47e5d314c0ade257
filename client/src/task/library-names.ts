/** Names that the package `warpfarm` gives to programs, and not to template and spec files. */
export const libraryNames = ["openFarm", "openSearch", "measure", "records", "best", "exportKernel"] as const;
