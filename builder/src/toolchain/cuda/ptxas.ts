/** The toolchain `ptxas`: a client's PTX to cubin. It accompanies a compiler of CUDA text. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "@warpfarm/common";
import { runLimited } from "../collect.ts";
import type { Compiled, CompileJob, Toolchain, ToolchainFacts } from "../toolchain.ts";
import { compiledOf, noSandbox } from "./compile-cuda.ts";
import { findTool, logBytes, type ToolkitPlaces } from "./find-libraries.ts";

export class PtxasToolchain implements Toolchain {
  readonly facts: ToolchainFacts;
  readonly language = "ptx";
  readonly format = "cubin";

  constructor(facts: ToolchainFacts) {
    this.facts = facts;
  }

  flags(target: string): readonly string[] {
    return [`-arch=${target.slice("cuda/".length)}`, "-v"];
  }

  async compile({ text, target, flags = [], clientText, directory, timeoutMs }: CompileJob): Promise<Compiled> {
    if (clientText === "refused") return noSandbox;
    await writeFile(join(directory, "kernel.ptx"), text.text);
    const args = [...this.flags(target), ...flags, "-o", "out.cubin", "kernel.ptx"];
    const { searchPath, path } = this.facts;
    const { code, output } = await runLimited(path, args, { directory, searchPath, logBytes, timeoutMs });
    const client = { clientText, broughtByClient: true };
    if (code !== 0) return compiledOf({ log: output }, { [directory]: "" }, client);
    return compiledOf({ cubin: await readFile(join(directory, "out.cubin")), log: output }, { [directory]: "" }, client);
  }
}

/** The ptxas of this machine, for the targets of the compiler of CUDA text that it accompanies. */
export async function findPtxas(
  path: string,
  places: ToolkitPlaces,
  directory: string,
  targets: readonly string[],
): Promise<Result<ToolchainFacts, string>> {
  const found = await findTool("ptxas", path, places, directory);
  if (found) return ok({ kind: "ptxas", id: `ptxas ${found.version}`, path: found.file, searchPath: path, targets });
  return err("no ptxas in PATH or in the usual folders of the CUDA toolkit: this builder does not assemble PTX of clients");
}
