/** The sides of a comparison: runs, by their best kernels, and records. */
import type { RecordDetail, RunDetail, TrialColumns } from "../../src/api.ts";
import { RunData } from "../model/run-data.ts";
import { get, part } from "../state/api.ts";

export interface Side {
  /** A run's id, or a record's number among those compared, since a digest does not fit into a table's head. */
  readonly name: string;
  readonly to: string;
  readonly task: string;
  readonly args: readonly unknown[];
  readonly device: string;
  readonly seconds: number | undefined;
  /** All trials; for a run only. */
  readonly data?: RunData;
  readonly detail: RecordDetail | undefined;
}

export interface Asked {
  readonly runs: readonly string[];
  readonly records: readonly string[];
}

const listOf = (query: URLSearchParams, name: string): readonly string[] =>
  (query.get(name) ?? "").split(",").filter((id) => id !== "");
export const askedOf = (query: URLSearchParams): Asked => ({ runs: listOf(query, "runs"), records: listOf(query, "records") });

export const readSides = ({ runs, records }: Asked): Promise<readonly Side[]> =>
  Promise.all([...runs.map(readRun), ...records.map(readRecord)]);

async function readRun(id: string): Promise<Side> {
  const [run, columns] = await Promise.all([
    get<RunDetail>(`/api/runs/${part(id)}`),
    get<TrialColumns>(`/api/runs/${part(id)}/trials`),
  ]);
  const data = new RunData();
  data.append(columns);
  const { task, args, device, bestId } = run;
  const detail = bestId === undefined ? undefined : await get<RecordDetail>(`/api/records/${part(bestId)}`);
  return { name: run.id, to: `/run/${part(run.id)}`, task, args, device, seconds: run.best, data, detail };
}

async function readRecord(id: string, at: number): Promise<Side> {
  const detail = await get<RecordDetail>(`/api/records/${part(id)}`);
  const { task, args, device, target } = detail.record;
  const name = `record ${at + 1}`;
  return { name, to: `/record/${part(id)}`, task, args, device: device?.key ?? target, seconds: detail.seconds, detail };
}

export const costsOf = ({ detail }: Side): readonly number[] => (detail?.record.kind === "timed" ? detail.record.costs : []);
