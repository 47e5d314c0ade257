/** Each planted fault of a product by wgmma is refused, by a rule and by the direct interpreter. */
import { dtypeBytes } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../../../test-support/campaign.ts";
import { type Product, productGraph, scheduleOf, wgmmaOf } from "../../../../test-support/programs/warpgroups.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { isProduct } from "../../ir/parts.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Stmt, Tile } from "../../ir/stmt.ts";
import { mapStmt, substitute, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../../lower/loops.ts";
import { inputsOf, nestOf } from "../../schedule/primitives/primitive.testing.ts";
import { emit, verifyKernels } from "../../target/index.ts";
import { lowered, small, target } from "./wgmma.testing.ts";
import { wgmma } from "./wgmma.ts";

/** Replaces statements of the kernel; undefined keeps one. */
function planted(p: Product, change: (s: Stmt) => Stmt | undefined): readonly Kernel[] {
  let changed = 0;
  const run = (s: Stmt): Stmt => {
    const other = change(s);
    if (other) changed++;
    return other ?? mapStmt(s, run, (e) => e);
  };
  const kernels = lowered(p).map((kernel): Kernel => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
  expect(changed).toBeGreaterThan(0);
  return kernels;
}
const isWait = (s: Stmt, pending: number): boolean => s.kind === "Wait" && s.engine === "wgmma" && s.pending === pending;
const nothing = b.seq([]);

describe("planted faults", () => {
  const many: Product = { ...small, size: [64, 32, 96], slots: 2 };
  const both: readonly string[] = ["rule", "direct"];
  it.each<[what: string, p: Product, change: (s: Stmt) => Stmt | undefined, rule: string, by: readonly string[]]>([
    ["no wait before the sums are stored", many, (s) => (isWait(s, 0) ? nothing : undefined), "in_flight", both],
    [
      "all groups but one where none may be left",
      many,
      (s) => (isWait(s, 0) ? b.seq([{ kind: "Wait", engine: "wgmma", pending: 1 }]) : undefined),
      "in_flight",
      both,
    ],
    [
      "a slot released before its products have been waited for",
      many,
      (s) => (isWait(s, 1) ? { kind: "Wait", engine: "wgmma", pending: 2 } : undefined),
      "in_flight",
      both,
    ],
    [
      "no wait in the loop, and nothing that is filled again",
      { ...many, slots: 8 },
      (s) => (isWait(s, 1) ? nothing : undefined),
      "in_flight",
      both,
    ],
    ["no wait in the loop", many, (s) => (isWait(s, 1) ? nothing : undefined), "in_flight", both],
    ["no group around the products", many, (s) => (s.kind === "Async" ? s.body : undefined), "in_flight", both],
    [
      "the products' own slot released",
      { ...many, size: [64, 32, 160] },
      (s) => (s.kind === "If" && s.body.kind === "Release" ? { ...s.body, turn: b.add(s.body.turn, b.int(1)) } : undefined),
      "",
      ["rule", "direct"],
    ],
    ["no wait where there is one slot", { ...small, slots: 1 }, (s) => (isWait(s, 0) ? nothing : undefined), "in_flight", both],
  ])("%s", (_, p, change, rule, by) => {
    const kernels = planted(p, change);
    const graph = productGraph(p);
    const inputs = inputsOf(graph);
    if (by.includes("rule"))
      expect(
        verifyKernels(kernels, target)
          .map((refusal) => refusal.rule)
          .join(),
      ).toMatch(rule === "" ? /device.channel|wgmma/ : /wgmma/);
    const wanted = rule === "" ? /\[interp\.(in_flight|channel)\]/ : /\[interp\.in_flight\]/;
    if (by.includes("direct"))
      expect(() =>
        interpretDirectly(
          kernels.map(({ func }) => func),
          inputs,
        ),
      ).toThrow(wanted);
  });

  /** Calls of the intrinsic with one of its operands another. */
  const withTile = (p: Product, at: number, change: (tile: Tile) => Tile) =>
    planted(p, (s) =>
      s.kind === "Invoke" && s.form === "update"
        ? { ...s, tiles: s.tiles.map((tile, i) => (i === at ? change(tile) : tile)) }
        : undefined,
    );
  const rules = (kernels: readonly Kernel[]) => verifyKernels(kernels, target).map((refusal) => refusal.rule);
  it("sums touched between products and their wait", () => {
    const start = planted(many, (s) => {
      if (s.kind !== "Async") return undefined;
      const sums: Tile[] = [];
      walkStmt(s.body, (inner) => {
        if (inner.kind === "Invoke") sums.push(...inner.tiles.slice(-1));
      });
      return b.seq([s, b.invoke(wgmmaOf(many).intrinsic, "init", sums.slice(0, 1))]);
    });
    expect(rules(start)).toContain("wgmma.in_flight");
    const inputs = inputsOf(productGraph(many));
    expect(() =>
      interpretDirectly(
        start.map(({ func }) => func),
        inputs,
      ),
    ).toThrow("[interp.in_flight]");
  });
  it("a tile swizzled otherwise than its reader thinks", () => {
    const kernels = planted(small, (s) => {
      if (s.kind !== "Invoke" || s.form !== "update") return undefined;
      const operands = s.intrinsic.operands.map((o) =>
        o.descriptor ? { ...o, descriptor: { ...o.descriptor, swizzle: 128 as const } } : o,
      );
      return { ...s, intrinsic: { ...s.intrinsic, operands } };
    });
    expect(rules(kernels)).toContain("wgmma.tile");
  });
  it("a tile that begins between two blocks of eight rows", () => {
    const down = (tile: Tile): Tile => ({ ...tile, indices: [b.add(tile.indices[0] as Expr, b.int(32))] });
    expect(rules(withTile(small, 0, down))).toContain("wgmma.tile");
    const across = { ...small, layout: "NN" as const };
    expect(rules(withTile(across, 1, down))).toContain("device.tile");
  });
  it("a tile that reaches into the slot after its own, which is filled meanwhile", () => {
    const eightRows = (tile: Tile): Tile => ({ ...tile, indices: [b.add(tile.indices[0] as Expr, b.int(8 * small.chunk))] });
    expect(rules(withTile(small, 0, eightRows))).toContain("wgmma.in_flight");
  });
  it("a tile that threads write", () => {
    const kernels = planted(small, (s) => {
      if (s.kind !== "Await") return undefined;
      const [A] = s.channel.buffers;
      return A && b.seq([s, b.store(A, [b.int(0)], b.constant(0, "float16"))]);
    });
    expect(rules(kernels)).toContain("wgmma.proxy");
  });
});

/** Every statement that waits or releases, removed or with another number, one at a time. */
function* mutants(p: Product): Generator<readonly [what: string, kernels: readonly Kernel[]]> {
  const ways = (s: Stmt): readonly (readonly [string, Stmt])[] => {
    if (s.kind === "Async") return [["a group taken apart", s.body]];
    if (s.kind === "Wait")
      return [
        ["a wait gone", nothing],
        ["a wait for one group less", { ...s, pending: s.pending + 1 }],
      ];
    if (s.kind === "Release")
      return [
        ["a release gone", nothing],
        ["a release a turn later", { ...s, turn: b.add(s.turn, b.int(1)) }],
      ];
    return [];
  };
  const kernels = lowered(p);
  const places: Stmt[] = [];
  for (const { func } of kernels) walkStmt(func.body, (s) => places.push(...(ways(s).length > 0 ? [s] : [])));
  for (const place of places)
    for (const [what, other] of ways(place)) {
      const run = (s: Stmt): Stmt => (s === place ? other : mapStmt(s, run, (e) => e));
      yield [what, kernels.map((kernel): Kernel => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }))];
    }
}

