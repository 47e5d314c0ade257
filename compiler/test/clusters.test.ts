import { describe, expect, it } from "vitest";
import { type Product, scheduleOf } from "../../test-support/programs/warpgroups.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { InterpError } from "../src/interp/error.ts";
import { interpretKernels } from "../src/interp/interpret.ts";
import * as b from "../src/ir/build.ts";
import type { Var } from "../src/ir/expr.ts";
import type { Kernel } from "../src/ir/prim-func.ts";
import type { Stmt } from "../src/ir/stmt.ts";
import { substituteStmt, walkStmt } from "../src/ir/visit.ts";
import { infer } from "../src/schedule/infer.ts";
import { inputsOf } from "../src/schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { gpuLimits } from "../src/target/gpu-limits.ts";
import { lowerVerified, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { add, at } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { verifyLimits } from "../src/verify/limits.ts";
import {
  directWork,
  expectAgreement,
  four,
  inChannels,
  lowered,
  ofShare,
  product,
  refuse,
  target,
  textOf,
} from "./clusters.testing.ts";
import { runEngineOnHost } from "./run-engine.testing.ts";
import { difference, subjectOf } from "./subject.ts";

const refusals = (sch: Schedule, of = target): readonly string[] => {
  const inferred = infer(sch.state);
  if (!inferred.ok) return [inferred.error.message];
  const limits = verifyLimits(inferred.value, gpuLimits("cuda/sm_90a")).map(({ message }) => message);
  if (limits.length > 0) return limits;
  const made = lowerVerified(inferred.value.func(), of);
  return made.ok ? [] : made.error.map(({ rule, message }) => `${rule}: ${message}`);
};

interface Copies {
  readonly blocks: number;
  readonly slots?: number;
  readonly roles?: true;
  /** The copy's loop that is shared out: its factors, or nothing. */
  readonly share?: readonly (number | null)[];
  readonly byEngine?: boolean;
  /** A block's threads have two axes, and a producer's are the second along a third. */
  readonly inRows?: true;
}

/** `blocks` copies of A, plus 1, a block of a cluster each; all of them read all of A, 16 rows at a time. */
function copiesOf({ blocks, slots = 2, roles, share = [blocks, null], byEngine = true, inRows }: Copies): Schedule {
  const A = placeholder("A", [80, 32]);
  const axes = [
    ["copy", blocks],
    ["i", 80],
    ["j", 32],
  ] as const;
  const sch = createSchedule(graphOf([A], [compute("B", axes, (_, i, j) => add(at(A, i, j), 1))]));
  const B = sch.stage("B");
  const copy = sch.cacheRead(A, "shared", [B]);
  const [c, i, j] = sch.axes(B) as [LoopRef, LoopRef, LoopRef];
  const [turn, row] = sch.split(i, [null, 16 * blocks]) as [LoopRef, LoopRef];
  sch.bind(c, "clusterIdx.x");
  const [, y, x] = sch.split(sch.fuse([row, j]), inRows ? [null, 2, 64] : [null, 1, 128]) as [LoopRef, LoopRef, LoopRef];
  if (inRows) sch.bind(y, "threadIdx.y");
  sch.bind(x, "threadIdx.x");
  sch.computeAt(copy, B, turn);
  if (byEngine) {
    sch.copyBy(copy, "tma");
    sch.swizzle(copy);
    if (slots > 1) sch.pipeline(copy, slots);
  }
  if (share.length > 0) sch.bind(sch.split(sch.axes(copy)[0] as LoopRef, [...share])[0] as LoopRef, "clusterIdx.x");
  if (roles) sch.specialize(B, 0, 0);
  return sch;
}

describe("products of pairs of blocks", () => {
  it.each<[what: string, product: Product]>([
    ["along m, B's rows shared", product],
    ["along n, A's rows shared", { ...product, pairs: "n", roles: [0, 0] }],
    ["along m, three slots, a producer", { ...product, slots: 3, roles: [0, 0] }],
    ["along m, B across the reduction", { ...product, layout: "NN", roles: [0, 0], stored: true }],
    ["along n, A across the reduction", { ...product, layout: "TN", pairs: "n" }],
    ["tiles over the end: 3 of rows for pairs of them", { ...product, size: [192, 32, 64], roles: [0, 0] }],
    ["a tile of rows, and one beyond the end", { ...product, groups: 2, size: [128, 32, 64], roles: [40, 232] }],
    ["the same, stored by the engine", { ...product, size: [64, 32, 64], roles: [0, 0], stored: true }],
    ["along n, a tile, and one beyond the end", { ...product, size: [64, 32, 64], pairs: "n", stored: true }],
  ])("%s", (_, p) => expectAgreement(p, 2, directWork));
});

const rankOf = ([kernel]: readonly Kernel[]): Var => {
  let found: Var | undefined;
  walkStmt((kernel as Kernel).func.body, (s) => {
    if (s.kind === "For" && s.thread === "clusterIdx.x") found = s.loopVar;
  });
  return found as Var;
};
describe("the text", () => {
  it("says which half each block asks for, for both, and gives slots away to both", () => {
    const { text, kernels, maps } = textOf(copiesOf({ blocks: 2 }));
    expect(kernels).toMatchObject([{ grid: [2, 1, 1], block: [128, 1, 1], cluster: [2, 1, 1] }]);
    // 32 rows a turn, half of them each.
    expect(maps).toMatchObject([{ box: [16, 32] }]);
    expect(text).toMatch(/const int copy = blockIdx\.x % 2; {2}\/\/ < 2/);
    expect(text).toMatch(/tma_load_2d_to\(A_shared \+ .*, 0x3\);/);
    // Four warps of two blocks.
    expect(text).toMatch(/mbarrier_init\(A_shared_ring \+ 2 \+ i, 8\);/);
    expect(text).toMatch(/mbarrier_arrive_at\(A_shared_ring \+ 2 \+ .*, \w+ % 32, 2\);/);
    expect(text).toMatch(/mbarrier_expect\(A_shared_ring.*, 4096\);/);
    expect(text.match(/^ +cluster_meets\(\);/gm)).toHaveLength(1);
    expect(text).not.toContain("__syncthreads");
  });

  it.each<[what: string, copies: Copies]>([
    ["two blocks", { blocks: 2 }],
    ["two blocks, a producer, three slots", { blocks: 2, roles: true, slots: 3 }],
    ["two blocks, a producer along the third axis of threads", { blocks: 2, roles: true, inRows: true }],
    ["four blocks, one slot", { blocks: 4, slots: 1 }],
  ])("of %s runs", (_, copies) => {
    const sch = copiesOf(copies);
    const subject = subjectOf(sch.graph);
    expect(runEngineOnHost(textOf(sch), subject.inputs).get("B")).toEqual(subject.expected.get("B"));
  });

  it("of a ring in the loop of another runs: a block waits at the end for the turns of each", () => {
    const [A, P] = [placeholder("A", [3, 32, 32]), placeholder("P", [3, 32, 32])];
    const axes = [
      ["copy", 2],
      ["o", 3],
      ["i", 32],
      ["j", 32],
    ] as const;
    const sch = createSchedule(graphOf([A, P], [compute("B", axes, (_, o, i, j) => add(at(A, o, i, j), at(P, o, i, j)))]));
    const B = sch.stage("B");
    const copies = [A, P].map((of) => sch.cacheRead(of, "shared", [B]));
    const [c, o, i, j] = sch.axes(B) as [LoopRef, LoopRef, LoopRef, LoopRef];
    const [turn, row] = sch.split(i, [null, 16]) as [LoopRef, LoopRef];
    sch.bind(c, "clusterIdx.x");
    sch.bind(sch.split(sch.fuse([row, j]), [null, 128])[1] as LoopRef, "threadIdx.x");
    for (const [n, copy] of copies.entries()) {
      sch.computeAt(copy, B, n === 0 ? turn : o);
      sch.copyBy(copy, "tma");
      sch.swizzle(copy);
      sch.pipeline(copy, 2);
      sch.bind(sch.split(sch.axes(copy)[1] as LoopRef, [2, null])[0] as LoopRef, "clusterIdx.x");
    }
    const subject = subjectOf(sch.graph);
    expect(runEngineOnHost(textOf(sch), subject.inputs).get("B")).toEqual(subject.expected.get("B"));
  });

  it.each<[what: string, from: RegExp, to: string, words: RegExp]>([
    [
      "a slot is given away to its own block alone",
      /, (\w+ % 32), 2\);/g,
      ", $1 < 2 ? copy : 2, 2);",
      /the result is another when run backwards/,
    ],
    ["boxes go to the first block alone", /0x3\)/g, "0x1)", /nobody goes on/],
    ["a share of no box", /^ +tma_load_2d_to\(.*;$/gm, "", /nobody goes on/],
    ["no wait at the end", /for \(int i.*mbarrier_wait\(.*\n/g, "\n", /reaches for one that has ended/],
    ["a wait at the end for one turn more", /i <= 0 \? 1 : 0/g, "1", /nobody goes on/],
    ["no meeting at the start", /cluster_meets\(\);/, "", /a barrier that nobody has made/],
    ["empty sides count one block", /(?<=\+ i, )8\)/g, "4)", /one arrival too many|nobody goes on/],
  ])("planted: %s", (_, from, to, words) => {
    const sch = copiesOf({ blocks: 2 });
    const made = textOf(sch);
    const [head, body] = [made.text.slice(0, made.text.indexOf("extern")), made.text.slice(made.text.indexOf("extern"))];
    const text = head + body.replace(from, to);
    expect(text).not.toBe(made.text);
    const subject = subjectOf(sch.graph);
    expect(() => {
      const got = runEngineOnHost({ ...made, text }, subject.inputs);
      expect(got.get("B")).toEqual(subject.expected.get("B"));
    }).toThrow(words);
  });
});

describe("planted in the program", () => {
  const sch = copiesOf({ blocks: 2, roles: true });
  const kernels = lowered(sch);
  const rank = rankOf(kernels);
  const inputs = inputsOf(sch.graph);

  it.each<[what: string, change: (s: Stmt) => Stmt | undefined, rule: string, words: RegExp, run: RegExp]>([
    [
      "a slot is given away to its own block alone",
      inChannels(({ cluster: _, ...channel }) => channel),
      "device.cluster",
      /a box of A for 2 blocks along clusterIdx.x comes by channel A.shared_ring, which one block has for itself/,
      /channel/,
    ],
    [
      "boxes go to the first block alone",
      ofShare((s, to) => ({ ...s, multicast: { ...to, blocks: 1 } })),
      "device.cluster",
      /a box of A for 1 blocks along clusterIdx.x: loop copy bound to clusterIdx.x has clusters of 2/,
      /deadlock/,
    ],
    [
      "boxes go to the block that asks",
      ofShare(({ multicast: _, ...s }) => s),
      "device.copy-engine",
      /the copies of a turn have 2048 bytes, and it says that 4096 come/,
      /deadlock/,
    ],
    ["a share of no box", ofShare(() => b.seq([])), "device.copy-engine", /the copies of a turn have 0 bytes/, /deadlock/],
    [
      "both ask for one share",
      ofShare((s) => substituteStmt(s, new Map([[rank, b.int(0)]]))),
      "device.cluster",
      /begins at the same place for each of them: they would bring one share 2 times/,
      /uninitialised/,
    ],
    [
      "the channel counts three blocks",
      inChannels((channel) => ({ ...channel, cluster: { x: 3, y: 1 } })),
      "device.cluster",
      /channel A.shared_ring is of 3 by 1 blocks/,
      /channel/,
    ],
    [
      "a block fills one turn less",
      (s) => (s.kind === "Fill" ? b.ifThen(b.lt(s.turn, b.int(2)), s) : undefined),
      "device.channel",
      /turn 2 is awaited when/,
      /deadlock/,
    ],
    [
      "one block of two fills",
      (s) => (s.kind === "Fill" ? b.ifThen(b.eq(rank, b.int(0)), s) : undefined),
      "device.channel",
      /under a condition that depends on more than loops/,
      /deadlock/,
    ],
  ])("%s", (_, change, rule, words, run) => {
    const bad = refuse(change, kernels);
    const found = verifyKernels(bad, target);
    expect(found.map((one) => one.rule)).toContain(rule);
    expect(found.map(({ message }) => message).join("\n")).toMatch(words);
    for (const one of [
      () => interpretKernels(bad, inputs),
      () =>
        interpretDirectly(
          bad.map(({ func }) => func),
          inputs,
        ),
    ])
      try {
        one();
        expect.unreachable("an interpreter accepts it");
      } catch (error) {
        if (!(error instanceof InterpError)) throw error;
        expect(error.rule).toMatch(run);
      }
  });

  it("a channel of one block, which would release its slots to the first", () => {
    const alone = lowered(copiesOf({ blocks: 2, share: [] }));
    const bad = refuse(
      inChannels((channel) => ({ ...channel, cluster: { x: 1, y: 1 } })),
      alone,
    );
    expect(verifyKernels(bad, target).map(({ message }) => message)).toEqual([
      expect.stringMatching(/channel \S+ is of 1 by 1 blocks; loop copy bound to clusterIdx.x has clusters of 2 by 1/),
    ]);
  });

  it("clusters that are launched otherwise", () => {
    const bad = kernels.map((kernel) => ({ ...kernel, cluster: 1 }));
    expect(verifyKernels(bad, target).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/loop copy bound to clusterIdx.x has 2 iterations, but 2 blocks are launched in clusters of 1/),
    );
  });
});

