/**
 * Reads a receipt's file with the keys that its reader trusts. Whatever key, certificate or key id the file itself has proves
 * nothing and is not looked at.
 *
 *   receipt   signed by one of the keys; both statements are of the same subjects, and the documents have their digests
 *   wrong     a receipt by its form, and a signature or a digest is not right
 *   none      no receipt
 */
import type { KeyObject } from "node:crypto";
import { digestOf, type L2State, l2States, type MeasureOptions } from "@warpfarm/common";
import { count, observationsForm, recordDeviceForm, someOptionsForm, text } from "../measure-json.ts";
import { z } from "../schema.ts";
import type { RecordDevice } from "../tuning-record.ts";
import { type Envelope, envelopeOf, keyIdOf, payloadType, signerOf } from "./dsse.ts";
import { receiptName, receiptType, statementType, testResultType } from "./statements.ts";

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const named = z.object({ name: text, digest: z.object({ sha256: hex }) });
const statementSchema = z.object({
  _type: z.literal(statementType),
  subject: z.array(named).min(1),
  predicateType: text,
  predicate: z.looseObject({}),
});
type Statement = z.infer<typeof statementSchema>;

const seconds = z.number().positive();
const interval = z.object({ level: z.number(), low: seconds, high: seconds });
const predicateSchema = z.object({
  issued_ms: count,
  target: text,
  measurement: z.object({
    device: recordDeviceForm.schema,
    observations: observationsForm.schema.optional(),
    options: someOptionsForm.schema,
    costs: z.array(seconds).min(1),
    checked: z.boolean().optional(),
  }),
  l2: z.enum(l2States),
  sessions: z.array(z.object({ seconds, timestamp_ms: count })),
  seconds,
  confidence: interval,
  prediction: interval,
  claimed: z.object({ task: text, args: z.array(z.unknown()), verified: z.boolean() }),
  documents: z.object({ program: text, reference: text.optional() }).optional(),
});
const resultSchema = z.object({
  result: text,
  configuration: z.array(z.object({ name: text.optional(), digest: named.shape.digest })),
});

export interface Receipt {
  readonly keyId: string;
  readonly issuedMs: number;
  readonly target: string;
  readonly task: string;
  readonly args: readonly unknown[];
  /** Whether a builder replayed task, arguments and config to the program. */
  readonly isVerified: boolean;
  /** PASSED: the outputs were compared; WARNED: they were not. */
  readonly outcome: string;
  /** By name, `sha256:...`. */
  readonly subjects: ReadonlyMap<string, string>;
  readonly device: RecordDevice;
  readonly options: Partial<MeasureOptions>;
  readonly l2: L2State;
  readonly checked: boolean;
  readonly sessions: number;
  readonly seconds: number;
  readonly confidence: z.infer<typeof interval>;
  readonly prediction: z.infer<typeof interval>;
  readonly documents?: { readonly program: string; readonly reference?: string | undefined };
}

export type ReadReceipt =
  | { readonly kind: "receipt"; readonly receipt: Receipt }
  | { readonly kind: "wrong" | "none"; readonly why: string };

export function readReceipt(file: string, keys: readonly KeyObject[]): ReadReceipt {
  const lines = file.split("\n").filter((line) => line.trim() !== "");
  const envelopes = lines.map(envelopeOf);
  const at = envelopes.indexOf(undefined);
  if (lines.length === 0) return none("it is empty");
  if (at >= 0) return none(`line ${at + 1} is no DSSE envelope`);
  const read: Statement[] = [];
  let keyId = "";
  for (const [i, envelope] of (envelopes as Envelope[]).entries()) {
    const statement = statementIn(envelope);
    if (statement === undefined) return none(`line ${i + 1} has no in-toto Statement v1`);
    const signer = signerOf(envelope, keys);
    if (signer === undefined) return wrong(`no key of --key signed line ${i + 1}`);
    const id = keyIdOf(signer);
    if (keyId !== "" && keyId !== id) return wrong("its lines are signed by different keys");
    keyId = id;
    read.push(statement);
  }
  return together(read, envelopes as Envelope[], keyId);
}

const none = (why: string): ReadReceipt => ({ kind: "none", why });
const wrong = (why: string): ReadReceipt => ({ kind: "wrong", why });

function statementIn({ payloadType: type, payload }: Envelope): Statement | undefined {
  if (type !== payloadType) return undefined;
  try {
    return statementSchema.safeParse(JSON.parse(Buffer.from(payload, "base64").toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

function together(read: readonly Statement[], envelopes: readonly Envelope[], keyId: string): ReadReceipt {
  const all = (type: string) => read.filter(({ predicateType }) => predicateType === type);
  const [[first, ...more], [result, ...others]] = [all(receiptType), all(testResultType)];
  if (first === undefined || result === undefined || more.length + others.length > 0)
    return none(`it takes one statement of ${receiptType} and one of ${testResultType}`);
  const { data: said, error } = predicateSchema.safeParse(first.predicate);
  if (said === undefined) return none(`its ${receiptType} is not in form: ${error.issues[0]?.path.join(".")}`);
  const { data: tested } = resultSchema.safeParse(result.predicate);
  const subjects = subjectsOf(first);
  const payload = Buffer.from((envelopes[read.indexOf(first)] as Envelope).payload, "base64");
  const names = tested?.configuration.find(({ name }) => name === receiptName)?.digest.sha256;
  if (subjects === undefined || tested === undefined) return none("its statements are not in form");
  if (`sha256:${names}` !== digestOf(payload) || !isSame(subjects, subjectsOf(result)))
    return wrong("its test result is of another receipt");
  const { documents, measurement } = said;
  for (const [name, document] of Object.entries(documents ?? {}))
    if (document !== undefined && subjects.get(name) !== digestOf(document))
      return wrong(`its ${name} has ${digestOf(document)}, and its subject says ${subjects.get(name)}`);
  const receipt: Receipt = {
    ...{ keyId, subjects, issuedMs: said.issued_ms, target: said.target },
    ...{ task: said.claimed.task, args: said.claimed.args, isVerified: said.claimed.verified, outcome: tested.result },
    device: recordDeviceForm.from(measurement.device),
    options: someOptionsForm.from(measurement.options),
    l2: said.l2,
    checked: measurement.checked === true,
    sessions: said.sessions.length,
    ...{ seconds: said.seconds, confidence: said.confidence, prediction: said.prediction },
    ...(documents === undefined ? {} : { documents }),
  };
  return { kind: "receipt", receipt };
}

/** Undefined where two have one name. */
function subjectsOf({ subject }: Statement): ReadonlyMap<string, string> | undefined {
  const subjects = new Map(subject.map(({ name, digest }) => [name, `sha256:${digest.sha256}`]));
  return subjects.size === subject.length ? subjects : undefined;
}

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string> | undefined): boolean =>
  a.size === b?.size && [...a].every(([name, digest]) => b.get(name) === digest);
