/**
 * The farm failed, not the candidate: lease lost, tracker away, bad request, cancelled. Never told to a tuner.
 * proto/rpc maps these codes to and from gRPC status; the CLI maps them to exit codes.
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
  /** Which of the reasons of its code, where somebody acts on that: `store.away`. It travels with the code. */
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
