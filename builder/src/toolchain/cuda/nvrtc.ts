/** The toolchain `nvrtc`: CUDA text to cubin in this process, without files and start-up. */
import { digestOf, err, ok, type Result } from "@warpfarm/common";
import type { Compiled, CompileJob, Expanded, Toolchain, ToolchainFacts } from "../toolchain.ts";
import { asBundles, type CudaText, compiledOf, cudaTextOf, targetsOf, withStandard } from "./compile-cuda.ts";
import { includeFolders, nvrtcCandidates, type ToolkitPlaces } from "./find-libraries.ts";
import { type Nvrtc, openNvrtc } from "./nvrtc-library.ts";
import { definitionIn } from "./tunables.ts";

const baseFlags = ["--std=c++17", "--ptxas-options=-v"] as const;

/**
 * NVRTC looks for a quoted header in the folder of the file that includes it. The text itself is in a folder that does not exist,
 * so it finds nothing of this machine; headers of the toolkit and of bundles find those beside them.
 */
const nowhere = "/nonexistent/warpfarm";

/** NVRTC spells flags as nvcc does, except the optimization level, which is ptxas's there. */
const spelling = (flag: string): string => (/^-O[0-3]$/.test(flag) ? `--ptxas-options=${flag}` : flag);

export class NvrtcToolchain implements Toolchain {
  readonly facts: ToolchainFacts;
  readonly language = "cuda";
  readonly format = "cubin";
  readonly #open: () => Nvrtc;
  readonly #includes: readonly string[];

  constructor(facts: ToolchainFacts, open: () => Nvrtc) {
    this.facts = facts;
    let opened: Nvrtc | undefined;
    this.#open = () => {
      opened ??= open();
      return opened;
    };
    this.#includes = facts.includes ?? [];
  }

  flags(target: string): readonly string[] {
    return [`--gpu-architecture=${target.slice("cuda/".length)}`, ...baseFlags];
  }

  async compile(job: CompileJob): Promise<Compiled> {
    const checked = cudaTextOf(job);
    if (!checked.ok) return checked.error;
    const { text, fileName, headers, expressions } = checked.value;
    const options = this.#options(job, checked.value);
    const answer = this.#open().compile({ text, fileName: `${nowhere}/${fileName}`, headers, options, expressions });
    const client = { clientText: job.clientText, broughtByClient: job.source !== undefined };
    const toolkit = Object.fromEntries(this.#includes.toReversed().map((folder) => [folder, "<cuda>/"]));
    return compiledOf(answer, { [nowhere]: "", ...asBundles(job.includes), ...toolkit }, client);
  }

  /** NVRTC does not print what it preprocessed, so codes are compared. */
  async expand(job: CompileJob): Promise<Expanded> {
    const compiled = await this.compile(job);
    return {
      digest: compiled.ok ? digestOf(compiled.code) : undefined,
      definitionOf: async (macro) => definitionIn(job.source?.files ?? {}, macro),
    };
  }

  #options({ target, includes = [] }: CompileJob, { flags }: CudaText): readonly string[] {
    const base = withStandard(this.flags(target), flags);
    return [...base, ...[...includes, ...this.#includes].map((folder) => `--include-path=${folder}`), ...flags.map(spelling)];
  }
}

/** The NVRTC of this machine, if a trial compile succeeds. `why` is a sentence for people. */
export function findNvrtc(searchPath: string, places: ToolkitPlaces): Result<ToolchainFacts, string> {
  const faults: string[] = [];
  for (const path of nvrtcCandidates(places)) {
    const opened = openNvrtc(path);
    if (!opened.ok) faults.push(opened.error.message);
    else {
      const nvrtc = opened.value;
      const options = [`--gpu-architecture=sm_${Math.max(...nvrtc.architectures)}`, ...baseFlags];
      const { cubin, log } = nvrtc.compile({ text: probe, fileName: "probe.cu", headers: {}, options });
      if (cubin !== undefined)
        return ok({
          kind: "nvrtc",
          id: `nvrtc ${nvrtc.version}`,
          path,
          searchPath,
          includes: includeFolders(places),
          targets: targetsOf(nvrtc.architectures),
        });
      faults.push(`${path}: ${log.trim()}`);
    }
  }
  return err(`no NVRTC (libnvrtc of CUDA 11.2 to 13): ${faults.join("; ")}`);
}

const probe = `extern "C" __global__ void probe(float *a) { a[threadIdx.x] += 1.0f; }`;

export function openNvrtcToolchain(facts: ToolchainFacts): NvrtcToolchain {
  const open = (): Nvrtc => {
    const opened = openNvrtc(facts.path);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  return new NvrtcToolchain(facts, open);
}
