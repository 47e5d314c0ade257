/**
 * How a command ends: the exit codes, and one sentence for each error.
 *
 *   0 ok   1 finished without a valid result   2 bad input   3 farm unreachable or lost   4 check failed or regression
 *   130 SIGINT   143 SIGTERM
 *
 * A FarmError is classified by its code, never by its message; what the system refused (EACCES, ENOENT, ...) is bad input, but a
 * full disk, or too many open files, is a machine that cannot go on (3). Everything else is a fault of the program: one sentence,
 * with the stack only under WARPFARM_DEBUG=1.
 */
import { FarmError, type FarmErrorCode, fileFault, isDiskFull, isOutOfFiles, outOfFilesWords, printable } from "@warpfarm/common";

export const exitCode = {
  ok: 0,
  noResult: 1,
  badInput: 2,
  farmLost: 3,
  checkFailed: 4,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** An error that the user can act on: one sentence that names the input and what is allowed. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;
  constructor(code: ExitCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.exitCode = code;
  }
}

/** Why a command stops when a signal asks it to; also the abort reason of CliContext.signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly signalName: "SIGINT" | "SIGTERM";
  constructor(signalName: "SIGINT" | "SIGTERM") {
    super(`stopped by ${signalName}`);
    this.signalName = signalName;
  }
}

const farmCodes: Record<FarmErrorCode, ExitCode> = {
  INVALID_ARGUMENT: exitCode.badInput,
  NOT_FOUND: exitCode.farmLost,
  ALREADY_EXISTS: exitCode.farmLost,
  FAILED_PRECONDITION: exitCode.badInput,
  RESOURCE_EXHAUSTED: exitCode.farmLost,
  ABORTED: exitCode.farmLost,
  UNAVAILABLE: exitCode.farmLost,
  DEADLINE_EXCEEDED: exitCode.farmLost,
  UNAUTHENTICATED: exitCode.badInput,
  PERMISSION_DENIED: exitCode.badInput,
  CANCELLED: exitCode.farmLost,
  DATA_LOSS: exitCode.farmLost,
  INTERNAL: exitCode.farmLost,
};

/** Whether the system refused a file, a directory or a port. The user must correct it. */
const isRefusedBySystem = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "code" in error && /^E[A-Z0-9]+$/.test(String(error.code));

/** The exit code of an error. A stop by a signal takes precedence over errors that it caused. */
export function exitCodeOf(error: unknown, signal?: AbortSignal): ExitCode {
  const reason = signal?.aborted ? signal.reason : error;
  if (reason instanceof Interrupted) return reason.signalName === "SIGINT" ? exitCode.interrupted : exitCode.terminated;
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof FarmError) return farmCodes[error.code];
  if (isRefusedBySystem(error)) return isDiskFull(error) || isOutOfFiles(error) ? exitCode.farmLost : exitCode.badInput;
  return exitCode.noResult;
}

/** One line for people: white space folded, no stack, nothing that a terminal obeys. */
export function sentenceOf(error: unknown): string {
  if (isOutOfFiles(error)) return outOfFilesWords;
  const text = error instanceof Error ? error.message : String(error);
  const folded = printable(text.replace(/\s+/g, " ").trim());
  if (error instanceof CliError || error instanceof FarmError || error instanceof Interrupted) return folded;
  // For a socket the system's words name the address.
  if (isRefusedBySystem(error)) return error.path === undefined ? folded : `${error.path}: ${fileFault(error)}`;
  return `a fault of warpfarm itself: ${folded} (WARPFARM_DEBUG=1 shows where)`;
}

export const withRule = ({ message, rule }: { readonly message: string; readonly rule?: string | undefined }): string =>
  rule === undefined || message.includes(`[${rule}]`) ? message : `${message} [${rule}]`;
