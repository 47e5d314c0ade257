/**
 * Tensors of odd shapes copied by the copy engine alone (TMA in, TMA out), box by box, through rings of slots: every byte is
 * compared. The whole way: schedule, text, nvcc, manifest, the runner's device and its tensor maps. Needs a GPU of 9.0 and nvcc.
 *
 *   node bench/gpu/box-copies.mjs [--dry]      --dry: builds all, runs none
 *
 * Ends with 1 when a byte differs or memory around a buffer was written.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { at, compileProgram, compute, createSchedule, graphOf, placeholder } from "../../compiler/dist/index.js";
import { saveResults } from "../results.mjs";
import { cubinOf, openDevice } from "./shared/nvcc.mjs";

const target = "cuda/sm_90a";

/** Shape, type, tile, slots, blocks that go on from row of tiles to row of tiles (0: one each). */
/** @type {[shape: number[], dtype: DType, tile: number[], slots: number, blocks: number][]} */
const cases = [
  [[93, 72], "float32", [32, 32], 2, 0],
  [[93, 72], "float32", [32, 32], 3, 1],
  [[1, 16], "float16", [1, 8], 2, 0],
  [[257, 1000], "float16", [64, 64], 4, 2],
  [[300, 136], "float16", [128, 64], 5, 1],
  [[5, 4], "float32", [3, 4], 3, 0],
  [[1023, 48], "int8", [250, 16], 2, 3],
  [[7, 2], "float64", [2, 2], 4, 1],
  [[3, 7, 20], "int32", [2, 3, 8], 2, 1],
  [[9, 5, 40], "float16", [4, 5, 16], 3, 2],
  [[2, 3, 5, 24], "float32", [2, 2, 3, 8], 2, 1],
  [[4, 3, 2, 3, 16], "float16", [3, 2, 2, 2, 8], 2, 1],
  [[132], "float32", [64], 1, 0],
  [[4112], "int8", [256], 1, 0],
  [[513, 520], "bfloat16", [100, 64], 4, 1],
  [[64, 8200], "float16", [64, 64], 6, 0],
];

/** @typedef {import("@warpfarm/common").DType} DType */

/** @param {(typeof cases)[number]} row */
function scheduled([shape, dtype, tile, slots, blocks]) {
  const a = placeholder("A", shape, dtype);
  /** @type {[string, number][]} */
  const axes = shape.map((extent, d) => [`i${d}`, extent]);
  const schedule = createSchedule(graphOf([a], [compute("B", axes, (...indices) => at(a, ...indices))]));
  const out = schedule.stage("B");
  const copy = schedule.cacheRead(a, "shared", [out]);
  const parts = schedule.axes(out).map((axis, d) => schedule.split(axis, [null, tile[d]]));
  const [outer, inner] = [parts.map(([first]) => first), parts.map(([, second]) => second)];
  if (blocks === 0) schedule.reorder([...outer, ...inner]);
  const [wave, block] = blocks === 0 ? [undefined, outer[0]] : schedule.split(outer[0], [null, blocks]);
  if (wave) schedule.reorder([block, wave, ...outer.slice(1), ...inner]);
  schedule.bind(block, "blockIdx.x");
  const place = outer.length > 1 ? outer[outer.length - 1] : (wave ?? block);
  schedule.computeAt(copy, out, place);
  if (slots > 1) schedule.pipeline(copy, slots);
  schedule.copyBy(copy, "tma");
  schedule.copyBy(out, "tma");
  return schedule;
}

async function built(one, folder, i) {
  const { graph, trace } = scheduled(one);
  const made = compileProgram({ version: 1, kind: "schedule", target, graph, trace });
  if (!made.ok) throw new Error(`${JSON.stringify(one)}: ${made.error.message}`);
  return cubinOf(made.value, { target, folder, name: `${i}` });
}

/** What went wrong; undefined = every byte is there. */
function copied(device, { manifest, code }) {
  const tensors = new Map(manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
  const [x, y] = [tensors.get("A"), tensors.get("B")];
  device.fill(x, 5, 0);
  const module = device.load(manifest, code);
  let wrong;
  for (const timer of ["events", "cuda_graph"]) {
    device.poison(y);
    device.run(module, tensors, 3, timer);
    if (Buffer.compare(Buffer.from(device.read(x)), Buffer.from(device.read(y))) !== 0) wrong ??= `other bytes, by ${timer}`;
  }
  if (device.damaged(tensors.values()).length > 0) wrong ??= "wrote around a buffer";
  module[Symbol.dispose]();
  for (const buffer of tensors.values()) device.free(buffer);
  return wrong;
}

const dry = process.argv.includes("--dry");
const folder = mkdtempSync(join(tmpdir(), "warpfarm-boxes-"));
try {
  const all = [];
  for (const [i, one] of cases.entries()) all.push(await built(one, folder, i));
  const device = dry ? undefined : openDevice();
  const rows = cases.map(([shape, dtype, tile, slots, blocks], i) => {
    const outcome = dry ? "built" : (copied(device, all[i]) ?? "exact");
    return { shape: shape.join("x"), dtype, tile: tile.join("x"), slots, blocks, outcome };
  });
  console.table(rows);
  const wrong = rows.filter(({ outcome }) => outcome !== "exact" && !dry).length;
  console.log(`${rows.length} copies, ${wrong} wrong${dry ? " (--dry: built, not run)" : ""}`);
  if (!dry) saveResults("gpu-box-copies", "node bench/gpu/box-copies.mjs", { copies: rows }, { gpu: true });
  process.exitCode = wrong > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
