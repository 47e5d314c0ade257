/** How a task's log comes to the farm that keeps its suite. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FarmError } from "@warpfarm/common";
import type { SuiteClient } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { scratch } from "../context.testing.ts";
import { fetchLog } from "./farm-suite.ts";
import { LogReport } from "./log-report.ts";

const { signal } = new AbortController();
type Sent = Parameters<SuiteClient["report"]>[0];

/** `answer`: to the nth report; an error is thrown. */
function reporting(text: string, at: number, answer: (nth: number) => boolean | Error = () => false) {
  const path = join(scratch(), "a.jsonl");
  writeFileSync(path, text);
  const sent: Sent[] = [];
  const suites = {
    report: async (one: Sent) => {
      sent.push(one);
      const cancelled = answer(sent.length);
      if (cancelled instanceof Error) throw cancelled;
      return { cancelled };
    },
  } as unknown as SuiteClient;
  return { path, sent, log: new LogReport(suites, "s", "t", 3, path, at) };
}
const pieces = (sent: readonly Sent[]) => sent.map(({ logAt, log, ended }) => [logAt, log.length, ended]);

it("is sent in pieces of a mebibyte from where it was known, whole lines at its end, and the last piece says why it ended", async () => {
  const line = `${"x".repeat(999)}\n`;
  const { sent, log, path } = reporting(`${line.repeat(3_000)}torn`, 5_000);
  expect(await log.send("budget", signal)).toEqual({ isOurs: true });
  const piece = 2 ** 20;
  expect(pieces(sent)).toEqual([
    [5_000, piece, ""],
    [5_000 + piece, piece, ""],
    [5_000 + 2 * piece, 3_000_000 - 5_000 - 2 * piece, "budget"],
  ]);
  expect(Buffer.concat(sent.map(({ log: bytes }) => bytes)).toString()).toBe(line.repeat(2_995));
  expect(sent.every(({ suiteId, taskId, epoch }) => [suiteId, taskId, epoch].join() === "s,t,3")).toBe(true);
  appendFileSync(path, " line\n");
  await log.send("", signal);
  expect(sent.at(-1)?.log.toString()).toBe(Buffer.from("torn line\n").toString());
});

it("goes on from the same place where the farm was away, unless it has to say why it ended", async () => {
  const away = new FarmError("UNAVAILABLE", "away");
  const { sent, log } = reporting("one\n", 0, (nth) => (nth === 2 ? false : away));
  expect(await log.send("", signal)).toEqual({ isOurs: true });
  await log.send("", signal);
  expect(pieces(sent)).toEqual([
    [0, 4, ""],
    [0, 4, ""],
  ]);
  await expect(log.send("trials", signal)).rejects.toThrow("away");
});

it.each([
  ["cancelled", true],
  ["taken over", new FarmError("ABORTED", "another has it")],
] as const)("is not ours any more when the suite was %s", async (_, answer) => {
  const { log } = reporting("one\n", 0, () => answer);
  expect(await log.send("", signal)).toEqual({ isOurs: false });
});

it("comes back from where the copy here ends, and takes the place of a longer one, which is of another suite", async () => {
  const kept = "one\ntwo\nthree\n";
  const asked: number[] = [];
  const suites = {
    log: async (_suite: string, _task: string, at: number) => {
      asked.push(at);
      return Buffer.from(kept.slice(at, at + 5));
    },
  } as unknown as SuiteClient;
  for (const [there, from] of [
    ["one\n", 4],
    [`${kept}more\n`, 0],
  ] as const) {
    const path = join(scratch(), "logs", "a.jsonl");
    mkdirSync(dirname(path));
    writeFileSync(path, there);
    asked.length = 0;
    await fetchLog(suites, "s", "t", kept.length, path, signal);
    expect([readFileSync(path, "utf8"), asked[0]]).toEqual([kept, from]);
  }
});
