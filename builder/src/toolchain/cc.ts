/**
 * The system's C compiler, gcc or clang: C text to a shared object, at the level of the target and never `-march=native`. The
 * text needs no header and gets none (-nostdinc). File names are fixed and relative, so equal text gives equal bytes.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { executableOn } from "@warpfarm/common/process";
import { run as runCommand, runLimited } from "./collect.ts";
import type { Compiled, CompileJob, Toolchain, ToolchainFacts } from "./toolchain.ts";

const names = ["cc", "gcc", "clang"] as const;
const x86Targets = ["cpu/x86-64-v1", "cpu/x86-64-v2", "cpu/x86-64-v3", "cpu/x86-64-v4"] as const;
const arm64Target = "cpu/arm64";

function march(target: string): string {
  if (target === arm64Target) return "-march=armv8-a";
  return target === "cpu/x86-64-v1" ? "-march=x86-64" : `-march=${target.slice("cpu/".length)}`;
}

/**
 * -fno-math-errno and -fno-trapping-math have no observable effect but vector code for calls and selects. The tolerance of the
 * check allows contraction. There is no -ffast-math: NaN and infinities keep their meaning.
 */
export function ccFlags(target: string): readonly string[] {
  return [
    "-std=gnu11",
    "-O3",
    march(target),
    "-fopenmp",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-nostdinc",
    "-fPIC",
    "-shared",
    "-s",
    "-Wl,--build-id=none",
    "-w",
  ];
}

const logBytes = 64 * 1024;

export class Cc implements Toolchain {
  readonly facts: ToolchainFacts;
  readonly language = "c";
  readonly format = "so";

  constructor(facts: ToolchainFacts) {
    this.facts = facts;
  }

  flags(target: string): readonly string[] {
    return ccFlags(target);
  }

  async compile({ text, target, directory, timeoutMs }: CompileJob): Promise<Compiled> {
    await writeFile(join(directory, "kernel.c"), text.text);
    const args = [...this.flags(target), "-o", "kernel.so", "kernel.c", "-lm"];
    const { code, signal, output } = await runLimited(this.facts.path, args, {
      directory,
      searchPath: this.facts.searchPath,
      logBytes: logBytes,
      timeoutMs,
    });
    const log = withoutPaths(output, directory);
    if (code !== 0) {
      const first = log.split("\n").find((line) => line.includes("error")) ?? log.split("\n")[0] ?? "";
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      return { ok: false, rule: "toolchain", message: `${this.facts.id} ${how}: ${first}`.slice(0, 1024), log };
    }
    const resources = { registers: 0, spill_bytes: 0, static_shared_bytes: 0 };
    return { ok: true, code: await readFile(join(directory, "kernel.so")), resources, notes: [] };
  }
}

const run = (command: string, args: readonly string[], directory: string, searchPath: string) =>
  runCommand(command, args, { directory, searchPath, logBytes: logBytes });

/** Hides paths of this machine: removes the job's folder, and keeps only the last part of other absolute paths. */
export function withoutPaths(text: string, directory: string): string {
  return text.replaceAll(`${directory}/`, "").replace(/(^|[\s:"'(`])\/(?:[\w.+@-]+\/)+/gm, "$1");
}

type CcSearch = { readonly kind: "found"; readonly facts: ToolchainFacts } | { readonly kind: "missing"; readonly why: string };

/** The first of cc, gcc and clang in the search path that compiles a kernel, and its targets. */
export async function findCc(searchPath: string, temporary: string): Promise<CcSearch> {
  const faults: string[] = [];
  for (const name of names) {
    const file = executableOn(searchPath, name);
    if (file === undefined) continue;
    const facts = await examine(file, searchPath, temporary);
    if (typeof facts !== "string") return { kind: "found", facts };
    faults.push(`${file} ${facts}`);
  }
  const looked = `no working C compiler: looked for ${names.join(", ")} in PATH`;
  const remedy = 'install one, for instance "apt-get install gcc libc6-dev" or "dnf install gcc"';
  return { kind: "missing", why: `${looked}${faults.length === 0 ? "" : `; found ${faults.join("; ")}`}; ${remedy}` };
}

/** The compiler's facts, or what is wrong with it. */
async function examine(path: string, searchPath: string, temporary: string): Promise<ToolchainFacts | string> {
  const directory = await mkdtemp(join(temporary, "warpfarm-cc-"));
  try {
    const machine = (await run(path, ["-dumpmachine"], directory, searchPath)).output.trim();
    const candidates = machine.startsWith("x86_64") ? x86Targets : /^(?:aarch64|arm64)/.test(machine) ? [arm64Target] : [];
    const [base] = candidates;
    if (base === undefined) return `compiles for ${machine || "an unknown machine"}; the farm measures x86-64 and arm64`;
    const id = idOf((await run(path, ["--version"], directory, searchPath)).output);
    const cc = new Cc({ kind: "cc", id, path, searchPath, targets: [base] });
    const text = { language: "c", text: probe, kernels: [], buffers: [], notes: [] } as const;
    const compiled = await cc.compile({ text, clientText: "refused", target: base, directory, timeoutMs: 20_000 });
    if (!compiled.ok) return `does not compile a kernel with OpenMP (${compiled.message})`;
    // A compiler that knows a level knows those below.
    let known = candidates.length;
    const knows = (target: string) => run(path, [march(target), "-fsyntax-only", "kernel.c"], directory, searchPath);
    while (known > 1 && (await knows(candidates[known - 1] as string)).code !== 0) known--;
    return { kind: "cc", id, path, searchPath, targets: candidates.slice(0, known) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const probe = `extern double exp(double);
void probe(void *const *args) {
  double *a = (double *)args[0];
#pragma omp parallel for
  for (int i = 0; i < 64; i++) a[i] = exp(a[i]);
}
`;

/** "gcc 12.2.0" of "cc (Debian 12.2.0-14) 12.2.0", "clang 15.0.6" of "Debian clang version 15.0.6". */
export function idOf(version: string): string {
  const [line = ""] = version.split("\n");
  const clang = /clang version (\d+(?:\.\d+)*)/.exec(line);
  if (clang) return `clang ${clang[1]}`;
  const gnu = /\d+(?:\.\d+)+/.exec(line.replace(/\([^)]*\)/g, ""));
  return `gcc ${gnu?.[0] ?? "of unknown version"}`;
}
