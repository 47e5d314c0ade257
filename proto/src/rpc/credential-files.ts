/** Token and certificate files of a process that connects to the tracker. Their contents are never logged. */
import { readFileSync } from "node:fs";
import { FarmError, tokenIn, unreadable } from "@warpfarm/common";
import type { ChannelOptions } from "./channel.ts";
import { isLoopback, parseAddress, parseAddresses } from "./credentials.ts";

export interface CredentialFiles {
  readonly tokenFile?: string;
  /** PEM of the authority that signed the tracker's certificate: turns TLS on. */
  readonly tlsCa?: string;
  /** PEM of this process's own certificate and key, if the tracker requires one. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Throws INVALID_ARGUMENT that names the flag and the file. */
export function readCredentials({ tokenFile, tlsCa, tlsCert, tlsKey }: CredentialFiles): Pick<ChannelOptions, "token" | "tls"> {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new FarmError("INVALID_ARGUMENT", "--tls-cert and --tls-key go together");
  const tls = {
    ...(tlsCa === undefined ? {} : { ca: contentsOf("--tls-ca", tlsCa) }),
    ...(tlsCert === undefined ? {} : { cert: contentsOf("--tls-cert", tlsCert) }),
    ...(tlsKey === undefined ? {} : { key: contentsOf("--tls-key", tlsKey) }),
  };
  return {
    ...(tokenFile === undefined ? {} : { token: tokenIn(tokenFile, contentsOf("--token-file", tokenFile)) }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
  };
}

/** Whether a tracker may have clients of other machines: one off loopback, or one with tokens or TLS, as behind a tunnel. */
export const servesOthers = (tracker: string, { tokenFile, tlsCa, tlsCert }: CredentialFiles): boolean =>
  [tokenFile, tlsCa, tlsCert].some((file) => file !== undefined) ||
  !parseAddresses(tracker).every((one) => isLoopback(parseAddress(one).host));

function contentsOf(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    return unreadable(`${flag} ${path}`)(error);
  }
}
