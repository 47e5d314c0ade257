/** Small files of other tools, and what commands make of them. For tests. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli, scratch, storesInMemory } from "./context.testing.ts";

/** A file of client/test/vectors/cases. */
export const cased = (path: string) => fileURLToPath(new URL(`../../test/vectors/cases/${path}`, import.meta.url));
export function file(text: string | Buffer, name: string): string {
  const path = join(scratch(), name);
  writeFileSync(path, text);
  return path;
}

export interface Line {
  readonly target?: string;
  readonly index?: number;
  readonly costs?: string;
  readonly error?: number;
  readonly timestamp?: string;
}
/** A line of AutoTVM 0.2. */
export const line = ({
  target = "cuda -arch=sm_70",
  index = 1,
  costs = "[0.0001]",
  error = 0,
  timestamp = "1700000000.25",
}: Line = {}) =>
  `{"input": [${JSON.stringify(target)}, "my", [64], {}], "config": {"index": ${index}, "code_hash": null, "entity": [["tile_x", "sp", [-1, ${index}]]]}, "result": [${costs}, ${error}, 1.5, ${timestamp}], "version": 0.2, "tvm_version": "0.8.0"}`;
export const log = (...lines: readonly Line[]) => lines.map((each) => `${line(each)}\n`).join("");

/** The best of a log, in microseconds, and what was said of it. */
export async function best(path: string, ...flags: string[]) {
  const { code, stdout, stderr } = await runCli(["best", path, "--json", ...flags]);
  const found = code === 0 ? JSON.parse(stdout) : undefined;
  const all = (found?.best ?? (found ? [found] : [])) as {
    readonly seconds: number;
    readonly index: number;
    readonly device?: string;
  }[];
  return { code, stderr, us: all.map(({ seconds }) => Math.round(seconds * 1e9) / 1e3), all };
}
/** What an import of a file leaves in an empty store. */
export async function imported(path: string, ...flags: string[]) {
  const given = { home: scratch(), openRecords: storesInMemory() };
  const { code, stdout, stderr } = await runCli(["records", "import", path, ...flags], given);
  const { records } = JSON.parse(
    (await runCli(["records", "query", "--json", "--limit", "1000", "--order", "oldest"], given)).stdout,
  );
  const us = records.map((result: { kind: string; costs: number[] }) =>
    result.kind === "timed" ? Math.round((result.costs[0] as number) * 1e9) / 1e3 : "failed",
  );
  return { code, stdout, stderr, records, us: us.sort() as (number | string)[], given };
}
