/**
 * The two documents that travel inside messages: the manifest, which is read completely here, and the Program, of which only the
 * envelope is.
 */
import {
  type ArtifactManifest,
  canonicalJson,
  digestOf,
  type FarmError,
  type Fill,
  type ManifestBuffer,
  type TensorMap,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { decodeManifest, encodeManifest } from "./manifest.ts";
import { programEnvelope } from "./program.ts";

const manifest: ArtifactManifest = {
  version: 1,
  program: toProgramDigest(digestOf("program")),
  target: "cpu/x86-64-v3",
  format: "so",
  code: toDigest(digestOf("code")),
  kernels: [
    { name: "add_kernel", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: ["a", "out"] },
  ],
  buffers: [
    { name: "a", dtype: "float32", shape: [4, 8], bytes: 128, align: 64, role: "in", reduction: 1, fill: "zeros" },
    { name: "out", dtype: "int4", shape: [3], bytes: 4, align: 64, role: "out", reduction: 1 },
  ],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "gcc 12.2.0",
  notes: [],
};
const bytes = (value: unknown) => Buffer.from(canonicalJson(value));

describe("manifest", () => {
  it("comes back equal, under the digest of its bytes", () => {
    const encoded = encodeManifest(manifest);
    expect(encoded.digest).toBe(digestOf(encoded.bytes));
    expect(decodeManifest(encoded.bytes)).toEqual({ ok: true, value: manifest });
  });

  const everyFill: { readonly [K in Fill["kind"]]: Extract<Fill, { readonly kind: K }> } = {
    range: { kind: "range", from: "-1", to: "0.5" },
    permutation: { kind: "permutation" },
    constant: { kind: "constant", value: "3" },
    normal: { kind: "normal", mean: "0", deviation: "0.1" },
  };
  it.each(Object.values(everyFill))("takes an input with the fill $kind", (fill) => {
    const [{ dtype: _, ...input }, result] = manifest.buffers as readonly [ManifestBuffer, ManifestBuffer];
    const dtype = fill.kind === "permutation" ? "int32" : "float32";
    const filled: ArtifactManifest = { ...manifest, buffers: [{ ...input, dtype, fill }, result] };
    expect(decodeManifest(encodeManifest(filled).bytes)).toEqual({ ok: true, value: filled });
  });

  const [kernel] = manifest.kernels;
  const [a, out] = manifest.buffers;
  it.each([
    ["an unknown field", { ...manifest, colour: "red" }, "manifest.colour", "unknown field"],
    [
      "an unknown field deep inside",
      { ...manifest, kernels: [{ ...kernel, regs: 3 }] },
      "manifest.kernels[0].regs",
      "unknown field",
    ],
    ["version 2", { ...manifest, version: 2 }, "manifest.version", "2; this reader knows 1"],
    ["a grid of two", { ...manifest, kernels: [{ ...kernel, grid: [1, 1] }] }, "manifest.kernels[0].grid", ""],
    ["a block of zero threads", { ...manifest, kernels: [{ ...kernel, block: [0, 1, 1] }] }, "manifest.kernels[0].block[0]", ""],
    ["no kernels", { ...manifest, kernels: [] }, "manifest.kernels", ""],
    [
      "an argument that is no buffer",
      { ...manifest, kernels: [{ ...kernel, args: ["a", "b"] }] },
      "manifest.kernels[0].args[1]",
      'no buffer "b"',
    ],
    ["one name twice", { ...manifest, buffers: [a, { ...out, name: "a" }] }, "manifest.buffers[1].name", "twice"],
    ["too few bytes", { ...manifest, buffers: [{ ...a, bytes: 127 }, out] }, "manifest.buffers[0].bytes", "needs 128"],
    ["an odd alignment", { ...manifest, buffers: [{ ...a, align: 48 }, out] }, "manifest.buffers[0].align", "power of two"],
    ["a symbol that is no name", { ...manifest, kernels: [{ ...kernel, name: "a b" }] }, "manifest.kernels[0].name", "symbol"],
  ])("refuses %s", (_name, value, path, message) => {
    const read = decodeManifest(bytes(value));
    expect(read).toMatchObject({ ok: false, error: { path, message: expect.stringContaining(message) } });
  });

  it("is refused, by path, where a launch could not be made of it", () => {
    const map: TensorMap = {
      buffer: "a",
      type: "float32",
      dims: [4, 8],
      strides_bytes: [32],
      box: [4, 8],
      element_strides: [1, 1],
      swizzle: 32,
      interleave: 0,
      l2: 0,
      oob: "zeros",
    };
    const gpu = { ...manifest, format: "cubin", target: "cuda/sm_90a", maps: [map] };
    const launching = (...kernels: object[]) => ({ ...gpu, kernels: kernels.map((over) => ({ ...kernel, ...over })) });
    const read = launching({ args: [{ map: 0 }, { scalar: "float16", value: "65504" }, "out"] });
    expect(decodeManifest(bytes(read))).toEqual({ ok: true, value: read });
    const at = "manifest.kernels[0]";
    const byValue = { ...manifest, kernels: [{ ...kernel, args: [{ scalar: "int32", value: "1" }] }] };
    const refused: readonly [document: object, path: string, message: string][] = [
      [launching({ args: [{ map: 1 }] }), `${at}.args[0]`, "no map 1; there are 1"],
      [launching({ args: ["b"] }), `${at}.args[0]`, 'no buffer "b"'],
      [launching({ args: [{ scalar: "float16", value: "65536" }] }), `${at}.args[0]`, "beyond what float16 holds"],
      [launching({ args: [{ scalar: "int32", value: "0.5" }] }), `${at}.args[0]`, "not a whole number"],
      [
        launching({ args: [{ scalar: "int4", value: "1" }] }),
        `${at}.args[0]`,
        'a buffer\'s name, {"map"} from 0 to 15, {"scalar"',
      ],
      [launching({ attributes: [] }), `${at}.attributes`, ""],
      [launching({ attributes: [{ kind: "dependent" }] }), `${at}.attributes`, "the first kernel depends on none"],
      [launching({}, { attributes: [{ kind: "dependent" }, { kind: "dependent" }] }), "manifest.kernels[1].attributes", "twice"],
      [{ ...read, format: "so" }, "manifest.maps", "take buffers alone"],
      [byValue, `${at}.args[0]`, "take buffers alone"],
      [
        { ...manifest, kernels: [{ ...kernel, attributes: [{ kind: "shared_carveout", percent: 1 }] }] },
        `${at}.attributes`,
        "called, not launched",
      ],
      [{ ...gpu, maps: [] }, "manifest.maps", ""],
      [{ ...gpu, maps: [{ ...map, buffer: "b" }] }, "manifest.maps[0].buffer", 'no buffer "b"'],
      [{ ...gpu, maps: [{ ...map, dims: [5, 8] }] }, "manifest.maps[0]", "it reaches to byte 160 of a buffer of 128"],
      [{ ...gpu, maps: [{ ...map, box: [257, 8] }] }, "manifest.maps[0]", "1 to 256"],
      [{ ...gpu, maps: [{ ...map, im2col: { lower: [0] } }] }, "manifest.maps[0].im2col.upper", ""],
      [{ ...gpu, maps: [{ ...map, im2col: { lower: [0], upper: [0] } }] }, "manifest.maps[0]", "2 dims; 3 to 5"],
      [{ ...gpu, maps: [{ ...map, colour: 1 }] }, "manifest.maps[0].colour", "unknown field"],
    ];
    for (const [document, path, message] of refused)
      expect(decodeManifest(bytes(document)), path).toMatchObject({
        ok: false,
        error: { path, message: expect.stringContaining(message) },
      });
  });

  it("refuses what is not canonical, not JSON, or too long", () => {
    expect(decodeManifest(Buffer.from(JSON.stringify(manifest)))).toMatchObject({
      ok: false,
      error: { message: "not canonical JSON (RFC 8785)" },
    });
    expect(decodeManifest(Buffer.from("{"))).toMatchObject({ ok: false, error: { message: "not JSON" } });
    expect(decodeManifest(Buffer.alloc((1 << 20) + 1))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("at most 1048576") },
    });
  });
});

