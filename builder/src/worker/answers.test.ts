import { describe, expect, test } from "vitest";
import { answerSchema, progressRules, progressSchema } from "./answers.ts";

const passes = (schema: { safeParse(value: unknown): { readonly success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("what a compile child may say", () => {
  test.each(["../x.tir", "a/b", "..", ".", "", "/etc/passwd", "a\0b", "x".repeat(129)])("a file named %j is refused", (name) => {
    expect(passes(progressSchema, { told: { lines: [], files: [{ name, text: "" }] } })).toBe(false);
  });

  test("files of a lowering are allowed", () => {
    const told = { lines: ["fuse: 1 ms"], files: [{ name: "007_flatten-buffers.tir", text: "x" }] };
    expect(passes(progressSchema, { told })).toBe(true);
  });

  test.each([
    { kind: "built", code: "text", manifest: {}, compileMs: 1 },
    { kind: "built", code: new Uint8Array(1), manifest: "text", compileMs: 1 },
    { kind: "built", code: new Uint8Array(1), manifest: {}, compileMs: -1 },
    { kind: "refused", errorNo: 4, rule: "r", message: "m", compileMs: 1 },
    { kind: "refused", errorNo: 3, rule: "r", compileMs: 1 },
    { kind: "fault", message: "m", more: 1 },
    { kind: "timed" },
  ])("%j is no answer", (answer) => {
    expect(passes(answerSchema, answer)).toBe(false);
  });

  test("it begins once, before a compiler gets the text, and only one does", () => {
    const rules = progressRules();
    expect(rules({ toolchain: "gcc" })).toBe('it said "toolchain" before it began');
    const others = progressRules();
    expect([others({ begun: true }), others({ toolchain: "gcc" })]).toEqual([undefined, undefined]);
    expect(others({ begun: true })).toBe('it said "begun" more than 1 times');
    expect(others({ toolchain: "gcc" })).toBe('it said "toolchain" more than 1 times');
  });
});
