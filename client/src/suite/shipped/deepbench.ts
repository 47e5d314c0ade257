/**
 * The matrix products of DeepBench (Baidu Research, github.com/baidu-research/DeepBench, code/kernels/gemm_problems.h): its
 * training set and its server inference set. DeepBench stores matrices by columns: its m x n x k with operands A, B is by rows N
 * = m, M = n, K = k with operands B, A. The rows below are turned into tasks in this way.
 */

type Pair = readonly [m: number, k: number];

const square: readonly Pair[] = [1760, 2048, 2560, 4096].map((size) => [size, size]);
const wide: readonly Pair[] = [1760, 2048, 2560, 4096].flatMap((k): Pair[] => [
  [5124, k],
  [35, k],
]);
const recurrent: readonly Pair[] = [
  [7680, 2560],
  [6144, 2048],
  [4608, 1536],
  [8448, 2816],
  [3072, 1024],
];
const long: readonly Pair[] = [
  [512, 500_000],
  [1024, 500_000],
];
const narrow: readonly Pair[] = [512, 1024]
  .flatMap((m) => [2816, 2048, 2560, 1536].map((k): Pair => [m, k]))
  .filter(([, k]) => k !== 2560);
const joint: readonly Pair[] = [
  [512, 512],
  [1024, 512],
];
const wholes = (m: number): readonly Pair[] => [[m, 2560]];

interface Group {
  readonly pairs: readonly Pair[];
  readonly ns: readonly number[];
  /** The layouts of A and B, as DeepBench has them. */
  readonly transposed: readonly ("nn" | "tn" | "nt")[];
}

const training: readonly Group[] = [
  { pairs: square, ns: [16, 32, 64, 128, 7000], transposed: ["nn", "tn"] },
  { pairs: square, ns: [7133], transposed: ["nt"] },
  { pairs: wide.filter(([m]) => m === 5124), ns: [9124], transposed: ["nn", "tn"] },
  { pairs: wide.filter(([m]) => m === 35), ns: [8457], transposed: ["nn", "tn"] },
  {
    pairs: [
      [7680, 2560],
      [3072, 1024],
    ],
    ns: [16, 32, 64, 128],
    transposed: ["nn", "tn"],
  },
  { pairs: [[3072, 1024]], ns: [7435], transposed: ["nt"] },
  { pairs: [[7680, 2560]], ns: [5481], transposed: ["nt"] },
  { pairs: long, ns: [8, 16], transposed: ["nn", "tn"] },
  { pairs: [[1024, 512]], ns: [700], transposed: ["nn", "tn"] },
  { pairs: recurrent, ns: [24_000, 48_000], transposed: ["nn", "tn"] },
  {
    pairs: [
      [6144, 2048],
      [4608, 1536],
      [8448, 2816],
    ],
    ns: [16, 32],
    transposed: ["nn", "tn"],
  },
  { pairs: [...narrow, ...wholes(512), ...wholes(1024)], ns: [24_000, 48_000], transposed: ["nn", "tn"] },
  { pairs: joint, ns: [16, 32], transposed: ["nn", "nt"] },
];

const inference: readonly Group[] = [
  {
    pairs: [
      [5124, 2048],
      [35, 2048],
      [5124, 2560],
      [35, 2560],
    ],
    ns: [700, 1500],
    transposed: ["nn"],
  },
  { pairs: [...recurrent, ...long, [512, 512]], ns: [1, 2, 4], transposed: ["nn"] },
  { pairs: [[1024, 512]], ns: [4], transposed: ["nn"] },
  { pairs: [[1024, 512]], ns: [700], transposed: ["nn"] },
  { pairs: [...recurrent, ...narrow, ...wholes(512), ...wholes(1024)], ns: [1500, 3000, 6000], transposed: ["nn"] },
];

interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly operands: Group["transposed"][number];
}
const productsOf = (groups: readonly Group[]): readonly Product[] =>
  groups.flatMap(({ pairs, ns, transposed }) =>
    transposed.flatMap((operands) => pairs.flatMap(([m, k]) => ns.map((n) => ({ m, n, k, operands })))),
  );

export const deepbenchProducts = { training: productsOf(training), inference: productsOf(inference) };

const layouts = { nn: "NN", tn: "NT", nt: "TN" } as const;
const shapes = [...deepbenchProducts.training, ...deepbenchProducts.inference].map(({ m, n, k, operands }) => ({
  ...{ M: n, N: m, K: k, layout: layouts[operands] },
  label: `${m}x${n}x${k} ${operands}`,
}));

export const deepbench = {
  name: "deepbench",
  about: "the matrix products of DeepBench, training and server inference: float16 on GPUs, float32 on processors",
  tasks: [
    { task: "matmul_mma", args: { dtype: "float16" }, shapes },
    { task: "matmul_derived", targets: ["cpu/*"], args: { dtype: "float32" }, shapes },
  ],
  budget: { trials: 64 },
};
