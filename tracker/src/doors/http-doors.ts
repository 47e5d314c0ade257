/** The doors of gRPC, for HTTP. */
import { TLSSocket } from "node:tls";
import type { HttpBindings } from "@hono/node-server";
import { bearerOf, certificateName, type Doors, localPrincipal, type Principal, type Shown } from "@warpfarm/proto";
import type { Context } from "hono";

/** `isRequired`: only an identified caller sees a page. */
export interface HttpDoors {
  readonly doors: Doors;
  readonly isRequired: boolean;
}

/** Who shows nothing, where that is allowed. */
const nobody: Principal = { name: "", role: "client" };

export function principalOf(c: Context, doors: HttpDoors | undefined): Principal {
  if (!doors) return localPrincipal;
  const shown = shownBy(c);
  if (shown.token === undefined && shown.certificate === undefined && !doors.isRequired) return nobody;
  return doors.doors.authorize(c.req.path, shown);
}

/** The identification of a call: a token, or else the name of a certificate that the authority for clients signed. */
export function shownBy(c: Context): Shown {
  const token = bearerOf([c.req.header("authorization") ?? ""]);
  if (token !== undefined) return { token };
  const socket = (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return {};
  const certificate = certificateName(socket.getPeerCertificate().subjectaltname ?? "");
  return certificate === undefined ? {} : { certificate };
}
