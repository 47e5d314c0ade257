/** Branded ids: strings that the type checker does not let anyone mix up. Each brand is made here, by one validating function. */
import { invariant } from "./invariant.ts";

declare const brand: unique symbol;
/** Brands add up: a ProgramDigest is a Digest too. */
export type Brand<T, B extends string> = T & { readonly [brand]: { readonly [K in B]: true } };

export type Digest = Brand<string, "Digest">;
/** Digest of a Program's canonical JSON. */
export type ProgramDigest = Brand<Digest, "ProgramDigest">;
/** Digest of an artifact manifest's canonical JSON: names the artifact. */
export type ArtifactDigest = Brand<Digest, "ArtifactDigest">;
export type SessionId = Brand<string, "SessionId">;
export type WorkerId = Brand<string, "WorkerId">;
export type LeaseId = Brand<string, "LeaseId">;

const digest = /^sha256:[0-9a-f]{64}$/;
export const isDigest = (text: string): boolean => digest.test(text);

// The message is made only for a refused text: ids are made by the thousand a second.
function digestOf<B extends Digest>(text: string): B {
  if (!digest.test(text)) invariant(false, `not a digest: ${JSON.stringify(text.slice(0, 100))}`);
  return text as B;
}
export const toDigest = (text: string): Digest => digestOf<Digest>(text);
export const toProgramDigest = (text: string): ProgramDigest => digestOf<ProgramDigest>(text);
export const toArtifactDigest = (text: string): ArtifactDigest => digestOf<ArtifactDigest>(text);

const ID = /^[\w.:-]{1,128}$/;
function id<B extends string>(text: string): B {
  if (!ID.test(text)) invariant(false, `not an id: ${JSON.stringify(text.slice(0, 100))}`);
  return text as B;
}
export const toSessionId = (text: string): SessionId => id<SessionId>(text);
export const toWorkerId = (text: string): WorkerId => id<WorkerId>(text);
export const toLeaseId = (text: string): LeaseId => id<LeaseId>(text);
