/** A certificate authority and its certificates, made by openssl, for the duration of a test. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientTls } from "@warpfarm/proto";

/** Of elliptic curves: made in milliseconds. */
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export class Authority {
  readonly #directory: string;
  readonly #name: string;

  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#name = name;
    this.#openssl(name, ["-subj", `/CN=${name}`, "-addext", "keyUsage=keyCertSign"]);
  }

  /** Writes FILE.pem and FILE.key. `names` are the certificate's names in openssl's form: "URI:spiffe://farm/a,DNS:a.example". */
  sign(file: string, names: string): void {
    const signedBy = ["-CA", this.path(`${this.#name}.pem`), "-CAkey", this.path(`${this.#name}.key`)];
    this.#openssl(file, ["-subj", "/CN=nobody", "-addext", `subjectAltName=${names}`, ...signedBy]);
  }

  path(file: string): string {
    return join(this.#directory, file);
  }

  /** For a connection that trusts `authority` and presents a certificate, or none. */
  tls(file: string | undefined, authority = this.#name): ClientTls {
    const read = (name: string) => readFileSync(this.path(name));
    const own = file === undefined ? {} : { cert: read(`${file}.pem`), key: read(`${file}.key`) };
    return { ca: read(`${authority}.pem`), ...own };
  }

  #openssl(file: string, more: readonly string[]): void {
    const out = ["-days", "2", "-out", this.path(`${file}.pem`), "-keyout", this.path(`${file}.key`)];
    execFileSync("openssl", ["req", "-x509", ...newKey, ...out, ...more], { stdio: "pipe" });
  }
}
