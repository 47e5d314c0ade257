/** Program, manifest, log lines and the Philox fill as golden files, like the messages of golden.test.ts. */
import {
  type ArtifactManifest,
  blobsOf,
  canonicalJson,
  type DType,
  digestOf,
  dtypes,
  type Fill,
  filledValue,
  fillValue,
  philoxBits,
  toDigest,
} from "@warpfarm/common";
import {
  at,
  cast,
  compute,
  decodeProgram,
  encodeDocument,
  encodeProgram,
  fills,
  graphOf,
  mul,
  placeholder,
} from "@warpfarm/compiler";
import type { TrialRecord } from "@warpfarm/records/logs";
import { decodeLine, encodeTrial } from "@warpfarm/records/logs";
import { describe, expect, it } from "vitest";
import * as wire from "../src/index.ts";
import {
  artifact,
  golden,
  manifest,
  manifestOfMaps,
  manifestOfStages,
  mapsArtifact,
  measureOptions,
  pretty,
  programBytes,
  programText,
  stagesArtifact,
  timed,
  withToolchain,
  wrong,
} from "./golden.testing.ts";

describe("documents", () => {
  it("program.json is canonical, named by program.sha256, and the compiler reads and writes it", () => {
    const text = golden("program.json", programText);
    expect(text).toBe(programText);
    expect(`sha256:${golden("program.sha256", `${programBytes.digest.slice(7)}\n`).trim()}`).toBe(digestOf(text));
    expect(wire.programEnvelope("program", Buffer.from(text))).toEqual({ version: 1, kind: "schedule", target: "cpu/x86-64-v3" });
    const read = decodeProgram(Buffer.from(text));
    expect(read).toMatchObject({ ok: true });
    if (read.ok) expect(Buffer.from(encodeDocument(read.value).bytes).toString()).toBe(text);
  });
  it("program-fills.json: fills and a tolerance", () => {
    const table = placeholder("table", [9, 4], "float32", fills.range(0.5, 2));
    const index = placeholder("index", [3], "int32", fills.below(9));
    const order = placeholder("order", [4], "int32", fills.permutation);
    const scale = placeholder("scale", [1], "float16", fills.constant(0.25));
    const axes = [
      ["i", 3],
      ["j", 4],
    ] as const;
    const out = compute("out", axes, (i, j) => mul(at(table, at(index, i), at(order, j)), cast("float32", at(scale, 0))));
    const inputs = [table, index, order, scale];
    const graph = graphOf(inputs, [out], { tolerance: { out: { atol: 0.001 } } });
    const current = Buffer.from(encodeProgram(graph, [], "cpu/x86-64-v3").bytes).toString();
    const text = golden("program-fills.json", current);
    expect(text).toBe(current);
    expect(wire.programEnvelope("program", Buffer.from(text))).toEqual({ version: 1, kind: "schedule", target: "cpu/x86-64-v3" });
    const read = decodeProgram(Buffer.from(text));
    expect(read).toMatchObject({ ok: true, value: { version: 1 } });
    if (read.ok) expect(Buffer.from(encodeDocument(read.value).bytes).toString()).toBe(text);
  });
  it("manifest.json is canonical, named by manifest.sha256", () => {
    const text = golden("manifest.json", Buffer.from(artifact.bytes).toString());
    expect(`sha256:${golden("manifest.sha256", `${artifact.digest.slice(7)}\n`).trim()}`).toBe(digestOf(text));
    expect(wire.decodeManifest(Buffer.from(text))).toEqual({ ok: true, value: manifest });
  });
  it("manifest-stages.json is canonical, named by manifest-stages.sha256", () => {
    const text = golden("manifest-stages.json", Buffer.from(stagesArtifact.bytes).toString());
    expect(`sha256:${golden("manifest-stages.sha256", `${stagesArtifact.digest.slice(7)}\n`).trim()}`).toBe(digestOf(text));
    expect(wire.decodeManifest(Buffer.from(text))).toEqual({ ok: true, value: manifestOfStages });
    const refused = (wrong: object): unknown =>
      wire.decodeManifest(Buffer.from(canonicalJson({ ...manifestOfStages, ...wrong })));
    expect(refused({ version: 2 })).toMatchObject({ error: { path: "manifest.version" } });
    expect(refused({ stages: [{ ...manifestOfStages.stages?.[0], body: [["load", "Z", "own"]] }] })).toMatchObject({
      error: { path: "manifest.stages[0]", message: 'no buffer "Z"' },
    });
  });
  it("manifest-maps.json is canonical, named by manifest-maps.sha256", () => {
    const text = golden("manifest-maps.json", Buffer.from(mapsArtifact.bytes).toString());
    expect(`sha256:${golden("manifest-maps.sha256", `${mapsArtifact.digest.slice(7)}\n`).trim()}`).toBe(digestOf(text));
    expect(wire.decodeManifest(Buffer.from(text))).toEqual({ ok: true, value: manifestOfMaps });
  });
  it("program-blobs.json and manifest-blobs.json: an input and a workspace that hold what blobs do", () => {
    const blob = { kind: "blob", digest: digestOf("0123456789abcdef") } as const;
    const [x, w, y] = [
      { name: "x", dtype: "float32", shape: [4], role: "in", fill: blob },
      { name: "w", dtype: "float32", shape: [4], role: "workspace", fill: blob },
      { name: "y", dtype: "float32", shape: [4], role: "out", fill: "zeros" },
    ] as const;
    const shape = { grid: [1, 1, 1], block: [4, 1, 1], cluster: [1, 1, 1] } as const;
    const kernels = [{ entry: "copy", ...shape, shared_bytes: 0 }];
    const said = { target: "cuda/sm_90", text: ".version 8.0\n", flags: [], kernels, args: [x, w, y] };
    const program = encodeDocument({ version: 1, kind: "ptx", ...said });
    const text = golden("program-blobs.json", Buffer.from(program.bytes).toString());
    expect(wire.programEnvelope("program", Buffer.from(text))).toEqual({ version: 1, kind: "ptx", target: "cuda/sm_90" });
    const read = decodeProgram(Buffer.from(text));
    expect(read).toMatchObject({ ok: true, value: { version: 1, args: [{ fill: blob }, { fill: blob }, { fill: "zeros" }] } });
    if (read.ok) expect(Buffer.from(encodeDocument(read.value).bytes).toString()).toBe(text);

    const memory = { bytes: 16, align: 64, reduction: 1 };
    const filled: ArtifactManifest = {
      version: 1,
      program: program.digest,
      target: "cuda/sm_90",
      format: "cubin",
      code: toDigest(digestOf("code")),
      kernels: [{ name: "copy", ...shape, dynamic_shared_bytes: 0, args: ["x", "w", "y"] }],
      buffers: [x, w, y].map((one) => ({ ...one, ...memory })),
      resources: { registers: 8, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "nvcc 12.8",
      notes: [],
    };
    const manifestText = golden("manifest-blobs.json", Buffer.from(wire.encodeManifest(filled).bytes).toString());
    expect(wire.decodeManifest(Buffer.from(manifestText))).toEqual({ ok: true, value: filled });
    expect(blobsOf(filled.buffers)).toEqual([blob.digest]);
    const refused = (wrong: object): unknown => wire.decodeManifest(Buffer.from(canonicalJson({ ...filled, ...wrong })));
    expect(refused({ buffers: [{ ...x, ...memory, role: "out" }] })).toMatchObject({
      error: { path: "manifest.buffers[0].fill", message: expect.stringContaining("an output cannot be filled") },
    });
    expect(refused({ format: "so" })).toMatchObject({ error: { message: "only code for GPUs, cubin and ptx, takes a blob" } });
  });
  it("log-line.jsonl: a time and a failure, as the client writes and reads them", () => {
    const trial = (sequence: number, result: TrialRecord["result"]): TrialRecord => ({
      run: {
        task: "conv2d_nchw_cpu",
        args: [1, 7, 7, 512, 512, 3, 3, [1, 1], [1, 1]],
        target: "cpu/x86-64-v3",
        tuner: "random",
        seed: 7,
      },
      session: "session-1",
      sequence,
      told: sequence - 1,
      config: {
        index: 17,
        code_hash: null,
        entity: [
          ["tile_f", "sp", [-1, 8]],
          ["unroll", "ot", 512],
        ],
      },
      program: programBytes.digest,
      options: measureOptions,
      result,
    });
    const { got: _, ...finite } = { ...wrong.mismatch, got: 0 } as NonNullable<typeof wrong.mismatch>;
    const { timed: ofToolchain, refused: notBuilt } = withToolchain;
    const before = [trial(1, timed), trial(2, { ...wrong, mismatch: { ...finite, got: 2.5 } })];
    const trials = [...before, trial(3, ofToolchain), trial(4, notBuilt)];
    const lines = golden("log-line.jsonl", trials.map((t) => `${encodeTrial(t)}\n`).join(""))
      .trimEnd()
      .split("\n");
    expect(lines).toEqual(trials.map(encodeTrial));
    expect(lines.map(decodeLine)).toEqual(trials.map((t) => ({ kind: "warpfarm", trial: t })));
  });
});

describe("Philox fill", () => {
  it("philox.json: the first eight bits and values of some seeds and buffers, in every dtype", () => {
    const current = [
      [0, 0],
      [0, 1],
      [1, 0],
      [2 ** 32 + 5, 3],
      [Number.MAX_SAFE_INTEGER, 255],
    ].map(([seed = 0, buffer = 0]) => {
      const bits = Array.from({ length: 8 }, (_, i) => philoxBits(seed, buffer, i));
      const values = Object.fromEntries(dtypes.map((dtype: DType) => [dtype, bits.map((b) => fillValue(dtype, b))]));
      return { seed, buffer, bits: bits.map((b) => `0x${b.toString(16).padStart(8, "0")}`), values };
    });
    expect(JSON.parse(golden("philox.json", pretty(current)))).toEqual(current);
    // Known answer of Random123's kat_vectors: philox4x32-10, counter 0, key 0.
    expect(current[0]?.bits[0]).toBe("0x6627e8d5");
  });
  it("fills.json: the first eight elements of each kind of fill, before floats are rounded", () => {
    const cases: readonly (readonly [DType, readonly number[], Fill])[] = [
      ["float32", [8], { kind: "range", from: "-3", to: "5" }],
      ["float16", [8], { kind: "range", from: "0.00390625", to: "1" }],
      ["int32", [8], { kind: "range", from: "0", to: "999" }],
      ["int32", [8], { kind: "range", from: "-2147483648", to: "2147483647" }],
      ["int32", [2, 4], { kind: "permutation" }],
      ["int64", [1, 1000], { kind: "permutation" }],
      ["bfloat16", [8], { kind: "constant", value: "0.1" }],
      ["float32", [8], { kind: "normal", mean: "1", deviation: "0.1" }],
    ];
    const current = cases.map(([dtype, shape, fill]) => ({
      dtype,
      shape,
      fill,
      seed: 24301,
      buffer: 2,
      values: Array.from({ length: 8 }, (_, i) => filledValue({ dtype, shape }, fill, 24301, 2, i)),
    }));
    expect(JSON.parse(golden("fills.json", pretty(current)))).toEqual(current);
  });
});
