/**
 * Security of connections. Loopback is plain; any other address uses TLS, and a bearer token identifies the caller. A token
 * travels as metadata `authorization: Bearer <token>` and is never in a message, an error or a log line.
 */

import { X509Certificate } from "node:crypto";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { ChannelCredentials, ServerCredentials } from "@grpc/grpc-js";
import { type Address, FarmError, toAddress, toAddresses } from "@warpfarm/common";

export type { Address } from "@warpfarm/common";

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** PEM of the authority that signs clients. If given, a client certificate is required. */
  readonly ca?: Buffer;
}

export interface ClientTls {
  /** PEM of the authority that signed the server; absent: the system's authorities. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * For both ends: TLS 1.3, or 1.2 with authenticated encryption and a key exchange that protects past connections (ECDHE). No RSA
 * key exchange, no CBC.
 */
export const tlsOptions = {
  minVersion: "TLSv1.2",
  ciphers: [
    ...["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"],
    ...["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
    ...["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
    ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ].join(":"),
} as const satisfies SecureContextOptions;

/** Sentences about certificates that have expired, are not yet valid, or expire within two weeks. */
export function certificateWarnings({ cert, ca }: Pick<TlsFiles, "cert" | "ca">, now: number): string[] {
  const soonMs = 14 * 86_400_000;
  return (
    [
      ["--tls-cert", cert],
      ["--tls-ca", ca],
    ] as const
  ).flatMap(([flag, pem]) => {
    const certificate = pem && readCertificate(pem);
    if (!certificate) return [];
    const { validFrom, validTo } = certificate;
    if (Date.parse(validTo) <= now) return [`the certificate of ${flag} expired on ${validTo}: others refuse it`];
    if (Date.parse(validFrom) > now) return [`the certificate of ${flag} is valid from ${validFrom} on only: others refuse it`];
    if (Date.parse(validTo) - now < soonMs) return [`the certificate of ${flag} expires on ${validTo}`];
    return [];
  });
}

/** Unix time in milliseconds; undefined for text that is no certificate. */
export function certificateEndMs(pem: Buffer): number | undefined {
  const certificate = readCertificate(pem);
  return certificate && Date.parse(certificate.validTo);
}

function readCertificate(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** "host:port", "[::1]:port". Throws INVALID_ARGUMENT. */
export function parseAddress(text: string): Address {
  const address = toAddress(text);
  if (!address) throw notAnAddress(text);
  return address;
}

/** "host:port,host:port": the trackers of one farm, each once. Throws INVALID_ARGUMENT that names the faulty part. */
export function parseAddresses(text: string): readonly string[] {
  const addresses = toAddresses(text);
  if (addresses.ok) return addresses.value;
  const { part, wrong } = addresses.error;
  if (wrong !== undefined) throw notAnAddress(part);
  throw new FarmError("INVALID_ARGUMENT", `address ${JSON.stringify(part)} is given twice`);
}

const notAnAddress = (text: string): FarmError =>
  new FarmError("INVALID_ARGUMENT", `address ${JSON.stringify(text.slice(0, 100))} is not host:port`);

const ofThisMachine = new BlockList();
ofThisMachine.addSubnet("127.0.0.0", 8, "ipv4");
ofThisMachine.addAddress("::1", "ipv6");

/** Also of an address of IPv4 as a socket of IPv6 has it: ::ffff:127.0.0.1. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || (isIP(host) !== 0 && ofThisMachine.check(host, isIPv6(host) ? "ipv6" : "ipv4"));

/** Throws INVALID_ARGUMENT when the files are no certificate, no key, or do not belong together. */
function secureContext(tls: ClientTls): SecureContext {
  try {
    return createSecureContext({ ...tlsOptions, ...tls });
  } catch (error) {
    // "error:0480006C:PEM routines::no start line"
    const why = String((error as Error).message)
      .split(":")
      .at(-1);
    throw new FarmError("INVALID_ARGUMENT", `the files of --tls-cert and --tls-key cannot be used together: ${why}`, {
      cause: error,
    });
  }
}

/** Throws INVALID_ARGUMENT when the files are no certificate, no key, or do not belong together. */
export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  secureContext(tls);
  return new TlsServerCredentials(tls);
}

/** grpc-js takes its ciphers only from the environment. */
class TlsServerCredentials extends ServerCredentials {
  constructor({ cert, key, ca }: TlsFiles) {
    super(
      { requestCert: ca !== undefined, rejectUnauthorized: ca !== undefined },
      { ...tlsOptions, cert, key, ...(ca ? { ca } : {}) },
    );
  }
  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/**
 * Credentials of one client that also know its connections. When a grpc-js client is closed while it waits for its peer's first
 * word, it leaves the connection open as long as the peer does (its connector's `shutdown` closes an HTTP/2 session in order,
 * which waits for the peer). Call `destroyConnections` after closing such a client.
 */
export class OwnedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials;
  readonly #sockets = new Set<Socket>();
  #isDestroyed = false;

  constructor(tls: ClientTls | undefined) {
    super();
    this.#inner = tls ? ChannelCredentials.createFromSecureContext(secureContext(tls)) : ChannelCredentials.createInsecure();
  }
  override _isSecure(): boolean {
    return this.#inner._isSecure();
  }
  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }
  override _createSecureConnector(...how: Parameters<ChannelCredentials["_createSecureConnector"]>) {
    const connector = this.#inner._createSecureConnector(...how);
    nameNoAddress(connector);
    return {
      connect: (socket: Socket) => {
        this.#sockets.add(socket);
        socket.once("close", () => this.#sockets.delete(socket));
        if (this.#isDestroyed) socket.destroy();
        return connector.connect(socket);
      },
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
    };
  }

  destroyConnections(): void {
    this.#isDestroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * Server Name Indication takes only names (RFC 6066), and Node warns about an address on standard error. Without it the
 * certificate is still checked against the address.
 */
function nameNoAddress(connector: object): void {
  const { connectionOptions } = connector as { readonly connectionOptions?: { servername?: string } };
  if (connectionOptions?.servername !== undefined && isIP(connectionOptions.servername) !== 0)
    delete connectionOptions.servername;
}

/** The token in the `authorization` metadata, if it has the right form. */
export function bearerOf(values: readonly (string | Buffer)[]): string | undefined {
  const [value] = values;
  return typeof value === "string" ? /^Bearer ([\x21-\x7e]{1,512})$/.exec(value)?.[1] : undefined;
}
