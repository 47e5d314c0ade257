/**
 * Programs of many steps as golden files. The file has what a schedule records, reads back to the same bytes, and compiles when
 * replayed. Renew with WARPFARM_GOLDEN=write; another byte is another contract.
 */
import { readFileSync, writeFileSync } from "node:fs";
import {
  add,
  at,
  compileProgram,
  compute,
  createSchedule,
  decodeProgram,
  encodeDocument,
  encodeProgram,
  graphOf,
  indexMap,
  type LoopRef,
  mul,
  placeholder,
  reduceAxis,
  type Schedule,
  sub,
  sum,
} from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { matmulByTiles } from "../../test-support/programs/product-by-tiles.ts";

/** e[i] = 2 * sum over k of (a[i, k] + 1) - 1. The sum is split in four parts, its input is computed ahead and transposed. */
function parts(): Schedule {
  const a = placeholder("a", [8, 32]);
  const i = (extent: number) => ["i", extent] as const;
  const b = compute("b", [i(8), ["j", 32]], (row, j) => add(at(a, row, j), 1));
  const k = reduceAxis("k", 32);
  const c = compute("c", [i(8)], (row) => sum(at(b, row, k.loopVar), [k]));
  const d = compute("d", [i(8)], (row) => mul(at(c, row), 2));
  const e = compute("e", [i(8)], (row) => sub(at(d, row), 1));
  const s = createSchedule(graphOf([a], [e]));
  s.reverseComputeInline(s.stage("e"));
  const [, inner] = s.split(s.reduceAxes(s.stage("c"))[0] as LoopRef, [null, 4]);
  const partial = s.rfactor(inner, 1);
  s.transformLayout(
    s.stage("b"),
    indexMap(["i", "j"], (row, j) => [j, row]),
  );
  const [row, part] = s.axes(partial) as [LoopRef, LoopRef];
  const [rest] = s.reduceAxes(partial) as [LoopRef];
  s.reorder([row, rest, part]);
  s.computeAt(s.stage("b"), partial, rest);
  s.setScope(s.stage("b"), "local");
  s.doubleBuffer(s.stage("b"));
  s.vectorize(s.leaves(s.stage("b"))[1] as LoopRef);
  s.decomposeReduction(partial, row);
  s.pragma(row, "auto_unroll_max_step", 16);
  const [element] = s.axes(s.stage("c")) as [LoopRef];
  s.reverseComputeAt(s.stage("d"), s.stage("c"), element);
  s.parallel(element);
  return s;
}

it.each([
  [
    "program-parts.json",
    "cpu/x86-64-v3",
    parts,
    "compute_at decompose_reduction double_buffer parallel pragma reorder reverse_compute_at reverse_compute_inline rfactor set_scope split transform_layout vectorize",
  ],
  [
    "program-tiles.json",
    "cuda/sm_80",
    () => matmulByTiles({ pad: 2 }) as unknown as Schedule,
    "bind cache_read cache_write compute_at fuse reorder split storage_align tensorize",
  ],
] as const)("%s is what its schedule records, and compiles", (file, target, make, steps) => {
  const schedule = make();
  const { bytes } = encodeProgram(schedule.graph, schedule.trace, target, schedule.intrinsics);
  const path = new URL(`golden/${file}`, import.meta.url);
  if (process.env.WARPFARM_GOLDEN === "write") writeFileSync(path, bytes);
  const golden = readFileSync(path, "utf8");
  expect(Buffer.from(bytes).toString()).toBe(golden);
  const read = decodeProgram(Buffer.from(golden));
  if (!read.ok || read.value.kind !== "schedule") throw new Error(`${file} is no schedule`);
  expect(Buffer.from(encodeDocument(read.value).bytes).toString()).toBe(golden);
  expect([...new Set(read.value.trace.map(({ op }) => op))].sort().join(" ")).toBe(steps);
  const made = compileProgram(read.value);
  expect(made.ok ? "" : made.error.message).toBe("");
});
