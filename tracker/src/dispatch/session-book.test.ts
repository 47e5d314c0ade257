import { defaultMeasureOptions, FarmError, toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import type { SessionRow } from "../store/sql/sessions.ts";
import { type LiveStream, SessionBook } from "./session-book.ts";

it("a session's newest stream has it, whichever of two was attached first", () => {
  const id = toSessionId("s-1");
  for (const order of [[1, 2] as const, [2, 1] as const]) {
    const book = new SessionBook();
    const heard: string[] = [];
    const streams = order.map((number): LiveStream & { readonly number: number } => ({
      number,
      finished: (results) => heard.push(`${number}: ${results.map((r) => r.sequence).join()}`),
      changed: () => {},
      end: ({ code }) => heard.push(`${number}: ${code}`),
    }));
    for (const stream of streams) book.attach(id, stream, stream.number);
    book.deliver([{ session: id, sequence: 7 }]);
    for (const stream of streams) if (stream.number === 1) book.detach(id, stream);
    expect([heard, book.connected()]).toEqual([["1: ABORTED", "2: 7"], [id]]);
  }
});

it("times to beat are of a session and a kind of device, and go with the stream that told them", () => {
  const [a, b] = [toSessionId("a"), toSessionId("b")];
  const h100 = { key: "cuda/sm_90", name: "H100" };
  const book = new SessionBook();
  const stream: LiveStream = { finished() {}, changed() {}, end() {} };
  book.attach(a, stream, 1);
  book.toldIncumbent(a, { ...h100, seconds: 2 });
  book.toldIncumbent(a, { ...h100, name: "H200", seconds: 9 });
  book.toldIncumbent(a, { ...h100, seconds: 1 });
  expect(book.incumbentOf(a, h100)).toBe(1);
  expect(book.incumbentOf(a, { ...h100, name: "A100" })).toBeUndefined();
  expect(book.incumbentOf(b, h100)).toBeUndefined();
  for (let i = 0; i < 100; i++) book.toldIncumbent(a, { key: "cuda/sm_80", name: `${i}`, seconds: 1 });
  expect(book.incumbentOf(a, { key: "cuda/sm_80", name: "61" })).toBe(1);
  expect(book.incumbentOf(a, { key: "cuda/sm_80", name: "62" })).toBeUndefined();
  book.detach(a, { ...stream });
  expect(book.incumbentOf(a, h100)).toBe(1);
  book.detach(a, stream);
  expect(book.incumbentOf(a, h100)).toBeUndefined();
});

const rowOf = (name: string, more: Partial<SessionRow> = {}): SessionRow => ({
  id: toSessionId(name),
  task: "",
  selector: "cpu/x86-64-v3",
  options: defaultMeasureOptions("cpu"),
  priority: 0,
  maxInFlight: 1,
  stream: 1,
  acceptedThrough: 0,
  weight: 1,
  usedMs: 0,
  reuse: false,
  principal: "local",
  paired: null,
  paused: false,
  moreTrials: 0,
  control: 0,
  traceparent: "",
  ...more,
});
/** Two sessions with a stream each, and one without; what the streams hear. */
function three() {
  const book = new SessionBook();
  const heard: string[] = [];
  for (const name of ["a", "b", "c"]) book.put(rowOf(name), 0);
  const stream = (name: string): LiveStream => ({
    finished: (results) => heard.push(`${name}: ${results.map((r) => r.sequence).join()}`),
    changed: () => {},
    end: ({ code }) => heard.push(`${name}: ${code}`),
  });
  const streams = { a: stream("a"), b: stream("b") };
  for (const name of ["a", "b"] as const) book.attach(toSessionId(name), streams[name], 1);
  return { book, heard: () => heard.splice(0), streams };
}

it("results go to the stream of their session, those of one stream together, and those without a stream here are returned", () => {
  const { book, heard, streams } = three();
  const finished = [
    { session: toSessionId("b"), sequence: 5 },
    { session: toSessionId("c"), sequence: 1 },
    { session: toSessionId("a"), sequence: 2 },
    { session: toSessionId("b"), sequence: 4 },
  ];
  for (let cycle = 0; cycle < 2; cycle++) {
    expect(book.deliver(finished)).toEqual([{ session: "c", sequence: 1 }]);
    expect(heard()).toEqual(["b: 5,4", "a: 2"]);
  }
  book.detach(toSessionId("b"), streams.a); // another's
  expect(book.connected()).toEqual(["a", "b"]);
  book.detach(toSessionId("b"), streams.b);
  expect(book.deliver(finished).map(({ sequence }) => sequence)).toEqual([5, 1, 4]);
  expect([heard(), book.connected()]).toEqual([["a: 2"], ["a"]]);
});

it("sessions that the store no longer has end, but those that were opened since it was read; a newer stream elsewhere ends one here", () => {
  const { book, heard } = three();
  book.put(rowOf("new"), 10);
  book.refresh([rowOf("b", { stream: 2 })], 10);
  expect(heard()).toEqual(["a: UNAVAILABLE", "b: ABORTED"]);
  expect([...book.entries()].map(({ row: { id } }) => id)).toEqual(["b", "new"]);
  book.refresh([rowOf("b", { stream: 1, priority: 9 })], 10); // an older answer
  expect(book.get(toSessionId("b"))?.row).toMatchObject({ stream: 2, priority: 0 });
  book.refresh([], 11);
  expect([[...book.entries()].length, book.connected()]).toEqual([0, []]);
});

it("a session that is removed takes its stream with it, and others stay; at the end all streams are told", () => {
  const { book, heard } = three();
  book.remove([toSessionId("a"), toSessionId("c")], new FarmError("NOT_FOUND", "gone"));
  expect([heard(), book.connected(), book.get(toSessionId("a"))]).toEqual([["a: NOT_FOUND"], ["b"], undefined]);
  book.endAll(new FarmError("UNAVAILABLE", "the tracker is shutting down"));
  expect(heard()).toEqual(["b: UNAVAILABLE"]);
});

it("an older reading of a session changes nothing of its control, and its stream hears each newer one", () => {
  const id = toSessionId("s-1");
  const book = new SessionBook();
  const row = (control: number, paused: boolean, moreTrials: number): SessionRow =>
    rowOf("s-1", { acceptedThrough: control, paused, moreTrials, control });
  const heard: string[] = [];
  book.put(row(1, false, 5), 0);
  const stream: LiveStream = {
    finished: () => {},
    changed: ({ paused, moreTrials }) => void heard.push(`${paused} ${moreTrials}`),
    end: () => {},
  };
  book.attach(id, stream, 1);
  expect(book.put(row(3, true, 5), 0)).toMatchObject({ paused: true, control: 3 });
  expect(book.put(row(2, false, 9), 0)).toMatchObject({ paused: true, moreTrials: 5, control: 3, acceptedThrough: 2 });
  book.refresh([row(1, false, 0)], 0);
  expect(book.get(id)?.row).toMatchObject({ paused: true, moreTrials: 5, control: 3 });
  expect(new Set(heard)).toEqual(new Set(["false 5", "true 5"]));
});
