/** The values whose bytes are in the golden files, and the files: read, or rewritten with WARPFARM_GOLDEN=write. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import {
  type ArtifactManifest,
  canonicalJson,
  type DeviceFacts,
  digestOf,
  type FailedResult,
  type ProgramBytes,
  type TimedResult,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import * as wire from "../src/index.ts";

const directory = new URL("golden/", import.meta.url);
const rewrite = process.env.WARPFARM_GOLDEN === "write";

/** The file's bytes. In rewrite mode they become `current`. */
export function golden(name: string, current: string): string {
  const path = new URL(name, directory);
  if (rewrite) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, current);
  }
  return readFileSync(path, "utf8");
}
export const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** C[i, j] = sum over k of A[i, k]·B[k, j], with columns split, reordered and vectorized. */
export const program = {
  version: 1,
  kind: "schedule",
  target: "cpu/x86-64-v3",
  graph: {
    inputs: [
      { name: "A", dtype: "float32", shape: [4, 8] },
      { name: "B", dtype: "float32", shape: [8, 6] },
    ],
    ops: [
      {
        name: "C",
        axes: [
          { name: "i", extent: 4 },
          { name: "j", extent: 6 },
        ],
        reduce: [{ name: "k", extent: 8 }],
        dtype: "float32",
        body: ["sum", ["mul", ["load", "A", ["i", "k"]], ["load", "B", ["k", "j"]]]],
      },
    ],
    outputs: ["C"],
  },
  intrinsics: [],
  trace: [
    { op: "split", in: ["l1"], args: { factors: [null, 2] }, out: ["l3", "l4"] },
    { op: "reorder", in: ["l0", "l3", "l2", "l4"], args: {}, out: [] },
    { op: "vectorize", in: ["l4"], args: {}, out: [] },
  ],
};
export const programText = canonicalJson(program);
export const programBytes: ProgramBytes = { digest: toProgramDigest(digestOf(programText)), bytes: Buffer.from(programText) };
export const reference: ProgramBytes["digest"] = toProgramDigest(digestOf(canonicalJson({ ...program, trace: [] })));

export const manifest: ArtifactManifest = {
  version: 1,
  program: programBytes.digest,
  target: "cpu/x86-64-v3",
  format: "so",
  code: toDigest(digestOf("the bytes of the shared object")),
  kernels: [
    { name: "C_kernel", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: ["A", "B", "C"] },
  ],
  buffers: [
    { name: "A", dtype: "float32", shape: [4, 8], bytes: 128, align: 64, role: "in", reduction: 1 },
    { name: "B", dtype: "float32", shape: [8, 6], bytes: 192, align: 64, role: "in", reduction: 1 },
    { name: "C", dtype: "float32", shape: [4, 6], bytes: 96, align: 64, role: "out", reduction: 8 },
  ],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "gcc 12.2.0",
  notes: [],
};
export const artifact = wire.encodeManifest(manifest);

/** Fills, a stated tolerance, and the effect of each stage of a default schedule on rounding errors. */
export const manifestOfStages: ArtifactManifest = {
  ...manifest,
  kernels: [
    {
      name: "K",
      grid: [1, 1, 1],
      block: [1, 1, 1],
      dynamic_shared_bytes: 0,
      cluster: [1, 1, 1],
      args: ["A", "I", "P", "S", "C"],
    },
  ],
  buffers: [
    {
      name: "A",
      dtype: "float32",
      shape: [4, 8],
      bytes: 128,
      align: 64,
      role: "in",
      reduction: 1,
      fill: { kind: "range", from: "0.5", to: "2" },
    },
    { name: "I", dtype: "int32", shape: [4], bytes: 16, align: 64, role: "in", reduction: 1, fill: { kind: "permutation" } },
    {
      name: "P",
      dtype: "float32",
      shape: [8],
      bytes: 32,
      align: 64,
      role: "in",
      reduction: 1,
      fill: { kind: "constant", value: "3" },
    },
    { name: "S", dtype: "float32", shape: [4], bytes: 16, align: 64, role: "workspace", reduction: 8 },
    {
      name: "C",
      dtype: "float32",
      shape: [4, 8],
      bytes: 128,
      align: 64,
      role: "out",
      reduction: 1,
      tolerance: { atol: "0.001", rtol: "0" },
    },
  ],
  stages: [
    {
      name: "S",
      dtype: "float32",
      combine: "sum",
      terms: 8,
      body: [["load", "A", "outside"], ["load", "P", "outside"], ["mul"], ["constant", "float32", "0.1"], ["add"]],
    },
    { name: "C", dtype: "float32", terms: 1, body: [["load", "A", "own"], ["load", "S", "outside"], ["sqrt"], ["div"]] },
  ],
};
export const stagesArtifact = wire.encodeManifest(manifestOfStages);

