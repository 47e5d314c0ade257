/**
 * Random numbers that follow from a secret of the tracker: SHA-256 of the secret, what they are for, and a counter. A receipt
 * that names the secret lets anybody draw them again.
 */
import { createHash, createHmac } from "node:crypto";

/** 2^48: seeds of inputs are integers below 2^53. */
const seedBytes = 6;

/** What a result may say of a secret that is still in use. */
export const commitmentTo = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export class Draws {
  readonly #secret: string;
  #count = 0;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The seed of the inputs of this name, whatever was drawn before. */
  seed(name: string): number {
    return this.#hmac(`seed ${name}`).readUIntBE(0, seedBytes);
  }

  /** From 0 to 1, without 1. */
  next(): number {
    return this.#hmac(`draw ${this.#count++}`).readUIntBE(0, seedBytes) / 2 ** (8 * seedBytes);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /**
   * 1, 2, 3, ... with a geometric distribution of this mean, at most `most`: after any number of steps the next is the last with
   * the same chance.
   */
  geometric(mean: number, most: number): number {
    if (mean <= 1) return 1;
    const steps = Math.ceil(Math.log1p(-this.next()) / Math.log1p(-1 / mean));
    return Math.min(most, Math.max(1, steps));
  }

  #hmac(what: string): Buffer {
    return createHmac("sha256", this.#secret).update(what).digest();
  }
}
