/**
 * After a search its fastest programs are measured again, interleaved, and judged (verdictOf of records). The default schedule
 * is measured in the same rounds where a run of it takes at most a tenth of a second. It is no
 * contender: its times only say how much faster the winner is. A program that fails is out, and the others are measured without
 * it. If that is impossible now, the search's own best stays, with one sentence that says why.
 */
import {
  canonicalJson,
  defined,
  FarmError,
  isTaskFault,
  type MeasureOptions,
  type MeasureResult,
  measureErrorName,
  medianSeconds,
  type PairedOptions,
  type ProgramBytes,
  type Seconds,
} from "@warpfarm/common";
import { type Finalist, type Finals, judgeFinals, nameOfConfig, type TurnsRun } from "@warpfarm/records/suites";
import { costsInTurns } from "../measure/costs-in-turns.ts";
import type { MeasureInTurns } from "../measure/in-turns.ts";
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

/** The default schedule, and the time that it took in the search. */
export interface Base {
  readonly program: ProgramBytes;
  readonly seconds: Seconds | undefined;
}

const longestBase: Seconds = 0.1;

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
  { reference, base }: { readonly reference: ProgramBytes; readonly base: Base },
  { paired, options, measure }: FinalistsOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<FinalsOutcome> {
  const failed: Finals["failed"][number][] = [];
  const baseNotes: string[] = [];
  let left = [...leaders];
  let isBaseIn = (base.seconds ?? Number.POSITIVE_INFINITY) <= longestBase;
  for (;;) {
    const [first, ...others] = left;
    if (!first || others.length === 0)
      return { kind: "skipped", why: `the search left ${left.length === 1 ? "one program" : "no program"} to compare`, failed };
    const isBaseLast = isBaseIn && left.every(({ program }) => program !== base.program.digest);
    const rest = others.map(({ bytes }) => bytes());
    const turns = { program: first.bytes(), others: isBaseLast ? [...rest, base.program] : rest, reference };
    let results: readonly MeasureResult[];
    let runs: readonly TurnsRun[];
    try {
      results = await measure(turns, { signal });
      runs = results.flatMap((result) => runOf(result, left, isBaseIn ? base : undefined));
    } catch (error) {
      if (signal.aborted || !isRefusal(error)) throw error;
      return { kind: "skipped", why: error.message, failed };
    }
    const failure = results.find((result) => result.kind === "failed");
    if (failure && isBaseLast && failure.failedProgram === left.length) {
      baseNotes.push(`the default schedule failed when it was measured again: ${wordsOf(failure)}`);
      isBaseIn = false;
      continue;
    }
    const out = failure?.failedProgram === undefined ? undefined : left[failure.failedProgram];
    if (failure && out && !isTaskFault(failure)) {
      failed.push({ config: out.config, program: out.program, message: wordsOf(failure) });
      left = left.filter((each) => each !== out);
      continue;
    }
    if (runs.length === 0) return { kind: "skipped", why: failure ? wordsOf(failure) : "the farm gave no result", failed };
    const finalists = left.map(({ config, program }) => ({ config, program }));
    const finals: Finals = { finalists, runs, failed, paired, options };
    const notes = [...baseNotes, ...notesOf(failure), ...busyNote(left, runs)];
    return { kind: "judged", finals, verdict: judgeFinals(finals), notes };
  }
}

const notesOf = (failure: MeasureResult | undefined): readonly string[] =>
  failure?.kind === "failed" ? [`the second measurement of the finalists failed: ${wordsOf(failure)}`] : [];

/** Such a final takes longer than its search foretold, and its times are no one's alone. */
const muchSlower = 3;
function busyNote(programs: readonly Candidate[], runs: readonly TurnsRun[]): readonly string[] {
  const ratios = runs.flatMap(({ costs }) => costs.map((each, i) => medianSeconds(each) / (programs[i] as Candidate).seconds));
  const ratio = medianSeconds(ratios);
  if (ratio < muchSlower) return [];
  return [
    `the finalists took ${ratio.toFixed(1)} times as long as in the search, as when others use the device; ratios between them hold, times do not`,
  ];
}

const isRefusal = (error: unknown): error is FarmError =>
  error instanceof FarmError && ["FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "DATA_LOSS"].includes(error.code);

const wordsOf = ({ errorNo, message }: Extract<MeasureResult, { kind: "failed" }>): string =>
  `${measureErrorName(errorNo)}: ${message}`;

/** The default schedule may be one of the programs, or else is the last. */
function runOf(result: MeasureResult, programs: readonly Candidate[], base: Base | undefined): readonly TurnsRun[] {
  const found = programs.findIndex(({ program }) => program === base?.program.digest);
  const at = base && (found < 0 ? programs.length : found);
  const costs = costsInTurns(result, Math.max(programs.length, (at ?? 0) + 1));
  if (!costs || result.kind === "failed") return [];
  return [
    {
      device: result.device,
      costs: costs.slice(0, programs.length),
      ...defined({ default: at === undefined ? undefined : costs[at] }),
    },
  ];
}
