/** SHA-256 digests, the names of byte strings. */
import { hash } from "node:crypto";
import { type Digest, toDigest } from "./brand.ts";
import { canonicalJson, type Json } from "./canonical.ts";

export const digestOf = (bytes: Uint8Array | string): Digest => toDigest(`sha256:${hash("sha256", bytes, "hex")}`);

/** Names a computation: the document of its reference program, and the complete arguments of its task. */
export const computationDigest = (reference: Uint8Array, args: readonly Json[]): Digest =>
  computationOfJson(JSON.parse(new TextDecoder().decode(reference)) as Json, args);

export function computationOfJson(document: Json, args: readonly Json[]): Digest {
  const graph = typeof document === "object" && document !== null ? (document as { readonly graph?: Json }).graph : undefined;
  return digestOf(canonicalJson({ args, computed: graph ?? document }));
}

/** Half of the text's digest, in hex: a short key for comparing and ordering in a store. */
export const shortNameOf = (text: string): string => hash("sha256", text, "hex").slice(0, 32);