/** Tensor maps and values as arguments, and launch attributes. */
export const manifestOfMaps: ArtifactManifest = {
  ...manifest,
  target: "cuda/sm_90a",
  format: "cubin",
  toolchain: "nvrtc 13.0",
  kernels: [
    { name: "first", grid: [2, 2, 1], block: [128, 1, 1], dynamic_shared_bytes: 65_536, cluster: [2, 1, 1], args: ["A", "W"] },
    {
      name: "second",
      grid: [2, 2, 1],
      block: [384, 1, 1],
      dynamic_shared_bytes: 196_608,
      cluster: [2, 1, 1],
      args: [{ map: 0 }, { map: 1 }, "C", { scalar: "float32", value: "0.5" }, { scalar: "int32", value: "-3" }],
      attributes: [
        { kind: "dependent" },
        { kind: "cluster_scheduling", policy: "spread" },
        { kind: "shared_carveout", percent: 100 },
      ],
    },
  ],
  buffers: [
    { name: "A", dtype: "float16", shape: [256, 128], bytes: 65_536, align: 64, role: "in", reduction: 1 },
    { name: "W", dtype: "float16", shape: [9, 16, 16, 64], bytes: 294_912, align: 64, role: "workspace", reduction: 1 },
    { name: "C", dtype: "float32", shape: [256, 256], bytes: 262_144, align: 64, role: "out", reduction: 128 },
  ],
  maps: [
    {
      buffer: "A",
      type: "float16",
      dims: [256, 128],
      strides_bytes: [256],
      box: [128, 64],
      element_strides: [1, 1],
      swizzle: 128,
      interleave: 0,
      l2: 128,
      oob: "zeros",
    },
    {
      buffer: "W",
      type: "float16",
      dims: [9, 16, 16, 64],
      strides_bytes: [32_768, 2_048, 128],
      box: [1, 8, 16, 32],
      element_strides: [1, 2, 1, 1],
      swizzle: 64,
      interleave: 0,
      l2: 0,
      oob: "nan",
    },
  ],
};
export const mapsArtifact = wire.encodeManifest(manifestOfMaps);

export const device: DeviceFacts = { key: "cpu/x86-64-v4", name: "A CPU", uuid: "cpu-6a2f", node: "node-1", driver: "Linux 6.1" };
export const timed: TimedResult = {
  kind: "timed",
  costs: [0.0000125, 0.0000127, 0.0000126],
  number: 1600,
  busyMs: 64.5,
  checked: true,
  device,
  observations: { smClockMhz: 2600.5, throttleReasons: ["thermal"] },
  artifact: artifact.digest,
  buildMs: 180.25,
  runMs: 92.000001,
  timestampMs: 1_750_000_000_123,
  attempt: 1,
};
export const wrong: FailedResult = {
  kind: "failed",
  errorNo: 5,
  rule: "check.reference",
  message: "C[23] is NaN, expected 1.5",
  mismatch: { buffer: "C", index: 23, expected: 1.5, got: Number.NaN, count: 1 },
  device,
  buildMs: 180.25,
  runMs: 40,
  timestampMs: 1_750_000_001_000,
  attempt: 2,
};
export const refused: FailedResult = {
  kind: "failed",
  errorNo: 3,
  message: "cc ended with status 1",
  log: "C.c:7:3: error: expected ';'\n",
  buildMs: 31,
  runMs: 0,
  timestampMs: 1_750_000_000_000,
  attempt: 1,
};
/** As builders and runners since MeasureResult.toolchain say it. */
export const withToolchain = {
  timed: { ...timed, toolchain: "gcc 12.2.0" },
  refused: { ...refused, toolchain: "gcc 12.2.0" },
} as const;
export const options = {
  number: 0,
  repeat: 3,
  precision: 0.02,
  minRepeatMs: 20,
  buildTimeoutMs: 30_000,
  runTimeoutMs: 10_000,
  cooldownMs: 0,
} as const;
export const measureOptions = {
  ...options,
  l2: "warm",
  timer: "wall",
  check: "reference",
  inputs: "full",
  power: "burst",
  incumbent: 0.25,
} as const;

/** Two programs measured interleaved, and two of which the second fails. */
export const paired = {
  options: { rounds: 4, idleMs: 12.5 },
  timed: {
    ...timed,
    costs: [0.0000125, 0.0000127],
    paired: [
      { artifact: artifact.digest, costs: [0.0000125, 0.0000127], number: 1600 },
      { artifact: stagesArtifact.digest, costs: [0.0000131, 0.0000133], number: 1520 },
    ],
  },
  failed: { ...wrong, failedProgram: 1 },
} as const;

export const provenance: wire.Provenance = {
  search: {
    ...{ version: 1, task: { template: "matmul_cpu", version: "1" }, args: [4, 6, 8], target: "cpu/x86-64-v3" },
    ...{ tuner: "auto", seed: -1, budget: { trials: 300 } },
  },
  space: digestOf("the space"),
  defaultSeconds: 0.001,
  librarySeconds: 0.0005,
};
