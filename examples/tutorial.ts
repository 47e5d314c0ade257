/**
 * The matrix product of docs/tutorial.md, a step at a time: `--args '{"step":3}'`. Each step keeps what the ones before it did.
 * C (n, n) = A B in float32; n is a multiple of 64.
 */
import { at, compute, defineTemplate, exactly, graphOf, mul, placeholder, reduceAxis, sum, whole } from "warpfarm";

export const tutorial = defineTemplate({
  name: "tutorial/matmul",
  summary: "a matrix product, from one thread an element to copies that run ahead",
  targets: [{ kind: "cuda", from: 80 }],
  args: { step: whole(1), n: whole(1024) },
  check: ({ step, n }) => {
    if (step < 1 || step > 5) return `step is ${step}; there are 1 to 5`;
    return n % 64 === 0 ? undefined : `n is ${n}; this template takes multiples of 64`;
  },

  graph: ({ args: { n } }) => {
    const A = placeholder("A", [n, n]);
    const B = placeholder("B", [n, n]);
    const k = reduceAxis("k", n);
    const axes = [
      ["i", n],
      ["j", n],
    ] as const;
    return graphOf([A, B], [compute("C", axes, (i, j) => sum(mul(at(A, i, k.loopVar), at(B, k.loopVar, j)), [k]))]);
  },

  space: (space) => ({ chunk: space.choice("chunk", [16, 32]) }),

  schedule: (schedule, { chunk }, { args: { step } }) => {
    const C = schedule.stage("C");
    const [A, B] = exactly(2, schedule.graph.inputs);
    const [i, j] = exactly(2, schedule.axes(C));

    // Step 1: one thread an element, blocks of 16 x 16 threads.
    if (step === 1) {
      const [by, ty] = exactly(2, schedule.split(i, [null, 16]));
      const [bx, tx] = exactly(2, schedule.split(j, [null, 16]));
      schedule.reorder([by, bx, ty, tx]);
      schedule.bind(by, "blockIdx.y");
      schedule.bind(bx, "blockIdx.x");
      schedule.bind(ty, "threadIdx.y");
      schedule.bind(tx, "threadIdx.x");
      return;
    }

    // Step 2: a block of 64 x 64 elements goes through shared memory, `chunk` of the reduction at a time.
    const AA = schedule.cacheRead(A, "shared", [C]);
    const BB = schedule.cacheRead(B, "shared", [C]);
    // Step 3: a thread keeps 4 x 4 sums, and what it multiplies, in registers.
    const AL = step >= 3 ? schedule.cacheRead(AA, "local", [C]) : undefined;
    const BL = step >= 3 ? schedule.cacheRead(BB, "local", [C]) : undefined;
    const sums = schedule.cacheWrite(C, "local");

    const [by, ty, yi] = exactly(3, schedule.split(i, [null, 16, 4]));
    const [bx, tx, xi] = exactly(3, schedule.split(j, [null, 16, 4]));
    schedule.reorder([by, bx, ty, tx, yi, xi]);
    schedule.bind(by, "blockIdx.y");
    schedule.bind(bx, "blockIdx.x");
    schedule.bind(ty, "threadIdx.y");
    schedule.bind(tx, "threadIdx.x");
    // Step 4: four neighbours at a time, in copies, in registers and in the result.
    if (step >= 4) schedule.vectorize(xi);

    schedule.computeAt(sums, C, tx);
    const [k] = exactly(1, schedule.reduceAxes(sums));
    const [ko, ki] = exactly(2, schedule.split(k, [null, chunk]));
    const [si, sj] = exactly(2, schedule.axes(sums));
    schedule.reorder([ko, ki, si, sj]);
    if (step >= 3) schedule.unroll(ki);

    for (const copy of [AA, BB]) {
      schedule.computeAt(copy, sums, ko);
      const lane = step >= 4 ? 4 : 1;
      const all = schedule.fuse(schedule.axes(copy));
      const [, rows, columns, vector] = exactly(4, schedule.split(all, [null, 16, 16, lane]));
      schedule.bind(rows, "threadIdx.y");
      schedule.bind(columns, "threadIdx.x");
      if (step >= 4) schedule.vectorize(vector);
      // Step 5: the machine copies two chunks ahead while the threads multiply.
      if (step >= 5) schedule.pipeline(copy, 3);
    }
    for (const own of [AL, BL]) {
      if (own === undefined) continue;
      schedule.computeAt(own, sums, ki);
      if (step >= 4 && own === BL) schedule.vectorize(exactly(2, schedule.axes(own))[1]);
    }
  },
});
