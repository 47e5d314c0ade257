/**
 * What ptxas says about a kernel's resources. NVRTC and nvcc both run it and both hand on its words with `--ptxas-options=-v`, so the report
 * needs no GPU and no reader of ELF. Formats seen: CUDA 11 to 13.
 */
export interface Resources {
  readonly registers: number;
  readonly spill_bytes: number;
  readonly static_shared_bytes: number;
}

/** The most of each over all kernels of the log; spills count the larger of stores and loads. */
export function readPtxasReport(log: string): Resources {
  const most = (pattern: RegExp): number => Math.max(0, ...[...log.matchAll(pattern)].map((match) => Number(match[1])));
  return {
    registers: most(/\bUsed (\d+) registers/g),
    spill_bytes: Math.max(most(/\b(\d+) bytes spill stores/g), most(/\b(\d+) bytes spill loads/g)),
    static_shared_bytes: most(/\b(\d+)(?:\+\d+)? bytes smem/g),
  };
}

/** The log without the report: warnings and errors, for people. */
export function withoutReport(log: string): string {
  return log
    .split("\n")
    .filter((line) => !/^\s*ptxas (?:info\s*:|\s*\.)/.test(line) && !/^\s*\d+ bytes stack frame/.test(line))
    .join("\n")
    .trim();
}