it("no kernel whose waits or releases are gone or moved is accepted", () => {
  const products: readonly Product[] = [
    { ...small, size: [64, 32, 96] },
    { ...small, size: [64, 32, 96], slots: 3, blocks: 1 },
    { ...small, size: [128, 32, 64], layout: "NN", slots: 1 },
    { ...small, size: [128, 32, 64], groups: 2, layout: "TN" },
    { ...small, size: [256, 32, 64], blocks: 2, layout: "TT", slots: 4 },
  ];
  const accepted: string[] = [];
  let tried = 0;
  for (const p of some(products, 1, 2, 3)) {
    const inputs = inputsOf(productGraph(p));
    for (const [what, kernels] of mutants(p)) {
      tried++;
      if (verifyKernels(kernels, target).length === 0) accepted.push(`${what}: no rule`);
      try {
        interpretDirectly(
          kernels.map(({ func }) => func),
          inputs,
        );
        accepted.push(`${what}: run`);
      } catch (error) {
        expect(String(error)).toMatch(/\[interp\.(in_flight|channel|deadlock)\]/);
      }
    }
  }
  expect(accepted).toEqual([]);
  expect(tried).toBeGreaterThan(isFull ? 40 : 20);
});

it("is one intrinsic for one form, and another for each part of it that differs", () => {
  const k = (swizzle: 32 | 64 | 128) => ({ major: "k", swizzle }) as const;
  const form = { dtype: "float16", n: 64, a: k(128), b: k(128) } as const;
  const others = [
    { dtype: "bfloat16" },
    { n: 128 },
    { a: k(64) },
    { b: k(64) },
    { a: { major: "mn", swizzle: 128 } },
    { b: { major: "mn", swizzle: 128 } },
  ] as const;
  const all = [form, ...others.map((other) => ({ ...form, ...other }))].map(wgmma);
  expect(new Set(all).size).toBe(7);
  expect(new Set(all.map(({ name }) => name)).size).toBe(7);
  expect(wgmma({ ...form })).toBe(all[0]);
});

