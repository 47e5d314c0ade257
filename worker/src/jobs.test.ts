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

/** Jobs whose ends the test gives, on a device of two slots and another of one. */
function twoDevices() {
  const ends = new Map<string, (outcome: OutcomeKind) => void>();
  const signals = new Map<string, AbortSignal>();
  const said: string[] = [];
  const role = {
    capacity: [
      { device: 0, count: 2 },
      { device: 1, count: 1 },
    ],
    work: ({ leaseId }: Assignment, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<OutcomeKind>((resolve) => {
        ends.set(leaseId, resolve);
        signals.set(leaseId, signal);
      }),
  } as unknown as WorkerRole;
  const jobs = new Jobs({
    role,
    emit: (event) => void ("leaseId" in event && said.push(`${event.kind} ${event.leaseId}`)),
    onEnd: ({ leaseId }, outcome) => void said.push(`${outcome?.kind ?? "nothing"} of ${leaseId}`),
  });
  const run = (leaseId: string, device: number, epoch = 1) =>
    ({ leaseId, epoch, job: { kind: "run", device } }) as unknown as Assignment;
  const free = () => jobs.free(true).map(({ count }) => count);
  const end = async (leaseId: string) => {
    ends.get(leaseId)?.({ kind: "fault", message: "", suspect: false });
    await new Promise(setImmediate);
  };
  return { jobs, run, free, end, signals, said };
}

it("each device has its own slots, which fill, empty and fill again, and are never fewer than none", async () => {
  const { jobs, run, free, end } = twoDevices();
  for (let epoch = 1; epoch <= 2; epoch++) {
    jobs.start([run("a", 0, epoch), run("b", 1, epoch)]);
    expect(free()).toEqual([1, 0]);
    jobs.start([run("c", 0, epoch), run("d", 1, epoch)]);
    expect([free(), jobs.leases]).toEqual([
      [0, 0],
      ["a", "b", "c", "d"],
    ]);
    for (const lease of ["b", "d", "a", "c"]) await end(lease);
    expect([free(), jobs.leases]).toEqual([[2, 1], []]);
  }
  expect(jobs.free(false).map(({ count }) => count)).toEqual([0, 0]);
});

it("one that is cancelled is told so once, has its slot until it ends, and no outcome whatever it ends with", async () => {
  const { jobs, run, free, end, signals, said } = twoDevices();
  jobs.start([run("a", 0), run("b", 1)]);
  for (let i = 0; i < 2; i++) jobs.cancel(["a", "unknown"] as never);
  expect([signals.get("a")?.aborted, signals.get("b")?.aborted, free()]).toEqual([true, false, [1, 0]]);
  await end("a");
  await end("b");
  expect(free()).toEqual([2, 1]);
  expect(said).toEqual(["started a", "started b", "cancelled a", "nothing of a", "fault of b"]);
});

it("one that does not heed the end of its worker is given up at the limit, which may be over already", async () => {
  for (const isOver of [false, true]) {
    const { jobs, run, end, said } = twoDevices();
    jobs.start([run("a", 0)]);
    const limit = new AbortController();
    if (isOver) limit.abort();
    const left = jobs.leave(limit.signal);
    limit.abort();
    await left;
    await end("a");
    expect([jobs.leases, said]).toEqual([[], ["started a", "nothing of a"]]);
  }
});
