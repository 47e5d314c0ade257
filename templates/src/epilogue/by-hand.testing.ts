/** Epilogues by plain arithmetic, which shares no code with those that are tested. */
import type { DType } from "@warpfarm/common";
import type { TensorData } from "@warpfarm/compiler";
import type { TemplateTask } from "../task.ts";

interface Read {
  readonly bias: number;
  readonly scale: number;
  readonly residual: number;
}

export interface Epilogue {
  readonly words: readonly string[];
  readonly of: (x: number, read: Read) => number;
}

/** By its series; the arguments of the tests are small. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let [term, total] = [x, x];
  for (let n = 1; n < 120; n++) {
    term *= (-x * x) / n;
    total += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * total;
}

const limit = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);
/** To the nearest whole number, halves to the even one. */
function nearest(x: number): number {
  const below = Math.floor(x);
  const isUp = x - below > 0.5 || (x - below === 0.5 && below % 2 !== 0);
  return isUp ? below + 1 : below;
}
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const hardSigmoid = (x: number): number => limit(x + 3, 0, 6) / 6;
const gelu = (x: number): number => (x * (1 + erf(x / Math.SQRT2))) / 2;
const geluTanh = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

export const epilogues: readonly Epilogue[] = [
  {
    words: ["bias", "relu", "residual", "clamp(-3, 40)"],
    of: (x, { bias, residual }) => limit(Math.max(x + bias, 0) + residual, -3, 40),
  },
  {
    words: ["scale(0.0625)", "gelu", "silu", "hard_swish", "cast(float16)"],
    of(x) {
      const y = gelu(x * 0.0625) * sigmoid(gelu(x * 0.0625));
      return y * hardSigmoid(y);
    },
  },
  {
    words: ["channel_scale", "quantize(2, 3, uint8)"],
    of: (x, { scale }) => limit(nearest((x * scale) / 2) + 3, 0, 255),
  },
  {
    words: ["scale(.03125)", "tanh", "sigmoid", "gelu_tanh", "hard_sigmoid", "relu6", "cast(float32)"],
    of: (x) => limit(hardSigmoid(geluTanh(sigmoid(Math.tanh(x * 0.03125)))), 0, 6),
  },
];

const channels: Readonly<Record<string, readonly number[]>> = {
  conv2d_hwcn: [2],
  conv2d_hwcn_direct: [2],
  conv2d_hwcn_cpu: [2],
  conv2d_nhwc_mma: [3],
  conv2d_nhwc_tma: [3],
  attention_derived: [3],
  attention_tma: [3],
  NCHW: [1],
  NHWC: [3],
  HWCN: [2],
  NHWCnc: [3, 5],
};

/** The axes of the channels, by the name of the template or its layout. */
export function channelsByHand({ name, args, graph }: TemplateTask): readonly number[] {
  const rank = graph.outputs[0]?.shape.length ?? 0;
  const layout = args.find((arg) => typeof arg === "string" && arg in channels);
  return channels[name] ?? channels[String(layout)] ?? (rank === 4 ? [1] : [rank - 1]);
}

interface Given {
  readonly values: TensorData;
  readonly shape: readonly number[];
  readonly channels: readonly number[];
  readonly inputs: ReadonlyMap<string, TensorData>;
}

export function byHand({ of }: Epilogue, { values, shape, channels: along, inputs }: Given): number[] {
  // A computation may have inputs of these names; the epilogue's then have others.
  const bias = inputs.get("bias_2") ?? inputs.get("bias");
  const scale = inputs.get("scale_2") ?? inputs.get("scale");
  return Array.from(values, (value: number, place: number) => {
    const index: number[] = [];
    for (let d = shape.length - 1, rest = place; d >= 0; d--) {
      index[d] = rest % (shape[d] as number);
      rest = Math.floor(rest / (shape[d] as number));
    }
    const channel = along.reduce((n, d) => n * (shape[d] as number) + (index[d] as number), 0);
    const read = (data: TensorData | undefined, i: number) => Number(data?.[i] ?? Number.NaN);
    return of(Number(value), {
      bias: read(bias, channel),
      scale: read(scale, channel),
      residual: read(inputs.get("residual"), place),
    });
  });
}

/** Half of a unit of the type, and the errors of float32 before. */
const shares: Partial<Record<DType, number>> = { float16: 6e-4, float32: 4e-6, float64: 1e-12 };
export const isClose = (dtype: DType, got: number, wanted: number): boolean =>
  Math.abs(got - wanted) <= (shares[dtype] ?? 0) * Math.max(1, Math.abs(wanted));
