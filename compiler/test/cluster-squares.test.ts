/**
 * Clusters of two dimensions: boxes go along one axis, slots are released along both. As in clusters.test.ts, both interpreters
 * agree with the graphs, the text runs on a machine made after the PTX ISA, and planted faults are refused.
 */
import { Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { type Product, scheduleOf } from "../../test-support/programs/warpgroups.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { InterpError } from "../src/interp/error.ts";
import { interpretKernels } from "../src/interp/interpret.ts";
import type { Expr } from "../src/ir/expr.ts";
import type { Stmt } from "../src/ir/stmt.ts";
import { nestOf } from "../src/schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { lowerVerified, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder } from "../src/te/compute.ts";
import { add, at } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { directWork, expectAgreement, four, inChannels, lowered, ofShare, refuse, target, textOf } from "./clusters.testing.ts";
import { runEngineOnHost } from "./run-engine.testing.ts";
import { difference, subjectOf } from "./subject.ts";

describe("products of four blocks in a square", () => {
  it.each<[what: string, product: Product]>([
    ["each operand along one side", four],
    ["no producer, three slots", { ...four, roles: undefined, slots: 3 } as unknown as Product],
    ["both across the reduction, stored by the engine", { ...four, layout: "TN", stored: true }],
    ["3 rows of tiles and 3 columns, of which the second cluster has one or none", { ...four, size: [192, 96, 64] }],
  ])("%s", (_, p) => expectAgreement(p, 4, 4 * directWork));

  /** Rows of A along n, columns of B along m; what differs is which. */
  const otherAxis = ofShare((s, to) => ({
    ...s,
    multicast: { ...to, along: to.along === "clusterIdx.x" ? "clusterIdx.y" : "clusterIdx.x" },
  }));
  it.each<[what: string, change: (s: Stmt) => Stmt | undefined, words: RegExp]>([
    ["boxes go along the other side", otherAxis, /begins at the same place for each of them/],
    [
      "the channel counts the blocks of one side",
      inChannels((channel) => ({ ...channel, cluster: { x: 2, y: 1 } })),
      /a box of B for 2 blocks along clusterIdx.y comes by channel \S+, which one block has for itself/,
    ],
    [
      "boxes go to the block that asks",
      ofShare(({ multicast: _, ...s }) => s),
      /the copies of a turn have \d+ bytes, and it says that \d+ come/,
    ],
  ])("planted: %s", (what, change, words) => {
    const sch = scheduleOf({ ...four, size: [128, 64, 128] });
    const bad = refuse(change, lowered(sch));
    expect(
      verifyKernels(bad, target)
        .map(({ message }) => message)
        .join("\n"),
    ).toMatch(words);
    const subject = subjectOf(sch.graph, -2, 2);
    const bodies = bad.map(({ func }) => func);
    expect(() => interpretDirectly(bodies, subject.inputs)).toThrow(InterpError);
    // The generated interpreter looks for no races: in its order the boxes come late enough.
    if (!what.startsWith("the channel")) expect(() => interpretKernels(bad, subject.inputs)).toThrow(InterpError);
  });

  it("refuse turns without boxes along both axes, as those of a residual in the ring", () => {
    const ringed: Product = { ...four, n: 64, size: [128, 128, 64], stored: true, parts: 2, fused: true, joined: "B" };
    expect(lowered(scheduleOf({ ...ringed, pairs: "m" }))).toMatchObject([{ cluster: 2 }]);
    const joined = scheduleOf(ringed);
    const made = lowerVerified(nestOf(joined), target);
    expect(made.ok ? "" : made.error.map(({ rule, message }) => `${rule}: ${message}`).join("\n")).toMatch(
      /device.cluster: C_kernel: a turn of channel \S+, of 2 by 2 blocks, has no boxes along both axes/,
    );
  });

  /** `rows` by `columns` blocks, each of which adds up the P of its column and the Q of its row, 32 rows at a time. */
  const sumsOf = (rows: number, columns: number): Schedule => {
    const [P, Q] = [placeholder("P", [columns, 96, 32]), placeholder("Q", [rows, 96, 32])];
    const axes = [
      ["row", rows],
      ["column", columns],
      ["i", 96],
      ["j", 32],
    ] as const;
    const sum = (row: Expr, column: Expr, i: Expr, j: Expr) => add(at(P, column, i, j), at(Q, row, i, j));
    const sch = createSchedule(graphOf([P, Q], [compute("B", axes, (row, column, i, j) => sum(row, column, i, j))]));
    const B = sch.stage("B");
    const copies = [P, Q].map((input) => sch.cacheRead(input, "shared", [B]));
    const [row, column, i, j] = sch.axes(B) as [LoopRef, LoopRef, LoopRef, LoopRef];
    const [turn, inner] = sch.split(i, [null, 32]) as [LoopRef, LoopRef];
    sch.reorder([row, column, turn, inner, j]);
    sch.bind(row, "clusterIdx.y");
    sch.bind(column, "clusterIdx.x");
    const [, thread] = sch.split(sch.fuse([inner, j]), [null, 128]) as [LoopRef, LoopRef];
    sch.bind(thread, "threadIdx.x");
    for (const [which, copy] of copies.entries()) {
      sch.computeAt(copy, B, turn);
      sch.copyBy(copy, "tma");
      sch.swizzle(copy);
      sch.pipeline(copy, 2);
      const [, lines] = sch.axes(copy) as [LoopRef, LoopRef];
      const [blocks, tag] = which === 0 ? ([rows, "clusterIdx.y"] as const) : ([columns, "clusterIdx.x"] as const);
      sch.bind(sch.split(lines, [blocks, null])[0] as LoopRef, tag);
    }
    return sch;
  };

  it.each([
    [2, 2],
    [2, 4],
    [4, 2],
    [2, 1],
  ])("the text of %i by %i blocks runs", (rows, columns) => {
    const sch = sumsOf(rows, columns);
    const subject = subjectOf(sch.graph);
    const text = textOf(sch);
    expect(text.kernels).toMatchObject([{ cluster: [rows * columns, 1, 1] }]);
    expect(runEngineOnHost(text, subject.inputs).get("B")).toEqual(subject.expected.get("B"));
    const bodies = lowered(sch).map(({ func }) => func);
    expect(difference(subject, interpretDirectly(bodies, subject.inputs, new Random(1)))).toBeUndefined();
  });

  it.each<[what: string, from: RegExp, to: string, words: RegExp]>([
    ["boxes of each column go to the first", / << column\)/g, ")", /nobody goes on/],
    ["boxes of each row go to the first", / << row \* 2\)/g, ")", /nobody goes on/],
    ["slots are given away to the row alone", /% 32 < 3 \?/g, "% 32 < 2 ?", /nobody goes on/],
    ["slots are given away to all four", /, 12\);/g, ", 16);", /nobody goes on/],
  ])("planted in the text: %s", (_, from, to, words) => {
    const sch = sumsOf(2, 2);
    const made = textOf(sch);
    const text = made.text.replace(from, to);
    expect(text).not.toBe(made.text);
    expect(() => runEngineOnHost({ ...made, text }, subjectOf(sch.graph).inputs)).toThrow(words);
  });
});
