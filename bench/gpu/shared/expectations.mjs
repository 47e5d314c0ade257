/** What a GPU script wants to see: printed with what was seen; a section ends with an error when one was not met. */

export class Expectations {
  #unmet = [];
  #seen = [];

  /** `seen` is what remains to be read. */
  expect(what, isMet, seen) {
    const words = typeof seen === "string" ? seen : JSON.stringify(seen);
    console.log(`${isMet ? "ok  " : "NOT "} ${what}: ${words}`);
    this.#seen.push({ what, isMet, seen });
    if (!isMet) this.#unmet.push(what);
  }
  end() {
    if (this.#unmet.length > 0) throw new Error(`not as expected: ${this.#unmet.join("; ")}`);
    return this.#seen;
  }
}
