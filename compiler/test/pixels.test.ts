/**
 * Runs of pixels that the copy engine takes in its im2col mode: copies of random convolutions' operands through shared memory, by
 * both interpreters and as printed text, held to the definition; and faults planted in the walk, each of which is noticed.
 */
import { parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { compileProgram } from "../src/compile.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { evaluate } from "../src/interp/evaluate.ts";
import { interpret } from "../src/interp/interpret.ts";
import * as b from "../src/ir/build.ts";
import type { Kernel } from "../src/ir/prim-func.ts";
import type { BulkCopy, PixelWalk, Stmt } from "../src/ir/stmt.ts";
import { mapStmt, walkStmt } from "../src/ir/visit.ts";
import { inputsOf, nestOf } from "../src/schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import { lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder } from "../src/te/compute.ts";
import { add, all, at, floorDiv, floorMod, greaterEqual, less, mul, select, sub } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { runEngineOnHost } from "./run-engine.testing.ts";

const target = parseTarget("cuda/sm_90a");

interface Walked {
  readonly shape: readonly [n: number, h: number, w: number, c: number];
  readonly filter: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly dilation: readonly [number, number];
  /** Top, left, bottom, right. */
  readonly padding: readonly [number, number, number, number];
  readonly tile: number;
}

/** B[p, k] = what tap k // channels of pixel p reads, plus 1. Tiles of `tile` pixels by the channels of a tap. */
function copied({ shape, filter, stride, dilation, padding, tile }: Walked): Schedule {
  const [N, H, W, C] = shape;
  const places = (d: 0 | 1) =>
    Math.floor(((d ? W : H) + padding[d] + (padding[d + 2] as number) - (filter[d] - 1) * dilation[d] - 1) / stride[d]) + 1;
  const [OH, OW] = [places(0), places(1)];
  const P = Math.ceil((N * OH * OW) / tile) * tile;
  const A = placeholder("A", [...shape], "float32");
  const axes = [
    ["p", P],
    ["k", filter[0] * filter[1] * C],
  ] as const;
  const pixels = compute("pixels", axes, (p, k) => {
    const tap = floorDiv(k, C);
    const y = sub(add(mul(floorMod(floorDiv(p, OW), OH), stride[0]), mul(floorDiv(tap, filter[1]), dilation[0])), padding[0]);
    const x = sub(add(mul(floorMod(p, OW), stride[1]), mul(floorMod(tap, filter[1]), dilation[1])), padding[1]);
    const inside = all(less(p, N * OH * OW), greaterEqual(y, 0), less(y, H), greaterEqual(x, 0), less(x, W));
    return select(inside, at(A, floorDiv(p, OH * OW), y, x, floorMod(k, C)), 0);
  });
  const s = createSchedule(graphOf([A], [compute("B", axes, (p, k) => add(at(pixels, p, k), 1))]));
  const [view, out] = [s.stage("pixels"), s.stage("B")];
  s.computeInline(view);
  const copy = s.cacheRead(view, "shared", [out]);
  const [p, k] = s.axes(out) as [never, never];
  const [po, pi] = s.split(p, [null, tile]) as [never, never];
  const [ko, ki] = s.split(k, [null, C]) as [never, never];
  s.reorder([po, ko, pi, ki]);
  s.bind(po, "blockIdx.x");
  s.bind(pi, "threadIdx.x");
  s.computeAt(copy, out, ko);
  s.pipeline(copy, 2);
  s.copyBy(copy, "tma");
  return s;
}

const boxesOf = (kernel: Kernel): readonly BulkCopy[] => {
  const found: BulkCopy[] = [];
  walkStmt(kernel.func.body, (s) => {
    if (s.kind === "BulkCopy") found.push(s);
  });
  return found;
};

function drawn(random: Random): Walked {
  const from = (least: number, count: number) => least + random.below(count);
  const filter = [from(1, 3), from(1, 3)] as const;
  const dilation = [from(1, 2), from(1, 2)] as const;
  const padding = [random.below(3), random.below(3), random.below(3), random.below(3)] as const;
  const side = (d: 0 | 1) => Math.max((filter[d] - 1) * dilation[d] + 1 - padding[d] - (padding[d + 2] as number), from(1, 8), 1);
  const stride = [from(1, 3), from(1, 3)] as const;
  return { shape: [from(1, 3), side(0), side(1), 4 * from(1, 2)], filter, stride, dilation, padding, tile: 8 * from(1, 4) };
}

describe("pixels", () => {
  it("come as the definition says, whatever borders, steps, taps and tiles", () => {
    const random = new Random(91);
    let walks = 0;
    for (let i = 0; i < (isFull ? 300 : 40); i++) {
      const walked = drawn(random);
      const s = copied(walked);
      const kernels = lowerFunc(nestOf(s), target);
      const [box] = boxesOf(kernels[0] as Kernel);
      // A tile of one row, and whole rows of a product, need no walk; where nothing is inside there is nothing to copy.
      if (box?.tensor.im2col) walks++;
      if (verifyKernels(kernels, target).length > 0) continue;
      const inputs = inputsOf(s.graph);
      const wanted = evaluate(s.graph, inputs).get("B");
      const funcs = kernels.map(({ func }) => func);
      expect(interpret(funcs, inputs).data.get("B"), JSON.stringify(walked)).toEqual(wanted);
      expect(interpretDirectly(funcs, inputs).data.get("B"), JSON.stringify(walked)).toEqual(wanted);
    }
    expect(walks).toBeGreaterThan(isFull ? 200 : 25);
  });

  const odd: Walked = {
    ...{ shape: [2, 5, 6, 4], filter: [3, 2], stride: [2, 1], dilation: [1, 2], padding: [1, 2, 0, 1], tile: 8 },
  };

  it("come so in the printed text", () => {
    const s = copied(odd);
    const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90a", graph: s.graph, trace: s.trace });
    if (!made.ok) throw new Error(made.error.message);
    const inputs = inputsOf(s.graph);
    expect(runEngineOnHost(made.value, inputs).get("B")).toEqual(evaluate(s.graph, inputs).get("B"));
    expect(made.value.maps).toMatchObject([
      {
        ...{ dims: [2, 5, 6, 4], box: [8, 4], element_strides: [1, 2, 1, 1] },
        im2col: { lower: [-1, -2], upper: [-3, -1] },
      },
    ]);
  });

  const moved = (walk: PixelWalk, part: keyof PixelWalk, d: number, by: number): PixelWalk => ({
    ...walk,
    [part]: walk[part].with(d, (walk[part][d] as number) + by),
  });
  const inWalk = (edit: (walk: PixelWalk) => PixelWalk) => (box: BulkCopy) =>
    ({ ...box, tensor: { ...box.tensor, im2col: edit(box.tensor.im2col as PixelWalk) } }) as BulkCopy;
  const planted: readonly (readonly [what: string, edit: (box: BulkCopy) => BulkCopy])[] = [
    ...(["lower", "upper"] as const).flatMap((part) =>
      [0, 1].map((d) => [`${part} corner ${d}`, inWalk((walk) => moved(walk, part, d, part === "lower" ? 1 : -1))] as const),
    ),
    ["steps swapped", inWalk((walk) => ({ ...walk, steps: walk.steps.toReversed() }))],
    ["taps swapped", (box) => ({ ...box, taps: (box.taps ?? []).toReversed() })],
    ["taps without dilation", (box) => ({ ...box, taps: (box.taps ?? []).map((tap) => b.floorDiv(tap, b.int(2))) })],
    ["a border forgotten", (box) => ({ ...box, origin: box.origin.with(1, b.add(box.origin[1] as never, b.int(1))) })],
    ["the next image", (box) => ({ ...box, origin: box.origin.with(0, b.add(box.origin[0] as never, b.int(1))) })],
  ];
  it.each(planted)("a fault is noticed: %s", (_, edit) => {
    const s = copied(odd);
    const [kernel] = lowerFunc(nestOf(s), target);
    const inputs = inputsOf(s.graph);
    const wanted = evaluate(s.graph, inputs).get("B");
    const run = (at: Stmt): Stmt => (at.kind === "BulkCopy" ? edit(at) : mapStmt(at, run, (e) => e));
    const func = { ...(kernel as Kernel).func, body: run((kernel as Kernel).func.body) };
    for (const by of [interpret, interpretDirectly]) expect(by([func], inputs).data.get("B")).not.toEqual(wanted);
  });

  it.each<[what: string, edit: (box: BulkCopy) => BulkCopy, why: string]>([
    ["a tap too far", (box) => ({ ...box, taps: [b.int(256), b.int(0)] }), "the row of a tap of A is 256 to 256; 0 to 255"],
    ["a tap before", (box) => ({ ...box, taps: [b.int(0), b.int(-1)] }), "the column of a tap of A is -1 to -1"],
    [
      "a place that the walk has not",
      (box) => ({ ...box, origin: box.origin.with(2, b.int(5)) }),
      "pixels of A begin at column 5 to 5; the walk has -2 to 4",
    ],
    ["a corner too far", inWalk((walk) => moved(walk, "lower", 0, -128)), "a corner of the walk is -129"],
    ["no taps", ({ taps: _, ...box }) => box, "a pixel of A has 4 coordinates and a tap 2"],
    [
      "a map of boxes",
      (box) => ({ ...box, tensor: { ...box.tensor, box: [1, 1, 8, 4], im2col: undefined } as never }),
      "has taps",
    ],
  ])("the rules refuse %s", (_, edit, why) => {
    const [kernel] = lowerFunc(nestOf(copied(odd)), target);
    const run = (at: Stmt): Stmt => (at.kind === "BulkCopy" ? edit(at) : mapStmt(at, run, (e) => e));
    const func = { ...(kernel as Kernel).func, body: run((kernel as Kernel).func.body) };
    const found = verifyKernels([{ ...(kernel as Kernel), func }], target);
    expect(found.map(({ rule, message }) => `${rule} ${message}`).join("\n")).toMatch(new RegExp(`device.copy-engine .*${why}`));
  });
});
