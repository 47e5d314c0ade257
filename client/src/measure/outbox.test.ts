/** The receipts that are sent, which the remote measurer's tests cannot see from outside. */
import {
  defined,
  digestOf,
  type MeasureInput,
  type ProgramBytes,
  type ProgramDigest,
  toProgramDigest,
  toSessionId,
} from "@warpfarm/common";
import type { MeasureRequest } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { Incumbents } from "./incumbents.ts";
import { type Answer, Outbox } from "./outbox.ts";
import { programOf } from "./remote.testing.ts";
import { timedResult } from "./scripted.testing.ts";

const program: ProgramDigest = toProgramDigest(digestOf("program"));

it("frees the place of a result that came again, and of the second result of one program", async () => {
  const outbox = new Outbox(() => 4);
  outbox.begin({
    acceptedThrough: 6,
    outstanding: [
      { sequence: 2, program },
      { sequence: 4, program },
    ],
  });
  const requests = outbox.requests(toSessionId("s-1"));
  const next = async () => (await requests.next()).value as MeasureRequest;
  expect(await next()).toEqual({ kind: "start", sessionId: "s-1", resumeAfter: 1 });
  expect(await next()).toEqual({ kind: "receipt", receivedThrough: 1, received: [3, 5, 6] });
  outbox.landed(2, timedResult(1)); // 4 has the same program and answers it; nobody will ask for this one
  expect(await next()).toEqual({ kind: "receipt", receivedThrough: 3, received: [] });
  outbox.landed(5, timedResult(1));
  expect(await next()).toEqual({ kind: "receipt", receivedThrough: 3, received: [5] });
});

it("tells the least time of each kind of device, when it changes and on every new stream, and never the default's", async () => {
  const outbox = new Outbox(() => 4);
  const [cpu, gpu] = [
    { key: "cpu/arm64", name: "A" },
    { key: "cuda/sm_90", name: "H100" },
  ];
  const incumbents = new Incumbents([
    { ...cpu, seconds: 3 },
    { ...gpu, seconds: 1 },
    { ...cpu, seconds: 2 },
    { ...cpu, seconds: 2.5 },
  ]);
  const begun = async () => {
    const requests = outbox.requests(toSessionId("s-1"), {}, incumbents);
    const next = async () => (await requests.next()).value as MeasureRequest;
    expect(await next()).toMatchObject({ kind: "start" });
    return next;
  };
  const first = await begun();
  expect([await first(), await first()]).toEqual([
    { kind: "incumbent", ...cpu, seconds: 2 },
    { kind: "incumbent", ...gpu, seconds: 1 },
  ]);
  const result = timedResult(0.5);
  const { key, name } = result.device as { key: string; name: string };
  const input = { sequence: 1, program: programOf("p") };
  incumbents.landed({ input, result });
  outbox.landed(1, result);
  expect(await first()).toMatchObject({ kind: "receipt" });
  incumbents.landed({ input: { ...input, proposal: { config: [], trial: 1, told: 0 } }, result });
  const second = await begun();
  expect([await second(), await second(), await second()]).toEqual([
    { kind: "incumbent", ...cpu, seconds: 2 },
    { kind: "incumbent", ...gpu, seconds: 1 },
    { kind: "incumbent", key, name, seconds: 0.5 },
  ]);
});

it("sends a program's bytes again to a session that never had them, whatever that one has accepted of another run", async () => {
  const outbox = new Outbox(() => 4);
  const input = { sequence: 1, program: programOf("p") };
  async function* inputs() {
    yield input;
  }
  const sent = async (session: string, acceptedThrough: number) => {
    outbox.begin({ acceptedThrough, outstanding: [] });
    const requests = outbox.requests(toSessionId(session));
    await requests.next();
    outbox.fill(inputs(), new AbortController().signal);
    return (await requests.next()).value as MeasureRequest;
  };
  expect(await sent("s-1", 0)).toMatchObject({ kind: "input", sequence: 1, program: { kind: "program" } });
  // The tracker forgot s-1 and its programs. The continued session belongs to an earlier run and has three inputs.
  expect(await sent("s-2", 3)).toMatchObject({ kind: "input", sequence: 4, program: { kind: "program" } });
});

const { signal } = new AbortController();
const session = toSessionId("s-1");
async function* from<T>(...inputs: readonly T[]): AsyncGenerator<T> {
  yield* inputs;
}
const inputOf = (n: number, more: Partial<MeasureInput> = {}): MeasureInput => ({
  ...{ sequence: 10 * n, program: programOf(`p${n}`) },
  ...more,
});
const fresh = { acceptedThrough: 0, outstanding: [] };
const reading = (outbox: Outbox) => {
  const requests = outbox.requests(session);
  return async () => (await requests.next()).value as MeasureRequest;
};

it("sends what was not accepted again after a broken stream, with its bytes; what was accepted goes by its digest", async () => {
  const outbox = new Outbox(() => 8);
  outbox.begin(fresh);
  const [one, two] = [inputOf(1), inputOf(2)];
  outbox.fill(from(one, two, { ...one, sequence: 30 }, { ...two, sequence: 40 }), signal);
  const first = reading(outbox);
  await first();
  const bytes = (program: ProgramBytes) => ({ kind: "program", program });
  const digest = ({ digest }: ProgramBytes) => ({ kind: "digest", digest });
  expect([await first(), await first(), await first()]).toMatchObject([
    { sequence: 1, program: bytes(one.program) },
    { sequence: 2, program: bytes(two.program) },
    { sequence: 3, program: digest(one.program) },
  ]);
  outbox.accepted(1);
  const second = reading(outbox);
  await second();
  expect([await second(), await second(), await second()]).toMatchObject([
    { sequence: 2, program: bytes(two.program) },
    { sequence: 3, program: digest(one.program) },
    { sequence: 4, program: digest(two.program) },
  ]);
});

