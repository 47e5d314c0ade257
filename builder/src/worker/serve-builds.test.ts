import { expect, test } from "vitest";
import { noProcess } from "./serve-builds.ts";

test.each([
  "sh: 1: Cannot fork",
  "/bin/sh: fork: retry: Resource temporarily unavailable",
  "gcc: fatal error: cannot execute 'cc1': vfork: Resource temporarily unavailable",
  "collect2: fatal error: posix_spawn: Resource temporarily unavailable",
])("%s: no program could be started", (words) => {
  expect(noProcess.exec(`warning: x\n${words}\ncompilation terminated.`)?.[0]).toBe(words);
});

test.each([
  "kernel.c:1:2: error: 'fork' undeclared",
  "read: Resource temporarily unavailable",
  "error: cannot open fork.h",
])("%s: that is something else", (words) => expect(noProcess.test(words)).toBe(false));
