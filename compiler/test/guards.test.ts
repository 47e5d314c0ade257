/**
 * Splits that do not divide, from the schedule to the text: a guard stands as far out as it goes, and not at all where it is
 * proven; indices are plain ints; what is computed is right.
 */

import { parseTarget } from "@warpfarm/common";
import { expect, it } from "vitest";
import { evaluate } from "../src/interp/evaluate.ts";
import { interpretKernels } from "../src/interp/interpret.ts";
import { inputsOf, nestOf } from "../src/schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { emit, lowerFunc } from "../src/target/index.ts";
import { placeholder } from "../src/te/compute.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { matmul } from "../src/te/ops/matmul.ts";

const cuda = parseTarget("cuda/sm_90");

/** n x 6 x n, tiles of 4 x 4 threads, three values of k at a time. */
function tiled(n: number): Schedule {
  const [a, b] = [placeholder("A", [n, 6]), placeholder("B", [6, n])];
  const s = createSchedule(graphOf([a, b], [matmul(a, b)]));
  const c = s.stage("C");
  const sum = s.cacheWrite(c, "local");
  const [i, j] = s.axes(c) as [LoopRef, LoopRef];
  const [by, bx, ty, tx] = s.tile(i, j, 4, 4);
  s.bind(by, "blockIdx.y");
  s.bind(bx, "blockIdx.x");
  s.bind(ty, "threadIdx.y");
  s.bind(tx, "threadIdx.x");
  s.computeAt(sum, c, tx);
  s.split(s.reduceAxes(sum)[0] as LoopRef, [null, 3]);
  return s;
}

function bodyOf(s: Schedule): string {
  const func = nestOf(s);
  const { text } = emit(lowerFunc(func, cuda), func.params, cuda, { graph: s.graph });
  return text.slice(text.indexOf("{") + 1);
}

function expectRight(s: Schedule): void {
  const inputs = inputsOf(s.graph);
  expect(interpretKernels(lowerFunc(nestOf(s), cuda), inputs).data.get("C")).toEqual(evaluate(s.graph, inputs).get("C"));
}

it("a tile over the edge is guarded around the loops of its sum and at its store, not in them", () => {
  const s = tiled(10);
  expect(`\n${bodyOf(s)}`).toMatchInlineSnapshot(`
    "

      const int i_outer = blockIdx.y;  // < 3
      const int j_outer = blockIdx.x;  // < 3
      const int i_inner = threadIdx.y;  // < 4
      const int j_inner = threadIdx.x;  // < 4
      float C_local[1];
      // C
      // C.local
      if (i_outer * 4 + i_inner < 10 && j_outer * 4 + j_inner < 10) {
        C_local[0] = 0.0f;
        for (int k_outer = 0; k_outer < 2; ++k_outer) {
          for (int k_inner = 0; k_inner < 3; ++k_inner) {
            C_local[0] += A[i_outer * 24 + i_inner * 6 + k_outer * 3 + k_inner] * B[j_outer * 4 + j_inner + k_outer * 30 + k_inner * 10];
          }
        }
      }
      if (i_outer * 4 + i_inner < 10 && j_outer * 4 + j_inner < 10) {
        C[i_outer * 40 + j_outer * 4 + i_inner * 10 + j_inner] = C_local[0];
      }
    }
    "
  `);
  expectRight(s);
});

it("a tile that divides is not", () => {
  const s = tiled(12);
  expect(bodyOf(s)).not.toContain("if (");
  expectRight(s);
});

it("a reduction cut into parts that do not divide is guarded where it is added, and nothing else is", () => {
  const s = tiled(12);
  const [, inner] = s.leaves(s.stage("C.local")).slice(-2) as [LoopRef, LoopRef];
  s.split(inner, [null, 2]);
  const guards = bodyOf(s).match(/if \(.*\) \{/g);
  expect(guards).toEqual(["if (k_inner_outer * 2 + k_inner_inner < 3) {"]);
  expectRight(s);
});

it("indices are computed in 32 bits", () => {
  const text = bodyOf(tiled(10));
  expect(text).toContain("const int ");
  expect(text).not.toMatch(/long|size_t|int64/);
});
