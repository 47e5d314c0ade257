/**
 * Faults of kernels that the copy engine feeds, planted one at a time, in the IR and in the text: rules, both interpreters or a
 * machine made after the PTX ISA notice each. Those of the list that stand elsewhere:
 *
 *   a release early, missing or twice; bytes one short or long; no await; boxes elsewhere; no fence; waits  ../channels.test.ts
 *   the parity of the inner loop alone; one turn; fewer turns than slots  ../../src/schedule/primitives/copy-by.test.ts
 *   a producer one turn short, a barrier in a role, registers, barriers of stores  ../../src/schedule/primitives/specialize.test.ts
 *   waits of products, groups, sums touched, swizzles, descriptors, words of transposition ../../src/intrinsic/cuda/wgmma.test.ts
 *   a kernel that does not wait for the one before  ../../src/schedule/primitives/dependent.test.ts
 */
import { parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { drawBoxes } from "../../../test-support/programs/boxes.ts";
import { type Product, scheduleOf } from "../../../test-support/programs/warpgroups.ts";
import { compileProgram } from "../../src/compile.ts";
import { interpretDirectly } from "../../src/interp/direct/index.ts";
import { InterpError } from "../../src/interp/error.ts";
import { interpret } from "../../src/interp/interpret.ts";
import * as b from "../../src/ir/build.ts";
import { slotElements } from "../../src/ir/bulk.ts";
import type { Expr, Table } from "../../src/ir/expr.ts";
import type { Kernel } from "../../src/ir/prim-func.ts";
import type { Stmt } from "../../src/ir/stmt.ts";
import { mapStmt, rewriteExpr } from "../../src/ir/visit.ts";
import { infer } from "../../src/schedule/infer.ts";
import { type DeviceText, lowerVerified, verifyKernels } from "../../src/target/index.ts";
import { runEngineOnHost } from "../run-engine.testing.ts";
import { difference, type Subject, subjectOf } from "../subject.ts";

const target = parseTarget("cuda/sm_90a");
/** Five tiles for two blocks, three chunks in three slots, a producer. */
const product: Product = {
  ...{ dtype: "float16", layout: "NT", size: [64, 40, 48], n: 8, groups: 1, chunk: 16, slots: 3, span: 64 },
  ...{ blocks: 2, order: "group", roles: [0, 0] },
};

function lowered(p: Product): readonly Kernel[] {
  const inferred = infer(scheduleOf(p).state);
  if (!inferred.ok) throw inferred.error;
  const made = lowerVerified(inferred.value.func(), target);
  if (!made.ok) throw new Error(made.error.map(({ message }) => message).join("\n"));
  return made.value;
}
const kernels = lowered(product);
const subject = subjectOf(scheduleOf(product).graph, -2, 2);

const planted = (on: (s: Stmt) => Stmt | undefined, expr: (e: Expr) => Expr = (e) => e): readonly Kernel[] => {
  const run = (s: Stmt): Stmt => on(s) ?? mapStmt(s, run, (e) => rewriteExpr(e, expr));
  return kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
};

/** A rule, or what is different; undefined = the interpreter notices nothing. */
function seenBy(run: typeof interpretDirectly, bad: readonly Kernel[]): string | undefined {
  try {
    const funcs = bad.map(({ func }) => func);
    return difference(subject, run(funcs, subject.inputs));
  } catch (error) {
    if (error instanceof InterpError) return error.rule;
    throw error;
  }
}
const seen = (bad: readonly Kernel[]) => [interpret, interpretDirectly].map((run) => seenBy(run, bad));
const rules = (bad: readonly Kernel[]) => verifyKernels(bad, target).map(({ rule }) => rule);

it("without a fault the kernel is right", () => {
  expect([rules(kernels), seen(kernels)]).toEqual([[], [undefined, undefined]]);
});

describe("planted in the IR", () => {
  it("products read the slot behind theirs", () => {
    const behind = planted((s) => {
      if (s.kind !== "Invoke" || s.form !== "update") return undefined;
      const tiles = s.tiles.map((tile) => {
        const { scope, shape } = tile.buffer;
        if (scope !== "shared") return tile;
        const whole = shape[0] as number;
        const next = b.add(tile.indices[0] as Expr, b.int(slotElements(tile.buffer, { slots: product.slots } as never)));
        return { ...tile, indices: [b.floorModulo(next, b.int(whole))] };
      });
      return { ...s, tiles };
    });
    expect(seenBy(interpretDirectly, behind)).toBe("interp.channel");
  });

  it("a slot begins half of its pattern further, which is 256 bytes of rows of 32", () => {
    const further = planted((s) =>
      s.kind === "BulkCopy" ? { ...s, indices: [b.add(s.indices[0] as Expr, b.int(64))] } : undefined,
    );
    expect(rules(further)).toContain("device.copy-engine");
    expect(seen(further).every((found) => found !== undefined)).toBe(true);
  });

  it("a condition around copies in one role only", () => {
    let loop: Expr | undefined;
    const guarded = planted((s) => {
      if (s.kind === "For" && s.forKind === "serial") loop = s.loopVar;
      return s.kind === "Fill" && loop ? { kind: "If", cond: b.lt(loop, b.int(2)), body: s } : undefined;
    });
    expect(rules(guarded)).toContain("device.channel");
    for (const found of seen(guarded)) expect(found).toMatch(/deadlock|channel/);
  });

  const withTable = (change: (values: readonly number[]) => readonly number[]) => {
    const made = new Map<Table, Table>();
    return planted(
      () => undefined,
      (e) => {
        if (e.kind !== "Lookup") return e;
        const table = made.get(e.table) ?? { name: e.table.name, values: change(e.table.values) };
        made.set(e.table, table);
        return { ...e, table };
      },
    );
  };
  it.each<[what: string, change: (values: readonly number[]) => readonly number[]]>([
    ["an order misses a tile", (values) => values.with(-1, values[0] as number)],
    ["the last group of an order is too wide", (values) => values.map((place) => (place === 4 ? 5 : place))],
  ])("%s", (_, change) => {
    const bad = withTable(change);
    expect(rules(bad)).toContain("ir.lookup");
    for (const found of seen(bad)) expect(found).toMatch(/not written|uninitialised|bounds|race/);
  });
});

describe("planted in the text", () => {
  const wants = [/_ring \+ \d/, /else \{/, /consumers_meet_/, /tma_store_/, /mbarrier_wait\([^;]*\/ \d/];
  function drawn(): readonly [DeviceText, Subject] {
    for (let seed = 1; ; seed++) {
      const program = drawBoxes(new Random(seed));
      if (!program) continue;
      const { graph, schedule } = program;
      const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90a", graph, trace: schedule.trace });
      if (made.ok && wants.every((want) => want.test(made.value.text)) && !/cvt\.|f32_to_f16/.test(made.value.text))
        return [made.value, subjectOf(graph)];
    }
  }
  const [text, boxes] = drawn();
  const outcome = (change: (text: string) => string): string => {
    const changed = change(text.text);
    try {
      const got = runEngineOnHost({ ...text, text: changed }, boxes.inputs).get("B");
      return JSON.stringify(got) === JSON.stringify(boxes.expected.get("B")) ? "right" : "wrong";
    } catch (error) {
      return /nobody goes on|one arrival too many|on their way/.exec(String(error))?.[0] ?? String(error);
    }
  };

  it("without a fault the text is right", () => {
    expect(outcome((of) => of)).toBe("right");
    expect(text.text).toMatch(/bar\.sync 1, 128;/);
  });
  it.each<[what: string, change: (text: string) => string]>([
    ["parities that begin the other way", (of) => of.replace(/(mbarrier_wait\([^;]*), ([^;,]+)\);/g, "$1, 1 - ($2));")],
    [
      "a slot is empty after one warp",
      (of) => of.replace(/mbarrier_init\(([^;]* \+ \d+ \+ i), \d+\);/g, "mbarrier_init($1, 1);"),
    ],
    ["consumers meet where the block does", (of) => of.replace(/ consumers_meet_\d+\(\);/g, " __syncthreads();")],
  ])("%s", (_, change) => {
    expect(change(text.text)).not.toBe(text.text);
    expect(outcome(change)).not.toBe("right");
  });
});