it.each([2, 3])("a producer waits for a slot that was used before: of %i slots, from the next turn on", (slots) => {
  const waits = (turns: number) => {
    const p: Product = { ...small, roles: [0, 0], slots, size: [64, 32, 32 * turns] };
    const nest = nestOf(scheduleOf(p));
    const { text } = emit(lowered(p), nest.params, target, { graph: productGraph(p) });
    // The second half of a ring's barriers are those of empty slots.
    return text.match(new RegExp(`mbarrier_wait\\(\\w+_ring \\+ ${slots} \\+ `, "g"))?.length ?? 0;
  };
  expect([slots, slots + 1].map(waits)).toEqual([0, 1]);
});

describe("descriptors", () => {
  // The kind of swizzle at the top (128 bytes 1, 64 2, 32 3), then in units of 16 bytes from block to block of eight rows, and
  // from panel to panel; the last two words of the instruction say which operand lies along m or n.
  it.each<[change: Partial<Product>, a: string, b: string, turned: string]>([
    [{ chunk: 64 }, "0x4000004000010000", "0x4000004000010000", "0, 0"],
    [{}, "0x8000002000010000", "0x8000002000010000", "0, 0"],
    [{ chunk: 16 }, "0xc000001000010000", "0xc000001000010000", "0, 0"],
    [{ layout: "NN", chunk: 64, span: 128, n: 128, size: [64, 128, 64] }, "0x4000004000010000", "0x4000004002000000", "0, 1"],
    [{ layout: "NN", chunk: 32, span: 32, n: 32 }, "0x8000002000010000", "0xc000001000400000", "0, 1"],
    [{ layout: "TT" }, "0x4000004000010000", "0x8000002000010000", "1, 0"],
  ])("%j", (change, a, right, turned) => {
    const p = { ...small, ...change };
    const nest = nestOf(scheduleOf(p));
    const { text } = emit(lowered(p), nest.params, target, { graph: productGraph(p) });
    expect(text.match(/0x[0-9a-f]{16}/g)).toEqual([a, right]);
    expect(text).toContain(`p, 1, 1, ${turned};`);
  });

  it.each<Partial<Product>>([
    { size: [128, 64, 128], chunk: 64, groups: 2, n: 64 },
    { dtype: "int8", size: [64, 32, 256], chunk: 64 },
    { layout: "NN", chunk: 64, span: 128, n: 128, size: [64, 128, 128] },
    { layout: "TT", size: [256, 64, 256], groups: 2, chunk: 64, blocks: 2 },
  ])("%j: products begin where the program says, in units of 16 bytes", (change) => {
    const p = { ...small, ...change };
    const kernels = lowered(p);
    const { text } = emit(kernels, nestOf(scheduleOf(p)).params, target, { graph: productGraph(p) });
    for (let group = 0; group < p.groups; group++) {
      const analyzer = analyzerFor(nothing);
      const wanted: number[][] = [];
      const vars = new Map<Var, Expr>();
      walkStmt((kernels[0] as Kernel).func.body, (s) => {
        if (s.kind === "For") vars.set(s.loopVar, b.int(s.thread === "threadIdx.y" ? group : 0));
        if (!isProduct(s)) return;
        const bytes = dtypeBytes(p.dtype);
        const places = s.tiles.slice(0, 2).map(({ indices: [index] }) => analyzer.simplify(substitute(index as Expr, vars)));
        wanted.push(places.map((place) => (Number("value" in place && place.value) * bytes) / 16));
      });
      const termValue = (term: string) =>
        term.split(" * ").reduce((value, x) => value * (/^\d+$/.test(x) ? Number(x) : group), 1);
      const calls = [...text.matchAll(/^ +tile_wgmma\w+_update\w+\((.*), sums\);/gm)].map(([, args]) =>
        [...(args as string).matchAll(/place_of\(\w+\)(.*?), (\d+)/g)].map(([, array = "", tile]) =>
          array
            .split(" + ")
            .slice(1)
            .reduce((sum, term) => sum + termValue(term), Number(tile)),
        ),
      );
      expect(calls).toEqual(wanted);
    }
  });
});
