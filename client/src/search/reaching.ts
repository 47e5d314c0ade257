import { FarmError } from "@warpfarm/common";

/**
 * Adds the tracker's address to connection errors, because gRPC's text lacks it. A tracker that answers, even if only that its
 * store is away, was reached. A caller without a valid token is told where to name one.
 */
export async function reaching<T>(where: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FarmError)) throw error;
    const { code, message, rule } = error;
    if (code === "UNAUTHENTICATED" && rule !== "door.certificate")
      throw new FarmError(code, `${message}; --token-file or WARPFARM_TOKEN_FILE names the file that has it`, { cause: error });
    if (code !== "UNAVAILABLE" && code !== "DEADLINE_EXCEEDED") throw error;
    if (rule?.startsWith("store."))
      // It was reached, and says so.
      throw new FarmError(code, `the tracker at ${where} cannot serve: ${message}`, { cause: error });
    const why = reasons[rule ?? ""] ?? message;
    throw new FarmError(code, `cannot reach the tracker at ${where}: ${why}`, { cause: error });
  }
}

/** Words of failed connections, for people. Advice follows from the code. */
const reasons: Readonly<Record<string, string>> = {
  "connection.refused": "nothing listens there",
  "connection.name": "no machine of that name is known",
  "connection.no_tls": "it does not speak TLS; leave --tls-ca out",
  "connection.certificate": "it requires a client certificate: give --tls-cert and --tls-key",
  "connection.authority": "no authority that is known here signed its certificate; --tls-ca names the one that did",
  "connection.expired": "its certificate has expired; renew it there, or set this machine's clock",
  "connection.early": "its certificate is not valid yet; set this machine's clock, or that of the machine that made it",
  "connection.reset":
    "it ends connections at once; if it speaks TLS, give --tls-ca, or a --tls-cert of an authority that it knows",
};
