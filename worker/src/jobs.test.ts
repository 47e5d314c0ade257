import { outOfFilesWords } from "@warpfarm/common";
import type { Assignment, OutcomeKind } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { Jobs, type WorkerRole } from "./jobs.ts";

const outcomeOf = (error: unknown) =>
  new Promise<OutcomeKind | undefined>((resolve) => {
    const role = { capacity: [{ device: 0, count: 1 }], work: () => Promise.reject(error) } as unknown as WorkerRole;
    const jobs = new Jobs({ role, emit: () => {}, onEnd: (_, outcome) => resolve(outcome) });
    jobs.start([{ leaseId: "l", epoch: 1, job: { kind: "build" } } as unknown as Assignment]);
  });

it.each([
  "EMFILE",
  "ENFILE",
])("a job for which no more files could be opened (%s) is a fault that names no path of the worker", async (code) => {
  const error = Object.assign(new Error(`${code}: too many open files, open '/home/u/key'`), { code });
  expect(await outcomeOf(error)).toEqual({ kind: "fault", message: outOfFilesWords, suspect: false });
});

it("another error keeps its words", async () => {
  expect(await outcomeOf(new Error("EACCES: x"))).toMatchObject({ kind: "fault", message: "EACCES: x" });
});
