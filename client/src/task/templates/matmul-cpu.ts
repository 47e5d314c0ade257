/**
 * Matrix product on a CPU: C (N, M) = A (N, L) · B (L, M), float32. A register tile of R rows by V vectors of C is accumulated over the whole
 * reduction: each step loads V vectors of a row of B and broadcasts R elements of A for R·V multiply-adds.
 */
import { divisors, graphOf, matmul, placeholder } from "@warpfarm/compiler";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { whole } from "../template-args.ts";
import { lanesFor, registerTiles } from "./vector-unit.ts";

export const matmulCpu = defineTemplate({
  name: "matmul_cpu",
  aliases: [],
  summary: "matrix product on a CPU: register tiles, vectors over columns",
  targets: ["cpu"],
  args: { N: whole(512), L: whole(512), M: whole(512) },

  graph: ({ args: { N, L, M } }) => {
    const a = placeholder("A", [N, L]);
    const b = placeholder("B", [L, M]);
    return graphOf([a, b], [matmul(a, b)]);
  },

  space: (space, sch, { args: { N, M }, target }) => {
    const [k] = exactly(1, sch.reduceAxes(sch.stage("C")));
    const tiles = divisors(N).flatMap((r) => divisors(M / lanesFor(M, target)).map((v) => [r, v] as const));
    return {
      /** Rows and vectors of the register tile. */
      tile: space.choice("tile", registerTiles(tiles, target)),
      /** Steps of the reduction written out. */
      tileK: space.split("tile_k", { loop: k, extent: sch.extent(k) }, { parts: 2, maxFactor: 16 }),
      /** What a task is: a strip of rows, or of columns. */
      parallel: space.choice("parallel", ["rows", "columns"]),
    };
  },

  schedule: (sch, { tile: [rows, vectors], tileK, parallel }, { args: { M }, target }) => {
    const lanes = lanesFor(M, target);
    const C = sch.stage("C");
    const acc = sch.cacheWrite(C, "local");

    const [i, j] = exactly(2, sch.axes(C));
    const [iOuter, ii] = exactly(2, sch.split(i, [null, rows]));
    const [jOuter, jv, lane] = exactly(3, sch.split(j, [null, vectors, lanes]));
    sch.reorder(parallel === "columns" ? [jOuter, iOuter, ii, jv, lane] : [iOuter, jOuter, ii, jv, lane]);
    sch.unroll(ii);
    sch.unroll(jv);
    if (lanes > 1) sch.vectorize(lane);
    sch.computeAt(acc, C, parallel === "columns" ? iOuter : jOuter);

    const [ai, aj] = exactly(2, sch.axes(acc));
    const [av, aLane] = exactly(2, sch.split(aj, [null, lanes]));
    const [kOuter, kInner] = exactly(2, tileK.apply(sch));
    sch.reorder([kOuter, kInner, ai, av, aLane]);
    sch.unroll(kInner);
    sch.unroll(ai);
    sch.unroll(av);
    if (lanes > 1) sch.vectorize(aLane);

    sch.parallel(parallel === "columns" ? jOuter : iOuter);
  },
});
