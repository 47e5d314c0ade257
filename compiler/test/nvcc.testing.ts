/** nvcc on generated text: cubin with ptxas's report, or PTX. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function nvcc(
  text: string,
  flags: readonly string[],
  extension: "cubin" | "ptx",
): { readonly log: string; readonly ptx: string } {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-cu-"));
  try {
    const source = join(dir, "kernel.cu");
    // The PTX, kept on the way to a cubin, has this name too.
    const output = join(dir, `kernel.${extension}`);
    writeFileSync(source, text);
    // ptxas reports on stderr.
    const log = execFileSync("sh", ["-c", 'exec nvcc "$@" 2>&1', "sh", ...flags, "-o", output, source], {
      encoding: "utf8",
      cwd: dir,
    });
    return { log, ptx: readFileSync(join(dir, "kernel.ptx"), "latin1") };
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
  readonly stackBytes: number;
  readonly spillBytes: number;
  readonly sharedBytes: number;
}

export interface Cubin {
  /** ptxas's figures by kernel. */
  readonly reports: ReadonlyMap<string, KernelReport>;
  /** What ptxas was given, by kernel. */
  readonly ptx: ReadonlyMap<string, string>;
}

/** Compiles to a cubin, warnings being errors. Throws with nvcc's words. */
export function compileCubin(text: string, arch: string): Cubin {
  const { log, ptx } = nvcc(text, ["-cubin", "--keep", `-arch=${arch}`, "--resource-usage", "-Werror", "all-warnings"], "cubin");
  const reports = new Map<string, KernelReport>();
  for (const part of log.split(/(?=Compiling entry function)/).slice(1)) {
    const number = (pattern: RegExp) => Number(pattern.exec(part)?.[1] ?? 0);
    reports.set(/'(\w+)'/.exec(part)?.[1] ?? "", {
      registers: number(/Used (\d+) registers/),
      stackBytes: number(/(\d+) bytes stack frame/),
      spillBytes: number(/(\d+) bytes spill stores/),
      sharedBytes: number(/(\d+) bytes smem/),
    });
  }
  return { reports, ptx: ptxByKernel(ptx) };
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
