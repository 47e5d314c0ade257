/**
 * How a worker proves that it is the one that registered: HMAC(farm key, worker id, epoch). A store has one key, so every tracker
 * of the farm computes every secret, before and after a restart, without a look-up.
 */
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { RandomBytes, WorkerId } from "@warpfarm/common";
import type { Database } from "../store/database.ts";

/** AES-256-GCM: bytes of the nonce, and of the tag that proves the rest unchanged. */
const nonceBytes = 12;
const tagBytes = 16;

/** The most secrets, names and tags in memory. Beyond it all are computed anew. */
const keepAtMost = 20_000;

export class Secrets {
  readonly #key: Uint8Array;
  readonly #randomBytes: RandomBytes;
  readonly #secrets = new Map<WorkerId, { readonly epoch: number; readonly secret: Buffer }>();
  readonly #names = new Map<WorkerId, string>();
  readonly #owners = new Map<string, string>();

  constructor(key: Uint8Array, randomBytes: RandomBytes) {
    this.#key = key;
    this.#randomBytes = randomBytes;
  }

  static async open(db: Database, randomBytes: RandomBytes): Promise<Secrets> {
    await db.query("insert into farm (key) values ($1) on conflict do nothing", [randomBytes(32)]);
    const [row] = await db.query<{ key: Uint8Array }>("select key from farm");
    if (!row) throw new Error("the store has no farm key");
    return new Secrets(row.key, randomBytes);
  }

  ofWorker(id: WorkerId, epoch: number): Buffer {
    const known = this.#secrets.get(id);
    if (known?.epoch === epoch) return known.secret;
    const secret = this.#hmac(`worker ${id} ${epoch}`);
    if (this.#secrets.size >= keepAtMost) this.#secrets.clear(); // of ids that somebody made up
    this.#secrets.set(id, { epoch, secret });
    return secret;
  }

  proves(id: WorkerId, epoch: number, given: Uint8Array): boolean {
    const secret = this.ofWorker(id, epoch);
    return given.length === secret.length && timingSafeEqual(given, secret);
  }

  nameOf(id: WorkerId): string {
    const known = this.#names.get(id);
    if (known) return known;
    const name = `w-${this.#hmac(`name ${id}`).toString("hex").slice(0, 12)}`;
    if (this.#names.size >= keepAtMost) this.#names.clear();
    this.#names.set(id, name);
    return name;
  }

  /** A principal's tag for workers, which need to tell principals apart and know no names. */
  ownerTag(principal: string): string {
    const known = this.#owners.get(principal);
    if (known) return known;
    const tag = this.#hmac(`owner ${principal}`).toString("base64url").slice(0, 22);
    if (this.#owners.size >= keepAtMost) this.#owners.clear();
    this.#owners.set(principal, tag);
    return tag;
  }

  /** A secret for judged measurements, 64 hexadecimal digits: what this farm's trackers alone can compute. */
  judged(use: string): string {
    return this.#hmac(`judged ${use}`).toString("hex");
  }

  /** Seals a text that only trackers of this farm can read or make. */
  seal(use: string, text: string): string {
    const nonce = this.#randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#hmac(`seal ${use}`), nonce);
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
  }

  /** Undefined for a text that `seal` of this farm did not make for that purpose. */
  unseal(use: string, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    const cipher = createDecipheriv("aes-256-gcm", this.#hmac(`seal ${use}`), bytes.subarray(0, nonceBytes));
    cipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return Buffer.concat([cipher.update(bytes.subarray(nonceBytes, -tagBytes)), cipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }

  #hmac(text: string): Buffer {
    return createHmac("sha256", this.#key).update(text).digest();
  }
}
