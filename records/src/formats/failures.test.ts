/** The words of failures in other tuners' files. */
import { expect, test } from "vitest";
import { failureOf } from "./failures.ts";

test("a failure has the number of its word, and of a word that nobody knows that of an unknown error", () => {
  const numbers = [
    ["kernel-tuner", "CompilationFailedConfig", 3],
    ["t4", "correctness", 5],
    ["t4", "timeout", 7],
    ["ktt", "DeviceLimitsExceeded", 1],
    ["ktt", "Crashed", 8],
  ] as const;
  for (const [form, word, errorNo] of numbers) expect(failureOf(form, word)).toMatchObject({ errorNo, rule: `${form}.${word}` });
});
