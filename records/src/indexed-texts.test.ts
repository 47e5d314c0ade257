import { expect, it } from "vitest";
import { indexedText } from "./indexed-texts.ts";
import { insertRecords } from "./store/insert.ts";
import { openPgliteSql } from "./store/pglite.ts";
import type { TuningRecord } from "./tuning-record.ts";

/** Three bytes each, and nothing to compress. */
const wide = (length: number) => Array.from({ length }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))).join("");

it("texts of the greatest length go into every index at once, and longer ones are refused", async () => {
  await using sql = await openPgliteSql("memory");
  const longest = {
    ...{ task: wide(400), template: wide(400), target: wide(200), session: wide(200) },
    device: { key: wide(100), name: wide(256) },
  };
  const record = (more: object) =>
    ({
      id: `x/${JSON.stringify(more).length}`,
      origin: { kind: "measured", by: "local" },
      args: [],
      result: { kind: "timed", costs: [1], checked: true },
      timestampMs: 1,
      ...longest,
      ...more,
    }) as unknown as TuningRecord;
  expect(await sql.transaction((tx) => insertRecords(tx, [record({})]))).toMatchObject({ added: 1 });
  const { device } = longest;
  for (const [field, more] of [
    ["task", { task: wide(401) }],
    ["template", { template: wide(401) }],
    ["target", { target: wide(201) }],
    ["session", { session: wide(201) }],
    ["device.key", { device: { ...device, key: wide(101) } }],
    ["device.name", { device: { ...device, name: wide(257) } }],
    ["task", { task: "a\0" }],
    ["device.name", { device: { ...device, name: "\0" } }],
    ["task", { task: "a\u001b[31m" }],
    ["template", { template: "a\u202eb" }],
  ] as const)
    await expect(sql.transaction((tx) => insertRecords(tx, [record(more)]))).rejects.toThrow(new RegExp(`^${field} is `));
});

it("a message names the field and what is allowed", () => {
  expect(() => indexedText("task", "x".repeat(401), "provenance.task")).toThrow(
    "provenance.task is 401 characters; allowed: at most 400",
  );
  expect(indexedText("task", "x".repeat(400))).toHaveLength(400);
});
