import { expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import { Clock, isBefore, meetAt } from "./clock.ts";
import { Agents, type Entries, Gathering, worldOf } from "./clocks.ts";

/** A block of one warpgroup. */
const entries: Entries = { copies: 129, products: 257, reads: 261, stores: 263, slots: new Map(), size: 265 };

it("a product is over for a thread that knows of the waits of all four warps", () => {
  const world = worldOf(new Agents(), 1, entries, ["the block"]);
  const clocks = Array.from({ length: 128 }, (_, thread) => new Clock(world, 1, 0, thread));
  for (const { products } of clocks) products.open = ++products.begun;
  const product = { moment: Clock.together(clocks, { group: 1 }), site: b.barrier, isWrite: false };
  const isOver = () => clocks.map(({ moment }) => isBefore(product, moment));
  const meet = (some: readonly Clock[]) => meetAt(some, new Gathering(world));
  const warps = [0, 32, 64, 96].map((first) => clocks.slice(first, first + 32));
  for (const clock of warps[0] ?? []) clock.wait({ kind: "Wait", engine: "wgmma", pending: 0 });
  meet(clocks);
  expect(isOver()).not.toContain(true);
  for (const clock of clocks) clock.wait({ kind: "Wait", engine: "wgmma", pending: 0 });
  for (const warp of warps) meet(warp);
  expect(isOver()).not.toContain(true);
  meet(clocks);
  expect(isOver()).not.toContain(false);
});
