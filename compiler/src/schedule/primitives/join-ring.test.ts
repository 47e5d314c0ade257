/**
 * joinRing: a residual in slots of the ring of a product's operands is right in both interpreters, and takes no
 * memory; what does not fit is refused; and with each planted fault a kernel is refused by the rules, and by both interpreters.
 */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { type Product, scheduleOf } from "../../../../test-support/programs/warpgroups.ts";
import { difference, subjectOf } from "../../../test/subject.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { InterpError } from "../../interp/error.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { printExpr } from "../../ir/print.ts";
import type { BulkCopy, Fill, Seq, Stmt } from "../../ir/stmt.ts";
import { holds, mapChildren, mapStmt, walkStmt } from "../../ir/visit.ts";
import { lowerVerified, verifyKernels } from "../../target/index.ts";
import { infer } from "../infer.ts";
import type { Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { nestOf } from "./primitive.testing.ts";

const target = parseTarget("cuda/sm_90a");
const product: Product = {
  ...{ dtype: "float16", layout: "NT", size: [128, 64, 64], n: 64, groups: 1, chunk: 32, slots: 2, span: 64 },
  ...{ blocks: 1, roles: [0, 0], stored: true, parts: 2, fused: true, joined: "B" },
};

function lowered(sch: Schedule): readonly Kernel[] {
  const made = lowerVerified(nestOf(sch), target);
  if (!made.ok) throw new Error(made.error.map(({ message }) => message).join("\n"));
  return made.value;
}

it.each<[what: string, change: Partial<Product>]>([
  ["two tiles of a block, two slots", {}],
  ["two warpgroups, in slots of A that no loop's turns divide", { groups: 2, joined: "A", slots: 3, roles: [40, 232] }],
  ["pairs of blocks that share B, four slots", { pairs: "m", slots: 4, size: [256, 64, 64] }],
  ["without a producer", { roles: undefined as never, slots: 4, size: [128, 64, 96] }],
])("is right: %s", (_, change) => {
  const sch = scheduleOf({ ...product, ...change });
  const of = subjectOf(sch.graph, -2, 2);
  const kernels = lowered(sch);
  const funcs = kernels.map(({ func }) => func);
  expect(difference(of, interpretKernels(kernels, of.inputs))).toBeUndefined();
  expect(difference(of, interpretDirectly(funcs, of.inputs))).toBeUndefined();
});

it("has no memory of its own, and its turns follow those of the ring's loop", () => {
  const bytesOf = (p: Product) => {
    const made = infer(scheduleOf(p).state);
    return made.ok && made.value.allocations.filter(({ scope }) => scope === "shared").map(({ bytes }) => bytes);
  };
  const { joined: _, ...apart } = product;
  expect(bytesOf(product)).toEqual(bytesOf(apart));
  const turns: string[] = [];
  for (const { func } of lowered(scheduleOf(product)))
    walkStmt(func.body, (s) => {
      if (s.kind === "Fill") turns.push(`${printExpr(s.turn)}, ${s.bytes} bytes`);
    });
  // Of each tile two steps of the reduction, then two parts.
  const tile = "i.0.j.0.fused.outer * 4";
  expect(turns).toEqual([`${tile} + k.0, 8192 bytes`, `${tile} + 2, 4096 bytes`, `${tile} + 3, 4096 bytes`]);
});

describe("refuses", () => {
  const refusal = (sch: Schedule): string => {
    const made = infer(sch.state);
    return made.ok ? "accepted" : made.error.message;
  };
  const stage = (sch: Schedule, name: string) => sch.stage(`${name}.shared`);
  const { joined: _, ...apart } = product;
  it.each<[what: string, make: () => Schedule, message: RegExp]>([
    [
      "a slot that is too small",
      () => scheduleOf({ ...product, groups: 2 }),
      /joinRing: "residual.shared" has \[1,128,32\] float16, and a slot of "B.shared" \[64,32\] float16; it lies in/,
    ],
    ["another swizzle", () => scheduleOf({ ...product, chunk: 64, size: [128, 64, 128] }), /it lies in a slot of its type/],
    ["a ring of one slot", () => scheduleOf({ ...product, slots: 1 }), /does not bring to several arrays/],
    [
      "a stage that the engine does not bring",
      () => {
        const sch = scheduleOf(apart);
        sch.joinRing(stage(sch, "C"), stage(sch, "B"));
        return sch;
      },
      /joinRing: "C.shared" is not brought by the copy engine/,
    ],
    [
      "what runs ahead in arrays of its own",
      () => {
        const sch = scheduleOf(apart);
        sch.joinRing(stage(sch, "A"), stage(sch, "B"));
        return sch;
      },
      /"A.shared" has 2 arrays of its own/,
    ],
    [
      "a loop around the ring's",
      () => {
        const sch = scheduleOf(product);
        const tile = sch.leaves(sch.stage("C"))[1] as LoopRef;
        sch.computeAt(stage(sch, "residual"), sch.stage("C"), tile);
        return sch;
      },
      /it is computed at a serial loop that comes after that one's, inside the same loops/,
    ],
  ])("%s", (_, make, message) => {
    expect(refusal(make())).toMatch(message);
  });
  it("its own ring", () => {
    const sch = scheduleOf(apart);
    expect(() => sch.joinRing(stage(sch, "A"), stage(sch, "A"))).toThrow('joinRing: "A.shared" joins the ring of another stage');
  });
});

describe("planted", () => {
  // Two rounds of the ring stay a loop, so that the turns of the residual stand beside it.
  const schedule = scheduleOf({ ...product, size: [128, 64, 128] });
  const kernels = lowered(schedule);
  const subject = subjectOf(schedule.graph, -2, 2);
  const isJoined = (s: Stmt): s is Fill => s.kind === "Fill" && s.bytes === 4096;
  /** The statements of a turn of the residual. */
  const isUsed = (s: Stmt): s is Seq => s.kind === "Seq" && s.stmts.some(({ kind }) => kind === "Await") && holds(s, "Drain");
  const without = (kind: "Await" | "Release") => (s: Stmt) =>
    isUsed(s) ? b.seq(s.stmts.filter((part) => part.kind !== kind)) : undefined;
  const filled = (change: (s: Fill) => Fill) => (s: Stmt) => (isJoined(s) ? change(s) : undefined);
  const boxed = (change: (s: BulkCopy) => BulkCopy) => {
    const run = (s: Stmt): Stmt => (s.kind === "BulkCopy" ? change(s) : mapStmt(s, run, (e) => e));
    return filled((s) => ({ ...s, body: run(s.body) }));
  };
  const slot = 64 * 32;
  const moved = (e: Expr): Expr => {
    const made = mapChildren(e, moved);
    return made.kind === "Load" && made.buffer.name === "B.shared"
      ? b.load(made.buffer, [b.floorModulo(b.add(made.indices[0] as Expr, b.int(slot)), b.int(2 * slot))])
      : made;
  };
  const movedIn = (s: Stmt): Stmt => mapStmt(s, movedIn, moved);
  const atStart = (s: Stmt) => {
    if (!isUsed(s)) return undefined;
    const others = s.stmts.filter(({ kind }) => kind !== "Release");
    return b.seq(
      others.flatMap((part): readonly Stmt[] => (part.kind === "Await" ? [part, { ...part, kind: "Release" }] : [part])),
    );
  };
  const behind = (s: Stmt) =>
    isUsed(s)
      ? b.seq([...s.stmts.filter(({ kind }) => kind !== "Await"), ...s.stmts.filter(({ kind }) => kind === "Await")])
      : undefined;

  it.each<[what: string, change: (s: Stmt) => Stmt | undefined, rule: string | undefined, run: RegExp]>([
    ["the wait is left out", without("Await"), "device.channel", /channel/],
    ["the wait comes behind", behind, "device.channel", /channel/],
    ["the release is left out", without("Release"), "device.channel", /channel|deadlock/],
    ["the slot is released before it is read", atStart, undefined, /channel/],
    ["the slot beside is read", (s) => (isUsed(s) ? movedIn(s) : undefined), undefined, /channel/],
    [
      "the box comes to the slot beside",
      boxed((s) => ({ ...s, indices: [b.floorModulo(b.add(s.indices[0] as Expr, b.int(slot)), b.int(2 * slot))] })),
      undefined,
      /channel/,
    ],
    ["as many bytes as of the operands", filled((s) => ({ ...s, bytes: 8192 })), "device.copy-engine", /deadlock/],
    ["fewer bytes", filled((s) => ({ ...s, bytes: 4032 })), "device.copy-engine", /bytes/],
    ["the turn is that of the operands", filled((s) => ({ ...s, turn: b.sub(s.turn, b.int(2)) })), "device.channel", /channel/],
    ["the turn after", filled((s) => ({ ...s, turn: b.add(s.turn, b.int(1)) })), "device.channel", /channel/],
    [
      "the part beside",
      boxed((s) => ({ ...s, origin: [s.origin[0] as Expr, b.sub(b.int(32), s.origin[1] as Expr)] })),
      undefined,
      /is .*, not/,
    ],
  ])("%s", (_, change, rule, wanted) => {
    let places = 0;
    const run = (s: Stmt): Stmt => {
      const other = change(s);
      if (other) places++;
      return other ?? mapStmt(s, run, (e) => e);
    };
    const bad = kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
    expect(places).toBeGreaterThan(0);
    const rules = verifyKernels(bad, target).map((found) => found.rule);
    if (rule !== undefined) expect(rules).toContain(rule);
    const told = (run: () => ReturnType<typeof interpretDirectly>): string | undefined => {
      try {
        return difference(subject, run());
      } catch (error) {
        if (!(error instanceof InterpError)) throw error;
        return error.rule;
      }
    };
    const directly = () =>
      interpretDirectly(
        bad.map(({ func }) => func),
        subject.inputs,
      );
    expect(told(directly)).toMatch(wanted);
    expect(told(() => interpretKernels(bad, subject.inputs))).toBeDefined();
  });
});
