/**
 * The hand-written codecs give what the generated codecs and the converters give for the same values, and keep a result's bytes.
 */
import {
  FarmError,
  type MeasureResult,
  type SyncReply,
  toArtifactDigest,
  toLeaseId,
  toProgramDigest,
  toWorkerId,
} from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureEventFromWire, mostMoreTrials } from "../convert/farm.ts";
import { measureResultToWire } from "../convert/measure.ts";
import { blocksOf } from "../convert/message-reader.ts";
import { MessageWriter } from "../convert/message-writer.ts";
import { reply } from "../convert/values.testing.ts";
import { syncReplyFromWire, syncRequestFromWire, syncRequestToWire } from "../convert/worker.ts";
import { measureEventToBytes, measureRequestFromBytes, syncReplyToBytes, syncRequestFromBytes } from "./hot-messages.ts";
import { loadServices } from "./load.ts";

const { farm, worker, measureResult } = loadServices();
const { requestSerialize, requestDeserialize, responseDeserialize } = worker.Synchronize;

const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const count = fc.oneof(fc.nat(300), fc.nat(), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

const timed: MeasureResult = {
  kind: "timed",
  costs: [1e-3, 0],
  number: 3,
  busyMs: 1.5,
  checked: true,
  device: { key: "cuda/sm_90", name: "ein Gerät", uuid: "GPU-1", node: "n", driver: "13" },
  observations: { powerW: 300 },
  artifact: toArtifactDigest(`sha256:${"a".repeat(64)}`),
  buildMs: 0,
  runMs: 9.25,
  timestampMs: 1.75e12,
  attempt: 2,
};
const request = (outcomes: readonly object[], more: object = {}): Buffer =>
  requestSerialize({
    worker_id: "w",
    epoch: 2 ** 52,
    sequence: 7,
    free: [{ device: 3, count: 300 }],
    outcomes: [...outcomes],
    ...more,
  });
const runOf = (result: MeasureResult) => ({ lease_id: "l-1", epoch: 2, run: measureResultToWire(result) });

describe("what a tracker sends", () => {
  it("an answer of Synchronize", () => {
    fc.assert(
      fc.property(reply, count, (value, sequence) => {
        const wire = responseDeserialize(syncReplyToBytes(value, sequence));
        expect(syncReplyFromWire(wire)).toEqual(value);
        expect(wire.sequence).toBe(sequence);
      }),
      { numRuns: 200 },
    );
  });
  it.each([16_300, 16_500, 2_097_000, 2_098_000])("a program of %i bytes", (size) => {
    const bytes = Buffer.alloc(size, "program");
    const digest = toProgramDigest(`sha256:${"b".repeat(64)}`);
    const job = { kind: "build" as const, program: { digest, bytes }, timeoutMs: 1 };
    const leaseId = toLeaseId("l");
    const whole: SyncReply = {
      acknowledged: [leaseId],
      assignments: [{ leaseId, epoch: 1, ttlMs: 1, job }],
      cancel: [],
      state: "active",
    };
    const wire = responseDeserialize(syncReplyToBytes(whole, 9));
    expect([wire.sequence, wire.acknowledged]).toEqual([9, ["l"]]);
    expect(wire.assignments[0]?.build?.program.equals(bytes)).toBe(true);
  });
  const decoded = (bytes: Buffer) => measureEventFromWire(farm.Measure.responseDeserialize(bytes));
  it("what was made of the session", () => {
    for (const paused of [false, true])
      for (const moreTrials of [0, 1, mostMoreTrials]) {
        const event = { kind: "control", paused, moreTrials } as const;
        expect(decoded(measureEventToBytes(event))).toEqual(event);
      }
  });

  it("how far it accepted, and a result by its bytes", () => {
    const encoded = measureResult.serialize(measureResultToWire(timed));
    fc.assert(
      fc.property(count, positive, (acceptedThrough, sequence) => {
        expect(decoded(measureEventToBytes({ kind: "accepted", acceptedThrough }))).toEqual({
          kind: "accepted",
          acceptedThrough,
        });
        expect(decoded(measureEventToBytes({ kind: "result", sequence, encoded }))).toEqual({
          kind: "result",
          sequence,
          result: timed,
        });
      }),
    );
  });
  it("one that is given up half-way leaves nothing in the next", () => {
    const writer = new MessageWriter();
    writer.text(1, "left over");
    writer.reset();
    expect(blocksOf(writer.text(2, "ä").finish(), 1)).toEqual([]);
    expect(writer.finish().length).toBe(0);
  });
});

describe("what a tracker takes", () => {
  it("a request as the converter reads it, its results with the bytes as they came", () => {
    const failed: MeasureResult = { kind: "failed", errorNo: 4, message: "m", buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 };
    const fault = { lease_id: "l-2", epoch: 2, fault: { message: "no room", suspect: true } };
    const message = request([runOf(timed), fault, runOf(failed)], { health: { trouble: "x".repeat(300) }, report_only: true });
    const { outcomes, ...rest } = syncRequestFromBytes(message);
    const { outcomes: plain, ...plainRest } = syncRequestFromWire(requestDeserialize(message));
    expect(rest).toEqual(plainRest);
    const bytes = outcomes.map((o) => (o.kind === "run" ? o.encoded : undefined));
    expect(bytes).toEqual([timed, undefined, failed].map((r) => r && measureResult.serialize(measureResultToWire(r))));
    expect(outcomes.map((o) => ({ ...o, encoded: undefined }))).toEqual(plain.map((o) => ({ ...o, encoded: undefined })));
  });
  it("a result with more than anybody here knows, or named twice, is encoded anew", () => {
    const unknown = Buffer.concat([
      measureResult.serialize(measureResultToWire(timed)),
      Buffer.from([0xfa, 0x7f, 0x80, 0x60]),
      Buffer.alloc(12_288),
    ]);
    const known = measureResult.serialize(measureResultToWire(timed));
    for (const results of [[unknown], [known, known]]) {
      const writer = new MessageWriter().text(1, "w").integer(2, 1);
      writer.message(6, (w) => {
        w.text(1, "l").integer(2, 1);
        for (const result of results) w.bytes(4, result);
      });
      expect(syncRequestFromBytes(writer.finish()).outcomes).toEqual([{ kind: "run", leaseId: "l", epoch: 1, result: timed }]);
    }
  });
  it("bytes that are no message are refused, and a field by its name", () => {
    const refusal = (f: () => unknown) => {
      try {
        f();
      } catch (error) {
        return error instanceof FarmError ? `${error.code} ${error.message}` : error;
      }
      return undefined;
    };
    expect(refusal(() => syncRequestFromBytes(Buffer.from([0x0b])))).toMatch(/^INVALID_ARGUMENT the message cannot be decoded/);
    expect(refusal(() => measureRequestFromBytes(Buffer.from([0xff])))).toMatch(
      /^INVALID_ARGUMENT the message cannot be decoded/,
    );
    expect(refusal(() => syncRequestFromBytes(request([{ lease_id: "l" }])))).toMatch(
      /^INVALID_ARGUMENT outcomes\[0\].epoch is 0/,
    );
    const wire = syncRequestToWire({ ...syncRequestFromBytes(request([])), workerId: toWorkerId("w") });
    expect(syncRequestFromBytes(requestSerialize(wire))).toEqual(syncRequestFromBytes(request([])));
  });
});
