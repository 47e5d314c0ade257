/** Tensors that are filled from blobs, on a scripted GPU: inputs of candidates, and outputs that a reference copies. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf, type ManifestBuffer } from "@warpfarm/common";
import { afterAll, expect, it } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import type { LocalArtifact } from "../../worker/messages.ts";
import { count, doubling, floats, right, useCudaFarm } from "./cuda-farm.testing.ts";

const { artifact, farm } = useCudaFarm();
const folder = mkdtempSync(join(tmpdir(), "warpfarm-blobs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const held = Float32Array.from({ length: count }, (_, i) => i - 50);
const bytesOf = (values: Float32Array): Buffer => Buffer.from(values.buffer);
function blob(name: string, bytes: Uint8Array) {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const digest = digestOf(bytes);
  return { fill: { kind: "blob", digest } as const, blobPaths: { [digest]: path } };
}
const x = tensor("x", "in", "float32", [count]);
const y = tensor("y", "out", "float32", [count]);
const workspace = tensor("recorded_y", "workspace", "float32", [count]);

/** A reference that copies its workspace into y. */
function copying(input: ManifestBuffer, values: Float32Array, paths: LocalArtifact["blobPaths"] = {}): LocalArtifact {
  const { fill, blobPaths } = blob("y", bytesOf(values));
  const made = artifact("copy", { args: ["y", "recorded_y"] }, [input, y, { ...workspace, fill }]);
  return { ...made, blobPaths: { ...paths, ...blobPaths } };
}
const copy = { ms: () => 1, compute: (memory: (param: number) => Uint8Array) => floats(memory(0)).set(floats(memory(1))) };

it("an input holds them, and every output is compared with what was recorded", async () => {
  const { fill, blobPaths } = blob("x", bytesOf(held));
  const input = { ...x, fill };
  const seen: number[] = [];
  const looking = (memory: (param: number) => Uint8Array): void => {
    seen.push(...floats(memory(0)).slice(0, 3));
    doubling(memory);
  };
  const { measure } = farm({ k: { ms: () => 1, compute: looking }, copy });
  const candidate = { ...artifact("k", {}, [input, y]), blobPaths };
  const reference = copying(
    input,
    held.map((value) => 2 * value),
    blobPaths,
  );
  const once = { number: 1, repeat: 1, minRepeatMs: 0 };
  expect(await measure(candidate, once, reference)).toMatchObject({ kind: "timed", checked: true });
  expect(seen.slice(0, 3)).toEqual([-50, -49, -48]);

  const other = held.map((value) => 2 * value);
  other[7] = 1000;
  const { measure: again } = farm({ k: right(1), copy });
  expect(await again(candidate, once, copying(input, other, blobPaths))).toMatchObject({
    kind: "failed",
    rule: "reference",
    mismatch: { buffer: "y", index: 7, expected: 1000, got: -86, count: 1 },
  });
});

it("a candidate's workspace keeps them through the run that is checked, and what others fill otherwise disagrees", async () => {
  const { fill, blobPaths } = blob("w", bytesOf(held.map((value) => 2 * value)));
  const seeded = copying(x, new Float32Array(count));
  const { measure } = farm({ k: copy, copy });
  const candidate = artifact("k", { args: ["y", "w"] }, [x, y, { ...workspace, name: "w", fill }]);
  const answer = await measure({ ...candidate, blobPaths }, { number: 1, repeat: 1 }, seeded);
  expect(answer).toMatchObject({ kind: "failed", rule: "reference", mismatch: { index: 0, expected: 0, got: -100 } });
  const filled = artifact("k", {}, [{ ...x, fill }, y]);
  expect(await measure({ ...filled, blobPaths }, {}, seeded)).toMatchObject({
    kind: "failed",
    rule: "tensors",
    message: expect.stringContaining(`in x: float32[100] of {"kind":"blob","digest":"${fill.digest}"}`),
  });
});

it.each([
  [396, bytesOf(held).subarray(4)],
  [404, Buffer.concat([bytesOf(held), Buffer.alloc(4)])],
])("a blob of %i bytes for 400, or one that did not come, is told with the tensor", async (has, bytes) => {
  const { fill, blobPaths } = blob(`${has}`, bytes);
  const { measure } = farm({ k: right(1), copy });
  const candidate = artifact("k", {}, [{ ...x, fill }, y]);
  const short = artifact("reference", {}, [{ ...x, fill }, y]);
  expect(await measure({ ...candidate, blobPaths }, {}, { ...short, blobPaths })).toMatchObject({
    rule: "fill.blob",
    message: `"x" has 400 bytes; the blob ${fill.digest} that fills it has ${has}`,
    ofReference: true,
  });
  expect(await measure(candidate, {}, short)).toMatchObject({ message: expect.stringMatching(/which fills "x", is not here$/) });
});

it("an input that kernels write to is given them again before the run that is checked", async () => {
  const { fill, blobPaths } = blob("z", bytesOf(held));
  const z = { ...tensor("z", "inout", "float32", [count]), fill };
  const add = {
    ms: () => 1,
    compute: (memory: (param: number) => Uint8Array) => floats(memory(0)).set(floats(memory(0)).map((v) => v + 1)),
  };
  const { measure } = farm({ k: add, plus: add });
  const reference = { ...artifact("plus", {}, [z]), blobPaths };
  const candidate = { ...artifact("k", {}, [z]), blobPaths };
  for (let times = 0; times < 2; times++)
    expect(await measure(candidate, { number: 3, repeat: 2 }, reference)).toMatchObject({ kind: "timed", checked: true });
});
