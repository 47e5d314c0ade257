/** Whatever the door accepts of a client's words becomes a record that reads back as it was told, in either store. */
import { type ArtifactDigest, canonicalJson, digestOf, type Json, ManualClock, randomId, toSessionId } from "@warpfarm/common";
import { measureRequestFromWire, openSessionFromWire, openSessionToWire } from "@warpfarm/proto";
import { recordFromJson } from "@warpfarm/records";
import { nameOfTask } from "@warpfarm/records/search";
import fc from "fast-check";
import { pino } from "pino";
import { expect } from "vitest";
import { cpu, openRequest, timedResult } from "../../test-support/farm/scripted.ts";
import { SetAside } from "../src/flow/set-aside.ts";
import { type RecorderContext, writeRecords } from "../src/records/recorder.ts";
import type { Database } from "../src/store/database.ts";
import { encodeResult } from "../src/store/result-bytes.ts";
import { openSession } from "../src/store/sql/sessions.ts";

/** JSON as a hostile client writes it. */
const hostile = fc.constantFrom(
  ...[
    String.raw`"\ud800"`,
    String.raw`{"\udc00":0}`,
    String.raw`"\u0000"`,
    "1e999",
    "-0",
    '{"__proto__":1}',
    "1e400",
    "0.1e-400",
  ],
);
const deep = fc.integer({ min: 1, max: 100 }).map((n) => `${"[".repeat(n)}${"]".repeat(n)}`);
const plain = fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.stringify(value));
const { text } = fc.letrec<{ text: string; list: string; object: string }>((tie) => ({
  text: fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 1, arbitrary: hostile },
    { weight: 1, arbitrary: deep },
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("text"), { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
  object: fc
    .array(fc.tuple(fc.string({ unit: "binary" }), tie("text")), { maxLength: 3 })
    .map((all) => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`),
}));
const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("a\0b", "\ud800", "__proto__", "", "'; drop table records", "\\", "x".repeat(1_024), "ü🚜\n\t\x01"),
  // Long, and PostgreSQL cannot make it shorter.
  fc
    .array(fc.integer({ min: 0x4e00, max: 0x9fff }), { minLength: 300, maxLength: 400 })
    .map((all) => String.fromCharCode(...all)),
);
/** Mostly what is accepted, so that not everything falls at one field. */
const mostly = <T, U>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: bad });
const told = fc.record({
  task: mostly(fc.string({ unit: "grapheme", maxLength: 40 }), word),
  args: mostly(
    fc.array(text, { maxLength: 2 }).map((all) => `[${all.join(",")}]`),
    text,
  ),
  version: mostly(fc.constant("2"), word),
  tuner: mostly(fc.constant("xgb"), word),
  seed: fc.maxSafeInteger(),
  default_seconds: mostly(fc.constantFrom(undefined, 1e-9, 1e9), fc.double()),
  labels: fc.dictionary(mostly(fc.constantFrom("a", "constructor"), fc.constantFrom("__proto__", "a b")), word, { maxKeys: 2 }),
  config: fc.oneof(
    text,
    fc.tuple(word, text).map(([name, value]) => `[[${JSON.stringify(name)},"ot",${value}]]`),
  ),
});

/** A search as JSON, whose arguments may be no JSON. Some have none. */
const searchText = ({
  task,
  version,
  args,
  tuner,
  seed,
}: Record<"task" | "version" | "args" | "tuner", string> & { seed: number }) =>
  task === ""
    ? ""
    : `{"version":1,"task":${JSON.stringify({ template: task, version })},"args":${args},${JSON.stringify({ tuner, seed }).slice(1)}`;

/** Resolves with how many of `samples` were accepted; all of them are records then. */
export async function everyAcceptedIsRecorded(db: Database, samples: number): Promise<number> {
  const result = encodeResult(timedResult(1, cpu(1), digestOf("an artifact") as string as ArtifactDigest));
  const wanted = new Map<string, { readonly task: string; readonly args: Json; readonly labels: Json }>();
  for (const [i, { config, labels, default_seconds, ...search }] of fc.sample(told, samples).entries()) {
    const opening = openSessionToWire({ ...openRequest, requestId: `r${i}` });
    const wire = {
      ...opening,
      labels,
      provenance: { search: searchText(search), space: "", library_seconds: undefined, default_seconds },
    };
    try {
      const request = openSessionFromWire({
        continues: "",
        weight: 0,
        reuse: false,
        paired: null,
        keep: "KEEP_UNSPECIFIED",
        ...wire,
      } as never);
      const input = measureRequestFromWire({
        input: {
          sequence: 1,
          program: { digest: digestOf(`p${i}`) },
          reference: null,
          others: [],
          avoid_nodes: [],
          proposal: { config, trial: 1, told: 0 },
        },
      } as never);
      const id = toSessionId(`s${i}`);
      const who = { principal: "alice", owner: "alice", idleMs: 60_000, maxSessions: samples };
      await openSession(db, id, { ...request, ...who });
      await db.query(
        "insert into requests (session_id, sequence, program, target, state, result, proposal) values ($1, 1, $2, 'cpu/x86-64-v3', 4, $3, $4)",
        [id, digestOf(`p${i}`), result, JSON.stringify(input.kind === "input" && input.proposal)],
      );
      wanted.set(`${id}/1`, {
        task: request.provenance?.search ? nameOfTask(request.provenance.search.task) : request.task,
        args: Array.isArray(request.provenance?.search?.args) ? request.provenance.search.args : [],
        labels: request.labels,
      });
    } catch (error) {
      if ((error as { code?: string }).code !== "INVALID_ARGUMENT") throw error;
    }
  }
  const aside: string[] = [];
  const context = {
    db,
    limits: {},
    clock: new ManualClock(),
    newId: randomId,
    registry: { uses: () => new Map() },
    setAside: new SetAside({ log: pino({ level: "silent" }), onSetAside: (queue) => aside.push(queue) }),
  } as unknown as RecorderContext;
  while ((await writeRecords(context)) > 0);
  expect(aside).toEqual([]);
  const rows = await db.query<{ id: string; doc: string }>("select id, doc from records");
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(wanted.keys()));
  for (const { id, doc } of rows) {
    const { task, args, labels = {} } = recordFromJson(JSON.parse(doc));
    expect(canonicalJson({ task, args, labels })).toBe(canonicalJson(wanted.get(id)));
  }
  return wanted.size;
}
