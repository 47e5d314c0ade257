/** Outcomes by kernel, a line each in $OUT, and those of an earlier run in --from. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { flag, outFolder } from "../shared/sections.mjs";

export class Ledger {
  #name;
  #rows = new Map();

  constructor(name) {
    this.#name = `${name}.jsonl`;
    mkdirSync(outFolder, { recursive: true });
    this.read();
  }
  /** Reads what another process wrote. */
  read() {
    const from = flag("from");
    for (const folder of [...(from === undefined ? [] : [resolve(from)]), outFolder]) {
      const file = join(folder, this.#name);
      if (!existsSync(file)) continue;
      const lines = readFileSync(file, "utf8").split("\n");
      for (const line of lines.filter((text) => text.endsWith("}"))) {
        const row = JSON.parse(line);
        this.#rows.set(row.name, row);
      }
    }
  }
  add(row) {
    this.#rows.set(row.name, row);
    appendFileSync(join(outFolder, this.#name), `${JSON.stringify(row)}\n`);
  }
  has = (name) => this.#rows.has(name);
  get = (name) => this.#rows.get(name);
  rows = () => [...this.#rows.values()];
  get size() {
    return this.#rows.size;
  }
}