describe("refuses, naming the loop", () => {
  it.each<[what: string, schedule: () => Schedule, words: RegExp]>([
    [
      "a share for fewer blocks than the cluster has",
      () => copiesOf({ blocks: 4, share: [2, null] }),
      /loop "ax0.outer" of "A.shared" is bound to clusterIdx.x, but has 2 iterations where the kernel's clusters have 4 blocks along it/,
    ],
    [
      "shares where boxes differ",
      () => {
        const sch = scheduleOf({ ...product, pairs: "m" });
        const copy = sch.stage("A.shared");
        sch.bind(sch.split(sch.axes(copy)[0] as LoopRef, [2, null])[0] as LoopRef, "clusterIdx.x");
        return sch;
      },
      /loop "ax0.outer" of "A.shared" is bound to clusterIdx.x, but what it reads differs with loop "\S+", which is too/,
    ],
    [
      "shares of a kernel without clusters",
      () => {
        const sch = scheduleOf({ ...product, pairs: undefined } as unknown as Product);
        const copy = sch.stage("A.shared");
        sch.bind(sch.split(sch.axes(copy)[0] as LoopRef, [2, null])[0] as LoopRef, "clusterIdx.x");
        return sch;
      },
      /has 2 iterations where the kernel's clusters have 1 blocks along it/,
    ],
    [
      "what threads make",
      () => copiesOf({ blocks: 2, byEngine: false }),
      /loop "ax0.outer" of "A.shared" is bound to clusterIdx.x, but "A.shared" is neither the result nor brought by the copy engine/,
    ],
    [
      "one copy along both axes",
      () => {
        const sch = scheduleOf(four);
        const rest = sch.axes(sch.stage("A.shared"))[1] as LoopRef;
        sch.bind(sch.split(rest, [2, null])[0] as LoopRef, "clusterIdx.y");
        return sch;
      },
      /is bound to clusterIdx.x, but loop "\S+" to clusterIdx.y: the boxes of a copy go along one of the two/,
    ],
    [
      "more blocks than a cluster has",
      () => copiesOf({ blocks: 10, share: [] }),
      /a cluster of "B" in blocks is 10; .* allows 8/,
    ],
    [
      "a reduction of which threads have no part",
      () => {
        const x = placeholder("x", [4, 64]);
        const k = reduceAxis("k", 64);
        const sch = createSchedule(graphOf([x], [compute("s", [["i", 4]], (i) => sum(at(x, i, k.loopVar), [k]))]));
        sch.bind(sch.axes(sch.stage("s"))[0] as LoopRef, "blockIdx.x");
        sch.bind(sch.split(sch.reduceAxes(sch.stage("s"))[0] as LoopRef, [2, null])[0] as LoopRef, "clusterIdx.x");
        return sch;
      },
      /loop "k.outer" of "s" shares a reduction out over the 2 blocks of clusterIdx.x, but no loop of it is bound to threadIdx.x/,
    ],
  ])("%s", (_, schedule, words) => {
    let found: readonly string[];
    try {
      found = refusals(schedule());
    } catch (error) {
      found = [String(error)];
    }
    expect(found.join("\n")).toMatch(words);
  });

  it("chips without clusters", () => {
    const inferred = infer(copiesOf({ blocks: 2 }).state);
    if (!inferred.ok) throw inferred.error;
    expect(verifyLimits(inferred.value, gpuLimits("cuda/sm_80"))).toMatchObject([
      { rule: "gpu.cluster", message: 'a cluster of "B" in blocks is 2; cuda/sm_80 allows 1' },
    ]);
  });
});

it("clusters that share nothing are blocks like others", () => {
  const sch = copiesOf({ blocks: 2, share: [] });
  const kernels = lowered(sch);
  const subject = subjectOf(sch.graph);
  expect(kernels).toMatchObject([{ cluster: 2, grid: [2, 1, 1] }]);
  expect(difference(subject, interpretKernels(kernels, subject.inputs))).toBeUndefined();
  expect(textOf(sch).text).not.toContain("cluster_meets");
});
