/** Waits for matrix products stand before the first statement that may not come while they are in flight. */
import { expect, it } from "vitest";
import { wgmma } from "../../intrinsic/cuda/wgmma.ts";
import * as b from "../../ir/build.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { after, at, buffer, loop, n, set, v } from "../ir.testing.ts";
import { placeWaits } from "./place-waits.ts";

const product = wgmma({ dtype: "float16", n: 8, a: "registers", b: { major: "k", swizzle: 128 } });
const [X, Y] = ["X", "Y"].map((name) => buffer(name, [512], "warpgroup.accumulator")) as [
  ReturnType<typeof buffer>,
  ReturnType<typeof buffer>,
];
const F = buffer("F", [1024], "warpgroup.matrix_a", "float16");
const S = buffer("S", [512], "shared", "float16");
const L = buffer("L", [8], "local");

const tile = (of: typeof X, strides: readonly number[]) => ({ buffer: of, indices: [n(0)], strides });
const multiply = (sums: typeof X): Stmt => b.invoke(product, "update", [tile(F, [16, 1]), tile(S, [64, 1]), tile(sums, [8, 1])]);
const other = set(L, n(0), b.constant(1, "float32"));
const read = (sums: typeof X): Stmt => set(L, n(1), at(sums, n(0)));
const both = set(L, n(2), b.add(at(X, n(0)), at(Y, n(0))));
const write = set(F, n(0), b.constant(0, "float16"));

/** Products of what a ring brings, whose slot is filled, awaited and released in each iteration. */
const fed = (slots: number): Stmt => {
  const [k, channel] = [v("k"), { name: "ring", slots, buffers: [S] }];
  const turn = { channel, turn: k };
  return loop(k, 4, { kind: "Fill", ...turn, bytes: 1024, body: b.seq([]) }, { kind: "Await", ...turn }, multiply(X), {
    ...{ kind: "Release", ...turn },
  } as Stmt);
};

const lines = (...body: Stmt[]): string =>
  after(placeWaits, "lowered", [], b.seq(body))
    .replace(/wgmma_\w+.update\((F)\[.*\], ([XY])\[.*\).*/g, "$2 += $1")
    .replaceAll(/\n\s*/g, "; ");

it.each<[what: string, body: readonly Stmt[], made: RegExp]>([
  ["work that touches nothing of it goes on", [multiply(X), other, read(X)], /X \+= F; L\[0\].*; wait.*0.*; L\[1\]/],
  ["its factors may not be written", [multiply(X), other, write, read(X)], /X \+= F; L\[0\].*; wait.*0.*; F\[0\].*; L\[1\]/],
  [
    "the older of two groups is waited for alone",
    [multiply(X), other, multiply(Y), read(X), other, read(Y)],
    /X \+= F; L\[0\].*; Y \+= F; wait.*1.*; L\[1\] = X.*; L\[0\].*; wait.*0.*; L\[1\] = Y/,
  ],
  [
    "the younger one ends the older, too",
    [multiply(X), other, multiply(Y), read(Y), read(X)],
    /Y \+= F; wait.*0.*; L\[1\] = Y.*; L\[1\] = X/,
  ],
  [
    "a statement that needs both waits for both",
    [multiply(X), multiply(Y), b.seq([other, both])],
    /Y \+= F; L\[0\].*; wait.*0.*; L\[2\]/,
  ],
  [
    "an array of factors ends when they have been read",
    [b.allocate(F, multiply(X)), other, read(X)],
    /X \+= F; wait.*0.*; L\[0\].*; L\[1\]/,
  ],
  ["a loop ends with no group in flight", [loop(v("i"), 3, multiply(X), other), read(X)], /X \+= F; L\[0\].*; wait.*0.*; L\[1\]/],
  [
    "of a ring a slot is released one iteration later",
    [fed(2), read(X)],
    /await.*X \+= F; wait.*1.*; if k >= 1.*release.*; wait.*0.*; L\[1\]/,
  ],
  ["and a ring of one slot in its own", [fed(1), read(X)], /fill.*await.*X \+= F; wait.*0.*; release.*; L\[1\]/],
  ["so does a kernel", [multiply(X), other], /X \+= F; L\[0\].*; wait.*0/],
])("%s", (_, body, made) => {
  const text = lines(...body);
  expect(text).toMatch(made);
  expect(text.match(/wait/g)).toHaveLength(made.source.match(/wait/g)?.length ?? 0);
});
