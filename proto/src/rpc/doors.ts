/**
 * Identification and authorization of calls. A server asks before a handler sees anything, and again for open streams when the
 * answers may have changed.
 */
import type { PeerCertificate } from "node:tls";
import type * as grpc from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import { bearerOf } from "./credentials.ts";

/** `metrics` reads /metrics and nothing else, for a Prometheus. */
export const roles = ["client", "builder", "runner", "admin", "metrics"] as const;
export type Role = (typeof roles)[number];

export interface Principal {
  readonly name: string;
  /** `all`: the tracker requires no identification, and every caller has every right. */
  readonly role: Role | "all";
}

/** Every caller of a tracker that requires no identification. */
export const localPrincipal: Principal = { name: "local", role: "all" };

/** How a caller identifies itself: with a token, or else with its certificate. */
export interface Shown {
  readonly token?: string;
  /** SHA-256, in hexadecimal, of a token that was shown before. A page's cookie stands for it. */
  readonly tokenHash?: string;
  /** The first URI or DNS name of a certificate that the server's authority signed. */
  readonly certificate?: string;
}

export interface Doors {
  /** Throws UNAUTHENTICATED or PERMISSION_DENIED. `path` is like "/warpfarm.farm.v1.FarmService/OpenSession". */
  authorize(path: string, shown: Shown): Principal;
  /** Calls back when the answers of `authorize` may have changed. The returned function unsubscribes. */
  onChange?(changed: () => void): () => void;
}

/** The doors of a tracker that identifies nobody. */
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
 * The first URI or DNS name of a certificate, in Node's list of names: "DNS:a.example, URI:spiffe://b". A name that is quoted
 * there, because it has a comma or a quotation mark, is not accepted, and the rest of the list is not read.
 */
export function certificateName(names: string): string | undefined {
  for (const entry of names.split(", ")) {
    if (entry.includes('"')) return undefined;
    const [, name] = /^(?:URI|DNS):(.+)$/.exec(entry) ?? [];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The open streams. */
export class OpenStreams {
  readonly #checks = new Set<() => void>();

  add(check: () => void, over: AbortSignal): void {
    if (over.aborted) return;
    this.#checks.add(check);
    over.addEventListener("abort", () => this.#checks.delete(check), { once: true });
  }

  recheck(): void {
    for (const check of [...this.#checks]) check();
  }
}

/** Throws when a stream's caller has changed, or may no longer do what the stream does. */
export function sameAsBefore(doors: Doors, path: string, shown: Shown, { name, role }: Principal): void {
  const now = doors.authorize(path, shown);
  if (now.name !== name || now.role !== role)
    throw new FarmError("UNAUTHENTICATED", "the rights of this token or certificate have changed; call again");
}
