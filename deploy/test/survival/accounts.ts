/**
 * The accounts of a run on scripted devices: the results in the clients' logs, and the executions in the devices' journals. Every
 * measurement has one result, it belongs to its own program (script.mjs), and nothing was executed more often than the faults
 * explain.
 */
import { existsSync, readFileSync } from "node:fs";
import type { ProgramDigest } from "@warpfarm/common";
import { programOf, saidOf, verdictOf } from "../../../test-support/farm/script.mjs";

const linesOf = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .slice(0, -1)
        .filter((line) => line !== "")
    : [];

interface LogLine {
  readonly session?: string;
  readonly sequence?: number;
  readonly program?: ProgramDigest;
  readonly said?: string;
  readonly attempt?: number;
}

/** Lines of a client's log that are results. */
export const resultsIn = (log: string): LogLine[] =>
  linesOf(log)
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.sequence !== undefined);

export interface ClientAccount {
  readonly run: string;
  readonly count: number;
  readonly lost: readonly number[];
  readonly twice: readonly number[];
  /** Results of another program: "sequence: the result, the expected result". */
  readonly wrong: readonly string[];
}

export function accountOf(run: string, count: number, log: string): ClientAccount {
  const results = resultsIn(log);
  const times = new Map<number, number>();
  for (const { sequence = 0 } of results) times.set(sequence, (times.get(sequence) ?? 0) + 1);
  const all = Array.from({ length: count }, (_, i) => i + 1);
  return {
    run,
    count,
    lost: all.filter((i) => !times.has(i)),
    twice: [...times].flatMap(([i, n]) => (n > 1 || !all.includes(i) ? [i] : [])),
    wrong: results.flatMap(({ sequence = 0, program, said }) => {
      const { digest } = programOf(run, sequence);
      // A campaign that kills two hosts of one job cannot be told from a job that ends its hosts.
      const gaveUp = /^8 the (?:measurement|build) was given up after \d+ losses, 2 of them by the end of its host/.test(
        `${said}`,
      );
      return program === digest && (gaveUp || said === saidOf(digest)) ? [] : [`${sequence}: ${said}, not ${saidOf(digest)}`];
    }),
  };
}

interface Entry {
  readonly what: "build" | "run";
  readonly worker: string;
  readonly program: ProgramDigest;
}

export interface Work {
  /** Executions and builds begun for the programs of these runs. */
  readonly executions: number;
  readonly builds: number;
  /** Beyond the one that each program needs. */
  readonly repeatedRuns: number;
  readonly repeatedBuilds: number;
  readonly mostOfOne: number;
  /** Programs that compile and were never executed. */
  readonly unexecuted: readonly string[];
  /** Executions and builds begun by each worker. */
  readonly by: Readonly<Record<string, number>>;
}

/** What the devices did for these runs. */
export function workOf(journal: string, runs: readonly { readonly run: string; readonly count: number }[]): Work {
  // An entry that kill -9 cut off was written before its job began, so that job did not begin.
  const entries = linesOf(journal).flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Entry] : []));
  const executed = new Map<string, number>();
  const built = new Map<string, number>();
  for (const { what, program } of entries) {
    const book = what === "run" ? executed : built;
    book.set(program, (book.get(program) ?? 0) + 1);
  }
  const unexecuted: string[] = [];
  const programs = new Set(
    runs.flatMap(({ run, count }) => Array.from({ length: count + 1 }, (_, i) => programOf(run, i).digest)),
  );
  const by: Record<string, number> = {};
  for (const { worker, program } of entries) if (programs.has(program)) by[worker] = (by[worker] ?? 0) + 1;
  let [executions, builds, neededRuns, neededBuilds, mostOfOne] = [0, 0, 0, 0, 0];
  for (const { run, count } of runs)
    for (let i = 0; i <= count; i++) {
      const { digest } = programOf(run, i);
      const isRun = i > 0 && verdictOf(digest).at !== "build";
      executions += executed.get(digest) ?? 0;
      builds += built.get(digest) ?? 0;
      neededBuilds++;
      if (isRun) neededRuns++;
      if (isRun && !executed.has(digest)) unexecuted.push(`${run}/${i}`);
      mostOfOne = Math.max(mostOfOne, executed.get(digest) ?? 0);
    }
  const repeatedRuns = executions - neededRuns;
  const repeatedBuilds = builds - neededBuilds;
  return { executions, builds, repeatedRuns, repeatedBuilds, mostOfOne, unexecuted, by };
}
