/**
 * FarmError <-> gRPC status. A code keeps its name. Anything but a FarmError leaves the server as INTERNAL, without a stack or a
 * path. A client maps a status that no farm sends to the nearest code.
 */

import { Metadata, status } from "@grpc/grpc-js";
import { FarmError, type FarmErrorCode, farmErrorCodes, isOutOfFiles, outOfFilesWords } from "@warpfarm/common";

interface WireStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata?: Metadata;
}

const ruleTrailer = "warpfarm-rule";

const isFarmCode = (name: string | undefined): name is FarmErrorCode =>
  name !== undefined && (farmErrorCodes as readonly string[]).includes(name);

export function statusOf(error: unknown): WireStatus {
  if (error instanceof FarmError) {
    const plain = { code: status[error.code], details: error.message };
    if (error.rule === undefined) return plain;
    const metadata = new Metadata();
    metadata.set(ruleTrailer, error.rule);
    return { ...plain, metadata };
  }
  // Another try, or another tracker, may succeed.
  if (isOutOfFiles(error)) return { code: status.UNAVAILABLE, details: outOfFilesWords };
  return { code: status.INTERNAL, details: "internal error; the server's log has the cause" };
}

/**
 * How grpc-js reports a stream that was reset without a status, mostly by an ingress whose tracker went away. A tracker's own
 * INTERNAL has another text.
 */
const isReset = ({ code, details }: ServiceErrorLike): boolean =>
  code === status.INTERNAL && details.startsWith("Received RST_STREAM with code");

/** nghttp2's message for a peer that answers in HTTP/1.1, as a tracker's HTTP port does. */
const notHttp2 = "Protocol error";
const wrongPort =
  "the server at this address does not speak gRPC: give the port of the tracker's --listen (default 9290), not that of its --http (default 9291)";

/**
 * Why grpc-js got no connection. The reason is taken out of grpc-js's text ("No connection established. Last error: ... (time).
 * Resolution note: ") and out of OpenSSL's line.
 */
function plainDetails(details: string): string {
  const [, reason = details] =
    /^No connection established\. Last error: (?:Error: )?(.*?)(?: \([\d-]+T[\d:.]+Z\))?\. Resolution note:/s.exec(details) ?? [];
  if (reason === notHttp2) return wrongPort;
  return /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(reason)?.[1] ?? reason;
}

/** What grpc-js and OpenSSL say of a connection that they did not get, as rules: neither has a code for it. */
const connectionRules: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, "connection.refused"],
  [/^Name resolution failed/, "connection.name"],
  [/^wrong version number/, "connection.no_tls"],
  [/alert certificate required$/, "connection.certificate"],
  [/^(self-signed certificate|unable to (verify the first|get (local )?issuer) certificate)/, "connection.authority"],
  [/^certificate has expired$/, "connection.expired"],
  [/^certificate is not yet valid$/, "connection.early"],
  [/^(Failed to connect|read ECONNRESET)$/, "connection.reset"],
];
const connectionRule = (code: FarmErrorCode, reason: string): string | undefined =>
  code === "UNAVAILABLE" || code === "DEADLINE_EXCEEDED" ? connectionRules.find(([words]) => words.test(reason))?.[1] : undefined;

/** Codes that no FarmError has. This farm never sends UNKNOWN and OUT_OF_RANGE. */
const nearest: Partial<Record<keyof typeof status, FarmErrorCode>> = { UNIMPLEMENTED: "FAILED_PRECONDITION" };

interface ServiceErrorLike {
  readonly code: status;
  readonly details: string;
  readonly metadata?: Metadata;
}
const isServiceError = (error: unknown): error is ServiceErrorLike =>
  error instanceof Error && typeof (error as Partial<ServiceErrorLike>).code === "number";

/** The FarmError of a call that failed, and that its caller did not abort: CANCELLED, or a reset, means a lost connection. */
export function farmErrorOf(error: unknown): FarmError {
  if (error instanceof FarmError) return error;
  if (!isServiceError(error))
    return new FarmError("INTERNAL", error instanceof Error ? error.message : String(error), { cause: error });
  const name = status[error.code] as keyof typeof status | undefined;
  if (name === "CANCELLED" || isReset(error))
    return new FarmError("UNAVAILABLE", `the connection was lost: ${error.details}`, { cause: error });
  const code = isFarmCode(name) ? name : ((name && nearest[name]) ?? "INTERNAL");
  const reason = plainDetails(error.details);
  return new FarmError(code, reason, { cause: error, rule: ruleIn(error) ?? connectionRule(code, reason) });
}

function ruleIn({ metadata }: ServiceErrorLike): string | undefined {
  const [rule] = metadata?.get(ruleTrailer) ?? [];
  return typeof rule === "string" && /^[a-z_.]{1,64}$/.test(rule) ? rule : undefined;
}
