/**
 * A receipt: two in-toto Statements v1 about one measurement, each in an envelope of its own, as lines of one file
 * (docs/receipts.md). One says everything that is known of the measurement. The other is a test result in a form that others
 * read; it names the first by its digest, so the two of different receipts do not pass as one.
 *
 * Every digest here is one of bytes that the signer had. What a client said of its program (task, arguments, config) is in
 * `claimed`.
 */
import type { KeyObject } from "node:crypto";
import { canonicalJson, type Digest, digestOf, inputSeed, type Json, l2Of, medianSeconds, type Seconds } from "@warpfarm/common";
import type { RecordJson } from "../record-json.ts";
import { recordToJson } from "../record-json.ts";
import type { TuningRecord } from "../tuning-record.ts";
import { enveloped } from "./dsse.ts";
import { predictionFormula, type Spread, spreadOf } from "./spread.ts";

export const statementType = "https://in-toto.io/Statement/v1";
/** The last part is the major version. A later minor one may add fields, which readers ignore. */
export const receiptType = "urn:warpfarm:receipt:v1";
export const testResultType = "https://in-toto.io/attestation/test-result/v0.1";

const agreesTest = "every output agrees with the reference";
const timedTest = "the time of repeated sessions was measured";

export interface Subject {
  /** `program`, `artifact`, `code`, `reference`, or `source/` and the name of a source file. */
  readonly name: string;
  readonly digest: Digest;
}

export interface Receipted {
  readonly record: TuningRecord;
  /** Of each session under the record's conditions, the record's own among them. */
  readonly sessions: readonly SessionTime[];
  readonly subjects: readonly Subject[];
  /** The documents of program and reference, for who wants to measure them again. */
  readonly documents?: { readonly program: string; readonly reference?: string };
  readonly issuedMs: number;
}

interface SessionTime {
  readonly seconds: Seconds;
  readonly timestampMs: number;
}

/** The two lines of the file. */
export function receiptFile(of: Receipted, key: KeyObject): string {
  const subject = of.subjects.map(({ name, digest }) => ({ name, digest: inToto(digest) }));
  const statement = (predicateType: string, predicate: Json) =>
    canonicalJson({ _type: statementType, subject, predicateType, predicate });
  const receipt = statement(receiptType, predicateOf(of));
  const result = statement(testResultType, testResultOf(of, digestOf(receipt)));
  return [receipt, result].map((payload) => `${canonicalJson(enveloped(payload, key))}\n`).join("");
}

export const inToto = (digest: string): { readonly sha256: string } => ({ sha256: digest.slice("sha256:".length) });

function predicateOf({ record, sessions, documents, issuedMs }: Receipted): Json {
  return {
    issued_ms: issuedMs,
    target: record.target,
    measurement: measurementOf(record),
    l2: l2Of(record.options, record.judged),
    input_seed: inputSeed,
    sessions: sessions.map(({ seconds, timestampMs }) => ({ seconds, timestamp_ms: timestampMs })),
    ...intervalsOf(spreadOf(sessions.map(({ seconds }) => seconds))),
    claimed: claimedOf(record),
    ...(documents === undefined ? {} : { documents: { ...documents } }),
  };
}

const intervalsOf = ({ seconds, deviation, confidence, prediction }: Spread): { readonly [name: string]: Json } => ({
  seconds,
  deviation,
  confidence: { ...confidence },
  /** Shown for one more session on the same device; another one of the kind differs by what its makers allow. */
  prediction: { ...prediction, formula: predictionFormula },
});

type Fields = { readonly [name: string]: Json };

/** What the farm observed, with the names of a record's fields. The node is a place of the farm and not a fact of the device. */
function measurementOf(record: TuningRecord): Fields {
  const json = recordToJson(record) as RecordJson & Fields;
  const { device, ...rest } = json;
  const { node: _, ...card } = device as unknown as Fields;
  const observedNames = Object.keys(rest).filter((name) => !notObserved.has(name));
  return { device: card, ...Object.fromEntries(observedNames.map((name) => [name, rest[name] as Json])) };
}
/** What a client said, what names an owner's session, and what is a subject of the statement. */
const notObserved: ReadonlySet<string> = new Set([
  ...["version", "id", "origin", "session", "labels", "private", "foreign", "standing", "why"],
  ...["task", "args", "template", "template_version", "space", "search", "config", "trace", "target"],
  ...["program", "artifact", "reference", "computation", "operations"],
]);

/** `verified`: a builder replayed template, arguments and config to this program and this reference. */
function claimedOf({ task, args, template, templateVersion, config, standing }: TuningRecord): Fields {
  return {
    task,
    args,
    ...(template === undefined ? {} : { template }),
    ...(templateVersion === undefined ? {} : { template_version: templateVersion }),
    ...(config === undefined ? {} : { config: config.entity as unknown as Json }),
    verified: standing === "verified" || standing === "confirmed",
  };
}

/** Source: in-toto/attestation, spec/predicates/test-result.md. */
function testResultOf({ record, subjects }: Receipted, receipt: Digest): Json {
  const isChecked = record.result.kind === "timed" && record.result.checked === true;
  const reference = subjects.find(({ name }) => name === "reference");
  const options = canonicalJson((recordToJson(record) as { readonly options?: Json }).options ?? {});
  return {
    result: isChecked ? "PASSED" : "WARNED",
    configuration: [
      { name: receiptName, digest: inToto(receipt) },
      ...(reference === undefined ? [] : [{ name: "reference", digest: inToto(reference.digest) }]),
      { name: "options.json", digest: inToto(digestOf(options)), content: Buffer.from(options).toString("base64") },
    ],
    passedTests: [...(isChecked ? [agreesTest] : []), timedTest],
    warnedTests: isChecked ? [] : [agreesTest],
    failedTests: [],
  };
}
export const receiptName = "receipt";

/** One time for each session: the median of the medians of its records. */
export function sessionTimes(records: readonly TuningRecord[]): readonly SessionTime[] {
  const bySession = new Map<string, { readonly seconds: Seconds[]; timestampMs: number }>();
  const seen = new Set<string>();
  for (const { session = "", result, timestampMs } of [...records].sort((a, b) => a.timestampMs - b.timestampMs)) {
    if (result.kind !== "timed") continue;
    // A session with `reuse` may have been given what another one measured.
    const measured = `${timestampMs} ${result.costs.join()}`;
    if (seen.has(measured)) continue;
    seen.add(measured);
    const of = bySession.get(session);
    if (of) of.seconds.push(medianSeconds(result.costs));
    else bySession.set(session, { seconds: [medianSeconds(result.costs)], timestampMs });
  }
  return [...bySession.values()].map(({ seconds, timestampMs }) => ({ seconds: medianSeconds(seconds), timestampMs }));
}

/**
 * Names what must be equal for two times to be of the same kernel under the same conditions on the same card. Limits of time say
 * when a measurement is given up, and change no time.
 */
export function circumstancesOf(record: TuningRecord): string {
  const { program, reference, artifact, device, options = {}, judged, observations, result, interleaved } = record;
  const { buildTimeoutMs: _, runTimeoutMs: __, incumbent: ___, ...conditions } = options;
  const { node: ____, ...card } = device ?? {};
  const checked = result.kind === "timed" && result.checked === true;
  const sets = judged === undefined ? undefined : "not" in judged ? judged.not : judged.audit ? "audited" : "in turn";
  const seen = { checked, sets, steady: observations?.steady, together: interleaved?.of };
  const of = { program, reference, artifact, card, conditions, ...seen };
  return canonicalJson(JSON.parse(JSON.stringify(of)));
}
