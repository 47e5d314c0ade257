/** Did the system refuse to write because there is no room: on the disk, or in what its user may have of it? */
export const isDiskFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
