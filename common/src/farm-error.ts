/**
 * The farm failed, not the candidate: a lease was lost, the tracker is away, a request is bad or was cancelled. A tuner is never
 * told. proto/rpc maps these codes to gRPC status and back, and the CLI maps them to exit codes.
 */
export const farmErrorCodes = [
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "FAILED_PRECONDITION",
  "RESOURCE_EXHAUSTED",
  "ABORTED",
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "CANCELLED",
  "DATA_LOSS",
  "INTERNAL",
] as const;
export type FarmErrorCode = (typeof farmErrorCodes)[number];

const retryable: ReadonlySet<FarmErrorCode> = new Set(["UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED"]);

export class FarmError extends Error {
  override readonly name = "FarmError";
  readonly code: FarmErrorCode;
  /** The reason within its code, such as `store.away`, where callers act on it. It travels with the code. */
  readonly rule: string | undefined;
  constructor(
    code: FarmErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly rule?: string | undefined } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : {});
    this.code = code;
    this.rule = options.rule;
  }
  /** True when the same request may succeed later, perhaps after registering or connecting again. */
  get retryable(): boolean {
    return retryable.has(this.code);
  }
}

/** What the user, or a caller, must correct. */
export const badInput = (
  message: string,
  options: { readonly cause?: unknown; readonly rule?: string | undefined } = {},
): FarmError => new FarmError("INVALID_ARGUMENT", message, options);

/** Whether the system refused to write because the disk, or the user's quota of it, is full. */
export const isDiskFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
/** Whether the system refused to open a file, a pipe or a connection because too many are open. */
export const isOutOfFiles = (error: unknown): boolean =>
  ["EMFILE", "ENFILE"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EISDIR: "it is a folder, not a file",
  EACCES: "this user has no right to it",
  EPERM: "this user has no right to it",
  EROFS: "its file system is read-only",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  EEXIST: "a file has that name",
  ENOTEMPTY: "the folder is not empty",
  ENXIO: "nobody is at its other end",
  EBUSY: "another process uses it",
  EIO: "its disk failed (EIO)",
};

export function fileFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isOutOfFiles(error)) return outOfFilesWords;
  return fileFaults[code ?? ""] ?? (isDiskFull(error) ? "the disk is full" : (code ?? message));
}

const refused =
  (how: string) =>
  (what: string) =>
  (error: unknown): never => {
    throw badInput(`${what} cannot be ${how}: ${fileFault(error)}`, { cause: error });
  };
/** For `.catch` of what reads or writes a file of the user: `log "a" cannot be read: there is no such file or folder`. */
export const unreadable = refused("read");
export const unwritable = refused("written");

/** In place of the system's words, which contain a path or a stack. */
export const outOfFilesWords =
  "this process has as many files, pipes and connections open as it may (EMFILE): raise the limit (ulimit -n 1024 in its shell, LimitNOFILE= of its service), or end some of what it serves";
