/**
 * Who makes a call, and whether they may: what a server asks before a handler sees anything, and asks again of the streams that
 * are open when the answers may have changed.
 */
import type { PeerCertificate } from "node:tls";
import type * as grpc from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import { bearerOf } from "./credentials.ts";

export const roles = ["client", "builder", "runner", "admin"] as const;
export type Role = (typeof roles)[number];

/** In whose name a call is made. */
export interface Principal {
  readonly name: string;
  /** `all`: the tracker asks nobody who they are, and whoever reaches it has every right. */
  readonly role: Role | "all";
}

/** Everybody, where nobody is asked who they are. */
export const localPrincipal: Principal = { name: "local", role: "all" };

/** What a caller shows: a token, or else its certificate. */
export interface Shown {
  readonly token?: string;
  /** SHA-256 of a token that was shown before, in hexadecimal: what a page's cookie stands for. */
  readonly tokenHash?: string;
  /** The first URI or DNS name of a certificate that the server's authority signed. */
  readonly certificate?: string;
}

export interface Doors {
  /** Throws UNAUTHENTICATED or PERMISSION_DENIED. `path` is "/warpfarm.farm.v1.FarmService/OpenSession". */
  authorize(path: string, shown: Shown): Principal;
  /** Calls back whenever `authorize` may answer otherwise than before; what it returns ends that. */
  onChange?(changed: () => void): () => void;
}

/** For a tracker that asks nobody. */
export const openDoors: Doors = { authorize: () => localPrincipal };

interface Asked {
  readonly metadata: grpc.Metadata;
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
}

export function shownBy(call: Asked): Shown {
  const token = bearerOf(call.metadata.get("authorization"));
  if (token !== undefined) return { token }; // reading a certificate costs as much as a small message
  const names = call.getAuthContext().sslPeerCertificate?.subjectaltname;
  const certificate = names === undefined ? undefined : certificateName(names);
  return certificate === undefined ? {} : { certificate };
}

/**
 * The first URI or DNS name of a certificate, as Node lists its names: "DNS:a.example, URI:spiffe://b". A name that needs quotes
 * there, for it has a comma or a quotation mark, is nobody's, and the list is read no further.
 */
export function certificateName(names: string): string | undefined {
  for (const entry of names.split(", ")) {
    if (entry.includes('"')) return undefined;
    const [, name] = /^(?:URI|DNS):(.+)$/.exec(entry) ?? [];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The streams that are open, each to be asked again: a token that is withdrawn ends what it opened. */
export class OpenStreams {
  readonly #checks = new Set<() => void>();

  /** `over` aborts when the stream is. */
  add(check: () => void, over: AbortSignal): void {
    if (over.aborted) return;
    this.#checks.add(check);
    over.addEventListener("abort", () => this.#checks.delete(check), { once: true });
  }

  recheck(): void {
    for (const check of [...this.#checks]) check();
  }
}

/** Throws when who opened a stream is not who they were, or may no longer do what it does. */
export function sameAsBefore(doors: Doors, path: string, shown: Shown, { name, role }: Principal): void {
  const now = doors.authorize(path, shown);
  if (now.name !== name || now.role !== role)
    throw new FarmError("UNAUTHENTICATED", "the rights of this token or certificate have changed; call again");
}
