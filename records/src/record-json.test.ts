/** Records of any file: the check made of the schema agrees with the schema, and a line's text is kept only where it is safe. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JudgedOutcome } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failed, record } from "../../test-support/record-store-contract.ts";
import { importedRecord } from "./imported.ts";
import { lineSchema } from "./log/autotvm-line.ts";
import { measuredFields } from "./log/from-log.ts";
import { encodeRecord, isRecordJson, recordFromJson, recordSchema } from "./record-json.ts";
import { PackedRecord } from "./store/rows.ts";
import { wellFormed } from "./well-formed.ts";

type Fields = { [name: string]: unknown };

const vector = fileURLToPath(new URL("../../client/test/vectors/autotvm-conv2d-h100.log.json", import.meta.url));
const [autotvmLine = ""] = readFileSync(vector, "utf8").split("\n");

const usual = (): Fields =>
  JSON.parse(
    encodeRecord(
      record("s-1/1", {
        options: { number: 0, repeat: 3, l2: "warm", timer: "events", check: "none" },
        search: { seed: -1, defaultSeconds: 1e-3 },
        foreign: { a: [1] },
        private: false,
        attempt: 1,
      }),
    ),
  ) as Fields;

/** Places of a value, as paths from the whole. */
function* places(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value === "object" && value !== null) for (const [key, v] of Object.entries(value)) yield* places(v, [...path, key]);
}

function changed(whole: Fields, path: readonly string[], change: (parent: Fields, key: string) => void): Fields {
  const parent = path.slice(0, -1).reduce<Fields>((at, key) => at[key] as Fields, whole);
  change(parent, path.at(-1) as string);
  return whole;
}

