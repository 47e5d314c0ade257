/** What one stream does when the store changes under it; the rest is tested over the wire, in ../../test. */
import { defaultMeasureOptions, parseSelector, toProgramDigest, toSessionId } from "@warpfarm/common";
import type { MeasureEvent, MeasureRequest } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { Batcher } from "../batcher.ts";
import type { Database } from "../store/database.ts";
import type { AcceptOutcome, NewInput } from "../store/sql/accept.ts";
import type { Receipt } from "../store/sql/results.ts";
import { MeasureStream } from "./measure-stream.ts";

it("counts a result as received whose receipt, sent on the stream before, was stored after this one began", async () => {
  const accepted: number[] = [];
  const query = async () => [];
  const empty: Database = {
    query,
    lazy: { query },
    script: () => Promise.reject(new Error("not asked for")),
    transaction: () => Promise.reject(new Error("not asked for")),
    maintain: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const stream = new MeasureStream({
    db: empty,
    session: {
      id: toSessionId("s-1"),
      task: "toy",
      selector: "cpu/x86-64-v3",
      options: { ...defaultMeasureOptions("cpu"), check: "none" },
      priority: 0,
      maxInFlight: 1,
      stream: 2,
      acceptedThrough: 1,
      weight: 1,
      usedMs: 0,
      reuse: false,
    },
    selector: parseSelector("cpu/x86-64-v3"),
    accept: new Batcher<NewInput, AcceptOutcome>(async (inputs) =>
      inputs.map(({ sequence }) => {
        accepted.push(sequence);
        return { kind: "accepted", finished: false, ready: true };
      }),
    ),
    receive: new Batcher<Receipt, void>(async (receipts) => receipts.map(() => undefined)),
  });
  const events = stream.events(new AbortController().signal);
  stream.begin({ done: [1], open: 1 });
  expect((await events.next()).value).toEqual({ kind: "accepted", acceptedThrough: 1 } satisfies MeasureEvent);
  const more = events.next();
  await new Promise((resolve) => setImmediate(resolve));
  async function* requests(): AsyncGenerator<MeasureRequest> {
    yield { kind: "receipt", receivedThrough: 1, received: [] };
    // The window is one: this is refused unless 1 counts as received, and counts once.
    yield { kind: "input", sequence: 2, program: { kind: "digest", digest: toProgramDigest(`sha256:${"0".repeat(64)}`) } };
  }
  await stream.consume(requests());
  expect((await more).value).toEqual({ kind: "accepted", acceptedThrough: 2 });
  expect(accepted).toEqual([2]);
  stream.end(new Error("over"));
});
