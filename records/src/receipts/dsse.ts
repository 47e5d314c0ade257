/**
 * DSSE v1 envelopes (secure-systems-lab/dsse, protocol.md) around in-toto Statements, signed with Ed25519. The signature is of
 * the payload's bytes as they are, so it depends on no form of JSON. `keyid` is a hint that nobody signed: every key is tried.
 */
import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { digestOf } from "@warpfarm/common";
import { z } from "../schema.ts";

export const payloadType = "application/vnd.in-toto+json";

const envelopeSchema = z.object({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string().optional(), sig: z.base64() })).min(1),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** What is signed: the pre-authentication encoding. */
export const signedBytes = (type: string, payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload]);

/** Of a private key or a public one. */
export const publicPart = (key: KeyObject): KeyObject => (key.type === "private" ? createPublicKey(key) : key);

/** The key's name: the digest of its SubjectPublicKeyInfo. */
export const keyIdOf = (key: KeyObject): string => digestOf(publicPart(key).export({ type: "spki", format: "der" }));

export function enveloped(payload: string, key: KeyObject): Envelope {
  const bytes = Buffer.from(payload);
  const sig = sign(null, signedBytes(payloadType, bytes), key).toString("base64");
  return { payload: bytes.toString("base64"), payloadType, signatures: [{ keyid: keyIdOf(key), sig }] };
}

/** Undefined when the text is no envelope. */
export function envelopeOf(text: string): Envelope | undefined {
  try {
    return envelopeSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The one of the keys that signed it. */
export function signerOf(
  { payloadType: type, payload, signatures }: Envelope,
  keys: readonly KeyObject[],
): KeyObject | undefined {
  const bytes = signedBytes(type, Buffer.from(payload, "base64"));
  return keys.find((key) => signatures.some(({ sig }) => verify(null, bytes, key, Buffer.from(sig, "base64"))));
}
