/** The words of failures in other tuners' files. */
import { expect, test } from "vitest";
import { failed } from "../../../test-support/record-store-contract.ts";
import { failureOf, failureWord } from "./failures.ts";

type Failure = Parameters<typeof failureWord>[1];
const wordOf = (form: string, failure: unknown) => failureWord(form, failure as Failure);

test.each([
  "ktt",
  "t4",
  "kernel-tuner",
])("a failure of a file in %s has its own word there, also one that nobody knows", (form) => {
  expect(failureOf(form, "Crashed")).toMatchObject({ errorNo: 8, rule: `${form}.Crashed` });
  expect(wordOf(form, failureOf(form, "Crashed"))).toBe("Crashed");
});

test("in another form it has the word for the same failure, or else the nearest one", () => {
  expect(["kernel-tuner", "t4"].map((form) => wordOf(form, failureOf("ktt", "CompilationFailed")))).toEqual([
    "CompilationFailedConfig",
    "compile",
  ]);
  const words = (errorNo: Parameters<typeof failed>[0]) =>
    ["kernel-tuner", "t4", "ktt"].map((form) => wordOf(form, failed(errorNo)));
  expect(words(5)).toEqual(["RuntimeFailedConfig", "correctness", "ValidationFailed"]);
  expect(words(7)).toEqual(["RuntimeFailedConfig", "timeout", "ComputationFailed"]);
  expect(words(6)).toEqual(["CompilationFailedConfig", "compile", "CompilationFailed"]);
});
