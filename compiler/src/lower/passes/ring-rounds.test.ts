/** Loops that a ring feeds: each turn comes once, in its order, at a slot that is a constant where it can be. */
import { expect, it } from "vitest";
import type { Product } from "../../../../test-support/programs/warpgroups.ts";
import { lowered, small } from "../../intrinsic/cuda/wgmma.testing.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { eachPart, isProduct } from "../../ir/parts.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Await, Stmt } from "../../ir/stmt.ts";
import { substitute, walkExpr, walkStmt } from "../../ir/visit.ts";
import { after, buffer, lin, loop, n, set, v } from "../ir.testing.ts";
import { analyzerFor } from "../loops.ts";
import { inRounds } from "./ring-rounds.ts";
import { unroll } from "./unroll.ts";

/** What one thread does of these kinds, with the turns as numbers: its loops are run. */
function runsOf([kernel]: readonly Kernel[]): readonly string[] {
  const { body } = (kernel as Kernel).func;
  const analyzer = analyzerFor(b.seq([]));
  const found: string[] = [];
  const run = (s: Stmt, at: ReadonlyMap<Var, Expr>): void => {
    const value = (e: Expr): number | boolean => {
      const known = analyzer.simplify(substitute(e, at));
      if (known.kind !== "IntImm") throw new Error(`${known.kind} is not known`);
      return b.isTrue(known) ? true : known.value;
    };
    if (s.kind === "For") {
      const times = s.forKind === "bound" ? 1 : s.extent;
      for (let i = 0; i < times; i++) run(s.body, new Map([...at, [s.loopVar, b.int(i)]]));
      return;
    }
    if (s.kind === "If" && !value(s.cond)) return;
    if (s.kind === "Await" || s.kind === "Release") found.push(`${s.kind} ${value(s.turn)}`);
    if (s.kind === "Async") found.push("group");
    if (s.kind === "Wait") found.push(`all but ${s.pending}`);
    eachPart(
      s,
      (part) => run(part, at),
      () => {},
    );
  };
  run(body, new Map());
  return found;
}

/** Loops' variables in the places that products read. */
function varsOfPlaces([kernel]: readonly Kernel[]): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (s: Stmt): void => {
    if (isProduct(s))
      for (const e of s.tiles.slice(0, 2).flatMap(({ indices }) => indices))
        walkExpr(e, (part) => {
          if (part.kind === "Var") found.add(part.name);
        });
    eachPart(s, look, () => {});
  };
  look((kernel as Kernel).func.body);
  return found;
}

/** A tile of `turns` turns of 32 of the reduction. */
const of = (turns: number, slots: number): Product => ({ ...small, size: [64, 32, 32 * turns], slots });

it.each([
  [1, 2],
  [2, 2],
  [3, 2],
  [4, 2],
  [5, 2],
  [3, 4],
  [4, 4],
  [7, 4],
  [8, 4],
  [9, 4],
  [15, 5],
])("%i turns of a ring of %i slots", (turns, slots) => {
  const expected = Array.from({ length: turns }, (_, k) => [
    ...[`Await ${k}`, "group"],
    ...(k > 0 ? ["all but 1", `Release ${k - 1}`] : []),
  ]).flat();
  const kernels = lowered(of(turns, slots));
  const runs = runsOf(kernels);
  // The first turn of a loop over rounds waits for the group before it, too, where there is none.
  const idle = turns >= 2 * slots ? runs.indexOf("all but 1") : -1;
  expect(runs.filter((_, i) => i !== idle)).toEqual(
    turns > 1 ? [...expected, "all but 0", `Release ${turns - 1}`] : ["Await 0", "group", "all but 0", "Release 0"],
  );
  expect(varsOfPlaces(kernels)).toEqual(new Set());
});

it.each([
  [4, 2, false],
  [3, 2, true],
  [5, 4, true],
])("of a block's tiles of %i turns by %i slots the slots depend on the tile: %s", (turns, slots, depend) => {
  const kernels = lowered({ ...of(turns, slots), size: [256, 64, 32 * turns], blocks: 2 });
  expect(varsOfPlaces(kernels).size > 0).toBe(depend);
});

const { wait, product } = (() => {
  const found: { wait?: Await; product?: Stmt } = {};
  walkStmt((lowered(of(3, 2))[0] as Kernel).func.body, (s) => {
    if (s.kind === "Await") found.wait = s;
    if (isProduct(s)) found.product = s;
  });
  return found as Required<typeof found>;
})();
const [tile, k, x] = [v("tile"), v("k"), v("x")];
const awaiting = (slots: number, turn: Expr): Stmt => ({ ...wait, channel: { ...wait.channel, slots }, turn });
const inTile = lin(tile, 8, k);

it.each<[what: string, isWritten: boolean, body: readonly Stmt[]]>([
  ["waits for one ring", true, [awaiting(4, inTile)]],
  ["waits for two rings of as many slots", true, [awaiting(4, inTile), awaiting(4, k)]],
  ["waits for rings of four slots and of two", false, [awaiting(4, inTile), awaiting(2, inTile)]],
  ["waits for a second ring, whose slot depends on the tile", false, [awaiting(4, inTile), awaiting(4, b.add(tile, k))]],
  ["waits for a ring of one slot", false, [awaiting(1, inTile)]],
  ["stores", false, [awaiting(4, inTile), set(buffer("C", [24]), inTile, b.float(0))]],
  ["has a loop that waits for another ring", true, [awaiting(4, inTile), loop(x, 2, awaiting(2, b.add(tile, x)))]],
])("a loop of products is written out for the slots, or stays as it is: one that %s", (_, isWritten, body) => {
  const loops: string[] = [];
  walkStmt(inRounds(loop(tile, 3, loop(k, 8, ...body, product))), (s) => {
    if (s.kind === "For" && s.loopVar.name.startsWith("k")) loops.push(`${s.loopVar.name} in ${s.extent}`);
  });
  expect(loops).toEqual(isWritten ? ["k.round in 2", "k.step in 4"] : ["k in 8"]);
});

it.each([
  [1, [0, 1]],
  [2, [0, 1, 2]],
])("the first turn waits for no group before it, but for its own: of %i groups a turn", (groups, pendings) => {
  const group: Stmt = { kind: "Async", engine: "wgmma", body: product };
  const body = pendings.map((pending): Stmt => ({ kind: "Wait", engine: "wgmma", pending }));
  const waits: string[] = [];
  const look = (s: Stmt, at: string): void => {
    if (s.kind === "Wait") waits.push(`${at}: all but ${s.pending}`);
    eachPart(
      s,
      (part) => look(part, s.kind === "For" ? s.loopVar.name : at),
      () => {},
    );
  };
  look(inRounds(loop(k, 7, awaiting(4, k), ...new Array<Stmt>(groups).fill(group), ...body)), "first");
  const own = pendings.filter((pending) => pending < groups);
  expect(waits).toEqual([
    ...own.map((pending) => `first: all but ${pending}`),
    ...pendings.map((pending) => `k.step: all but ${pending}`),
  ]);
});

it("what is true in all rounds is asked in none", () => {
  const asked = b.ifThen(b.lt(k, n(6)), { kind: "Wait", engine: "wgmma", pending: 0 });
  const text = after(unroll, "device", [], loop(k, 8, awaiting(4, k), product, asked));
  const done = "wait wgmma, all but 0 groups";
  const asks = "if k.round < 1:";
  expect(text.match(/if .*|wait wgmma.*/g)).toEqual([done, done, asks, done, asks, done]);
});
