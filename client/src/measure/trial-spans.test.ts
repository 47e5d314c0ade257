/** Spans of trials: a new stream of a session goes on with them, a new session begins them anew. */
import { toSessionId } from "@warpfarm/common";
import { type MeasureRequest, type SpanOptions, type Tracing, trialSpanId } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { all, programOf } from "./remote.testing.ts";
import { failedResult, timedResult } from "./scripted.testing.ts";
import { TrialSpans } from "./trial-spans.ts";

/** Each span as its id, and how it ended. */
function tracing() {
  const spans: { readonly id: string; ended?: string }[] = [];
  const span = (name: string, { id = name }: SpanOptions = {}) => {
    const made: (typeof spans)[number] = { id };
    spans.push(made);
    return {
      traceparent: "",
      part: () => span(name),
      end({ error = "well" }: { readonly error?: string } = {}) {
        made.ended ??= error;
      },
    };
  };
  return { spans, tracing: { span } as unknown as Tracing };
}
async function* sent(...sequences: readonly number[]): AsyncGenerator<MeasureRequest> {
  for (const sequence of sequences)
    yield { kind: "input", sequence, program: { kind: "program", program: programOf(`program ${sequence}`) } };
}

test("a trial has one span from when it is first sent to its result, and another in a session that replaces a lost one", async () => {
  const { spans, tracing: into } = tracing();
  const trials = new TrialSpans(into, "toy");
  const [one, two] = [toSessionId("s-1"), toSessionId("s-2")];
  expect(await all(trials.sent(one, sent(1, 2, 3)))).toHaveLength(3);
  trials.landed(1, timedResult(1));
  // The stream broke: what was not accepted is sent again, in the same session.
  await all(trials.sent(one, sent(2, 3)));
  trials.landed(2, failedResult(4, "it does not run"));
  await all(trials.sent(two, sent(1)));
  trials.landed(undefined, timedResult(1));
  trials.end();
  expect(spans).toEqual([
    { id: "search", ended: "well" },
    { id: trialSpanId(one, 1), ended: "well" },
    { id: trialSpanId(one, 2), ended: "it does not run" },
    { id: trialSpanId(one, 3), ended: "its session was lost" },
    { id: trialSpanId(two, 1), ended: "given up" },
  ]);
});
