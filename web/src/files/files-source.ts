import { defined, FarmError } from "@warpfarm/common";
import { kernelOf, type TuningRecord } from "@warpfarm/records";
import type { RecordSummary, RunSummary } from "../api.ts";
import { detailOf, finalsDetail, recordDetail, recordSummary, summaryOf } from "../run/describe.ts";
import type { PageSource, RecordsAsked } from "../source.ts";
import { type FileRun, LogFiles } from "./log-files.ts";

const openForMs = 10_000;
const most = 1_000;

export interface FilesOptions {
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly programOf: (record: TuningRecord) => Promise<string | undefined>;
  /** Whether paths may not exist yet, as the log of a search that is about to begin. */
  readonly mayCome?: boolean;
  /** Broken lines are skipped and counted; false: their error names the flag. */
  readonly skipBroken?: boolean;
}

export interface FilesSource extends PageSource {
  readonly warnings: readonly string[];
}

/** Throws INVALID_ARGUMENT that names the file and its broken line. A folder stands for its logs. */
export async function openFiles(
  paths: readonly string[],
  { now, programOf, mayCome = false, skipBroken }: FilesOptions,
): Promise<FilesSource> {
  const files = new LogFiles(paths, defined({ skipBroken }));
  await (mayCome ? files.refresh() : files.open());
  const summary = (run: FileRun): RunSummary =>
    summaryOf(run.trials, { id: run.id, state: now() - files.changedMs(run) < openForMs ? "open" : "ended", mine: true });
  return {
    kind: "files",
    warnings: files.warnings,
    async runs() {
      await files.refresh();
      return [...files.runs.values()].map(summary).sort(openThenNewest);
    },
    async run(id) {
      const run = files.runs.get(id);
      if (run === undefined) return undefined;
      const defaultSeconds = files.defaultSeconds(run);
      const finals = files.finals(run);
      const search = files.search(run);
      return {
        ...detailOf(summary(run), run.trials),
        ...defined({ search, defaultSeconds, finals: finals && finalsDetail(finals) }),
      };
    },
    async trials(id, after, _viewer, most) {
      await files.refresh();
      return files.runs.get(id)?.trials.columns(after, most);
    },
    async record(id) {
      const record = files.record(id);
      if (record === undefined) return undefined;
      const program = await programOf(record);
      const run = [...files.runs.values()].find(({ trials }) => trials.has(record.id))?.id;
      return recordDetail(record, sameKernel(record, files.records), defined({ program, run }));
    },
    async records(asked) {
      return select([...files.records.values()], asked);
    },
  };
}

export const openThenNewest = (a: RunSummary, b: RunSummary): number =>
  Number(b.state !== "ended") - Number(a.state !== "ended") || b.lastMs - a.lastMs;

function sameKernel(record: TuningRecord, records: ReadonlyMap<string, TuningRecord>): readonly TuningRecord[] {
  const kernel = kernelOf(record);
  return [...records.values()].filter((other) => other.task === record.task && kernelOf(other) === kernel).slice(0, most);
}

function select(
  records: readonly TuningRecord[],
  { task, device, outcome, order = "newest", limit = 100, cursor }: RecordsAsked,
): { readonly records: readonly RecordSummary[]; readonly next?: string } {
  const found = records
    .filter((r) => (task === undefined || r.task === task) && (outcome === undefined || r.result.kind === outcome))
    .map(recordSummary)
    .filter((r) => (device === undefined || r.device === device) && (order !== "fastest" || r.seconds !== undefined))
    .sort((a, b) =>
      order === "fastest"
        ? (a.seconds as number) - (b.seconds as number)
        : (a.timestampMs - b.timestampMs) * (order === "oldest" ? 1 : -1),
    );
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new FarmError("INVALID_ARGUMENT", `cursor ${cursor} does not come from an earlier page`);
  const next = from + limit < found.length ? { next: String(from + limit) } : {};
  return { records: found.slice(from, from + limit), ...next };
}
