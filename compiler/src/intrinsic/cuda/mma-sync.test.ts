/**
 * The declared layouts of mma.sync and ldmatrix against the PTX manual's text, written out here: the register and lane of each
 * element, and how ldmatrix distributes the rows whose addresses the lanes give. Also the purpose of swizzling: no two rows of
 * one access share a bank.
 */
import { describe, expect, it } from "vitest";
import { Analyzer } from "../../arith/analyzer.ts";
import type { Swizzle } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import type { Intrinsic, Places } from "../../ir/intrinsic.ts";
import { substitute } from "../../ir/visit.ts";
import { decodeIntrinsic, encodeIntrinsic } from "../../serial/intrinsic-json.ts";
import { type MmaMajor, mmaSync } from "./mma-sync.ts";

const analyzer = new Analyzer();
const value = (e: Expr, of: ReadonlyMap<Var, Expr>): number => analyzer.linear(substitute(e, of)).constant;
const placesOf = (intrinsic: Intrinsic, operand: string): Places => {
  const places = intrinsic.operands.find(({ name }) => name === operand)?.fragment?.places;
  if (!places) throw new Error(`${operand} is opaque`);
  return places;
};
const lanes = Array.from({ length: 32 }, (_, lane) => lane);

/** [lane][slot] = the element's indices, by a declared map. */
function declared(places: Places): string[][] {
  const table: string[][] = lanes.map(() => []);
  for (let i = 0; i < 16; i++)
    for (let j = 0; j < 16; j++) {
      const of = new Map<Var, Expr>(places.axes.map((axis, d) => [axis, b.int(d === 0 ? i : j)]));
      (table[value(places.lane, of)] as string[])[value(places.slot, of)] = `${i},${j}`;
    }
  return table;
}

const { mma, loadA, loadB } = mmaSync("float16");

describe("fragments of mma.m16n8k16, as the manual has them", () => {
  // groupID = lane >> 2, threadID_in_group = lane % 4; a_i, b_i, c_i in order.
  it("A: row = groupID for i in 0, 1, 4, 5, else + 8; column = 2 * threadID + i % 2, + 8 from i = 4", () => {
    const table = lanes.map((lane) =>
      Array.from({ length: 8 }, (_, i) => {
        const row = (lane >> 2) + ([0, 1, 4, 5].includes(i) ? 0 : 8);
        return `${row},${(lane % 4) * 2 + (i & 1) + (i >= 4 ? 8 : 0)}`;
      }),
    );
    expect(declared(placesOf(mma, "a"))).toEqual(table);
  });
  it("B, two columns of tiles: row = 2 * threadID + i % 2, + 8 from i = 2; column = groupID", () => {
    const table = lanes.map((lane) =>
      [0, 8].flatMap((column) =>
        Array.from({ length: 4 }, (_, i) => `${(lane % 4) * 2 + (i & 1) + (i >= 2 ? 8 : 0)},${column + (lane >> 2)}`),
      ),
    );
    expect(declared(placesOf(mma, "b"))).toEqual(table);
  });
  it("C, two columns of tiles: row = groupID, + 8 from i = 2; column = 2 * threadID + i % 2", () => {
    const table = lanes.map((lane) =>
      [0, 8].flatMap((column) =>
        Array.from({ length: 4 }, (_, i) => `${(lane >> 2) + (i >= 2 ? 8 : 0)},${column + (lane % 4) * 2 + (i & 1)}`),
      ),
    );
    expect(declared(placesOf(mma, "c"))).toEqual(table);
  });
});

const loads = (["row", "col"] as const).flatMap((major) => [
  { which: "A", major, load: loadA[major] },
  { which: "B", major, load: loadB[major] },
]);

/** The tile's element whose address a lane gives. */
function addressOf(load: Intrinsic, lane: number): readonly [number, number] {
  const address = load.operands[0]?.address;
  if (!address) throw new Error("no address");
  const [i = 0, j = 0] = address.indices.map((e) => value(e, new Map([[address.lane, b.int(lane)]])));
  return [i, j];
}

describe("ldmatrix.x4", () => {
  it.each(loads)("$which from memory by $major is dealt out as the fragment says", ({ major, load }) => {
    const transposed = load.text.body?.includes(".trans") ?? false;
    // Eight neighbours in memory, from the address that a lane gives.
    const row = (lane: number): string[] => {
      const [i, j] = addressOf(load, lane);
      return Array.from({ length: 8 }, (_, k) => (major === "row" ? `${i},${j + k}` : `${i + k},${j}`));
    };
    // Register m of a lane: two neighbours of row lane/4 of matrix m; of its transpose with .trans.
    const table = lanes.map((lane) =>
      [0, 1, 2, 3].flatMap((m) =>
        [0, 1].map((k) => {
          const [r, c] = [lane >> 2, (lane % 4) * 2 + k];
          return row(8 * m + (transposed ? c : r))[transposed ? r : c];
        }),
      ),
    );
    expect(declared(placesOf(load, "frag"))).toEqual(table);
  });

  it("survives a Program's JSON, maps and addresses included", () => {
    for (const intrinsic of [mma, ...loads.map(({ load }) => load)]) {
      const json = encodeIntrinsic(intrinsic);
      expect(encodeIntrinsic(decodeIntrinsic(json, "intrinsic"))).toEqual(json);
    }
  });
});

describe("swizzled rows", () => {
  const swizzled = ({ unit, line, ways }: Swizzle, i: number): number => i ^ ((Math.floor(i / line) % ways) * unit);
  // Halves of a row, and the swizzle that inference gives rows of that length.
  it.each<[row: number, swizzle: Swizzle]>([
    [16, { unit: 8, line: 64, ways: 2 }],
    [32, { unit: 8, line: 64, ways: 4 }],
    [64, { unit: 8, line: 64, ways: 8 }],
    [128, { unit: 8, line: 128, ways: 8 }],
  ])("of %i halves: each element a place of its own, and the rows of an access in different banks", (row, swizzle) => {
    const size = row * 32;
    expect(new Set(Array.from({ length: size }, (_, i) => swizzled(swizzle, i))).size).toBe(size);
    for (const { major, load } of loads)
      for (let m = 0; m < 4; m++) {
        const units = lanes.slice(8 * m, 8 * m + 8).map((lane) => {
          const [i, j] = addressOf(load, lane);
          const place = major === "row" ? i * row + j : j * row + i;
          return (swizzled(swizzle, place) / 8) % 8;
        });
        expect(new Set(units).size, `${major satisfies MmaMajor}, matrix ${m}`).toBe(8);
      }
  });
});
