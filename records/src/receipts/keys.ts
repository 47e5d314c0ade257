/**
 * Keys of receipts: Ed25519 in PEM. A tracker's private key is a file that only it reads. Public keys are given away by
 * `warpfarm keys`, with their dates as the text between the blocks that PEM allows (RFC 7468).
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Stats } from "node:fs";
import { badInput, shellWord } from "@warpfarm/common";
import { keyIdOf, publicPart } from "./dsse.ts";

/**
 * A public key of a farm. `sinceMs`: when it last took the place of another. `untilMs`: when the next one took its place; absent
 * for the current one.
 */
export interface ReceiptKey {
  readonly id: string;
  readonly pem: string;
  readonly sinceMs: number;
  readonly untilMs?: number;
}

export const newPrivateKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;

/**
 * Refuses a key that others may read. As PostgreSQL does with its key: the owner alone (600), or where the file is another
 * user's, such as root's in a volume of Kubernetes, its group too (440). `me`: the user of this process.
 */
export function checkMode(file: string, { mode, uid }: Pick<Stats, "mode" | "uid">, me: number | undefined): void {
  const tooWide = uid === me ? 0o077 : 0o037;
  if ((mode & tooWide) === 0) return;
  const found = (mode & 0o777).toString(8);
  throw badInput(`the key ${file} has mode ${found}, so others may read it; run chmod 600 ${shellWord(file)}`);
}

/** Throws INVALID_ARGUMENT that repeats nothing of the text. */
export function privateKeyIn(file: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {}
  throw badInput(`${file} holds no private Ed25519 key in PEM; warpfarm keys rotate --file makes one`);
}

/** The public keys of a PEM. Throws INVALID_ARGUMENT. */
export function publicKeysIn(file: string, text: string): readonly KeyObject[] {
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g) ?? [];
  const keys = blocks.flatMap((block) => {
    try {
      const key = createPublicKey(block);
      return key.asymmetricKeyType === "ed25519" ? [key] : [];
    } catch {
      return [];
    }
  });
  if (keys.length === blocks.length && keys.length > 0) return keys;
  const found = blocks.length === 0 ? "holds no public key in PEM" : "has a public key that is not of Ed25519";
  throw badInput(`${file} ${found}; warpfarm keys prints those of a tracker`);
}

export function publicKeyOf(key: KeyObject): Pick<ReceiptKey, "id" | "pem"> {
  return { id: keyIdOf(key), pem: publicPart(key).export({ type: "spki", format: "pem" }) as string };
}

const dateOf = (ms: number): string => new Date(ms).toISOString();

/** A file for `--key`, the current key first. */
export const keyFile = (keys: readonly ReceiptKey[]): string =>
  keys
    .map(({ id, pem, sinceMs, untilMs }) => {
      const until = untilMs === undefined ? "signs receipts now" : `until ${dateOf(untilMs)}`;
      return `Receipt key ${id}\nsince ${dateOf(sinceMs)}, ${until}\n${pem}`;
    })
    .join("");
