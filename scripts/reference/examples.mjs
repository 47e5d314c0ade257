/**
 * An example of each primitive for docs/primitives.md: statements over `schedule`, on one of two computations. The page shows the
 * loop nest that comes of them, so an example that a primitive refuses fails the page.
 *
 *   product   C[i, j] = sum over k of A[i, k] * B[k, j], 64 x 64 x 64
 *   chain     out[i] = 2 * mid[i], mid[i] = x[i] + 1, 1024 elements
 */
const tile = `const [i, j] = schedule.axes(C);
const [k] = schedule.reduceAxes(C);
const [io, ii] = schedule.split(i, [null, 8]);
const [jo, ji] = schedule.split(j, [null, 8]);
schedule.reorder([io, jo, k, ii, ji]);`;
const copied = `${tile}
schedule.bind(jo, "blockIdx.x");
schedule.bind(ji, "threadIdx.x");
const [ko] = schedule.split(k, [null, 8]);
schedule.reorder([io, jo, ko]);
const AA = schedule.cacheRead(A, "shared", [C]);
schedule.computeAt(AA, C, ko);`;

export const examples = {
  bind: {
    of: "product",
    code: `const [i, j] = schedule.axes(C);\nschedule.bind(i, "blockIdx.x");\nschedule.bind(j, "threadIdx.x");`,
  },
  cacheRead: {
    of: "product",
    code: `const [i] = schedule.axes(C);\nconst AA = schedule.cacheRead(A, "local", [C]);\nschedule.computeAt(AA, C, i);`,
  },
  cacheWrite: {
    of: "product",
    code: `const sums = schedule.cacheWrite(C, "local");\nconst [i] = schedule.axes(C);\nschedule.computeAt(sums, C, i);`,
  },
  computeAt: {
    of: "chain",
    code: `const [i] = schedule.axes(out);\nconst [outer] = schedule.split(i, [null, 32]);\nschedule.computeAt(mid, out, outer);`,
  },
  computeInline: { of: "chain", code: `schedule.computeInline(mid);` },
  copyBy: { of: "product", code: `${copied}\nschedule.copyBy(AA, "tma");\nschedule.pipeline(AA, 3);` },
  curve: {
    of: "product",
    code: `const [i, j] = schedule.axes(C);\nconst [io, ii] = schedule.split(i, [null, 16]);\nconst [jo, ji] = schedule.split(j, [null, 16]);\nschedule.reorder([io, jo, ii, ji]);\nschedule.bind(schedule.curve([io, jo], "hilbert", 1), "blockIdx.x");`,
  },
  decomposeReduction: {
    of: "product",
    code: `const [i, j] = schedule.axes(C);\nschedule.decomposeReduction(C, j);`,
  },
  dependent: undefined,
  doubleBuffer: { of: "product", code: `${copied}\nschedule.doubleBuffer(AA);` },
  fuse: { of: "product", code: `const [i, j] = schedule.axes(C);\nschedule.fuse([i, j]);` },
  joinRing: undefined,
  minBlocks: undefined,
  parallel: { of: "product", code: `schedule.parallel(schedule.axes(C)[0]);` },
  pipeline: { of: "product", code: `${copied}\nschedule.pipeline(AA, 3);` },
  pragma: { of: "product", code: `schedule.pragma(schedule.reduceAxes(C)[0], "auto_unroll_max_step", 64);` },
  reorder: {
    of: "product",
    code: `const [i, j] = schedule.axes(C);\nconst [k] = schedule.reduceAxes(C);\nschedule.reorder([k, i, j]);`,
  },
  reverseComputeAt: {
    of: "chain",
    code: `const [i] = schedule.axes(mid);\nconst [outer] = schedule.split(i, [null, 32]);\nschedule.reverseComputeAt(out, mid, outer);`,
  },
  reverseComputeInline: { of: "chain", code: `schedule.reverseComputeInline(out);` },
  rfactor: {
    of: "product",
    code: `const [k] = schedule.reduceAxes(C);\nconst [ko, ki] = schedule.split(k, [null, 4]);\nconst partial = schedule.rfactor(ki, 0);`,
  },
  setDtype: {
    of: "product",
    code: `const sums = schedule.cacheWrite(C, "local");\nconst [i] = schedule.axes(C);\nschedule.computeAt(sums, C, i);\nschedule.setDtype(sums, "float64");`,
  },
  setScope: {
    of: "chain",
    code: `const [i] = schedule.axes(out);\nconst [outer] = schedule.split(i, [null, 32]);\nschedule.computeAt(mid, out, outer);\nschedule.setScope(mid, "local");`,
  },
  specialize: {
    of: "product",
    code: `${copied}\nschedule.copyBy(AA, "tma");\nschedule.pipeline(AA, 3);\nschedule.specialize(C, 40, 232);`,
  },
  split: { of: "chain", code: `const [i] = schedule.axes(out);\nconst [outer, inner] = schedule.split(i, [null, 100]);` },
  storageAlign: { of: "product", code: `${copied}\nschedule.storageAlign(AA, 0, 8, 4);` },
  swizzle: undefined,
  tensorize: undefined,
  tile: { of: "product", code: `const [i, j] = schedule.axes(C);\nschedule.tile(i, j, 8, 8);` },
  transformLayout: {
    of: "product",
    code: `${copied}\nschedule.transformLayout(AA, indexMap(["r", "c"], (r, c) => [c, r]));`,
  },
  unroll: { of: "product", code: `schedule.unroll(schedule.reduceAxes(C)[0]);` },
  vectorize: {
    of: "chain",
    code: `const [i] = schedule.axes(out);\nconst [, lane] = schedule.split(i, [null, 4]);\nschedule.vectorize(lane);`,
  },
};