it("tells a new stream the receipts beyond a gap again, and none once the gap is closed", async () => {
  const outbox = new Outbox(() => 8);
  outbox.begin(fresh);
  outbox.fill(from(inputOf(1), inputOf(2), inputOf(3)), signal);
  const first = reading(outbox);
  for (let i = 0; i < 4; i++) await first();
  const take = () => outbox.received(outbox.answer() as Answer);
  outbox.landed(3, timedResult(3));
  take();
  expect(await first()).toEqual({ kind: "receipt", receivedThrough: 0, received: [3] });
  const second = reading(outbox);
  expect([await second(), await second()]).toEqual([
    { kind: "start", sessionId: "s-1", resumeAfter: 0 },
    { kind: "receipt", receivedThrough: 0, received: [3] },
  ]);
  for (const sequence of [2, 1]) {
    outbox.landed(sequence, timedResult(sequence));
    take();
  }
  expect(await second()).toEqual({ kind: "receipt", receivedThrough: 3, received: [] });
  expect(outbox.done).toBe(true);
  expect(await reading(outbox)()).toEqual({ kind: "start", sessionId: "s-1", resumeAfter: 3 });
});

it("begins anew with a session that knows nothing: numbers, receipts and bytes", async () => {
  const outbox = new Outbox(() => 8);
  outbox.begin(fresh);
  outbox.fill(from(inputOf(1), inputOf(2), inputOf(3)), signal);
  const first = reading(outbox);
  for (let i = 0; i < 4; i++) await first();
  outbox.landed(2, timedResult(2));
  outbox.received(outbox.answer() as Answer);
  outbox.begin(fresh);
  const second = reading(outbox);
  expect([await second(), await second(), await second()]).toMatchObject([
    { kind: "start", resumeAfter: 0 },
    { sequence: 1, program: { kind: "program", program: inputOf(1).program } },
    { sequence: 2, program: { kind: "program", program: inputOf(3).program } },
  ]);
  outbox.landed(2, timedResult(3));
  expect(outbox.answer()).toMatchObject({ input: { sequence: 30 }, result: timedResult(3) });
});

it("an earlier process's measurement answers an input of the same program and reference, and no other", async () => {
  const [a, b] = [programOf("a"), programOf("b")];
  const { program } = inputOf(1);
  const outstanding = [{ sequence: 1, program: program.digest, reference: a.digest }];
  for (const [reference, sequence] of [
    [b, 2],
    [undefined, 2],
    [a, 1],
  ] as const) {
    const outbox = new Outbox(() => 8);
    outbox.begin({ acceptedThrough: 1, outstanding });
    outbox.fill(from(inputOf(1, defined({ reference }))), signal);
    await outbox.first(signal);
    outbox.landed(sequence, timedResult(7));
    expect(outbox.answer()).toMatchObject({ input: { sequence: 10 }, sequence });
  }
});

it("keeps results that nobody asked for where the window is full of them, and answers with them later", async () => {
  const outbox = new Outbox(() => 2);
  const [one, two, three] = [inputOf(1), inputOf(2), inputOf(3)];
  const outstanding = [one, two].map(({ program }, i) => ({ sequence: i + 1, program: program.digest }));
  outbox.begin({ acceptedThrough: 2, outstanding });
  for (const sequence of [1, 2]) outbox.landed(sequence, timedResult(sequence));
  outbox.fill(from(three, one, two), signal);
  const next = reading(outbox);
  await next();
  expect([await next(), await next()]).toMatchObject([
    { kind: "receipt", receivedThrough: 1, received: [] },
    { kind: "input", sequence: 3 },
  ]);
  const answers = [outbox.answer(), outbox.answer(), outbox.answer()];
  expect(answers.map((answer) => [answer?.input.sequence, answer?.sequence])).toEqual([
    [10, undefined],
    [20, 2],
    [undefined, undefined],
  ]);
});

it("takes as many inputs as the window allows, more when results are safe, and none once it is aborted, which ends their source", async () => {
  const outbox = new Outbox(() => 2);
  outbox.begin(fresh);
  const stop = new AbortController();
  let taken = 0;
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield inputOf(++taken);
    } finally {
      ended = true;
    }
  }
  outbox.fill(endless(), stop.signal);
  const settled = async () => {
    await new Promise(setImmediate);
    return taken;
  };
  expect(await settled()).toBe(2);
  for (const sequence of [1, 2]) {
    outbox.landed(sequence, timedResult(1));
    expect(await settled()).toBe(sequence + 1);
    outbox.received(outbox.answer() as Answer);
    expect(await settled()).toBe(sequence + 2);
  }
  stop.abort();
  expect([await settled(), ended]).toEqual([4, true]);
});

it("a config of 16 KiB goes with its input, and a longer one does not", async () => {
  const configs = [16 * 1024, 16 * 1024 + 1].map((bytes) => "c".repeat(bytes - 2));
  const outbox = new Outbox(() => 8);
  outbox.begin(fresh);
  const proposal = (config: string) => ({ config, trial: 1, told: 0 }) as unknown as MeasureInput["proposal"];
  outbox.fill(from(...configs.map((config, i) => inputOf(i, defined({ proposal: proposal(config) })))), signal);
  const next = reading(outbox);
  await next();
  expect([await next(), await next()].map((request) => "proposal" in request)).toEqual([true, false]);
});
