import { describe, expect, it } from "vitest";
import { h100, record } from "../../test-support/record-store-contract.ts";
import { checkChange, checkFilter, checkQuery, decodeCursor, encodeCursor, longestPage, passes } from "./filter.ts";
import { type RecordFilter, recordOrders } from "./store.ts";
import type { TuningRecord } from "./tuning-record.ts";

describe("a filter", () => {
  const one = record("a", { timestampMs: 1_000 });
  const all: Required<Omit<RecordFilter, "believed">> = {
    ids: ["b", "a"],
    task: "matmul",
    args: [64, 64, 64],
    template: "matmul_mma",
    device: h100.key,
    deviceName: h100.name,
    target: "cuda/sm_90",
    program: one.program as string,
    session: "s-1",
    by: "ada",
    outcome: "timed",
    origin: "measured",
    sinceMs: 1_000,
    untilMs: 1_001,
  };

  it("lets a record pass that is as each of its fields says, and none that differs in one", () => {
    expect(passes(one, all)).toBe(true);
    expect(passes(one, {})).toBe(true);
    const others: { readonly [K in keyof typeof all]: readonly (typeof all)[K][] } = {
      ids: [["b"], []],
      task: ["conv"],
      args: [[64, 64], [64, 64, 65], []],
      template: ["", "matmul"],
      device: ["cuda/sm_80", ""],
      deviceName: ["NVIDIA H200"],
      target: ["cuda/sm_90a"],
      program: ["", record("b").program as string],
      session: ["s-2", ""],
      by: ["bob"],
      outcome: ["failed"],
      origin: ["imported"],
      sinceMs: [1_001],
      untilMs: [1_000],
    };
    for (const [name, values] of Object.entries(others))
      for (const value of values) {
        expect(passes(one, { ...all, [name]: value }), name).toBe(false);
        expect(passes(one, { [name]: value }), name).toBe(false);
      }
  });

  it("takes what a record has not for empty text", () => {
    const { template, device, program, session, ...bare } = record("bare");
    const of = bare as TuningRecord;
    expect(passes(of, { template: "", device: "", deviceName: "", program: "", session: "" })).toBe(true);
    for (const field of ["template", "device", "deviceName", "program", "session"])
      expect(passes(of, { [field]: "x" }), field).toBe(false);
    expect([template, device, program, session].every((each) => each !== undefined)).toBe(true);
  });

  it("has args with a task alone, times in whole milliseconds, and something in it where records change", () => {
    checkFilter({ task: "t", args: [] });
    expect(() => checkFilter({ args: [] })).toThrow("args are given without a task");
    for (const name of ["sinceMs", "untilMs"]) {
      checkFilter({ [name]: -1 });
      for (const value of [0.5, Number.NaN, 2 ** 53]) expect(() => checkFilter({ [name]: value })).toThrow(`${name} is ${value}`);
    }
    for (const change of ["deleting", "sharing"] as const) {
      expect(() => checkChange({}, change)).toThrow(`no record is named: ${change}`);
      expect(() => checkChange({ task: undefined } as never, change)).toThrow("no record is named");
      checkChange({ sinceMs: 0 }, change);
    }
  });
});

describe("a query", () => {
  it("has 1 to 1000 records on a page, 100 unless it says, the newest first", () => {
    expect(checkQuery({})).toEqual({ order: "newest", limit: 100 });
    expect([longestPage, ...[1, 1_000].map((limit) => checkQuery({ limit }).limit)]).toEqual([1_000, 1, 1_000]);
    for (const limit of [0, 1_001, 1.5, -1, Number.NaN]) expect(() => checkQuery({ limit })).toThrow(`limit is ${limit}`);
    expect(() => checkQuery({ order: "best" as never })).toThrow('order is "best"');
  });

  it("goes on at its own cursor in its own order, and at no other text", () => {
    const place = { at: 12.5, key: "0123456789abcdef".repeat(2) };
    expect(decodeCursor(encodeCursor(place, "fastest"), "fastest")).toEqual(place);
    for (const order of ["newest", "oldest"]) {
      expect(decodeCursor(encodeCursor({ ...place, at: -7 }, order), order)).toEqual({ ...place, at: -7 });
      expect(() => decodeCursor(encodeCursor(place, order), order)).toThrow("cursor is");
    }
    for (const order of recordOrders)
      for (const other of recordOrders.filter((each) => each !== order))
        expect(() => decodeCursor(encodeCursor({ ...place, at: 7 }, other), order)).toThrow(`ordered by ${order}`);
    for (const key of ["", "0".repeat(31), "0".repeat(33), "G".repeat(32)])
      expect(() => decodeCursor(encodeCursor({ at: 7, key }, "newest"), "newest")).toThrow("cursor is");
    for (const text of ["", "x", Buffer.from("[]").toString("base64url"), Buffer.from("null").toString("base64url")])
      expect(() => decodeCursor(text, "newest")).toThrow("cursor is");
  });
});
