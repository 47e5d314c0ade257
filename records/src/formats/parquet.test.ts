/** Records as Parquet: read by a library that did not write them, and read back. */
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { failed, record, timed } from "../../../test-support/record-store-contract.ts";
import { file, read, write, written } from "./forms.testing.ts";

describe("parquet", () => {
  const records = [
    record("a/1", { result: timed(3e-6, 1e-6, 2e-6) }),
    record("a/2", { result: failed(4, 'it \u2028 does "not" run'), timestampMs: 1_790_000_000_123 }),
  ];

  it("has columns of types, by a reader that is not ours", async () => {
    const bytes = await written("parquet", records);
    const file = {
      byteLength: bytes.length,
      slice: (from: number, to?: number) => Uint8Array.from(bytes.subarray(from, to)).buffer,
    };
    const metadata = parquetMetadata(Uint8Array.from(bytes).buffer);
    const types = Object.fromEntries(
      metadata.schema.slice(1).map(({ name, type, converted_type }) => [name, converted_type ?? type]),
    );
    expect(types).toMatchObject({ id: "UTF8", seconds: "DOUBLE", error_no: "INT32", time: "TIMESTAMP_MILLIS", record: "UTF8" });
    const rows = await parquetReadObjects({ file });
    expect(rows.map(({ id, seconds, error_no, config }) => [id, seconds, error_no, config])).toEqual([
      [
        "a/1",
        2e-6,
        0,
        JSON.stringify(Object.fromEntries(records[0]?.config?.entity.map(([name, , value]) => [name, value]) ?? [])),
      ],
      ["a/2", null, 4, expect.any(String)],
    ]);
    expect(rows[1]?.time).toEqual(new Date(1_790_000_000_123));
  });

  it("is read as what jsonl says of the records, and of none nothing", async () => {
    const path = file(await written("parquet", records));
    expect(await read(path)).toEqual(await read(file(await write("jsonl", records))));
    expect(await read(file(await written("parquet", [])))).toEqual([]);
  });

  it("cut short, or of other columns, is refused by its name", async () => {
    const bytes = await written("parquet", records);
    await expect(read(file(bytes.subarray(0, -9), "cut.parquet"))).rejects.toThrow(/^cut\.parquet \(parquet\): /);
    const other = Buffer.from(parquetWriteBuffer({ columnData: [{ name: "x", data: [1] }] }));
    await expect(read(file(other, "other.parquet"))).rejects.toThrow(/^other\.parquet \(parquet\): .*record/);
  });
});
