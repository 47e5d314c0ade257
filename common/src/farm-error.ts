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
