/** One stream while the store changes. Everything else is tested over the wire, in ../../test. */
import {
  defaultMeasureOptions,
  ManualClock,
  type MeasureOptions,
  parseSelector,
  toProgramDigest,
  toSessionId,
} from "@warpfarm/common";
import type { EncodedMeasureEvent, MeasureRequest } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { until } from "../../../test-support/until.ts";
import { Batcher } from "../flow/batcher.ts";
import { farmFailure } from "../policy/lease.ts";
import type { Database } from "../store/database.ts";
import { encodeResult } from "../store/result-bytes.ts";
import type { AcceptOutcome, NewInput } from "../store/sql/new-input.ts";
import type { Receipt } from "../store/sql/results.ts";
import type { SessionRow } from "../store/sql/sessions.ts";
import { MeasureStream } from "./measure-stream.ts";

/** The second stream of a session with a window of one, on a store with these rows. */
function streamOf(o: {
  readonly acceptedThrough: number;
  readonly rows?: readonly object[];
  readonly accept: (input: NewInput) => AcceptOutcome;
  readonly session?: Partial<SessionRow>;
  readonly clock?: ManualClock;
}): MeasureStream {
  const query = async <Row extends object>() => (o.rows ?? []) as readonly Row[];
  const db: Database = {
    query,
    lazy: { query },
    script: () => Promise.reject(new Error("not asked for")),
    transaction: () => Promise.reject(new Error("not asked for")),
    maintain: async () => true,
    sweep: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const { clock = new ManualClock() } = o;
  return new MeasureStream({
    db,
    clock,
    onIncumbent: () => {},
    incumbentOn: () => undefined,
    session: {
      id: toSessionId("s-1"),
      task: "toy",
      selector: "cpu/x86-64-v3",
      options: { ...defaultMeasureOptions("cpu"), check: "none" },
      priority: 0,
      maxInFlight: 1,
      stream: 2,
      acceptedThrough: o.acceptedThrough,
      paused: false,
      moreTrials: 0,
      control: 0,
      traceparent: "",
      weight: 1,
      usedMs: 0,
      reuse: false,
      principal: "local",
      paired: null,
      ...o.session,
    },
    workersOf: () => [],
    takesControl: false,
    selector: parseSelector("cpu/x86-64-v3"),
    accept: new Batcher<NewInput, AcceptOutcome>(async (inputs) => inputs.map(o.accept), { clock }),
    receive: new Batcher<Receipt, void>(async (receipts) => receipts.map(() => undefined), { clock }),
  });
}
const inputOf = (sequence: number): MeasureRequest => ({
  kind: "input",
  sequence,
  program: { kind: "digest", digest: toProgramDigest(`sha256:${"0".repeat(64)}`) },
});

it("counts a result as received whose receipt, sent on the stream before, was stored after this one began", async () => {
  const accepted: number[] = [];
  const stream = streamOf({
    acceptedThrough: 1,
    accept: ({ sequence }) => {
      accepted.push(sequence);
      return { kind: "accepted", finished: false, ready: true };
    },
  });
  const events = stream.events(new AbortController().signal);
  stream.begin({ done: [1], open: 1 });
  expect((await events.next()).value).toEqual({ kind: "accepted", acceptedThrough: 1 } satisfies EncodedMeasureEvent);
  const more = events.next();
  await new Promise((resolve) => setImmediate(resolve));
  stream.take({ kind: "receipt", receivedThrough: 1, received: [] });
  // The window is one: this input is refused unless 1 counts as received, exactly once.
  stream.take(inputOf(2));
  expect((await more).value).toEqual({ kind: "accepted", acceptedThrough: 2 });
  expect(accepted).toEqual([2]);
  stream.end(new Error("over"));
});

it("an input that was stored by a try whose answer was lost is announced, its result delivered, and the stream ends", async () => {
  const encoded = encodeResult(farmFailure("script", "its build failed", 1));
  const stream = streamOf({
    acceptedThrough: 0,
    rows: [{ sequence: 1, encoded }],
    accept: () => ({ kind: "same", finished: true }),
  });
  stream.begin({ done: [], open: 0 });
  stream.take(inputOf(1));
  stream.inputsEnd();
  const events: EncodedMeasureEvent[] = [];
  for await (const event of stream.events(AbortSignal.timeout(120_000))) events.push(event);
  expect(events).toEqual([
    { kind: "accepted", acceptedThrough: 0 },
    { kind: "accepted", acceptedThrough: 1 },
    { kind: "result", sequence: 1, encoded },
  ]);
});

it("a measurement is another's where program, reference, selector and each option are equal, and nowhere else", async () => {
  const digest = (n: number) => toProgramDigest(`sha256:${`${n}`.repeat(64)}`);
  const usual: MeasureOptions = { ...defaultMeasureOptions("cpu"), incumbent: 1 };
  const nameOf = async (session: Partial<SessionRow>, program = 1, reference = 2): Promise<string | undefined> => {
    const names: (string | undefined)[] = [];
    const accept = ({ reuse }: NewInput): AcceptOutcome => {
      names.push(reuse);
      return { kind: "accepted", finished: false, ready: false };
    };
    const stream = streamOf({ acceptedThrough: 0, accept, session: { options: usual, reuse: true, ...session } });
    const [named, other] = [program, reference].map((n) => ({ kind: "digest", digest: digest(n) }) as const);
    if (!named || !other) throw new Error("two");
    stream.take({ kind: "input", sequence: 1, program: named, reference: other });
    await until(() => names.length === 1, "the input");
    return names[0];
  };
  const same = await nameOf({});
  expect(same).toMatch(/^sha256:/);
  // Whose it is, how urgent, and what it races against, changes nothing of a result that came to its end.
  expect(await nameOf({ id: toSessionId("s-2"), priority: 5, weight: 3, principal: "ada", maxInFlight: 9, task: "other" })).toBe(
    same,
  );
  expect(await nameOf({ options: { ...usual, incumbent: 7 } })).toBe(same);
  expect(await nameOf({ reuse: false })).toBeUndefined();
  const changed: { readonly [K in keyof Omit<Required<MeasureOptions>, "incumbent">]: MeasureOptions[K] } = {
    number: 7,
    repeat: 7,
    precision: 0.07,
    minRepeatMs: 7,
    buildTimeoutMs: 7,
    runTimeoutMs: 7,
    cooldownMs: 7,
    l2: "flushed",
    timer: "events",
    check: "none",
    inputs: "exact",
    power: "sustained",
    judged: true,
  };
  const others = await Promise.all([
    nameOf({}, 3),
    nameOf({}, 1, 3),
    nameOf({}, 2, 1),
    nameOf({ selector: "cpu/x86-64-v2+" }),
    ...Object.entries(changed).map(([name, value]) => nameOf({ options: { ...usual, [name]: value } })),
  ]);
  expect(new Set([same, ...others]).size).toBe(1 + others.length);
});

it("a result that was received is not sent again, however it is named meanwhile, also when the memory of receipts turned since", async () => {
  const encoded = encodeResult(farmFailure("script", "its build failed", 1));
  const clock = new ManualClock();
  const accept = (): AcceptOutcome => ({ kind: "accepted", finished: false, ready: true });
  const stream = streamOf({ acceptedThrough: 3, rows: [1, 2, 3].map((sequence) => ({ sequence, encoded })), accept, clock });
  stream.begin({ done: [1, 2, 3], open: 3 });
  const events = stream.events(AbortSignal.timeout(120_000));
  expect((await events.next()).value).toEqual({ kind: "accepted", acceptedThrough: 3 });
  const named = () => stream.finished([3, 2, 1].map((sequence) => ({ sequence, encoded })));
  stream.take({ kind: "receipt", receivedThrough: 0, received: [2, 3] });
  await clock.advance(300_001);
  stream.take({ kind: "receipt", receivedThrough: 1, received: [] });
  named();
  stream.inputsEnd();
  // All three are received, each counted once, so nothing is left to send.
  expect(await events.next()).toEqual({ done: true, value: undefined });
});
