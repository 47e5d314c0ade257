/** The roofline: the smaller of the device's peak arithmetic and its peak bandwidth at the intensity of the work. */
import { percent } from "./units.ts";

/** Work of one run: operations, bytes of all inputs and outputs counted once, and the type of the inputs. */
export interface Work {
  readonly flops: number;
  readonly bytes: number;
  readonly dtype: string;
}

interface Peaks {
  /** Bytes a second. */
  readonly memory: number;
  /** Dense operations per second: of the cores for float32 and float64, of the tensor cores for the other types. */
  readonly float64: number;
  readonly float32: number;
  readonly half: number;
  readonly int8: number;
}

const h100 = { memory: 3.35e12, float64: 33.5e12, float32: 66.9e12, half: 989.4e12, int8: 1978.9e12 };
const a100 = { memory: 2.039e12, float64: 9.7e12, float32: 19.5e12, half: 312e12, int8: 624e12 };

/** Peaks by device name as the driver reports it, from NVIDIA's data sheets. */
const devices: readonly (readonly [RegExp, Peaks])[] = [
  [/H200/, { ...h100, memory: 4.8e12 }],
  [/H100 PCIe/, { memory: 2e12, float64: 25.6e12, float32: 51.2e12, half: 756e12, int8: 1513e12 }],
  [/H100 NVL/, { memory: 3.9e12, float64: 30e12, float32: 60e12, half: 835e12, int8: 1671e12 }],
  [/H100 80GB HBM3/, h100],
  [/A100-PCIE-40GB|A100-SXM4-40GB/, { ...a100, memory: 1.555e12 }],
  [/A100 80GB PCIe/, { ...a100, memory: 1.935e12 }],
  [/A100-SXM4-80GB/, a100],
  [/NVIDIA A10$/, { memory: 0.6e12, float64: 0.49e12, float32: 31.2e12, half: 125e12, int8: 250e12 }],
  [/NVIDIA L40S/, { memory: 0.864e12, float64: 1.4e12, float32: 91.6e12, half: 362e12, int8: 733e12 }],
  [/NVIDIA L4$/, { memory: 0.3e12, float64: 0.47e12, float32: 30.3e12, half: 121e12, int8: 242e12 }],
  [/Tesla T4/, { memory: 0.32e12, float64: 0.25e12, float32: 8.1e12, half: 65e12, int8: 130e12 }],
];

const classes: { readonly [dtype: string]: keyof Peaks } = {
  float64: "float64",
  float32: "float32",
  float16: "half",
  bfloat16: "half",
  int8: "int8",
  uint8: "int8",
};

export interface Roof {
  /** Operations per second of the kernel, and the most that the device allows for them. */
  readonly rate: number;
  readonly roof: number;
  readonly share: number;
  readonly bound: "memory" | "arithmetic";
}

function peaksOf(deviceName: string, dtype: string): { readonly memory: number; readonly arithmetic: number } | undefined {
  const peaks = devices.find(([name]) => name.test(deviceName))?.[1];
  const kind = classes[dtype];
  return peaks && kind && { memory: peaks.memory, arithmetic: peaks[kind] };
}

/** Undefined when the device, or the type on this device, is unknown. */
export function roofOf(deviceName: string, { flops, bytes, dtype }: Work, seconds: number): Roof | undefined {
  const peaks = peaksOf(deviceName, dtype);
  if (peaks === undefined || !(flops > 0 && bytes > 0 && seconds > 0)) return undefined;
  const byMemory = (flops / bytes) * peaks.memory;
  const roof = Math.min(byMemory, peaks.arithmetic);
  const bound = byMemory < peaks.arithmetic ? "memory" : "arithmetic";
  return { rate: flops / seconds, roof, share: flops / seconds / roof, bound };
}

export interface RoofCurve {
  /** Operations a byte, up; the work's own is among them. */
  readonly intensities: Float64Array;
  /** Operations a second that the device allows at each. */
  readonly roof: readonly number[];
  readonly own: number;
}

/** The roof by intensity, with the corner and the work somewhere in the middle; undefined as `roofOf`. */
export function roofCurve(deviceName: string, { flops, bytes, dtype }: Work): RoofCurve | undefined {
  const peaks = peaksOf(deviceName, dtype);
  if (peaks === undefined || !(flops > 0 && bytes > 0)) return undefined;
  const [own, corner] = [flops / bytes, peaks.arithmetic / peaks.memory];
  const [low, high] = [Math.min(own, corner) / 8, Math.max(own, corner) * 8];
  const steps = Array.from({ length: 41 }, (_, i) => low * (high / low) ** (i / 40));
  const intensities = Float64Array.from(new Set([...steps, own, corner])).sort();
  const roof = Array.from(intensities, (each) => Math.min(each * peaks.memory, peaks.arithmetic));
  return { intensities, roof, own: intensities.indexOf(own) };
}

const scales = [
  [1e15, "PFLOP/s"],
  [1e12, "TFLOP/s"],
  [1e9, "GFLOP/s"],
  [0, "MFLOP/s"],
] as const;

export function rateWords(perSecond: number): string {
  const [scale, unit] = scales.find(([least]) => perSecond >= least) ?? scales[3];
  return `${(perSecond / (scale || 1e6)).toPrecision(3)} ${unit}`;
}

const figures = (value: number): string => (value < 1_000 ? value.toPrecision(3) : String(Number(value.toPrecision(3))));

export function rooflineWords(deviceName: string, work: Work, seconds: number): string {
  const speed = `${rateWords(work.flops / seconds)} at ${figures(work.flops / work.bytes)} operations a byte`;
  const found = roofOf(deviceName, work, seconds);
  if (found === undefined) return `${speed}; what ${deviceName || "the device"} allows is not known here`;
  const by = found.bound === "memory" ? "its memory" : "its arithmetic";
  return `${speed}: ${percent(found.share)} of the ${rateWords(found.roof)} that the device's data sheet allows at that intensity, by ${by}`;
}
