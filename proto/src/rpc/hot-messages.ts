/**
 * The messages that a tracker sends and receives by the thousand, between bytes and domain: Synchronize and Measure. They equal
 * what the converters and generated codecs give for the same values (hot-messages.test.ts). A result passes as the bytes that its
 * runner sent.
 */
import type { Assignment, JudgedJob, MeasureOptions, Outcome, PairedJob, SyncReply, SyncRequest } from "@warpfarm/common";
import { type MeasureRequest, measureRequestFromWire, type SessionControl } from "../convert/farm.ts";
import { measureOptionsToWire } from "../convert/measure.ts";
import { blocksOf } from "../convert/message-reader.ts";
import { MessageWriter } from "../convert/message-writer.ts";
import { syncRequestFromWire } from "../convert/worker.ts";
import { decodeRequest } from "./decode.ts";
import { loadServices } from "./load.ts";

/** A message of FarmService.Measure's stream. A result is the bytes of its MeasureResult. */
export type EncodedMeasureEvent =
  | { readonly kind: "accepted"; readonly acceptedThrough: number }
  | ({ readonly kind: "control" } & SessionControl)
  | { readonly kind: "result"; readonly sequence: number; readonly encoded: Uint8Array };

/** A longer result is encoded anew and so checked, because a message may have unknown fields. */
const maxAsSent = 8 * 1024;

export function syncRequestFromBytes(message: Buffer): SyncRequest {
  const request: { outcomes: readonly Outcome[] } & SyncRequest = syncRequestFromWire(
    decodeRequest(loadServices().worker.Synchronize.requestDeserialize, message),
  );
  // A worker's last call is rare and need not be fast.
  if (request.leaving || !request.outcomes.some((o) => o.kind === "run")) return request;
  const sent = blocksOf(message, 6);
  request.outcomes = request.outcomes.map((outcome, i) => asSent(outcome, sent[i]));
  return request;
}

export const measureRequestFromBytes = (message: Buffer): MeasureRequest =>
  measureRequestFromWire(decodeRequest(loadServices().farm.Measure.requestDeserialize, message));

/** Adds the bytes of the outcome's result, if the message has exactly one. */
function asSent(outcome: Outcome, message: Uint8Array | undefined): Outcome {
  if (outcome.kind !== "run" || !message) return outcome;
  const [encoded, more] = blocksOf(message, 4);
  if (!encoded || more || encoded.length > maxAsSent) return outcome;
  const { leaseId, epoch, result } = outcome;
  return { leaseId, epoch, kind: "run", result, encoded };
}

const writer = new MessageWriter();

const states = { active: 1, drain: 2 } as const;

export function syncReplyToBytes(reply: SyncReply, sequence: number): Buffer {
  writer.reset();
  for (const lease of reply.acknowledged) writer.text(1, lease);
  for (const assignment of reply.assignments) writer.message(2, () => writeAssignment(assignment));
  for (const lease of reply.cancel) writer.text(4, lease);
  return writer.integer(5, states[reply.state]).integer(7, sequence).finish();
}

function writeAssignment({ leaseId, epoch, ttlMs, job, traceparent }: Assignment): void {
  writer.text(1, leaseId).integer(2, epoch).duration(3, ttlMs);
  writeJob(job);
  if (traceparent !== undefined) writer.text(7, traceparent);
}

function writeJob(job: Assignment["job"]): void {
  if (job.kind === "build")
    writer.message(4, (w) => w.text(1, job.program.digest).bytes(2, job.program.bytes).duration(3, job.timeoutMs));
  else if (job.kind === "replay") writer.message(6, (w) => w.bytes(1, job.claim).duration(2, job.timeoutMs));
  else
    writer.message(5, (w) => {
      w.integer(1, job.device).text(2, job.artifact);
      if (job.reference !== undefined) w.text(3, job.reference);
      w.bytes(4, optionsBytes(job.options)).integer(5, job.attempt).duration(6, job.buildMs);
      if (job.paired !== undefined) writePaired(job.paired);
      w.text(8, job.owner);
      if (job.judged !== undefined) writeJudged(job.judged);
      w.duration(10, job.queueMs);
      if (job.incumbentMs !== undefined) w.duration(11, job.incumbentMs);
    });
}

function writeJudged({ secret, leaseSecret, auditBelowMs }: JudgedJob): void {
  writer.message(9, (w) => {
    w.text(1, secret).text(2, leaseSecret);
    if (auditBelowMs !== undefined) w.duration(3, auditBelowMs);
  });
}

function writePaired({ others, options }: PairedJob): void {
  writer.message(7, (w) => {
    for (const digest of others) w.text(1, digest);
    w.message(2, () =>
      w
        .integer(1, options.rounds)
        .duration(2, options.idleMs)
        .integer(3, options.sequential ? 1 : 0),
    );
  });
}

const encodedOptions = new WeakMap<MeasureOptions, Uint8Array>();
function optionsBytes(options: MeasureOptions): Uint8Array {
  const there = encodedOptions.get(options);
  if (there) return there;
  const bytes = loadServices().measureOptions.serialize(measureOptionsToWire(options));
  encodedOptions.set(options, bytes);
  return bytes;
}

export function measureEventToBytes(event: EncodedMeasureEvent): Buffer {
  writer.reset();
  if (event.kind === "accepted") writer.message(1, (w) => w.integer(1, event.acceptedThrough));
  else if (event.kind === "control") writer.message(3, (w) => w.integer(1, event.paused ? 1 : 0).integer(2, event.moreTrials));
  else writer.message(2, (w) => w.integer(1, event.sequence).bytes(2, event.encoded));
  return writer.finish();
}
