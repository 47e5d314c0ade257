/** The toolchain `ptxas`: a client's PTX to cubin. It accompanies a compiler of CUDA text. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "@warpfarm/common";
import { run as runCommand, runLimited } from "../collect.ts";
import type { Compiled, CompileJob, Toolchain, ToolchainFacts } from "../toolchain.ts";
import { compiledOf, noSandbox } from "./compile-cuda.ts";
import { type ToolkitPlaces, toolkitRoots } from "./find-libraries.ts";

const logBytes = 256 * 1024;

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
    const { code, output } = await runLimited(path, args, { directory, searchPath, logBytes: logBytes, timeoutMs });
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
  const inPath = path.split(":").map((folder) => join(folder || ".", "ptxas"));
  const inToolkits = toolkitRoots(places).map((root) => join(root, "bin/ptxas"));
  for (const file of [...inPath, ...inToolkits]) {
    const asked = await runCommand(file, ["--version"], { directory, searchPath: path, logBytes: logBytes }).catch(
      () => undefined,
    );
    const version = /\bV([\d.]+)/.exec(asked?.output ?? "")?.[1];
    if (version !== undefined) return ok({ kind: "ptxas", id: `ptxas ${version}`, path: file, searchPath: path, targets });
  }
  return err("no ptxas in PATH or in the usual folders of the CUDA toolkit: this builder does not assemble PTX of clients");
}
