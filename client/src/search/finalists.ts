/**
 * After a search its fastest programs are measured again, interleaved, and judged (verdictOf of records). One that fails is out,
 * and the others are measured without it. If that is impossible now, the search's own best stays, with one sentence that says
 * why.
 */
import {
  canonicalJson,
  FarmError,
  isTaskFault,
  type MeasureOptions,
  type MeasureResult,
  measureErrorName,
  type PairedOptions,
  type ProgramBytes,
  type Seconds,
} from "@warpfarm/common";
import { type Finalist, type Finals, judgeFinals, nameOfConfig, type TurnsRun } from "@warpfarm/records/suites";
import { costsInTurns } from "../measure/costs-in-turns.ts";
import type { MeasureInTurns, TurnsOutcome } from "../measure/in-turns.ts";
import type { FinalsOutcome } from "./tune-events.ts";

export interface FinalistsOptions {
  /** The most finalists: 2 to 8. */
  readonly count: number;
  readonly paired: PairedOptions;
  /** How each repeat is measured; recorded. */
  readonly options: MeasureOptions;
  readonly measure: MeasureInTurns;
}

/** A finalist with the bytes of its program, made on demand. */
export interface Candidate extends Finalist {
  readonly seconds: Seconds;
  readonly bytes: () => ProgramBytes;
}

/** The fastest `count`, the fastest first, the first by name among equals. */
export const fastestOf = (candidates: Iterable<Candidate>, count: number): readonly Candidate[] =>
  [...candidates]
    .sort((a, b) => a.seconds - b.seconds || (nameOfConfig(a.config) < nameOfConfig(b.config) ? -1 : 1))
    .slice(0, count);

/** Whether a log's finals are of these programs, measured in the same way. */
export function isOf(
  { finalists, failed, paired, options }: Finals,
  leaders: readonly Finalist[],
  asked: FinalistsOptions,
): boolean {
  const names = (each: readonly Pick<Finalist, "program">[]): string =>
    each
      .map(({ program }) => program)
      .sort()
      .join();
  return (
    names([...finalists, ...failed]) === names(leaders) &&
    canonicalJson([{ ...paired }, { ...options }]) === canonicalJson([{ ...asked.paired }, { ...asked.options }])
  );
}

/** Throws the reason of an aborted signal, and FarmError when the farm is lost. */
export async function measureFinals(
  leaders: readonly Candidate[],
  reference: ProgramBytes,
  { paired, options, measure }: FinalistsOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<FinalsOutcome> {
  const failed: Finals["failed"][number][] = [];
  let left = [...leaders];
  for (;;) {
    const [first, ...others] = left;
    if (!first || others.length === 0)
      return { kind: "skipped", why: `the search left ${left.length === 1 ? "one program" : "no program"} to compare`, failed };
    const turns = { program: first.bytes(), others: others.map(({ bytes }) => bytes()), reference };
    let outcome: TurnsOutcome;
    let runs: readonly TurnsRun[];
    try {
      outcome = await measure(turns, { signal });
      runs = outcome.results.flatMap((result) => runOf(result, left.length));
    } catch (error) {
      if (signal.aborted || !isRefusal(error)) throw error;
      return { kind: "skipped", why: error.message, failed };
    }
    const { results, outdated } = outcome;
    const failure = results.find((result) => result.kind === "failed");
    const out = failure?.failedProgram === undefined ? undefined : left[failure.failedProgram];
    if (failure && out && !isTaskFault(failure)) {
      failed.push({ config: out.config, program: out.program, message: wordsOf(failure) });
      left = left.filter((each) => each !== out);
      continue;
    }
    if (runs.length === 0) return { kind: "skipped", why: failure ? wordsOf(failure) : "the farm gave no result", failed };
    const finalists = left.map(({ config, program }) => ({ config, program }));
    const finals: Finals = { finalists, runs, failed, paired, options };
    return { kind: "judged", finals, verdict: judgeFinals(finals), notes: notesOf(failure, outdated) };
  }
}

function notesOf(failure: MeasureResult | undefined, outdated: readonly string[]): readonly string[] {
  const notes: string[] = [];
  if (failure?.kind === "failed") notes.push(`the second measurement of the finalists failed: ${wordsOf(failure)}`);
  if (outdated.length > 0)
    notes.push(`finalists were not measured on ${outdated.join(", ")}: update the runner there for interleaved measurements`);
  return notes;
}

const isRefusal = (error: unknown): error is FarmError =>
  error instanceof FarmError && ["FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "DATA_LOSS"].includes(error.code);

const wordsOf = ({ errorNo, message }: Extract<MeasureResult, { kind: "failed" }>): string =>
  `${measureErrorName(errorNo)}: ${message}`;

function runOf(result: MeasureResult, programs: number): readonly TurnsRun[] {
  const costs = costsInTurns(result, programs);
  return costs && result.kind === "timed" ? [{ device: result.device, costs }] : [];
}
