/** The receipts that are sent, which the remote measurer's tests cannot see from outside. */
import { digestOf, type ProgramDigest, toProgramDigest, toSessionId } from "@warpfarm/common";
import type { MeasureRequest } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { Outbox } from "./outbox.ts";
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
