/** Measures the winners of a suite on its other shapes and devices. Stores each time in the suite's folder before the next. */

import { join } from "node:path";
import { backendOf, countWords, defined, type MeasureInput, medianSeconds } from "@warpfarm/common";
import { configNamed } from "@warpfarm/compiler/language";
import { connect } from "@warpfarm/proto";
import {
  byShape,
  byTemplate,
  type CrossPair,
  groupBy,
  missingPairs,
  nameOfConfig,
  titleOf,
  winnersTuner,
} from "@warpfarm/records/suites";
import { sessionMeasurer, sessionsOf } from "../../search/farm-measurer.ts";
import { poolOf, selectorFor } from "../../search/farm-there.ts";
import { provenanceOf } from "../../search/provenance.ts";
import { measureOptionsFor } from "../../search/spec-options.ts";
import { appendLine } from "../../suite/append-line.ts";
import type { PlannedTask, SuitePlan } from "../../suite/plan.ts";
import type { Matrix } from "../../suite/report.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { severalAtOnce } from "../several-at-once.ts";
import { atMostEvery } from "../terminal/at-most-every.ts";
import { type ReadSuite, readSuiteFolder } from "./report.ts";
import type { Sources } from "./sources.ts";

const inFlight = 16;
/** Shapes measured at the same time: while the last builds of one end, devices run the others'. */
const shapesAtOnce = 8;
/** Winners measured for each kernel that a table may have. Another call measures more. */
const candidates = 2;

/** What a table of at most `kernels` lacks: winners of shapes on other shapes. */
export const pairsOfTables = ({ results, times }: ReadSuite, kernels: number): readonly CrossPair[] =>
  missingPairs(results, times, byTemplate, candidates * kernels);

/** What a matrix lacks on this suite's devices: winners of other devices, its own and those of other suites. */
export function pairsOfMatrix({ results }: ReadSuite, matrix: Matrix): readonly CrossPair[] {
  const own = new Set(results.map(({ task }) => task.id));
  return missingPairs(matrix.results, matrix.times, byShape).filter(({ task }) => own.has(task));
}

/** Resolves with the updated suite. A pair whose config is not in the task's space, or fails, counts as "does not run". */
export async function measureCross(
  context: CliContext,
  farm: FarmAccess,
  suite: ReadSuite,
  sources: Sources,
  pairs: readonly CrossPair[],
): Promise<ReadSuite> {
  await using _lock = await suite.directory.lock();
  context.stderr.write(`${countWords(pairs.length, "pair")} of a winner and a shape to measure\n`);
  const byTask = groupBy(pairs, ({ task }) => task);
  const file = join(suite.directory.path, "cross.jsonl");
  await using tracker = connect(farm.channel);
  let done = 0;
  const isDue = atMostEvery(5_000, context.clock);
  const keep = async (task: PlannedTask, { entity }: CrossPair, seconds: number | null): Promise<void> => {
    await appendLine(file, JSON.stringify({ task: task.id, config: nameOfConfig(entity), seconds }));
    done++;
    if (isDue()) context.stderr.write(`${done} of ${countWords(pairs.length, "pair")} done\n`);
  };
  const measuring = { context, farm, tracker, sources, keep, plan: await suite.directory.plan() };
  const left = suite.results.filter(({ task }) => byTask.has(task.id));
  await severalAtOnce(shapesAtOnce, left, ({ task }) => measureShape(measuring, task, byTask.get(task.id) ?? []));
  return readSuiteFolder(suite.directory);
}

interface Measuring {
  readonly context: CliContext;
  readonly farm: FarmAccess;
  readonly tracker: ReturnType<typeof connect>;
  readonly sources: Sources;
  readonly plan: SuitePlan;
  keep(task: PlannedTask, pair: CrossPair, seconds: number | null): Promise<void>;
}

async function measureShape(
  { context, farm, tracker, sources, plan, keep }: Measuring,
  planned: PlannedTask,
  pairs: readonly CrossPair[],
): Promise<void> {
  const { search } = planned;
  if (!farm.keys.includes(search.key)) {
    context.stderr.write(
      `there is no device ${poolOf(search)}: ${countWords(pairs.length, "pair")} of ${titleOf(planned)} left out\n`,
    );
    return;
  }
  const task = await sources.task(planned);
  const inputs: MeasureInput[] = [];
  const bySequence = new Map<number, CrossPair>();
  for (const pair of pairs) {
    const config = configNamed(task.space, pair.entity);
    const made = config.ok ? task.instantiate(config.value) : undefined;
    if (!made?.ok) {
      await keep(planned, pair, null);
      continue;
    }
    const sequence = inputs.length + 1;
    bySequence.set(sequence, pair);
    inputs.push({
      sequence,
      program: made.value.program,
      reference: task.reference,
      // tracker/src/page finds this in the farm's records.
      proposal: { config: pair.entity, trial: sequence, told: 0 },
    });
  }
  if (inputs.length === 0) return;
  const of = {
    task,
    title: `${plan.name}: winners`,
    selector: selectorFor(farm, { key: search.key, where: search.where, task }),
    options: measureOptionsFor(search.measure, backendOf(search.key)),
    provenance: provenanceOf(task, { ...search, tuner: winnersTuner }),
    ...defined({ seed: search.seed }),
  };
  const sessions = await sessionsOf({ tracker, clock: context.clock }, of, farm.signal);
  for await (const { sequence, result } of sessionMeasurer(sessions, inFlight).measure(feed(inputs), { signal: farm.signal })) {
    const pair = bySequence.get(sequence);
    if (pair) await keep(planned, pair, result.kind === "timed" ? medianSeconds(result.costs) : null);
  }
}

async function* feed(inputs: readonly MeasureInput[]): AsyncGenerator<MeasureInput> {
  yield* inputs;
}
