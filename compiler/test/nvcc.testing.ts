/** nvcc on generated text: cubin with ptxas's report, or PTX. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function nvcc(text: string, flags: readonly string[]): { readonly log: string; readonly output: string } {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-cu-"));
  try {
    const source = join(dir, "kernel.cu");
    const output = join(dir, "kernel.out");
    writeFileSync(source, text);
    // ptxas reports on stderr.
    const log = execFileSync("sh", ["-c", 'exec nvcc "$@" 2>&1', "sh", ...flags, "-o", output, source], { encoding: "utf8" });
    return { log, output: readFileSync(output, "latin1") };
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

/** Compiles to a cubin, warnings being errors; ptxas's figures by kernel. Throws with nvcc's words. */
export function compileCubin(text: string, arch: string): ReadonlyMap<string, KernelReport> {
  const { log } = nvcc(text, ["-cubin", `-arch=${arch}`, "--resource-usage", "-Werror", "all-warnings"]);
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
  return reports;
}

/** PTX of each kernel. */
export function compilePtx(text: string, arch: string): ReadonlyMap<string, string> {
  const parts = nvcc(text, ["-ptx", `-arch=${arch}`])
    .output.split(/(?=\.visible \.entry )/)
    .slice(1);
  return new Map(parts.map((part) => [/\.entry (\w+)/.exec(part)?.[1] ?? "", part]));
}
