/**
 * The least time that a run can have taken. It is a bound that no honest result breaks, and no estimate: a time below it is a lie
 * or a fault of a clock (docs/adr/0075-times-that-cannot-be-true.md). It follows from what the program must do and from the
 * device as it was registered, never from what a worker says of a run.
 *
 *   seconds >= bytes that a run reads and writes at least once / rate of the L2 cache      every launch begins with an empty L1
 *   seconds >= those of them that the L2 cache cannot hold / rate of the memory            whatever the launch before left there
 *   seconds >= operations on operands of a width / peak of that width                      tensor cores included, no sparsity
 *   seconds >= 1 ns                                                                        a launch, on any device
 *
 * Rates are the lesser of the maker's and of what a runner measured on the device itself (docs/adr/0113-measured-rates.md).
 * Rates, and the size of the cache, are taken twice as great, for boost clocks above the stated ones and for what the figures
 * leave out. A model that is neither listed nor measured, and every CPU, has the last line alone.
 */
import type { Seconds } from "./measure.ts";

/** The least work of a run: no correct program does less. */
export interface Work {
  /** Bytes of distinct elements of arguments. */
  readonly bytes: number;
  /** Additions and multiplications, by the bits of the narrowest operand. */
  readonly operations: readonly { readonly bits: number; readonly count: number }[];
}

/**
 * The least work of other code with the outputs of a program: as many bytes, and a fourth of the operations at the rate of the
 * fastest type. Winograd's and Strassen's algorithms need less than all of them; exact outputs may come of narrower products.
 */
export const leastOfOthers = ({ bytes, operations }: Work): Work => ({
  bytes,
  operations:
    operations.length === 0 ? [] : [{ bits: fastestBits, count: operations.reduce((sum, { count }) => sum + count, 0) / 4 }],
});
const fastestBits = 8;

export const leastLaunchSeconds: Seconds = 1e-9;
const margin = 2;

interface Peak {
  readonly l2: number;
  /** Bytes a second of the memory, and bytes of the L2 cache. */
  readonly memory: number;
  readonly l2Bytes: number;
  /** Operations a second with operands of 64, 32 and 16 bits. Half the bits count twice as many, as they do on every model. */
  readonly peak: readonly [f64: number, f32: number, f16: number];
}

const tera = 1e12;
const mebi = 2 ** 20;

/**
 * The fastest of the cards that have this name. Peaks: the makers' data sheets, dense, the greater of tensor cores (TF32 for 32
 * bits) and CUDA cores. L2: bytes a clock at the boost clock. NVIDIA states 2,048 for V100 and 5,120 for A100 ("NVIDIA A100
 * Tensor Core GPU Architecture", 2020, page 35); the later large chips are taken to have as many, a die of B200 too, and the
 * smaller ones as many as their measured rates need (Chips and Cheese, "Microbenchmarking Nvidia's RTX 4090", 2022; Jia and
 * others, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", arXiv 1903.07486). Memory: the same data sheets, of the
 * fastest card of the name (GH200's 4.9 TB/s).
 */
const peaks: readonly (Peak & { readonly model: RegExp })[] = [
  // Data sheet H100, 2023: SXM 67 / 495 / 989, NVL 60 / 418 / 835, PCIe 51 / 378 / 756. H200 and GH200 have the chip of the SXM.
  {
    model: /\b(H100|H200|GH200)\b/,
    l2: 5120 * 1.98e9,
    memory: 4.9 * tera,
    l2Bytes: 60 * mebi,
    peak: [67 * tera, 495 * tera, 990 * tera],
  },
  // Data sheet HGX B200 and GB200, 2024: 45 / 1,250 / 2,500 a GPU, of two dies.
  {
    model: /\b(B200|GB200)\b/,
    l2: 2 * 5120 * 1.965e9,
    memory: 8 * tera,
    l2Bytes: 126 * mebi,
    peak: [45 * tera, 1250 * tera, 2500 * tera],
  },
  // Data sheet A100, 2021: 40 and 80 GB alike.
  { model: /\bA100\b/, l2: 5120 * 1.41e9, memory: 2.04 * tera, l2Bytes: 40 * mebi, peak: [19.5 * tera, 156 * tera, 312 * tera] },
  // Data sheet L40S, 2023. 64 bits: 1/64 of 32 bits on CUDA cores, as on all chips below but V100's.
  { model: /\bL40S\b/, l2: 5120 * 2.52e9, memory: 0.864 * tera, l2Bytes: 96 * mebi, peak: [1.5 * tera, 183 * tera, 366 * tera] },
  // Data sheet L4, 2023.
  { model: /\bL4\b/, l2: 2560 * 2.04e9, memory: 0.3 * tera, l2Bytes: 48 * mebi, peak: [0.5 * tera, 60 * tera, 121 * tera] },
  // Data sheet A10, 2021.
  { model: /\bA10\b/, l2: 4096 * 1.695e9, memory: 0.6 * tera, l2Bytes: 6 * mebi, peak: [1 * tera, 62.5 * tera, 125 * tera] },
  // Data sheet V100 and V100S, 2020.
  { model: /\bV100S?\b/, l2: 2048 * 1.6e9, memory: 1.134 * tera, l2Bytes: 6 * mebi, peak: [8.2 * tera, 16.4 * tera, 130 * tera] },
  // Data sheet T4, 2019.
  { model: /\bT4\b/, l2: 1280 * 1.59e9, memory: 0.32 * tera, l2Bytes: 4 * mebi, peak: [0.3 * tera, 8.1 * tera, 65 * tera] },
  // "NVIDIA Ada GPU Architecture", 2022, appendix A: 82.6 TF32 and FP32, 330.3 FP16 with FP16 accumulation.
  {
    model: /\bRTX 4090\b/,
    l2: 5120 * 2.52e9,
    memory: 1.008 * tera,
    l2Bytes: 72 * mebi,
    peak: [1.3 * tera, 82.6 * tera, 330.3 * tera],
  },
  // "NVIDIA Ampere GA102 GPU Architecture", 2020, appendix A: 35.6 TF32 and FP32, 142 FP16 with FP16 accumulation. 3090 Ti: 40,
  // 160.
  {
    model: /\bRTX 3090\b/,
    l2: 4096 * 1.86e9,
    memory: 1.008 * tera,
    l2Bytes: 6 * mebi,
    peak: [0.63 * tera, 40 * tera, 160 * tera],
  },
];

