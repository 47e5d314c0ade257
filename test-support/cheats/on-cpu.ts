/** The suite's kernels as artifacts for the CPU. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defined, type ManifestBuffer } from "@warpfarm/common";
import type { LocalArtifact } from "../../runner/src/worker/messages.ts";
import { KernelFolder, tensor } from "../kernels.ts";
import { type Row, sharedText, tensorsOf } from "./suite.mjs";

/** Those of the rows that a CPU can run. Dispose of it after the tests. */
export class CheatKernels implements Disposable {
  readonly #rows: readonly Row[];
  readonly #folder = new KernelFolder();
  readonly #made = new Map<string, LocalArtifact>();
  #code: Buffer | undefined;

  constructor(rows: readonly Row[]) {
    this.#rows = [...new Map(rows.filter(({ onCpu }) => onCpu).map((row) => [row.name, row])).values()];
  }

  /** Each has a file of its own, so that what it keeps is its own. */
  artifactOf(row: Row): LocalArtifact {
    const found = this.#made.get(row.name);
    if (found) return found;
    const buffers = tensorsOf(row, "cpu").map(({ name, role, dtype, shape, fill }): ManifestBuffer => {
      const given = typeof fill === "object" ? fill : undefined;
      return { ...tensor(name, role, dtype, shape, shape.at(-1)), ...defined({ fill: given }) };
    });
    this.#code ??= this.#compiled();
    const artifact = this.#folder.artifact(
      buffers,
      this.#code,
      `kernel_${this.#rows.findIndex(({ name }) => name === row.name)}`,
    );
    this.#made.set(row.name, artifact);
    return artifact;
  }

  /** All in one shared object, because a compiler takes longer to start than to compile them. */
  #compiled(): Buffer {
    const base = join(this.#folder.path, "all");
    writeFileSync(`${base}.cpp`, sharedText(this.#rows));
    execFileSync("c++", ["-O1", "-w", "-shared", "-fPIC", "-o", `${base}.so`, `${base}.cpp`]);
    return readFileSync(`${base}.so`);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
