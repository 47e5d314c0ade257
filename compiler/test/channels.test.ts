/**
 * Channels of the copy engine. Random programs agree with the definition of their graphs in both interpreters, whichever thread
 * goes first and however late copies arrive. With a statement removed or moved they are refused, by a rule or by an interpreter:
 * none is accepted without an error.
 */
import { defined, parseTarget, Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { type BoxProgram, drawBoxes } from "../../test-support/programs/boxes.ts";
import { lowerWatched } from "../../test-support/programs/every-pass.ts";
import { drawTensorCoreProduct } from "../../test-support/programs/tensor-cores.ts";
import { drawWarpgroups } from "../../test-support/programs/warpgroups.ts";
import { compileProgram } from "../src/compile.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { InterpError } from "../src/interp/error.ts";
import { interpret, interpretKernels } from "../src/interp/interpret.ts";
import * as b from "../src/ir/build.ts";
import { channelsOf } from "../src/ir/bulk.ts";
import type { Expr } from "../src/ir/expr.ts";
import type { Kernel, PrimFunc } from "../src/ir/prim-func.ts";
import type { BulkCopy, Channel, Multicast, Stmt, Wait } from "../src/ir/stmt.ts";
import { holds, mapStmt, walkStmt } from "../src/ir/visit.ts";
import { infer } from "../src/schedule/infer.ts";
import { lowerVerified, verifyKernels } from "../src/target/index.ts";
import { runEngineOnHost } from "./run-engine.testing.ts";
import { difference, type Subject, subjectOf } from "./subject.ts";

const programs = isFull ? 2000 : 10;
const textCount = isFull ? 150 : 6;
const spoiltCount = isFull ? 200 : 5;
const target = parseTarget("cuda/sm_90a");

interface Made extends BoxProgram {
  readonly kernels: readonly Kernel[];
  readonly subject: Subject;
}

/** Undefined when it is refused; what is left after inference may be so for its boxes alone. */
function drawn(random: Random, refused: Map<string, number>): Made | undefined {
  const program = drawBoxes(random);
  return program && loweredOf(program, subjectOf(program.graph), refused);
}

function loweredOf(program: BoxProgram, subject: Subject, refused: Map<string, number>): Made | undefined {
  const inferred = infer(program.schedule.state);
  if (!inferred.ok) return undefined;
  const verified = lowerVerified(inferred.value.func(), target);
  const kernels = lowerWatched(inferred.value.func(), target);
  const [wrong] = verified.ok ? verifyKernels(kernels, target) : verified.error;
  if (wrong) {
    const key = wrong.rule === "copyBy.match" ? `${wrong.rule} ${wrong.message.replace(/\d+/g, "n").slice(0, 90)}` : wrong.rule;
    refused.set(key, (refused.get(key) ?? 0) + 1);
    return undefined;
  }
  return { ...program, kernels, subject };
}

/** A product on tensor cores whose operands come by channels. */
function drawnProduct(random: Random, refused: Map<string, number>): Made | undefined {
  const product = drawTensorCoreProduct(random, true);
  return product && loweredOf(product, subjectOf(product.graph, ...product.range), refused);
}
/** A product of warpgroups, in flight while the next slot is awaited. */
function drawnWarpgroups(random: Random, refused: Map<string, number>): Made | undefined {
  const product = drawWarpgroups(random, 2 ** 17);
  return product && loweredOf(product, subjectOf(product.graph, ...product.range), refused);
}

const bodies = (kernels: readonly Kernel[]): readonly PrimFunc[] => kernels.map(({ func }) => func);

it(`${programs} random programs agree with their graphs, in whatever order threads go on`, () => {
  const refused = new Map<string, number>();
  const counts = { done: 0, slots: 0, again: 0, out: 0, threads: 0, products: 0, roles: 0, clusters: 0, inFlight: 0, curves: 0 };
  // Of products of warpgroups, one program of ten.
  let parts = 0;
  for (let seed = 1; counts.done < programs; seed++) {
    // Of ten two multiply matrices.
    const draw = [drawn, drawnProduct, drawnWarpgroups][Math.max(0, (counts.done % 10) - 7)] as typeof drawn;
    const made = draw(new Random(seed), refused);
    if (!made) continue;
    const { kernels, subject, name, schedule } = made;
    counts.done++;
    if (schedule.trace.some(({ op }) => op === "curve")) counts.curves++;
    if (name.includes('"parts":2')) parts++;
    for (const { func, block } of kernels) {
      walkStmt(func.body, (s) => {
        if (s.kind === "AllocChannel" && s.channel.slots > 1) counts.slots++;
        if (s.kind === "Drain") counts.out++;
        if (s.kind === "For" && s.forKind !== "bound" && s.body.kind !== "For" && holds(s.body, "For") && holds(s, "Fill"))
          counts.again++;
      });
      if (block[0] > 32) counts.threads++;
      if (holds(func.body, "Invoke")) counts.products++;
      if (holds(func.body, "Roles")) counts.roles++;
      if (channelsOf(func.body).some(({ cluster }) => cluster)) counts.clusters++;
      if (holds(func.body, "Wait")) counts.inFlight++;
    }
    expect(difference(subject, interpretKernels(kernels, subject.inputs)), `seed ${seed}: ${name}`).toBeUndefined();
    for (const adversary of [undefined, new Random(seed)])
      expect(
        difference(subject, interpretDirectly(bodies(kernels), subject.inputs, adversary)),
        `seed ${seed}: ${name}`,
      ).toBeUndefined();
  }
  console.log(`channels: ${JSON.stringify(counts)}, parts ${parts}; refused: ${JSON.stringify([...refused])}`);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(programs / 12);
  if (isFull) expect(parts).toBeGreaterThan(programs / 120);
  // Of a product, tiles may lie across panels, and no stage may have bound the lanes.
  const others = [...refused.keys()].filter((rule) => !rule.startsWith("copyBy.match"));
  expect(others.filter((rule) => !["tensorize.match", "device.warp"].includes(rule))).toEqual([]);
});

/** One fault in a statement of a channel; undefined where it does not apply. */
type Fault = (s: Stmt) => Stmt | undefined;
const gone = b.seq([]);
const plus = (e: Expr, by: number) => b.add(e, b.int(by));
const onChannel =
  (f: (s: Extract<Stmt, { kind: "Fill" | "Await" | "Release" }>) => Stmt): Fault =>
  (s) =>
    s.kind === "Fill" || s.kind === "Await" || s.kind === "Release" ? f(s) : undefined;
const ofWait =
  (f: (s: Wait) => Stmt): Fault =>
  (s) =>
    s.kind === "Wait" ? f(s) : undefined;
const ofBox =
  (f: (s: BulkCopy) => BulkCopy): Fault =>
  (s) =>
    s.kind === "BulkCopy" ? f(s) : undefined;

/** Of boxes for all blocks of a cluster. */
const ofShare =
  (f: (s: BulkCopy, to: Multicast) => BulkCopy): Fault =>
  (s) =>
    s.kind === "BulkCopy" && s.multicast !== undefined ? f(s, s.multicast) : undefined;

const faults: Readonly<Record<string, Fault>> = {
  "a statement gone": onChannel(() => gone),
  "a turn later": onChannel((s) => ({ ...s, turn: plus(s.turn, 1) })),
  "a turn earlier": onChannel((s) => ({ ...s, turn: plus(s.turn, -1) })),
  "a ring further": onChannel((s) => ({ ...s, turn: plus(s.turn, s.channel.slots) })),
  "done twice": onChannel((s) => b.seq([s, s])),
  "a byte less than come": (s) => (s.kind === "Fill" ? { ...s, bytes: s.bytes - 1 } : undefined),
  "a byte more than come": (s) => (s.kind === "Fill" ? { ...s, bytes: s.bytes + 1 } : undefined),
  "a box gone": (s) => (s.kind === "Fill" ? { ...s, body: gone } : undefined),
  "a box twice": (s) => (s.kind === "Fill" ? { ...s, body: b.seq([s.body, s.body]) } : undefined),
  "a box elsewhere in shared memory": ofBox((s) => ({ ...s, indices: [plus(s.indices[0] as Expr, s.tensor.box.at(-1) ?? 1)] })),
  "a box for its own block alone": ofShare(({ multicast: _, ...s }) => s),
  "a box for one block less": ofShare((s, to) => ({ ...s, multicast: { ...to, blocks: to.blocks - 1 } })),
  "a fence gone": (s) => (s.kind === "Fence" ? gone : undefined),
  "a drain gone": (s) => (s.kind === "Drain" ? gone : undefined),
  "a wait for products gone": ofWait(() => gone),
  "a wait for one group less": ofWait((s) => ({ ...s, pending: s.pending + 1 })),
  "a group of products taken apart": (s) => (s.kind === "Async" ? s.body : undefined),
};

/** Other channels in the place of a function's. */
function withChannels(func: PrimFunc<"device">, other: (channel: Channel) => Channel): PrimFunc<"device"> {
  const others = new Map<Channel, Channel>();
  const run = (s: Stmt): Stmt => {
    if (!("channel" in s)) return mapStmt(s, run, (e) => e);
    const channel = others.get(s.channel) ?? other(s.channel);
    others.set(s.channel, channel);
    return mapStmt({ ...s, channel }, run, (e) => e);
  };
  return { ...func, body: run(func.body) };
}

function spoilt(func: PrimFunc<"device">, fault: Fault, nth: number): PrimFunc<"device"> | undefined {
  let seen = 0;
  let isDone = false;
  const run = (s: Stmt): Stmt => {
    if (!isDone) {
      const made = fault(s);
      if (made !== undefined && seen++ === nth) {
        isDone = true;
        return made;
      }
    }
    return mapStmt(s, run, (e) => e);
  };
  const body = run(func.body);
  return isDone ? { ...func, body } : undefined;
}

/** Who noticed: the rules or an interpreter; undefined = nobody. */
function noticed(kernels: readonly Kernel[], subject: Subject): { readonly rules?: string; readonly runs?: string } {
  const [wrong] = verifyKernels(kernels, target);
  let runs: string | undefined;
  for (const run of [interpret, interpretDirectly])
    try {
      runs ??= difference(subject, run(bodies(kernels), subject.inputs)) && "result";
    } catch (error) {
      if (!(error instanceof InterpError)) throw error;
      runs ??= error.rule;
    }
  return { ...(wrong ? { rules: wrong.rule } : {}), ...defined({ runs }) };
}

it(`every statement of a channel of ${spoiltCount} programs gone or moved: none is accepted`, () => {
  const by = new Map<string, number>();
  const programs = { products: 0, roles: 0 };
  const count = (key: string) => by.set(key, (by.get(key) ?? 0) + 1);
  for (let seed = 1, done = 0; done < spoiltCount; seed++) {
    // Every fifth multiplies matrices.
    const made = (done % 5 === 4 ? drawnWarpgroups : drawn)(new Random(1000 + seed), new Map());
    if (!made) continue;
    done++;
    programs.products += Number(made.kernels.some(({ func }) => holds(func.body, "Invoke")));
    programs.roles += Number(made.kernels.some(({ func }) => holds(func.body, "Roles")));
    if (channelsOf((made.kernels[0] as Kernel).func.body).some(({ cluster }) => cluster))
      for (const cluster of [undefined, { x: 1, y: 1 }, { x: 5, y: 1 }]) {
        const alone = ({ cluster: _, ...channel }: Channel): Channel => ({ ...channel, ...defined({ cluster }) });
        const bad = made.kernels.map((kernel) => ({ ...kernel, func: withChannels(kernel.func, alone) }));
        expect(noticed(bad, made.subject)).toEqual({ rules: "device.cluster", runs: expect.stringMatching(/channel|deadlock/) });
        count("a channel of fewer or more blocks");
      }
    for (const [what, fault] of Object.entries(faults))
      for (let nth = 0; ; nth++) {
        const kernels = made.kernels.map((kernel) => ({ kernel, func: spoilt(kernel.func, fault, nth) }));
        if (kernels.every(({ func }) => func === undefined)) break;
        const bad = kernels.map(({ kernel, func }) => (func ? { ...kernel, func } : kernel));
        const found = noticed(bad, made.subject);
        count(`${what}: ${found.rules ?? "no rule"}, ${found.runs ?? "no run"}`);
        // The engine sees what came by a channel without a fence.
        if (what === "a fence gone" && !/made by threads|"stored"/.test(made.name)) continue;
        expect(found, `seed ${1000 + seed}, ${what}, place ${nth}: ${made.name}`).not.toEqual({});
      }
  }
  expect(by.get("a channel of fewer or more blocks")).toBeGreaterThan(0);
  console.log(
    `spoilt channels, of ${spoiltCount} programs ${JSON.stringify(programs)}:\n${[...by].map(([what, n]) => `  ${what}: ${n}`).join("\n")}`,
  );
});

it(`the texts of ${textCount} random programs keep their slots and phases, on a machine made after the PTX ISA`, () => {
  const counts = { done: 0, slots: 0, swizzled: 0, stored: 0, several: 0, roles: 0, clusters: 0 };
  for (let seed = 1; counts.done < textCount; seed++) {
    const program = drawBoxes(new Random(5000 + seed));
    if (!program) continue;
    const { graph, schedule, name } = program;
    const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90a", graph, trace: schedule.trace });
    // Halves are rounded by instructions that this machine does not have.
    if (!made.ok || made.value.maps === undefined || /cvt\.|f32_to_f16/.test(made.value.text)) continue;
    const { text, maps } = made.value;
    counts.done++;
    if (/_ring\[[468]\]/.test(text)) counts.slots++;
    if (maps.some(({ swizzle }) => swizzle > 0)) counts.swizzled++;
    if (text.includes("tma_store_")) counts.stored++;
    if (text.includes("} else {")) counts.roles++;
    if (text.includes("cluster_meets")) counts.clusters++;
    if ((made.value.kernels[0]?.block[0] ?? 1) > 32) counts.several++;
    const subject = subjectOf(graph);
    const got = runEngineOnHost(made.value, subject.inputs);
    expect(got.get("B"), `seed ${5000 + seed}: ${name}`).toEqual(subject.expected.get("B"));
  }
  console.log(`texts of channels: ${JSON.stringify(counts)}`);
  // So few programs may have no cluster: clusters.test.ts runs texts of some.
  const { clusters, ...others } = counts;
  for (const count of [...Object.values(others), ...(isFull ? [clusters] : [])]) expect(count).toBeGreaterThan(0);
});
