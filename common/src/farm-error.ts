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

/** Did the system refuse to write because the disk, or the user's quota of it, is full? */
export const isDiskFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
/** Did the system refuse to open a file, a pipe or a connection because this process, or the machine, has too many open? */
export const isOutOfFiles = (error: unknown): boolean =>
  ["EMFILE", "ENFILE"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");

/** In place of the system's words, which have a path or a stack. */
export const outOfFilesWords =
  "this process has as many files, pipes and connections open as it may (EMFILE): raise the limit (ulimit -n 1024 in its shell, LimitNOFILE= of its service), or end some of what it serves";
