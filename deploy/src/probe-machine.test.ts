import { FarmError } from "@warpfarm/common";
import { expect, test } from "vitest";
import { sandboxFinding } from "./probe-machine.ts";

test("doctor tells a machine with a sandbox, one without, and one that did not answer apart", () => {
  const landlock = { landlock: 7, seccomp: true, missing: ["no bwrap on the path"] };
  expect(sandboxFinding(landlock)).toEqual({
    name: "sandbox",
    state: "ok",
    detail: "compilers and CPU kernels are kept in Landlock 7, seccomp (no bwrap on the path)",
  });
  expect(sandboxFinding({ landlock: 0, seccomp: false, missing: ["no Landlock"] })).toMatchObject({
    state: "absent",
    detail: "none (no Landlock)",
    advice: expect.stringMatching(/builders refuse CUDA text.*runners serve other machines only with --no-sandbox/),
  });
  const killed = new FarmError("UNAVAILABLE", "the kernel's probe failed 4 times, last: it was ended by SIGKILL");
  expect(sandboxFinding(killed)).toMatchObject({
    state: "missing",
    detail: killed.message,
    advice: expect.stringContaining("--no-sandbox"),
  });
});
