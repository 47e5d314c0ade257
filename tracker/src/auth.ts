/**
 * Tokens and what they open. A token file has one `role token` a line (# begins a comment); roles are client, builder, runner, admin.
 * Tokens are compared by hash in constant time, and never leave this file.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { FarmError } from "@warpfarm/common";

const roles = ["client", "builder", "runner", "admin"] as const;
export type Role = (typeof roles)[number];

/** Path prefixes and who may call them; the first that matches counts. Health answers anybody: probes carry no token. */
const doors: readonly (readonly [prefix: string, roles: readonly Role[] | "anybody"])[] = [
  ["/grpc.health.v1.Health/", "anybody"],
  ["/grpc.reflection.", roles],
  ["/warpfarm.admin.v1.AdminService/", ["admin"]],
  ["/warpfarm.farm.v1.FarmService/", ["client", "admin"]],
  ["/warpfarm.worker.v1.WorkerService/", ["builder", "runner", "admin"]],
  ["/warpfarm.artifact.v1.ArtifactService/Upload", ["builder", "admin"]],
  ["/warpfarm.artifact.v1.ArtifactService/", roles],
];

const hash = (token: string): Buffer => createHash("sha256").update(token).digest();

export interface TokenTable {
  /** Throws UNAUTHENTICATED or PERMISSION_DENIED. */
  authorize(path: string, token: string | undefined): void;
}

/** Throws INVALID_ARGUMENT naming the line, never its token. */
export function parseTokens(text: string): TokenTable {
  const known: { readonly hash: Buffer; readonly role: Role }[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const words = line.replace(/#.*/, "").trim();
    if (words === "") continue;
    const [role, token, ...rest] = words.split(/\s+/);
    const found = roles.find((r) => r === role);
    if (!found || !token || rest.length > 0 || !/^[\x21-\x7e]{8,512}$/.test(token))
      throw new FarmError(
        "INVALID_ARGUMENT",
        `token file, line ${i + 1}: write "role token", role one of ${roles.join(", ")}, token of 8 to 512 visible characters`,
      );
    known.push({ hash: hash(token), role: found });
  }
  if (known.length === 0) throw new FarmError("INVALID_ARGUMENT", "the token file has no token");
  return {
    authorize(path, token) {
      const allowed = doors.find(([prefix]) => path.startsWith(prefix))?.[1] ?? ["admin"];
      if (allowed === "anybody") return;
      if (token === undefined)
        throw new FarmError("UNAUTHENTICATED", "this tracker wants a token: authorization: Bearer <token>");
      const given = hash(token);
      const role = known.find((k) => timingSafeEqual(k.hash, given))?.role;
      if (!role) throw new FarmError("UNAUTHENTICATED", "the token is not one of this tracker's");
      if (!allowed.includes(role))
        throw new FarmError("PERMISSION_DENIED", `${path} is not open to role ${role}; it is to ${allowed.join(", ")}`);
    },
  };
}
