/**
 * Reads ptxas's report of a kernel's resources. NVRTC and nvcc both run ptxas and pass on its messages with `--ptxas-options=-v`,
 * so this needs no GPU and no ELF reader. Formats: CUDA 11 to 13.
 */
import { firstLine, type ManifestNote } from "@warpfarm/common";

export interface Resources {
  readonly registers: number;
  readonly spill_bytes: number;
  readonly static_shared_bytes: number;
}

/** The greatest value of each over all kernels of the log. Spills count the larger of stores and loads. */
export function readPtxasReport(log: string): Resources {
  const most = (pattern: RegExp): number => Math.max(0, ...[...log.matchAll(pattern)].map((match) => Number(match[1])));
  return {
    registers: most(/\bUsed (\d+) registers/g),
    spill_bytes: Math.max(most(/\b(\d+) bytes spill stores/g), most(/\b(\d+) bytes spill loads/g)),
    static_shared_bytes: most(/\b(\d+)(?:\+\d+)? bytes smem/g),
  };
}

/** What ptxas could not do as requested, for a kernel that it compiled nevertheless. */
const losses: readonly (readonly [pattern: RegExp, rule: (match: RegExpExecArray) => string])[] = [
  // Registers of warp groups and their products: C7508, C7510 to C7514, C7519.
  [/\((C7\d{3})\)\s*(.+)$/, ([, code]) => `ptxas.${code}`],
  [/(Value of threads per SM for entry .+ is out of range.*)$/, () => "launch_bounds.ignored"],
  [/((?:\.minnctapersm|\.maxnreg|\.maxntid).* ignored.*)$/, () => "launch_bounds.ignored"],
];
const mostNotes = 64;

/** Notes for users on compiled kernels: registers spilled to memory, and what the compiler says that it lost or left out. */
export function notesOf(log: string): readonly ManifestNote[] {
  const notes = new Map<string, ManifestNote>();
  const note = (rule: string, message: string) => notes.set(`${rule} ${message}`, { rule, message: firstLine(message) });
  let kernel = "a kernel";
  for (const line of log.split("\n")) {
    kernel = /Compiling entry function '([^']+)'/.exec(line)?.[1] ?? kernel;
    const spill = /(\d+) bytes spill stores, (\d+) bytes spill loads/.exec(line);
    const bytes = Math.max(Number(spill?.[1] ?? 0), Number(spill?.[2] ?? 0));
    if (bytes > 0)
      note(
        "ptxas.spills",
        `${kernel} spills ${bytes} bytes per thread from registers to memory; fewer blocks per multiprocessor (minBlocks), fewer threads or smaller tiles leave more registers`,
      );
    for (const [pattern, ruleOf] of losses) {
      const match = pattern.exec(line);
      if (match) {
        note(ruleOf(match), `${kernel}: ${match.at(-1)?.trim() ?? ""}`);
        break;
      }
    }
  }
  return [...notes.values()].slice(0, mostNotes);
}

/** The log without the report: warnings and errors, for people. */
export function withoutReport(log: string): string {
  return log
    .split("\n")
    .filter((line) => !/^\s*ptxas (?:info\s*:|\s*\.)/.test(line) && !/^\s*\d+ bytes stack frame/.test(line))
    .join("\n")
    .trim();
}
