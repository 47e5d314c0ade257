import { TLSSocket } from "node:tls";
import type { HttpBindings } from "@hono/node-server";
import { FarmError } from "@warpfarm/common";
import { bearerOf, certificateName, type Doors, isLoopback, localPrincipal, type Principal, type Shown } from "@warpfarm/proto";
import { isLocalName } from "@warpfarm/web";
import type { Context } from "hono";

/** `isRequired`: only an identified caller sees a page. */
export interface HttpDoors {
  readonly doors: Doors;
  readonly isRequired: boolean;
}

const nobody: Principal = { name: "", role: "client" };

export function principalOf(c: Context, doors: HttpDoors | undefined): Principal {
  if (!doors) return localPrincipal;
  const shown = shownBy(c);
  if (shown.token === undefined && shown.certificate === undefined && !doors.isRequired) return nobody;
  const principal = doors.doors.authorize(c.req.path, shown);
  const refusal = refusalOf(c);
  if (refusal !== undefined && principal.role !== "metrics") throw new FarmError("PERMISSION_DENIED", refusal);
  return principal;
}

const socketOf = (c: Context) => (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
const isHere = (address = ""): boolean => isLoopback(address);

/**
 * Why a token may not be shown on this connection: others could read it on its way. It may with TLS, and from this machine to
 * itself, as a forwarded port arrives (ssh -L, kubectl port-forward), if the caller uses a name of this machine. A proxy that
 * others reach uses its own name.
 */
export function refusalOf(c: Context): string | undefined {
  const socket = socketOf(c);
  if (socket instanceof TLSSocket) return undefined;
  if (isHere(socket?.remoteAddress) && isLocalName(c.req.header("host") ?? "")) return undefined;
  return "this connection has no TLS and does not begin on the tracker's own machine, so that a token could be read on its way: give the tracker --tls-cert and --tls-key without --insecure, or forward its port (ssh -L, kubectl port-forward) and open http://127.0.0.1";
}

/** The identification of a call: a token, or else the name of a certificate that the authority for clients signed. */
export function shownBy(c: Context): Shown {
  const token = bearerOf([c.req.header("authorization") ?? ""]);
  if (token !== undefined) return { token };
  const socket = socketOf(c);
  if (!(socket instanceof TLSSocket) || !socket.authorized) return {};
  const certificate = certificateName(socket.getPeerCertificate().subjectaltname ?? "");
  return certificate === undefined ? {} : { certificate };
}
