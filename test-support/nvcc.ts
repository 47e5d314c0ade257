/**
 * nvcc on generated text: figures of its cubin, or PTX. What nvcc said of a text once it says again as long as text, flags and
 * compilers are the same, so `npm test` reads that from testdata/nvcc. The campaign asks nvcc about every text, and compares.
 * Renew: remove the folder, and run `npm run golden`. npm test says at its end how many texts have no record.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { isFull } from "./campaign.ts";
import { earlyReadsOf } from "./wgmma-sass.ts";

const testdata = fileURLToPath(new URL("testdata/nvcc", import.meta.url));

/** What an answer depends on besides its question: this nvcc, and the host's compiler that it uses. */
export function compilersOn(path: string): readonly string[] {
  const versionOf = (command: string) =>
    execFileSync(command, ["--version"], { encoding: "utf8", env: { ...process.env, PATH: path } });
  return [process.arch, versionOf("nvcc"), versionOf("c++")];
}
let compilersHere: readonly string[] | undefined;

interface Settings {
  readonly directory: string;
  readonly compilers: readonly string[];
  /** nvcc is asked although its answer is recorded. */
  readonly isAsked: boolean;
  readonly isWritten: boolean;
}

/**
 * What `ask` has nvcc say, or said when it was recorded. `question`: everything that the answer depends on, the compilers apart:
 * flags, and texts with what they include. A refusal is thrown, and never recorded.
 */
export function nvccSays<T>(question: unknown, ask: () => T, settings: Partial<Settings> = {}): T {
  if (settings.compilers === undefined) compilersHere ??= compilersOn(process.env.PATH ?? "");
  const {
    directory = testdata,
    compilers = compilersHere,
    isAsked = isFull,
    isWritten = process.env.WARPFARM_GOLDEN === "write",
  } = settings;
  const digest = createHash("sha256")
    .update(JSON.stringify([compilers, question]))
    .digest("hex");
  const file = join(directory, `${digest.slice(0, 32)}.json`);
  const recorded: T | undefined = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  if (recorded !== undefined && !isAsked) return recorded;
  const answer = ask();
  const { WARPFARM_TEST_RUN: run } = process.env;
  // npm test says at its end how many there were: each costs up to two seconds, in every run until it is recorded.
  if (recorded === undefined && directory === testdata && run !== undefined) appendFileSync(join(run, "nvcc-asked"), `${file}\n`);
  if (recorded !== undefined && !isDeepStrictEqual(recorded, answer))
    throw new Error(`nvcc says ${JSON.stringify(answer)}, and ${file} another thing; remove the file if nvcc is right`);
  if (isWritten) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, `${JSON.stringify(answer)}\n`);
  }
  return answer;
}

/** Each file in this folder and in those below, by its path: what nvcc may read. */
export const textsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [relative(folder, path), readFileSync(path, "latin1")]),
  );

function nvcc(
  text: string,
  flags: readonly string[],
  extension: "cubin" | "ptx",
): { readonly log: string; readonly ptx: string; readonly output: Buffer } {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-cu-"));
  try {
    const source = join(dir, "kernel.cu");
    // The PTX, kept on the way to a cubin, has this name too.
    const output = join(dir, `kernel.${extension}`);
    writeFileSync(source, text);
    const { status, stdout, stderr, error } = spawnSync("nvcc", [...flags, "-o", output, source], { encoding: "utf8", cwd: dir });
    if (error) throw error;
    // ptxas reports on stderr.
    const log = stdout + stderr;
    if (status !== 0) throw new Error(log);
    return { log, ptx: readFileSync(join(dir, "kernel.ptx"), "latin1"), output: readFileSync(output) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Several texts as one file: what their preludes share stands in it once. Kernels must have different names. */
export function joinTexts(texts: readonly string[]): string {
  const seen = new Set<string>();
  const parts = texts.flatMap((text) => text.split(/\n(?=struct|static|extern)/)).map((part) => part.trim());
  return parts.filter((part) => part.startsWith("extern") || (!seen.has(part) && seen.add(part))).join("\n");
}

export interface KernelReport {
  readonly registers: number;
  /** Bytes of a thread's own data that are in memory and not in registers. */
  readonly stackBytes: number;
  readonly spillBytes: number;
  readonly sharedBytes: number;
  /** How often each instruction of PTX that was asked for stands in the kernel. */
  readonly instructions: Readonly<Record<string, number>>;
}

/**
 * Compiles to a cubin, warnings being errors, and returns ptxas's figures by kernel. Throws with nvcc's words. `instructions` are
 * counted in what ptxas was given.
 */
export function compileCubin(text: string, arch: string, instructions = /$^/): Readonly<Record<string, KernelReport>> {
  const flags = ["-cubin", "--keep", `-arch=${arch}`, "--resource-usage", "-Werror", "all-warnings"];
  return nvccSays([flags, instructions.source, text], () => {
    const { log, ptx } = nvcc(text, flags, "cubin");
    const bodies = ptxByKernel(ptx);
    const reports: Record<string, KernelReport> = {};
    for (const part of log.split(/(?=Compiling entry function)/).slice(1)) {
      const name = /'(\w+)'/.exec(part)?.[1] ?? "";
      const said = (pattern: RegExp): number => {
        const found = pattern.exec(part)?.[1];
        if (found === undefined) throw new Error(`ptxas does not say ${pattern} of ${name}: ${part}`);
        return Number(found);
      };
      reports[name] = {
        registers: said(/Used (\d+) registers/),
        stackBytes: said(/(\d+) bytes stack frame/),
        spillBytes: said(/(\d+) bytes spill stores/),
        sharedBytes: /bytes smem/.test(part) ? said(/(\d+) bytes smem/) : 0,
        instructions: counted(bodies.get(name) ?? "", instructions),
      };
    }
    return reports;
  });
}

/**
 * What ptxas made of products of warpgroups: instructions that read sums in flight, which are wrong, and whether it ran one
 * product after the other.
 */
export function productsOf(text: string, arch: string): { readonly earlyReads: number; readonly isSerialized: boolean } {
  const flags = ["-cubin", "--keep", `-arch=${arch}`, "--resource-usage"];
  return nvccSays([flags, "products", text], () => {
    const { log, output } = nvcc(text, flags, "cubin");
    return { earlyReads: earlyReadsOf(output), isSerialized: log.includes("wgmma.mma_async instructions are serialized") };
  });
}

function counted(text: string, pattern: RegExp): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [found] of text.matchAll(new RegExp(pattern, "g"))) counts[found] = (counts[found] ?? 0) + 1;
  return counts;
}

/** PTX of each kernel, not optimized: that the architecture has all of it. */
export const compilePtx = (text: string, arch: string): ReadonlyMap<string, string> =>
  ptxByKernel(nvcc(text, ["-ptx", `-arch=${arch}`, "-Xcicc", "-O0", "-Werror", "all-warnings"], "ptx").ptx);

const ptxByKernel = (ptx: string) =>
  new Map(
    ptx
      .split(/(?=\.visible \.entry )/)
      .slice(1)
      .map((part) => [/\.entry (\w+)/.exec(part)?.[1] ?? "", part]),
  );
