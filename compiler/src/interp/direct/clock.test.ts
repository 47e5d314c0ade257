import { expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import { buffer } from "../../lower/ir.testing.ts";
import { type Access, Clock, isBefore, isFenced, type Moment, meetAt } from "./clock.ts";
import { Agents, type Entries, Gathering, worldOf } from "./clocks.ts";
import { Cells } from "./memory.ts";

/** A block of one warpgroup. */
const entries: Entries = { copies: 129, products: 257, reads: 261, stores: 263, slots: new Map(), size: 265 };

const access = (moment: Moment, isWrite: boolean): Access => ({ moment, site: b.barrier, isWrite });
function threadsOf(count: number, { every = 1 } = {}) {
  const world = worldOf(new Agents(), 1, entries, ["the block"]);
  const clocks = Array.from({ length: count }, (_, i) => new Clock(world, 1, 0, i * every)) as [Clock, Clock, ...Clock[]];
  return { clocks, meet: (...some: readonly Clock[]) => meetAt(some, new Gathering(world)) };
}
const waitFor = (clock: Clock, pending: number) => clock.wait({ kind: "Wait", engine: "cp_async", pending });

it("an asynchronous copy is over for others when its thread has waited for it and met them, whatever it waits for later", () => {
  const { clocks, meet } = threadsOf(2);
  const [one, other] = clocks;
  const copy = access(one.beginCopies(), true);
  meet(one, other);
  expect(isBefore(copy, other.moment)).toBe(false);
  waitFor(one, 0);
  one.beginCopies();
  // All groups but two: none of them need be over, and the first has been waited for.
  waitFor(one, 2);
  meet(one, other);
  expect(isBefore(copy, other.moment)).toBe(true);
});

it("a copy comes after what its thread did before it began, and not after what the thread does then", () => {
  const [one] = threadsOf(1).clocks;
  const before = access(one.moment, true);
  const copy = one.beginCopies();
  const after = access(one.moment, true);
  expect([before, after].map((write) => isBefore(write, copy))).toEqual([true, false]);
});

it("the engine sees what a copy has brought behind a fence of the thread that waited for it, and a meeting", () => {
  const seen = (waits: boolean, fences: boolean) => {
    const { clocks, meet } = threadsOf(2);
    const [one, other] = clocks;
    const copy = access(one.beginCopies(), true);
    if (waits) waitFor(one, 0);
    if (fences) one.fence();
    meet(one, other);
    return isFenced(copy, other.moment);
  };
  expect([seen(true, true), seen(false, true), seen(true, false)]).toEqual([true, false, false]);
});

it("the engine sees what a thread wrote before its fence, and not what it writes after it", () => {
  const { clocks, meet } = threadsOf(2);
  const [one, other] = clocks;
  const before = access(one.moment, true);
  one.fence();
  const after = access(one.moment, true);
  meet(one, other);
  expect([before, after].map((write) => isFenced(write, other.moment))).toEqual([true, false]);
});

it("a slot is not given away while a product reads any element of it", () => {
  for (const place of [0, 3, 4]) {
    const { clocks } = threadsOf(128);
    for (const { products } of clocks) products.open = ++products.begun;
    const cells = new Cells(buffer("s", [8], "shared"), true);
    const [first] = clocks;
    for (let i = 0; i < 8; i++) cells.land(i, i, access(first.box(263, 0, 0), true));
    cells.readSlot(place, access(Clock.together(clocks, { group: 1 }), false));
    const give = () => cells.giveAway(0, 4, { ...first.moment, agent: -1, by: -1 });
    if (place < 4) expect(give).toThrow();
    else expect(give).not.toThrow();
  }
});

it("what the engine stores for one warpgroup is not read yet when the other has waited for its own", () => {
  const { clocks } = threadsOf(2, { every: 128 });
  const [first, second] = clocks;
  const reads = [first, second].map((clock) => access(clock.beginStores().reads, false));
  first.storesAreRead();
  expect(reads.map((read) => isBefore(read, first.moment))).toEqual([true, false]);
});

it("a thread that writes a value again must come after those who read the value before it", () => {
  const written = (isAfterReader: boolean) => {
    const { clocks, meet } = threadsOf(3);
    const [reader, writer, again] = clocks as unknown as [Clock, Clock, Clock];
    const cells = new Cells(buffer("s", [1], "shared"), true, Float32Array.of(7));
    cells.read(0, access(reader.moment, false));
    meet(reader, writer, ...(isAfterReader ? [again] : []));
    cells.write(0, 8, access(writer.moment, true));
    cells.write(0, 8, access(again.moment, true));
  };
  expect(() => written(true)).not.toThrow();
  expect(() => written(false)).toThrow(expect.objectContaining({ rule: "interp.race" }));
});

it("two threads that do not know each other may write one value, NaN too, and not two", () => {
  const both = (first: number, second: number) => {
    const [one, other] = threadsOf(2).clocks;
    const cells = new Cells(buffer("s", [1], "shared"), true);
    cells.write(0, first, access(one.moment, true));
    cells.write(0, second, access(other.moment, true));
  };
  for (const same of [7, Number.NaN]) expect(() => both(same, same)).not.toThrow();
  for (const [a, c] of [
    [7, 8],
    [Number.NaN, 7],
    [7, Number.NaN],
  ] as const)
    expect(() => both(a, c)).toThrow(expect.objectContaining({ rule: "interp.race" }));
});

it("a product is over for a thread that knows of the waits of all four warps", () => {
  const { clocks, meet: meetAll } = threadsOf(128);
  for (const { products } of clocks) products.open = ++products.begun;
  const product = { moment: Clock.together(clocks, { group: 1 }), site: b.barrier, isWrite: false };
  const isOver = () => clocks.map(({ moment }) => isBefore(product, moment));
  const meet = (some: readonly Clock[]) => meetAll(...some);
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
