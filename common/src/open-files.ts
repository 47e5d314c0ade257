/** Did the system refuse to open a file, a pipe or a connection because this process, or the machine, has too many open? */
export const isOutOfFiles = (error: unknown): boolean =>
  ["EMFILE", "ENFILE"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");

/** In place of the system's words, which have a path or a stack. */
export const outOfFilesWords =
  "this process has as many files, pipes and connections open as it may (EMFILE): raise the limit (ulimit -n 1024 in its shell, LimitNOFILE= of its service), or end some of what it serves";
