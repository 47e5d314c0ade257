import { expect, test } from "vitest";
import { lookForGpus } from "./look-for-gpus.ts";

test("a machine without the driver says which library is missing and what to do", () => {
  expect(lookForGpus("libcuda-that-is-not-there.so.1")).toEqual({
    kind: "none",
    why: expect.stringMatching(/^libcuda-that-is-not-there\.so\.1 cannot be loaded \(.*\); the NVIDIA driver brings it$/),
    advice: expect.stringContaining("install NVIDIA's driver"),
  });
});
test("a library that is no driver is named with what it lacks", () => {
  expect(lookForGpus("libc.so.6")).toMatchObject({ kind: "none", why: expect.stringMatching(/^libc\.so\.6: .*cuInit/) });
});
