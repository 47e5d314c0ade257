/**
 * Tensor maps at random: does the driver refuse what tensorMapFault refuses, and nothing else? Each map is right at first; then
 * up to two of its numbers are put at or over an edge. The same 500 each time. Needs a GPU, as the driver does.
 *
 *   node bench/gpu/tensor-maps.mjs [--dry] [COUNT]      --dry: our verdicts alone, no driver
 *
 * Ends with 1 when a verdict differs, and prints those maps.
 */
import { encodingFault, Random, tensorMapTypes } from "../../common/dist/index.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";
import { recipeOf } from "../../runner/dist/device/cuda/tensor-map.js";
import { saveResults } from "../results.mjs";

const bytesOf = { float16: 2, bfloat16: 2, int8: 1, uint8: 1, float64: 8, int64: 8 };
const elementBytes = (type) => bytesOf[type] ?? 4;
const isFloat = (type) => type.includes("float");

/** A map that nothing is wrong with, and how its address is aligned. */
function rightMap(random) {
  const type = random.pick(tensorMapTypes);
  const interleave = random.pick([0, 0, 0, 0, 16, 32]);
  const rank = interleave === 0 ? 1 + random.below(5) : 3 + random.below(3);
  const unit = interleave === 32 ? 32 : 16;
  const swizzle = interleave === 32 ? 32 : random.pick([0, 32, 64, 128]);
  const most = interleave === 0 && swizzle > 0 ? swizzle : 256;
  const units = Math.max(1, Math.floor(Math.min(most, 256 * elementBytes(type)) / 16));
  const dims = Array.from({ length: rank }, () => random.pick([1, 2, 3, 7, 64, 100, 1000, 4096, 2 ** 20]));
  const box = dims.map(() => random.pick([1, 2, 3, 8, 64, 255, 256]));
  box[rank - 1] = Math.max(1, (16 * (1 + random.below(units))) / elementBytes(type));
  const strides = [];
  let stride = Math.ceil((dims[rank - 1] * elementBytes(type)) / unit) * unit;
  for (let d = rank - 2; d >= 0; d--) {
    stride += unit * random.below(3);
    strides.unshift(Math.min(stride, 2 ** 40 - unit));
    stride *= dims[d];
  }
  const element_strides = dims.map(() => random.pick([1, 1, 1, 2, 8]));
  const oob = isFloat(type) ? random.pick(["zeros", "nan"]) : "zeros";
  const l2 = random.pick([0, 64, 128, 256]);
  const map = { buffer: "x", type, dims, strides_bytes: strides, box, element_strides, swizzle, interleave, l2, oob };
  return { map, align: random.pick([unit, 64, 128]) };
}

const put = (list, at, value) => list.map((old, i) => (i === at ? value : old));

/** Ways to come to an edge, each with what it is called; some stay within it. */
const edges = {
  "a dimension": ({ map, align }, random) => {
    const dims = put(map.dims, random.below(map.dims.length), random.pick([0, 1, 2 ** 32, 2 ** 32 + 1]));
    return { map: { ...map, dims }, align };
  },
  "a stride": ({ map, align }, random) => {
    const value = random.pick([0, 8, 16, 24, 48, 2 ** 40 - 32, 2 ** 40 - 16, 2 ** 40]);
    return { map: { ...map, strides_bytes: put(map.strides_bytes, random.below(map.dims.length), value) }, align };
  },
  "the box": ({ map, align }, random) => {
    const box = put(map.box, random.below(map.box.length), random.pick([0, 1, 128, 256, 257, 512]));
    return { map: { ...map, box }, align };
  },
  "the row of the box": ({ map, align }, random) => {
    const box = put(map.box, map.box.length - 1, random.pick([1, 2, 4, 8, 12, 16, 32, 33, 48, 64, 128, 256]));
    return { map: { ...map, box }, align };
  },
  "the swizzle": ({ map, align }, random) => ({ map: { ...map, swizzle: random.pick([0, 32, 64, 128]) }, align }),
  "the interleave": ({ map, align }, random) => ({ map: { ...map, interleave: random.pick([0, 16, 32]) }, align }),
  "the element strides": ({ map, align }, random) => {
    const steps = put(map.element_strides, random.below(map.dims.length), random.pick([0, 1, 2, 7, 8, 9]));
    return { map: { ...map, element_strides: steps }, align };
  },
  "the address": ({ map }, random) => ({ map, align: random.pick([4, 8, 16, 32]) }),
  "what is outside": ({ map, align }) => ({ map: { ...map, oob: "nan" }, align }),
};

function drawn(random) {
  let made = rightMap(random);
  const names = [];
  for (let k = random.below(3); k > 0; k--) {
    const name = random.pick(Object.keys(edges));
    names.push(name);
    made = edges[name](made, random);
  }
  return { ...made, edges: names };
}

/** The driver's verdict: undefined when it encodes the map. */
function driverFault(driver, base, { map, align }) {
  try {
    // A multiple of `align` and of no larger power of two.
    driver.encodeTensorMap(recipeOf(map, base + BigInt(align)));
    return undefined;
  } catch (error) {
    return error.message;
  }
}

const dry = process.argv.includes("--dry");
const count = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 500);
const random = new Random(20_261_123);
let driver;
let base = 0n;
if (!dry) {
  const opened = openCudaDriver();
  if (!opened.ok) {
    console.error(`${opened.error.message}; --dry needs none`);
    process.exit(2);
  }
  driver = opened.value;
  driver.openContext(0);
  const start = driver.allocate(1 << 20);
  base = ((start + 4095n) / 4096n) * 4096n;
}
const rows = { right: { maps: 0, refused: 0, differ: 0 } };
const differing = [];
for (let i = 0; i < count; i++) {
  const one = drawn(random);
  const ours = encodingFault(one.map, one.align);
  const theirs = dry ? ours : driverFault(driver, base, one);
  for (const name of one.edges.length === 0 ? ["right"] : one.edges) {
    rows[name] ??= { maps: 0, refused: 0, differ: 0 };
    rows[name].maps++;
    rows[name].refused += ours === undefined ? 0 : 1;
    rows[name].differ += (ours === undefined) === (theirs === undefined) ? 0 : 1;
  }
  if ((ours === undefined) !== (theirs === undefined)) differing.push({ ...one, ours, theirs });
}
const table = Object.entries(rows).map(([what, row]) => ({ what, ...row }));
console.table(table);
for (const { map, align, ours, theirs } of differing)
  console.log(`${JSON.stringify(map)} at ${align}\n  ours: ${ours ?? "takes it"}\n  the driver: ${theirs ?? "takes it"}`);
console.log(`${count} maps, ${differing.length} verdicts differ${dry ? " (--dry: no driver was asked)" : ""}`);
if (!dry) saveResults("gpu-tensor-maps", `node bench/gpu/tensor-maps.mjs ${count}`, { maps: table }, { gpu: true });
process.exitCode = differing.length > 0 ? 1 : 0;
