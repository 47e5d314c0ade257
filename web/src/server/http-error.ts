/** Errors over HTTP. Only a FarmError is sent; anything else is a fault of the server and goes to its log. */
import { FarmError, isOutOfFiles, outOfFilesWords } from "@warpfarm/common";

const statusOf = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  FAILED_PRECONDITION: 409,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
} as const satisfies Partial<Record<FarmError["code"], number>>;

interface HttpError {
  readonly status: (typeof statusOf)[keyof typeof statusOf] | 500;
  readonly code: FarmError["code"];
  readonly message: string;
}

export function httpError(error: unknown): HttpError {
  if (isOutOfFiles(error)) return { status: 503, code: "UNAVAILABLE", message: outOfFilesWords };
  const { code = "INTERNAL", message = "" } = error instanceof FarmError ? error : {};
  const status = (statusOf as Partial<Record<FarmError["code"], HttpError["status"]>>)[code];
  return status === undefined
    ? { status: 500, code, message: "internal error; the server's log has the cause" }
    : { status, code, message };
}
