/**
 * The barriers of the source programs: two in the innermost loop that has copies, none elsewhere, none under a condition.
 */

import { parseTarget } from "@warpfarm/common";
import { expect, it } from "vitest";
import { wmma } from "../src/intrinsic/cuda/wmma.ts";
import type { Stmt } from "../src/ir/stmt.ts";
import { infer } from "../src/schedule/infer.ts";
import type { Schedule } from "../src/schedule/schedule.ts";
import { graphB, graphC, graphD, scheduleB, scheduleC, scheduleD, tutorialB } from "../src/schedule/source-programs.testing.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { lowerFunc } from "../src/target/index.ts";
import { convGraph, published, resnetConv, scheduleA } from "./programs.testing.ts";

/** The loops and conditions around each barrier, and around each store to shared memory the loops outside of its own stage. */
function placesOf(schedule: Schedule): { barriers: string[]; copies: string[] } {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  const barriers: string[] = [];
  const copies = new Set<string>();
  const visit = (s: Stmt, path: string, stage: string): void => {
    if (s.kind === "Barrier") barriers.push(path);
    else if (s.kind === "Store") {
      if (s.buffer.scope === "shared") copies.add(stage);
    } else if (s.kind === "Seq") for (const child of s.stmts) visit(child, path, stage);
    else if (s.kind === "For") visit(s.body, s.forKind === "bound" ? path : `${path}/${s.loopVar.name}`, stage);
    else if (s.kind === "If") visit(s.body, `${path}/if`, stage);
    else if (s.kind === "Stage") visit(s.body, path, path);
    else if ("body" in s) visit(s.body, path, stage);
  };
  for (const { func } of lowerFunc(inferred.value.func(), parseTarget("cuda/sm_90"))) visit(func.body, "", "");
  return { barriers, copies: [...copies] };
}

/** C with its fragments loaded, multiplied and stored by warps. */
function tensorizedC(): Schedule {
  const s = scheduleC(graphC());
  const tiles = wmma("float16", { m: 16, n: 16, k: 16 }, 90);
  if (!tiles) throw new Error("no wmma of 16 x 16 x 16 halves");
  for (const [stage, intrinsic] of [
    ["Apad.shared.wmma.matrix_a", tiles.load("a", "row")],
    ["W.shared.wmma.matrix_b", tiles.load("b", "row")],
    ["Conv", tiles.store("row")],
    ["Conv.wmma.accumulator", tiles.mma("row", "row")],
  ] as const)
    s.tensorize(s.axes(s.stage(stage))[4] as LoopRef, intrinsic);
  return s;
}

const programs: Record<string, () => Schedule> = {
  A: () => scheduleA(convGraph(resnetConv), published),
  B: () => scheduleB(graphB({ image: 14, batch: 256, inChannels: 256, outChannels: 512 }), tutorialB),
  C: () => scheduleC(graphC()),
  "C by tiles": tensorizedC,
  D: () => scheduleD(graphD({ n: 32, l: 512, m: 512 }), { bx: 4, by: 32, stepK: 16, v: 8, warp: 16 }),
};
const loops: Record<string, string> = {
  A: "/rc.0",
  B: "/rc.outer/ry/rx",
  C: "/ic.outer/kh",
  "C by tiles": "/ic.outer/kh",
  D: "/k.outer",
};

it.each(Object.keys(programs))("program %s", (name) => {
  const { barriers, copies } = placesOf((programs[name] as () => Schedule)());
  expect(copies).toEqual([loops[name]]);
  expect(barriers).toEqual([loops[name], loops[name]]);
});

it("of doubled arrays that tiles read, one stands where the next copy is made, one where the loop begins anew", () => {
  const s = tensorizedC();
  s.doubleBuffer(s.stage("Apad.shared"));
  s.doubleBuffer(s.stage("W.shared"));
  const { barriers } = placesOf(s);
  expect(barriers).toEqual(["/ic.outer", "/ic.outer/kh"]);
});
