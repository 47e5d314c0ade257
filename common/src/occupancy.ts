/** How many blocks of a kernel one multiprocessor of a GPU holds at once, by the rules of the CUDA programming guide. */

interface Multiprocessor {
  readonly count: number;
  readonly warps: number;
  readonly blocks: number;
  readonly sharedBytes: number;
  /** Bytes of shared memory that the system takes for each block. */
  readonly reservedBytes: number;
  /** Shared memory is allocated in multiples of this number of bytes. */
  readonly sharedUnit: number;
}

const since80 = { reservedBytes: 1024, sharedUnit: 128 };

/** Facts of the capabilities in the tables of the CUDA programming guide. Others are unknown here. */
const multiprocessors: { readonly [capability: string]: Multiprocessor } = {
  75: { count: 68, warps: 32, blocks: 16, sharedBytes: 65_536, reservedBytes: 0, sharedUnit: 256 },
  80: { count: 108, warps: 64, blocks: 32, sharedBytes: 164 * 1024, ...since80 },
  86: { count: 82, warps: 48, blocks: 16, sharedBytes: 100 * 1024, ...since80 },
  89: { count: 128, warps: 48, blocks: 24, sharedBytes: 100 * 1024, ...since80 },
  90: { count: 132, warps: 64, blocks: 32, sharedBytes: 228 * 1024, ...since80 },
};

/** Each of the four parts of a multiprocessor has a quarter of its 65,536 registers. */
const registersPerPart = 16_384;
const registerUnit = 256;

const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

export type Occupancy = NonNullable<ReturnType<typeof occupancy>>;

const multiprocessorOf = (key: string): Multiprocessor | undefined => multiprocessors[/^cuda\/sm_(\d+)a?$/.exec(key)?.[1] ?? ""];

/** Multiprocessors of a usual card of this kind: RTX 2080 Ti, A100, RTX 3090, RTX 4090, H100; otherwise an H100's. */
export const usualMultiprocessors = (key: string): number => multiprocessorOf(key)?.count ?? 132;

/** Undefined when the multiprocessors of `key` (`cuda/sm_90`) are not known. */
export function occupancy(
  key: string,
  { threads, registers, sharedBytes }: { readonly threads: number; readonly registers: number; readonly sharedBytes: number },
) {
  const sm = multiprocessorOf(key);
  if (sm === undefined || !(threads > 0 && registers > 0)) return undefined;
  const warps = Math.ceil(threads / 32);
  const shared = roundUp(sharedBytes + sm.reservedBytes, sm.sharedUnit);
  const warpsByRegisters = Math.floor(registersPerPart / roundUp(registers * 32, registerUnit)) * 4;
  const allowed: readonly (readonly [string, number])[] = [
    ["warps", Math.floor(sm.warps / warps)],
    ["blocks", sm.blocks],
    ["registers", Math.floor(warpsByRegisters / warps)],
    ["shared memory", shared === 0 ? Number.POSITIVE_INFINITY : Math.floor(sm.sharedBytes / shared)],
  ];
  const blocks = Math.min(...allowed.map(([, count]) => count));
  return {
    blocks,
    warps: blocks * warps,
    mostWarps: sm.warps,
    limits: allowed.filter(([, count]) => count === blocks).map(([name]) => name),
  };
}
