/** What a failing test shows of its processes (test-support/heard.ts). */
import { expect, test } from "vitest";
import { forgetEnded, hear, heard } from "../../test-support/heard.ts";

test("the last words of processes are kept while these run, and then to the end of the test", () => {
  const process = (name: string, text: string) => {
    const one = { name, end: null as number | null };
    hear({ name, said: () => text, end: () => one.end });
    return one;
  };
  const [serving, done] = [process("serving", "ready\n"), process("done", `${"x".repeat(5_000)}last`)];
  done.end = 0;
  const shown = () => heard().filter((words) => /^(serving|done):/.test(words));
  expect(shown()).toEqual([
    "serving: runs\nready\n",
    `done: ended with 0\n... 2004 characters before ...\n${"x".repeat(2_996)}last`,
  ]);
  forgetEnded();
  expect(shown()).toEqual(["serving: runs\nready\n"]);
  serving.end = 3;
  expect(shown()).toEqual(["serving: ended with 3\nready\n"]);
  forgetEnded();
  expect(shown()).toEqual([]);
});
