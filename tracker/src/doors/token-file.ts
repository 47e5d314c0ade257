/**
 * The token file: the only truth about who may do what at a tracker. One principal a line, # begins a comment:
 *
 *   client alice sha256:9f86…           whoever shows the token with this SHA-256 is alice, a client
 *   runner gpu1.example.com certificate whoever shows a certificate whose first URI or DNS name this is, signed by --tls-ca
 *
 * A principal has one role and may have several lines: two tokens while one replaces the other. This file knows text only; it
 * reads and writes nothing.
 */
import { createHash } from "node:crypto";
import { badInput } from "@warpfarm/common";
import { type Principal, type Role, roles } from "@warpfarm/proto";

export interface TokenLine {
  readonly role: Role;
  readonly name: string;
  /** Hexadecimal; absent: a certificate proves who it is. */
  readonly hash?: string;
}

/** `local` is everybody where no tokens are required, and the owner of what such a tracker opened. */
const reserved = "local";
const nameForm = /^[A-Za-z0-9][\w.@/:+-]{0,127}$/;
export const namesAllowed = `1 to 128 letters, digits and _ . @ / : + -, first a letter or digit, and not ${JSON.stringify(reserved)}`;
export const isPrincipalName = (name: string): boolean => nameForm.test(name) && name !== reserved;

export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

const isRole = (word: string | undefined): word is Role => roles.some((role) => role === word);

/** Undefined for an empty line or a comment. Throws a message about the line that repeats no token. */
function parseLine(text: string): TokenLine | undefined {
  const [role, name, proof, ...rest] = text.replace(/#.*/, "").trim().split(/\s+/);
  if (role === "") return undefined;
  if (!isRole(role) || name === undefined || proof === undefined || rest.length > 0)
    throw new Error(`write "role name sha256:<hash>" or "role name certificate", role one of ${roles.join(", ")}`);
  if (!isPrincipalName(name)) throw new Error(`the second word of three is a principal's name: ${namesAllowed}`);
  if (proof === "certificate") return { role, name };
  const [, hash] = /^sha256:([0-9a-f]{64})$/.exec(proof) ?? [];
  if (hash === undefined) throw new Error('the third word is "sha256:" and 64 lower-case hex digits, or "certificate"');
  return { role, name, hash };
}

/** Throws INVALID_ARGUMENT that names the line, never its token. */
export function parseTokenFile(text: string): readonly TokenLine[] {
  const lines: TokenLine[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const refuse = (why: string) => badInput(`token file, line ${i + 1}: ${why}`);
    let parsed: TokenLine | undefined;
    try {
      parsed = parseLine(line);
    } catch (error) {
      throw refuse((error as Error).message);
    }
    if (!parsed) continue;
    const { role, name, hash } = parsed;
    const other = lines.find((l) => l.name === name && l.role !== role);
    if (other) throw refuse(`${name} has the role ${other.role} in a line above; a principal has one`);
    const twin = lines.find((l) => hash !== undefined && l.hash === hash && l.name !== name);
    if (twin) throw refuse(`this is the token of ${twin.name} too; each principal has tokens of its own`);
    lines.push(parsed);
  }
  return lines;
}

const formatLine = ({ role, name, hash }: TokenLine): string =>
  `${role} ${name} ${hash === undefined ? "certificate" : `sha256:${hash}`}`;

/** Removes some lines and appends others. Everything else stays, comments too. */
export function editTokenFile(text: string, goes: (line: TokenLine) => boolean, added: readonly TokenLine[]): string {
  const kept = text.split("\n").filter((line) => {
    const parsed = parseLine(line);
    return !parsed || !goes(parsed);
  });
  while (kept.at(-1)?.trim() === "") kept.pop();
  return `${[...kept, ...added.map(formatLine)].join("\n")}\n`;
}

export class TokenTable {
  readonly #byHash = new Map<string, Principal>();
  readonly #byCertificate = new Map<string, Principal>();

  constructor(lines: readonly TokenLine[]) {
    for (const { role, name, hash } of lines)
      if (hash === undefined) this.#byCertificate.set(name, { name, role });
      else this.#byHash.set(hash, { name, role });
  }

  /** Looks up by the hash, so the time that it takes reveals nothing of a token. */
  ofToken(token: string): Principal | undefined {
    return this.ofHash(hashOf(token));
  }
  ofHash(hash: string): Principal | undefined {
    return this.#byHash.get(hash);
  }
  ofCertificate(name: string): Principal | undefined {
    return this.#byCertificate.get(name);
  }
}