describe("the check made of a schema", () => {
  it("accepts what records and AutoTVM's lines are written as", () => {
    expect(isRecordJson(usual())).toBe(true);
    expect(isRecordJson({ ...JSON.parse(encodeRecord(record("f", { result: failed(4) }))) })).toBe(true);
    expect(wellFormed(lineSchema)(JSON.parse(autotvmLine))).toBe(true);
  });

  it("keeps how a result was judged", () => {
    const hex = "0f".repeat(32);
    const outcomes: JudgedOutcome[] = [
      { not: "in-out" },
      { sets: 3, commitment: hex },
      { sets: 2, commitment: hex, audit: { sets: 64, secret: hex, scored: [2e-6, 1e-6] } },
      { sets: 2, commitment: hex, audit: { sets: 64, secret: hex, scored: [2e-6], unlike: 7 } },
      { sets: 2, commitment: hex, audit: { sets: 64, secret: hex, scored: [2e-6] }, racecheck: "no hazards" },
      { sets: 2, commitment: hex, racecheck: "hazards" },
    ];
    for (const judged of outcomes) {
      const json = JSON.parse(encodeRecord(record("s-1/1", { judged }))) as Fields;
      expect(json.judged).toEqual(judged);
      expect(recordFromJson(json)).toMatchObject({ judged });
    }
  });

  const samples = [
    ["a record", recordSchema, usual],
    ["a line of AutoTVM", lineSchema, () => JSON.parse(autotvmLine) as Fields],
  ] as const;
  it.for(samples)("agrees with zod wherever a value of %s is lacking, another, or one more", ([, schema, sample]) => {
    const check = wellFormed(schema);
    const agrees = (json: unknown) => {
      const { data } = schema.safeParse(json);
      // It may say no where zod says yes, and never the other way round, nor where zod changes the value.
      if (check(json)) expect(data).toEqual(json);
      return data !== undefined;
    };
    const paths = fc.constantFrom(...places(sample()));
    const value = fc.oneof(
      fc.constantFrom(null, true, 0, -1, 1.5, 9, 2 ** 60, Number.POSITIVE_INFINITY, "", "warm", "x".repeat(201), [], {}, [[]]),
      fc.jsonValue(),
    );
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(paths, fc.constantFrom("drop", "set", "add"), value, fc.string(), (path, what, v, name) => {
        const json = changed(sample(), path, (parent, key) => {
          if (what === "drop" && Array.isArray(parent)) parent.splice(Number(key), 1);
          else if (what === "drop") delete parent[key];
          else if (what === "set" || Array.isArray(parent)) parent[key] = v;
          else Object.defineProperty(parent, name, { value: v, enumerable: true, configurable: true, writable: true });
        });
        if (agrees(json)) accepted++;
        else refused++;
      }),
      { numRuns: 500 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(50);
  });

  it("says no to a kind of schema that it does not know", () => {
    expect(wellFormed(z.string().refine((text) => text !== "a"))("a")).toBe(false);
    expect(wellFormed(z.union([z.string(), z.number()]))("a")).toBe(false);
    expect(wellFormed(z.string().trim())(" a")).toBe(false);
    expect(wellFormed(z.string().regex(/b/))("a")).toBe(false);
  });
});

describe("a line that is imported", () => {
  const imported = (line: string) => {
    const packed = PackedRecord.imported(line, "eve");
    expect(packed.record).toEqual(importedRecord(recordFromJson(JSON.parse(line)), "eve"));
    return packed;
  };

  it("has one id however its fields are ordered and its numbers written, and another for each other content or importer", () => {
    const whole = record("s/1", {
      result: { kind: "failed", errorNo: 4, rule: "x", message: "no" },
      observations: { smClockMhz: 1, temperatureC: 2 },
      options: { repeat: 3, l2: "warm", runTimeoutMs: 1 },
      search: { tuner: "auto", seed: 1, told: 2 },
    });
    const line = encodeRecord(whole);
    const { id } = imported(line).record;
    const turned = (object: object) => Object.fromEntries(Object.entries(object).reverse());
    const json = JSON.parse(line);
    for (const name of ["search", "device", "observations", "options"] as const)
      expect(imported(JSON.stringify({ ...json, [name]: turned(json[name]) })).record.id, name).toBe(id);
    const { version, id: _, origin, ...rest } = json;
    expect(imported(JSON.stringify({ version, id: "other", origin, ...turned(rest) })).record.id).toBe(id);
    expect(imported(line.replace('"seed":1', '"seed": 1.0')).record.id).toBe(id);
    expect(imported(line.replace(/}$/, ',"standing":"verified"}')).record).toEqual(imported(line).record);
    for (const other of [{ timestamp_ms: json.timestamp_ms + 1 }, { args: [64, 64, 65] }, { reference: "sha256:1" }])
      expect(imported(JSON.stringify({ ...json, ...other })).record.id).not.toBe(id);
    expect(PackedRecord.imported(line, "bob").record.id).not.toBe(id);
  });

  it("is the record that its parts give, whatever it holds", () => {
    const odd = ['"', "\\", "\t\n\r", "\\N", "ünï 🚜", '"id"', "}", "\u2028", "\\t"];
    for (const text of odd)
      imported(encodeRecord(record(`s${text}/1`, { labels: { text }, origin: { kind: "measured", by: text }, space: text })));
    imported(JSON.stringify(usual(), null, 1));
  });

  it("is nobody else's measurement, however it says so", () => {
    const line = encodeRecord(record("s-1/1"));
    const lies = [
      '"origin":{"kind":"measured","by":"ada"}',
      '"\\u006frigin":{"kind":"measured","by":"ada"}',
      '"id":"s-1/1"',
      '"\\u0069d":"s-1/1"',
    ];
    for (const lie of lies) {
      const { record: read, doc } = imported(`${line.slice(0, -1)},${lie}}`);
      expect(read.origin).toEqual({ kind: "imported", by: "eve", format: "warpfarm" });
      expect(read.id).toMatch(/^warpfarm\/sha256:/);
      expect(JSON.parse(doc)).toMatchObject({ id: read.id, origin: read.origin });
    }
  });

  it("is whole in its row whatever its bytes, wherever the piece of memory ends that rows share", () => {
    const all = Array.from({ length: 300 }, (_, i) => record(`r${i}`, { labels: { text: "試🚜ü".repeat(999 + (i % 7)) } }));
    const packed = all.map((each) => PackedRecord.of(each));
    expect(packed.map((each) => each.record)).toEqual(all);
  });

  it("leaves out fields that a record has not", () => {
    expect(imported(encodeRecord(record("a")).replace("{", '{"more":1,')).doc).not.toContain("more");
  });
});

it("a record has how long its build took, and nothing where a builder had the code", () => {
  const phases = { runMs: 0, timestampMs: 1.5, attempt: 1 };
  const fieldsOf = (buildMs: number) => measuredFields({ kind: "failed", errorNo: 4, message: "", buildMs, ...phases });
  expect(fieldsOf(0.25)).toMatchObject({ buildMs: 0.25, runMs: 0, timestampMs: 1 });
  expect(fieldsOf(0)).not.toHaveProperty("buildMs");
});
