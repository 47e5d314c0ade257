/** The toolchain `nvcc`: one subprocess per kernel. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf, err, ok, type Result } from "@warpfarm/common";
import { run, runLimited } from "../collect.ts";
import type { Compiled, CompileJob, Expanded, Toolchain, ToolchainFacts } from "../toolchain.ts";
import { asBundles, type CudaText, compiledOf, cudaTextOf, targetsOf, withStandard } from "./compile-cuda.ts";
import { readCubin } from "./cubin.ts";
import { findTool, logBytes, type ToolkitPlaces } from "./find-libraries.ts";
import { definitionAmong } from "./tunables.ts";

export class NvccToolchain implements Toolchain {
  readonly facts: ToolchainFacts;
  readonly language = "cuda";
  readonly format = "cubin";

  constructor(facts: ToolchainFacts) {
    this.facts = facts;
  }

  flags(target: string): readonly string[] {
    return ["-cubin", `-arch=${target.slice("cuda/".length)}`, "-std=c++17", "--ptxas-options=-v", "-I."];
  }

  async expand(job: CompileJob): Promise<Expanded> {
    const checked = cudaTextOf(job);
    if (!checked.ok) return { digest: undefined, definitionOf: async () => undefined };
    const { directory, includes = [] } = job;
    await writeFiles(directory, checked.value);
    const { flags, fileName, architecture } = checked.value;
    const output = async (...more: readonly string[]): Promise<string | undefined> => {
      // With -arch=sm_90a nvcc goes over the text for compute_90 too, and prints that.
      const onlyArchitecture = `-gencode=arch=${architecture.replace("sm_", "compute_")},code=${architecture}`;
      const args = ["-E", onlyArchitecture, ...withStandard(["-std=c++17"], flags), "-I.", ...flags];
      const { code } = await runLimited(
        this.facts.path,
        [...args, ...includes.map((folder) => `-I${folder}`), ...more, "-o", "out.i", fileName],
        { directory, searchPath: this.facts.searchPath, logBytes, timeoutMs: job.timeoutMs },
      );
      return code === 0 ? await readFile(join(directory, "out.i"), "utf8") : undefined;
    };
    const text = await output();
    const folders = Object.entries({ [directory]: "", ...asBundles(includes) });
    return {
      digest: text === undefined ? undefined : digestOf(text),
      definitionOf: async (macro) => {
        const place = definitionAmong((await output("-Xcompiler", "-dD")) ?? "", macro);
        return folders.reduce<string | undefined>((short, [folder, name]) => short?.replace(`${folder}/`, name), place);
      },
    };
  }

  async compile(job: CompileJob): Promise<Compiled> {
    const checked = cudaTextOf(job);
    if (!checked.ok) return checked.error;
    const { fileName, flags, expressions } = checked.value;
    const { directory, includes = [] } = job;
    await writeFiles(directory, checked.value);
    const args = [
      ...withStandard(this.flags(job.target), flags),
      ...flags,
      ...includes.map((folder) => `-I${folder}`),
      "-o",
      "out.cubin",
      fileName,
    ];
    const { code, output } = await runLimited(this.facts.path, args, {
      directory,
      searchPath: this.facts.searchPath,
      logBytes,
      timeoutMs: job.timeoutMs,
    });
    const folders = { [directory]: "", ...asBundles(includes), ...toolkitFolders(output) };
    const client = { clientText: job.clientText, broughtByClient: job.source !== undefined };
    if (code !== 0) return compiledOf({ log: output }, folders, client);
    const cubin = await readFile(join(directory, "out.cubin"));
    if (expressions.length === 0) return compiledOf({ cubin, log: output }, folders, client);
    const symbols = symbolsOf(expressions, cubin);
    if (!symbols.ok) return { ok: false, rule: "source.entry", message: `${symbols.error} [source.entry]`, log: "" };
    return compiledOf({ cubin, log: output, symbols: symbols.value }, folders, client);
  }
}

async function writeFiles(directory: string, { headers, fileName, text, expressions }: CudaText): Promise<void> {
  for (const [name, content] of Object.entries({ ...headers, [fileName]: text + asked(expressions) }))
    await writeFile(join(directory, name), content);
}

/** Host code that takes a kernel's address, so the compiler instantiates the kernel. Its errors name the entry. */
const asked = (expressions: readonly string[]): string =>
  expressions
    .map((expression, i) => `\n#line 1 "entry ${i + 1}"\nvoid *warpfarm_entry_${i + 1}() { return (void *)(${expression}); }\n`)
    .join("");

/**
 * nvcc does not report the symbol of an instance, so it is found by the template's own name. For several instances of one
 * template only NVRTC says which is which.
 */
function symbolsOf(expressions: readonly string[], cubin: Uint8Array): Result<Record<string, string>, string> {
  const read = readCubin(cubin);
  if (!read.ok) return read;
  const symbols: Record<string, string> = {};
  for (const expression of expressions) {
    const name = /(\w+)\s*(?:<.*)?$/.exec(expression.replace(/<.*$/, ""))?.[1] ?? "";
    const found = read.value.kernels.filter(
      (kernel) => kernel.name === name || new RegExp(`(?<!\\d)${name.length}${name}`).test(kernel.name),
    );
    const [only, ...others] = found;
    if (only === undefined)
      return err(`nvcc makes no kernel for the entry ${expression}; check the name and its template arguments`);
    if (others.length > 0)
      return err(
        `nvcc makes ${found.length} kernels named ${name} and does not say which is ${expression}; a builder with NVRTC does`,
      );
    symbols[expression] = only.name;
  }
  return ok(symbols);
}

function toolkitFolders(log: string): Readonly<Record<string, string>> {
  const found = log.match(/\/[\w./+-]*\/(?:targets\/[\w-]+\/)?include\//g) ?? [];
  return Object.fromEntries(found.filter((folder) => /\/cuda[\w.-]*\//.test(folder)).map((folder) => [folder, "<cuda>/"]));
}

/** The nvcc of this machine. `why` is a sentence for people. */
export async function findNvcc(path: string, places: ToolkitPlaces, directory: string): Promise<Result<ToolchainFacts, string>> {
  const found = await findTool("nvcc", path, places, directory);
  if (!found) return err("no nvcc: looked in PATH and in the usual folders of the CUDA toolkit");
  const { file, version } = found;
  const { output } = await run(file, ["--list-gpu-code"], { directory, searchPath: path, logBytes });
  const targets = targetsOf((output.match(/\bsm_\d+\b/g) ?? []).map((name) => Number(name.slice("sm_".length))));
  return ok({ kind: "nvcc", id: `nvcc ${version}`, path: file, searchPath: path, targets });
}
