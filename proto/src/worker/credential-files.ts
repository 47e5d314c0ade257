/** Token and certificate files of a process that dials the tracker. What they hold is never logged. */
import { readFileSync } from "node:fs";
import { FarmError } from "@warpfarm/common";
import type { ChannelOptions } from "../rpc/channel.ts";

export interface CredentialFiles {
  readonly tokenFile?: string;
  /** PEM of the authority that signed the tracker's certificate: turns TLS on. */
  readonly tlsCa?: string;
}

/** Throws INVALID_ARGUMENT naming the flag and the file. */
export function readCredentials({ tokenFile, tlsCa }: CredentialFiles): Pick<ChannelOptions, "token" | "tls"> {
  return {
    ...(tokenFile === undefined ? {} : { token: contentsOf("--token-file", tokenFile).toString().trim() }),
    ...(tlsCa === undefined ? {} : { tls: { ca: contentsOf("--tls-ca", tlsCa) } }),
  };
}

function contentsOf(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FarmError("INVALID_ARGUMENT", `${flag} ${path} cannot be read: ${why}`, { cause: error });
  }
}
