import { toSessionId, toWorkerId } from "@warpfarm/common";
import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../test-support/seed.ts";
import { Places } from "./places.ts";

const place = (worker: string, session: string, device = 0) => ({
  worker: toWorkerId(worker),
  device,
  session: toSessionId(session),
});
const words = (places: readonly ReturnType<typeof place>[]) =>
  places.map(({ worker, device, session }) => `${worker}.${device} ${session}`);

it("each device gets a run of the session that it served last, if that one gets a run", () => {
  const places = new Places();
  const first = [place("a", "x"), place("b", "y"), place("c", "z")];
  expect(places.settled(first)).toEqual(first);
  places.served(first);
  expect(words(places.settled([place("a", "y"), place("b", "z"), place("c", "x")]))).toEqual(["a.0 x", "b.0 y", "c.0 z"]);
  // Nobody served v: it has what is left.
  expect(words(places.settled([place("a", "y"), place("b", "v"), place("c", "x")]))).toEqual(["a.0 x", "b.0 y", "c.0 v"]);
  // The devices of a runner are apart.
  places.served([place("a", "w", 1)]);
  expect(words(places.settled([place("a", "w"), place("a", "x", 1)]))).toEqual(["a.0 x", "a.1 w"]);
});

it("whatever was served, the devices are the same, each once, and every session has as many runs", () => {
  const any = fc.array(fc.tuple(fc.nat(9), fc.nat(3)), { maxLength: 12 });
  fc.assert(
    fc.property(any, any, (before, now) => {
      const placesOf = (some: readonly (readonly [number, number])[]) =>
        [...new Map(some)].map(([worker, session]) => place(`w${worker}`, `s${session}`));
      const places = new Places();
      places.served(placesOf(before));
      const planned = placesOf(now);
      const settled = places.settled(planned);
      expect(settled.map(({ worker }) => worker)).toEqual(planned.map(({ worker }) => worker));
      const sessions = (some: typeof planned) => some.map(({ session }) => session).sort();
      expect(sessions([...settled])).toEqual(sessions(planned));
      // No swap of two would let one more device keep its session.
      const last = new Map(placesOf(before).map(({ worker, session }) => [worker, session]));
      const kept = (some: readonly ReturnType<typeof place>[]) =>
        some.filter(({ worker, session }) => last.get(worker) === session).length;
      const most = [...new Set(sessions(planned))].reduce((sum, id) => {
        const runs = planned.filter(({ session }) => session === id).length;
        return sum + Math.min(runs, planned.filter(({ worker }) => last.get(worker) === id).length);
      }, 0);
      expect(kept(settled)).toBe(most);
    }),
  );
});

const free = (worker: string, device = 0, slots = 1) => ({ worker: toWorkerId(worker), epoch: 1, device, free: slots });
/** A group of these devices, in this order. */
const groupOf = (devices: readonly ReturnType<typeof free>[], idle = devices.length) => ({
  ...{ key: "g", devices, idle },
  at: (worker: string, device: number) => devices.find((each) => each.worker === worker && each.device === device),
});
const order = (places: Places, group: ReturnType<typeof groupOf>, ready: Readonly<Record<string, number>>) =>
  [
    ...places.inOrder(
      group,
      Object.entries(ready).map(([id, n]) => ({ id: toSessionId(id), ready: n })),
    ),
  ].map(({ worker, device }) => `${worker}.${device}`);

it("of more idle devices than runs those come first that served the sessions last, as many as they have runs", () => {
  const places = new Places();
  places.served([place("c", "x"), place("d", "x"), place("b", "y"), place("e", "z", 1)]);
  const group = groupOf([free("a"), free("b"), free("c"), free("d"), free("e", 1)]);
  expect(order(places, group, { x: 1 })).toEqual(["c.0", "a.0", "b.0", "d.0", "e.1"]);
  expect(order(places, group, { x: 3 })).toEqual(["c.0", "d.0", "a.0", "b.0", "e.1"]);
  expect(order(places, group, { z: 1, y: 1 })).toEqual(["e.1", "b.0", "a.0", "c.0", "d.0"]);
  expect(order(places, group, { v: 2 })).toEqual(["a.0", "b.0", "c.0", "d.0", "e.1"]);
  // The second device went to another session meanwhile; the first is busy.
  places.served([place("d", "w")]);
  expect(order(places, groupOf([free("a"), free("b"), free("d")]), { x: 1 })).toEqual(["a.0", "b.0", "d.0"]);
  // All will be taken: nobody is looked up.
  const never = { ...group, at: () => expect.unreachable() };
  expect(order(places, never, { x: 2, y: 3 })).toEqual(["a.0", "b.0", "c.0", "d.0", "e.1"]);
});

it("however many of a session's devices are busy, few are asked", () => {
  const places = new Places();
  places.served(Array.from({ length: 1_000 }, (_, i) => place(`busy${i}`, "x")));
  let asked = 0;
  const group = { ...groupOf([free("a"), free("b")]), at: () => void asked++ };
  expect(order(places, group as never, { x: 1 })).toEqual(["a.0", "b.0"]);
  expect(asked).toBe(64);
});

it("after two thousand other sessions a session's devices are remembered no more", () => {
  const places = new Places();
  const group = groupOf([free("a"), free("b")]);
  places.served([place("b", "x")]);
  const others = (from: number, count: number) =>
    places.served(Array.from({ length: count }, (_, i) => place(`w${from + i}`, `s${from + i}`)));
  others(0, 1_999);
  expect(order(places, group, { x: 1 })).toEqual(["b.0", "a.0"]);
  others(1_999, 1);
  others(2_000, 1);
  expect(order(places, group, { x: 1 })).toEqual(["a.0", "b.0"]);
});