const slowest = peaks.reduce((a, b) => (b.memory < a.memory ? b : a));

/** Limits that a runner registers of its device, by name. */
export type RegisteredLimits = Readonly<Record<string, number>>;

export const hasPeaks = (deviceName: string, limits: RegisteredLimits = {}): boolean => peakOf(deviceName, limits) !== undefined;

/**
 * `work`: undefined = not known. `deviceName`: the model as the driver names it. `runs`: runs that follow each other on tensors
 * of their own, so that what the cache held at first and holds at last is saved once for all of them.
 */
export function leastSeconds(work: Work | undefined, deviceName: string, limits: RegisteredLimits = {}, runs = 1): Seconds {
  const known = peakOf(deviceName, limits);
  if (work === undefined || known === undefined) return leastLaunchSeconds;
  const times = work.operations.map(({ bits, count }) => count / operationsPerSecond(known, bits));
  const fromMemory = Math.max(0, work.bytes - (margin * known.l2Bytes) / runs) / known.memory;
  return Math.max(leastLaunchSeconds, Math.max(work.bytes / known.l2, fromMemory, ...times) / margin);
}

/** Bytes a second of the memory; of a model that is not listed, those of the slowest that is. */
export const memoryRateOf = (deviceName: string): number => (peakOf(deviceName, {}) ?? slowest).memory;

function peakOf(deviceName: string, limits: RegisteredLimits): Peak | undefined {
  const listed = peaks.find(({ model }) => model.test(deviceName));
  const measured = measuredPeak(limits);
  if (listed === undefined || measured === undefined) return listed ?? measured;
  return { ...listed, l2: Math.min(listed.l2, measured.l2), memory: Math.min(listed.memory, measured.memory) };
}

/** Names of what a runner measures of a device (runner/src/device/cuda/rates.ts) among its limits. */
export const measuredRates = { l2: "measured_l2_bytes_per_second", memory: "measured_memory_bytes_per_second" } as const;

/**
 * The rates that were measured. Operations: no one instruction is the fastest on every GPU, so the peak is that of the tensor
 * cores of its generation for 16 bits, whatever the type, at the clock that the driver calls the highest. Memory: at least half
 * of what its clock and its width allow, so that a measurement in a low power state bounds nobody.
 */
function measuredPeak(limits: RegisteredLimits): Peak | undefined {
  const of = (name: string): number => limits[name] ?? 0;
  const [l2, memory] = [of(measuredRates.l2), of(measuredRates.memory)];
  const operations = of("multiprocessor_count") * of("clock_rate") * 1e3 * operationsAClock(of("compute_capability_major"));
  if (!(l2 > 0 && memory > 0 && operations > 0)) return undefined;
  // Kilohertz, two transfers a clock, bits.
  const possible = (of("memory_clock_rate") * 1e3 * 2 * of("global_memory_bus_width")) / 8;
  const bounded = Math.max(memory, possible / margin);
  return { l2: Math.max(l2, bounded), memory: bounded, l2Bytes: of("l2_cache_size"), peak: [operations, operations, operations] };
}

/** Of one multiprocessor with operands of 16 bits: V100 and A100 1,024 and 2,048, H100 4,096, B200 8,192 (their data sheets). */
const operationsAClock = (capability: number): number => (capability <= 8 ? 2048 : capability === 9 ? 4096 : 16_384);

function operationsPerSecond({ peak: [f64, f32, f16] }: Peak, bits: number): number {
  if (bits > 32) return f64;
  return bits > 16 ? f32 : (f16 * 16) / bits;
}
