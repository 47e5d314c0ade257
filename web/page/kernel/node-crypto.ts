/** Replaces node:crypto in a browser for the compiler and `common`: the hash that names programs, and random bytes. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export function createHash(name: string) {
  if (name !== "sha256") throw new Error(`no ${name} here`);
  const hash = sha256.create();
  return {
    update(data: Uint8Array | string) {
      hash.update(typeof data === "string" ? utf8ToBytes(data) : data);
      return this;
    },
    digest: (_encoding: "hex") => bytesToHex(hash.digest()),
  };
}

export const hash = (name: string, data: Uint8Array | string, encoding: "hex"): string =>
  createHash(name).update(data).digest(encoding);

export const randomUUID = (): string => crypto.randomUUID();
export const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
