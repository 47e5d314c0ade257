/**
 * Authorization by a token file: which roles may call each method, and who a caller is. The file is read again when it changes.
 */
import { readFile } from "node:fs/promises";
import { badInput, type Clock, FarmError } from "@warpfarm/common";
import { type Doors, type Principal, type Role, roles, type Shown } from "@warpfarm/proto";
import type { Logger } from "pino";
import { type Repeated, repeat } from "../flow/repeat.ts";
import { parseTokenFile, type TokenLine, TokenTable } from "./token-file.ts";

/** All roles but `metrics`, which reads one page. */
const parties = ["client", "builder", "runner", "admin"] as const;

/**
 * Path prefixes, the roles that may call them and what they do there; the first match counts. Health answers everybody, because
 * probes have no token.
 */
const rules: readonly (readonly [prefix: string, roles: readonly Role[] | "anybody", act?: string])[] = [
  ["/grpc.health.v1.Health/", "anybody"],
  ["/grpc.reflection.", parties, "list the services"],
  ["/warpfarm.admin.v1.AdminService/ListSessions", ["client", "admin"], "list sessions"],
  ["/warpfarm.admin.v1.AdminService/ListLeases", ["client", "admin"], "list leases"],
  ["/warpfarm.admin.v1.AdminService/CancelSession", ["client", "admin"], "end a session"],
  ["/warpfarm.admin.v1.AdminService/PauseSession", ["client", "admin"], "pause a session"],
  ["/warpfarm.admin.v1.AdminService/ExtendSession", ["client", "admin"], "extend a session"],
  ["/warpfarm.admin.v1.AdminService/DrainNode", ["admin"], "drain a node"],
  ["/warpfarm.admin.v1.AdminService/", ["admin"], "administer the farm"],
  ["/warpfarm.farm.v1.FarmService/", ["client", "admin"], "see the farm and measure on it"],
  ["/warpfarm.suite.v1.SuiteService/", ["client", "admin"], "work on suites"],
  ["/warpfarm.record.v1.RecordService/Delete", ["admin"], "delete records"],
  ["/warpfarm.record.v1.RecordService/Share", ["admin"], "share records"],
  ["/warpfarm.record.v1.RecordService/", ["client", "admin"], "read and write records"],
  ["/warpfarm.worker.v1.WorkerService/", ["builder", "runner", "admin"], "register a builder or a runner"],
  ["/warpfarm.artifact.v1.ArtifactService/Upload", ["builder", "client", "admin"], "upload artifacts and headers"],
  ["/warpfarm.artifact.v1.ArtifactService/", parties, "download artifacts"],
  ["/healthz", "anybody"],
  ["/readyz", "anybody"],
  ["/farm", ["client", "admin"], "see the farm"],
  ["/metrics", roles],
  ["/page", ["client", "admin"], "see the page"],
];

const orWords = (words: readonly string[]): string => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" or ");

const anybody: Principal = { name: "", role: "client" };

export class TokenDoors implements Doors {
  #table: TokenTable;
  readonly #listeners = new Set<() => void>();

  constructor(lines: readonly TokenLine[]) {
    this.#table = new TokenTable(lines);
  }

  authorize(path: string, { token, tokenHash, certificate }: Shown): Principal {
    const [, allowed, act = "call this"] = rules.find(([prefix]) => path.startsWith(prefix)) ?? ["", ["admin"] as const];
    if (allowed === "anybody") return anybody;
    const principal =
      token !== undefined
        ? this.#table.ofToken(token)
        : tokenHash !== undefined
          ? this.#table.ofHash(tokenHash)
          : certificate !== undefined
            ? this.#table.ofCertificate(certificate)
            : undefined;
    if (!principal) {
      const rule = token === undefined && certificate !== undefined ? "door.certificate" : "door.token";
      throw new FarmError("UNAUTHENTICATED", whoNot(token ?? tokenHash, certificate), { rule });
    }
    const { name, role } = principal;
    if (!allowed.some((one) => one === role))
      throw new FarmError(
        "PERMISSION_DENIED",
        `the token of ${name} has the role ${role}, which may not ${act}; give a token of the role ${orWords(allowed)}`,
      );
    return principal;
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  replace(lines: readonly TokenLine[]): void {
    this.#table = new TokenTable(lines);
    for (const changed of this.#listeners) changed();
  }
}

function whoNot(token: string | undefined, certificate: string | undefined): string {
  if (token !== undefined) return "this tracker does not know the token";
  if (certificate !== undefined)
    return `the certificate's name ${certificate.slice(0, 128)} is not in this tracker's token file; its administrator adds it with "warpfarm token create ROLE NAME --certificate"`;
  return "this tracker requires a token, in the header authorization: Bearer <token>";
}

const lookEveryMs = 1_000;

export interface TokenFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly TokenLine[];
  readonly doors: TokenDoors;
}

/**
 * Compares the file's text every second, so an atomic rename, the symbolic links of a Kubernetes Secret and an edit in place all
 * work. A file that cannot be read, is empty or has a wrong line changes nothing, and is reported once.
 */
export function watchTokenFile({ path, text, doors }: TokenFile, { clock, log }: { clock: Clock; log: Logger }): Repeated {
  let known = text;
  let trouble = "";
  const look = async () => {
    const now = await readFile(path, "utf8");
    if (now === known) {
      trouble = "";
      return;
    }
    if (now.trim() === "") throw badInput("it is empty");
    const lines = parseTokenFile(now);
    known = now;
    trouble = "";
    doors.replace(lines);
    log.info({ path, principals: new Set(lines.map(({ name }) => name)).size }, "token file read again");
  };
  return repeat({ clock, everyMs: lookEveryMs }, look, (error) => {
    const why = error instanceof Error ? error.message : String(error);
    if (why === trouble) return;
    trouble = why;
    log.error({ path, why }, "the token file cannot be used as it is now; the one read before stays in force");
  });
}
