/**
 * Doors (design §9): loopback is plain; any other address takes TLS, and a bearer token says who calls. A token travels as metadata
 * `authorization: Bearer <token>` and is never part of a message, an error or a log line.
 */

import { isIP, type Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { ChannelCredentials, ServerCredentials } from "@grpc/grpc-js";
import { type Address, FarmError, toAddress, toAddresses } from "@warpfarm/common";

export type { Address } from "@warpfarm/common";

export interface TlsFiles {
  /** PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** PEM of the authority that signs clients; given = a client certificate is required. */
  readonly ca?: Buffer;
}

export interface ClientTls {
  /** PEM of the authority that signed the server; absent = the system's. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** "host:port", "[::1]:port". Throws INVALID_ARGUMENT. */
export function parseAddress(text: string): Address {
  const address = toAddress(text);
  if (!address) throw notAnAddress(text);
  return address;
}

/** "host:port,host:port": the trackers of one farm, each once. Throws INVALID_ARGUMENT naming the one that is wrong. */
export function parseAddresses(text: string): readonly string[] {
  const addresses = toAddresses(text);
  if (addresses.ok) return addresses.value;
  const { part, wrong } = addresses.error;
  if (wrong !== undefined) throw notAnAddress(part);
  throw new FarmError("INVALID_ARGUMENT", `address ${JSON.stringify(part)} is given twice`);
}

const notAnAddress = (text: string): FarmError =>
  new FarmError("INVALID_ARGUMENT", `address ${JSON.stringify(text.slice(0, 100))} is not host:port`);

export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Throws INVALID_ARGUMENT when the files are no certificate, no key, or not of each other. */
export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  try {
    createSecureContext(tls);
  } catch (error) {
    // "error:0480006C:PEM routines::no start line"
    const why = String((error as Error).message)
      .split(":")
      .at(-1);
    throw new FarmError("INVALID_ARGUMENT", `the TLS certificate and key cannot be used: ${why}`, { cause: error });
  }
  return ServerCredentials.createSsl(tls.ca ?? null, [{ cert_chain: tls.cert, private_key: tls.key }], tls.ca !== undefined);
}

/**
 * Credentials of one client that know its connections. A grpc-js client that is closed while it waits for the first word of its peer
 * leaves that connection open for as long as the peer does (its connector's `shutdown` closes an HTTP/2 session in order, which waits for
 * the peer): whoever closes such a client calls `destroyConnections` too.
 */
export class OwnedCredentials extends ChannelCredentials {
  readonly #inner: ChannelCredentials;
  readonly #sockets = new Set<Socket>();
  #isDestroyed = false;

  constructor(tls: ClientTls | undefined) {
    super();
    this.#inner = tls
      ? ChannelCredentials.createSsl(tls.ca ?? null, tls.key ?? null, tls.cert ?? null)
      : ChannelCredentials.createInsecure();
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

  /** Those that there are, and any that is still to come. */
  destroyConnections(): void {
    this.#isDestroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * Server Name Indication is of names (RFC 6066); Node warns of an address there, on standard error. Without it the certificate is checked
 * against the host all the same, so against the address.
 */
function nameNoAddress(connector: object): void {
  const { connectionOptions } = connector as { readonly connectionOptions?: { servername?: string } };
  if (connectionOptions?.servername !== undefined && isIP(connectionOptions.servername) !== 0)
    delete connectionOptions.servername;
}

/** The token of `authorization` metadata, if it has the form. */
export function bearerOf(values: readonly (string | Buffer)[]): string | undefined {
  const [value] = values;
  return typeof value === "string" ? /^Bearer ([\x21-\x7e]{1,512})$/.exec(value)?.[1] : undefined;
}
