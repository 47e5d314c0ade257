/** SHA-256 digests, the names of byte strings. The one node: import of this package's core, for its hash. */
import { hash } from "node:crypto";
import { type Digest, toDigest } from "./brand.ts";

export const digestOf = (bytes: Uint8Array | string): Digest => toDigest(`sha256:${hash("sha256", bytes, "hex")}`);

/** Half of the text's digest, in hex: a name of one short length, for what only a store compares and orders by. */
export const shortNameOf = (text: string): string => hash("sha256", text, "hex").slice(0, 32);
