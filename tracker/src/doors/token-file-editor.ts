/**
 * Changes a token file on disk. A change is written to another file and renamed over it, so a tracker never reads a partial one.
 */
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { badInput, fileFault, type RandomBytes, systemRandomBytes } from "@warpfarm/common";
import { type Role, roles } from "@warpfarm/proto";
import { editTokenFile, hashOf, isPrincipalName, namesAllowed, parseTokenFile, type TokenLine } from "./token-file.ts";

const refuse = (message: string): never => {
  throw badInput(message);
};

const header = "# Who may do what at this tracker. warpfarm token create | list | rotate | revoke --file THIS\n";

export class TokenFileEditor {
  readonly #path: string;
  readonly #randomBytes: RandomBytes;

  constructor(path: string, randomBytes: RandomBytes = systemRandomBytes) {
    this.#path = path;
    this.#randomBytes = randomBytes;
  }

  async create(role: string, name: string, proof: "token" | "certificate"): Promise<string | undefined> {
    const known = roles.find((r) => r === role) ?? refuse(`the role is ${JSON.stringify(role)}; allowed: ${roles.join(", ")}`);
    if (!isPrincipalName(name)) refuse(`the name is ${JSON.stringify(name.slice(0, 140))}; allowed: ${namesAllowed}`);
    return this.#change((text) => {
      const there = parseTokenFile(text).find((line) => line.name === name);
      if (there) refuse(`${name} is in ${this.#path} already, as ${there.role}; "token rotate" gives it a new token`);
      const made = this.#newLine(known, name, proof);
      return { text: editTokenFile(text, () => false, [made.line]), result: made.token };
    });
  }

  async list(): Promise<readonly { readonly role: Role; readonly name: string; readonly proof: string }[]> {
    const lines = parseTokenFile((await this.#read()) ?? refuse(`there is no file ${this.#path}`));
    return lines.map(({ role, name, hash }) => ({
      role,
      name,
      proof: hash === undefined ? "certificate" : `sha256:${hash.slice(0, 12)}…`,
    }));
  }

  async rotate(name: string, keepsOld: boolean): Promise<string> {
    return this.#change((text) => {
      const there = this.#found(text, name);
      if (there.hash === undefined) refuse(`${name} shows a certificate; there is no token to rotate`);
      const { line, token } = this.#newLine(there.role, name, "token");
      return { text: editTokenFile(text, (l) => !keepsOld && l.name === name, [line]), result: token ?? "" };
    });
  }

  async revoke(name: string): Promise<number> {
    return this.#change((text) => {
      this.#found(text, name);
      const count = parseTokenFile(text).filter((l) => l.name === name).length;
      return { text: editTokenFile(text, (l) => l.name === name, []), result: count };
    });
  }

  #found(text: string, name: string): TokenLine {
    const lines = parseTokenFile(text);
    const names = [...new Set(lines.map((l) => l.name))];
    const found = lines.find((l) => l.name === name);
    return found ?? refuse(`${name} is not in ${this.#path}; it has ${names.length === 0 ? "nobody" : names.join(", ")}`);
  }

  async #read(): Promise<string | undefined> {
    try {
      return await readFile(this.#path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      return refuse(`${this.#path} cannot be read: ${fileFault(error)}`);
    }
  }

  async #change<T>(change: (text: string) => { readonly text: string; readonly result: T }): Promise<T> {
    // A symbolic link stays; the file that it names is replaced.
    const path = await realpath(this.#path).catch(() => this.#path);
    const beside = `${path}.new`;
    const file = await open(beside, "wx", 0o600).catch((error: NodeJS.ErrnoException) =>
      refuse(
        error.code === "EEXIST"
          ? `${beside} exists: another process is changing the token file; remove it if none is`
          : `${beside} cannot be written: ${fileFault(error)}`,
      ),
    );
    try {
      const { text, result } = change((await this.#read()) ?? header);
      await file.writeFile(text);
      const before = await stat(path).catch(() => undefined);
      // Whoever could read it still can.
      if (before) await file.chmod(before.mode & 0o777);
      if (before && process.getuid?.() === 0) await file.chown(before.uid, before.gid);
      await file.sync();
      await file.close();
      await rename(beside, path);
      return result;
    } catch (error) {
      await file.close().catch(() => {});
      await rm(beside, { force: true });
      throw error;
    }
  }

  #newLine(role: Role, name: string, proof: "token" | "certificate") {
    if (proof === "certificate") return { line: { role, name }, token: undefined };
    const token = Buffer.from(this.#randomBytes(24)).toString("hex");
    return { line: { role, name, hash: hashOf(token) }, token };
  }
}