describe("program envelope", () => {
  const program = { version: 1, kind: "schedule", target: "cpu/x86-64-v3", graph: {}, intrinsics: [], trace: [] };
  const read = (value: unknown) => programEnvelope("input.program", bytes(value));
  const refusal = (raw: Uint8Array): string => {
    try {
      programEnvelope("input.program", raw);
    } catch (error) {
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
      return (error as FarmError).message;
    }
    throw new Error("was accepted");
  };

  it("reads kind and target", () => {
    expect(read(program)).toEqual({ version: 1, kind: "schedule", target: "cpu/x86-64-v3" });
    const source = {
      version: 1,
      kind: "cuda_source",
      target: "cuda/sm_90a",
      files: {},
      kernels: [],
      defines: {},
      flags: [],
      args: [],
    };
    expect(read(source)).toEqual({ version: 1, kind: "cuda_source", target: "cuda/sm_90a" });
    expect(refusal(bytes({ ...source, target: "cpu/arm64" }))).toContain("source text and code are taken for cuda only");
  });

  it.each([
    ["version 2", { ...program, version: 2 }, "version is 2; this farm reads 1"],
    ["another kind", { ...program, kind: "c_source" }, "kind is not"],
    ["an unknown field", { ...program, tracer: 1 }, 'unknown field "tracer"'],
    ["a target that is none", { ...program, target: "cpu" }, "target is not one"],
    ["an array", [program], "not a JSON object"],
  ])("refuses %s, naming the input", (_name, value, message) => {
    expect(refusal(bytes(value))).toContain(`input.program: `);
    expect(refusal(bytes(value))).toContain(message);
  });

  it("refuses depth, length and form before it would hurt", () => {
    expect(refusal(Buffer.from("[".repeat(500_000)))).toContain("nested deeper than 64");
    expect(read({ ...program, graph: { s: `${"[".repeat(100)}"\\` } }).kind).toBe("schedule");
    expect(refusal(Buffer.alloc((1 << 20) + 1, 0x20))).toContain("at most 1048576");
    expect(refusal(Buffer.from(JSON.stringify(program)))).toContain("not canonical JSON");
    expect(refusal(Buffer.from('{"a":-0}'))).toContain("version is");
  });
});
