/**
 * Kernels under rules that other harnesses have: one run is compared, and right when 99 % of its elements are within 1e-2; the
 * output is not poisoned; the time is the median of single launches between events, on the same inputs. A file names the kernels;
 * outcomes go to the ledger.
 *
 *   node bench/gpu/judged/other-rules.mjs JOBS.json
 */
import { readFileSync } from "node:fs";
import { inputSeed } from "../../../common/dist/index.js";
import { elementsOf } from "../../../runner/dist/measure/elements.js";
import { openDevice } from "../shared/device.mjs";
import { median } from "../shared/sections.mjs";
import { Ledger } from "./ledger.mjs";

const closeEnough = 1e-2;
const leastShare = 0.99;
const [warmUps, launches] = [10, 30];

const device = openDevice();
const ledger = new Ledger("judged-others");

/** Elements of each output after one run. */
function ran({ manifest, codePath }, buffers) {
  const module = device.load(manifest, codePath);
  const all = new Map(buffers);
  const own = manifest.buffers.filter(({ role }) => role === "workspace").map((spec) => device.allocate(spec));
  for (const workspace of own) all.set(workspace.spec.name, workspace);
  const run = () => device.run(module, all, 1, "events");
  const free = () => {
    module[Symbol.dispose]();
    for (const workspace of own) device.free(workspace);
  };
  run();
  const outputs = [...buffers.values()].filter(({ spec }) => spec.role !== "in");
  const read = outputs.map((buffer) => {
    const { dtype, shape } = buffer.spec;
    return elementsOf(
      dtype,
      device.read(buffer),
      shape.reduce((n, extent) => n * extent, 1),
    );
  });
  return { run, free, read };
}

function tensors(manifest) {
  const buffers = new Map();
  for (const [number, spec] of manifest.buffers.entries()) {
    if (spec.role === "workspace") continue;
    const buffer = device.allocate(spec);
    buffers.set(spec.name, buffer);
    if (spec.role !== "out") device.fill(buffer, inputSeed, number, "full");
  }
  return buffers;
}

function shareOf(got, expected) {
  let right = 0;
  for (let i = 0; i < expected.length; i++) {
    const [x, want] = [Number(got[i]), Number(expected[i])];
    if (x === want || Math.abs(x - want) <= closeEnough + closeEnough * Math.abs(want)) right++;
  }
  return right / expected.length;
}

for (const { name, kind, artifact, reference } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const buffers = tensors(reference.manifest);
  const expected = ran(reference, buffers);
  expected.free();
  for (const [number, spec] of reference.manifest.buffers.entries())
    if (spec.role === "inout") device.fill(buffers.get(spec.name), inputSeed, number, "full");
  const { run, free, read } = ran(artifact, buffers);
  const share = Math.min(...read.map((elements, i) => shareOf(elements, expected.read[i])));
  for (let i = 0; i < warmUps; i++) run();
  const ms = median(Array.from({ length: launches }, run));
  free();
  for (const buffer of buffers.values()) device.free(buffer);
  ledger.add({ name, kind, passes: share >= leastShare, share, us: ms * 1e3 });
}
process.exit(0);
