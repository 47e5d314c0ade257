/** `tune` of an operator, whose templates are one search with one log (search/operator-search.ts), on one farm. */
import { dirname, resolve } from "node:path";
import { badInput, countWords, defined, type Json, timeWords } from "@warpfarm/common";
import { type FittingTemplates, fittingTarget, type Operator, type Task } from "@warpfarm/templates";
import { backendThere, chooseKey, keysWhere } from "../../search/farm-there.ts";
import { type Arm, openOperatorSearch } from "../../search/operator-search.ts";
import { checkTuner, type SearchSpec, wholeSpec } from "../../search/search-spec.ts";
import type { TuneFlags } from "../commands/tune.ts";
import type { CliContext } from "../context.ts";
import { backendFor, openFarm, placeOf } from "../farm/farm-access.ts";
import { againWords } from "../farm/farm-flags.ts";
import type { Settings } from "../flags/settings.ts";
import { argsOf, namedTarget } from "../flags/task-flags.ts";
import { makeDirectory } from "../make-directory.ts";
import { columns } from "../terminal/words.ts";
import { askedBy, logsNamed } from "./asked-search.ts";
import type { FarmEnd } from "./search-end.ts";
import { shown } from "./show-search.ts";
import { searchOnFarm } from "./tune-on-farm.ts";
import { defaultLogName, summaryWords } from "./tune-report.ts";

interface AskedOperator {
  readonly operator: Operator;
  readonly spec: SearchSpec;
  /** Absent: one by the operator's name. */
  readonly logPath?: string | undefined;
  readonly resume: boolean;
}

export function askedOperator(operator: Operator, flags: TuneFlags): AskedOperator {
  const { name } = operator;
  const { spec, reference } = flags;
  if (spec !== undefined || reference !== undefined)
    throw badInput(`--${spec === undefined ? "reference" : "spec"} is for kernels; ${name} is an operator`);
  if (logsNamed(flags).length > 0)
    throw badInput(`--transfer takes logs of one template; ${name} is an operator: tune one of its templates by name`);
  const asked = askedBy(flags);
  checkTuner(asked);
  const given = argsOf(flags) as Json[] | undefined;
  return { operator, resume: false, spec: { version: 1, task: { operator: name }, ...asked, ...defined({ args: given }) } };
}

/** Returns whether anything could be timed. */
export async function tuneOperator(
  context: CliContext,
  settings: Settings,
  { operator, spec, resume, logPath }: AskedOperator,
  flags: TuneFlags,
): Promise<boolean> {
  const { args, where } = spec;
  const targets = operator.templates.flatMap((template) => template.targets);
  const named = spec.target ?? flags.target;
  const asked = backendFor(targets, { ...flags, target: named });
  const place = placeOf(context, settings, flags, asked, where);
  // Bad arguments are refused before a farm is started.
  operator.argsOf(args);
  const namedLog = logPath ?? (flags.log === undefined ? undefined : resolve(context.cwd, flags.log));
  await makeDirectory(
    namedLog === undefined ? "logs" : "log",
    namedLog === undefined ? settings.logDir : dirname(namedLog),
    context.stderr,
  );
  await using farm = await openFarm(context, settings, place);
  const keys = keysWhere(farm, where);
  const key = chooseKey(keys, asked ?? backendThere(targets, keys), spec.key ?? named);
  const fitting = operator.fitting(args, ({ targets }) => namedTarget(named) ?? fittingTarget(targets, key));
  if (fitting.tasks.length === 0) throw badInput(`${operator.name} has no template for this on ${key}: ${reasons(fitting)}`);
  context.stderr.write(`${operator.name} on ${key}: ${fitting.tasks.map(({ name }) => name).join(", ")}\n`);
  const log = namedLog ?? resolve(settings.logDir, defaultLogName(operator.name, key, context.clock.now()));
  const on = namedTarget(named);
  const asks = { ...spec, args: [...fitting.args], key, ...defined({ target: on }) };
  const first = fitting.tasks[0] as Task;
  const shownSpec = { ...wholeSpec(asks, first, key), args: [...fitting.args] };
  const again = againWords(flags);
  const { end, search } = await searchOnFarm(
    context,
    farm,
    { spec: shownSpec, task: first, logPath: log, resume, again },
    (place, { task: _, paths: __, sources: ___, ...options }) =>
      openOperatorSearch(place, asks, { ...options, tasks: fitting.tasks }),
  );
  const { best } = end.report;
  const winner = best === null ? undefined : search.task;
  if (flags.json) context.stdout.write(reportJson(operator, fitting, end, search.arms, winner));
  else {
    context.stdout.write(operatorWords(operator, fitting, search.arms));
    context.stdout.write(wordsOf(context, end));
  }
  return best !== null;
}

const reasons = ({ refused }: FittingTemplates): string => refused.map(({ template, why }) => `${template}: ${why}`).join("; ");

const wordsOf = (context: CliContext, { report, facts, files }: FarmEnd): string =>
  summaryWords(report, { ...facts, files: files.map(([what, path]) => [what, shown(context, path)]) });

function reportJson(
  { name }: Operator,
  { args, refused }: FittingTemplates,
  { report }: FarmEnd,
  arms: readonly Arm[],
  winner: Task | undefined,
): string {
  const templates = arms.map(({ task, bestAfter, best, refused: why }) => ({
    ...{ template: task.name, target: task.target, trials: bestAfter.length, seconds: best?.seconds ?? null },
    ...defined({ refused: why }),
  }));
  const best = winner && { template: winner.name, target: winner.target, ...report.best };
  return `${JSON.stringify({ operator: name, ...report, args, best: best ?? null, templates, refused })}\n`;
}

/** What each template has had and found, before the summary of the search. */
function operatorWords({ name }: Operator, { args, refused }: FittingTemplates, arms: readonly Arm[]): string {
  const lines: (readonly [string, string])[] = [["operator", `${name} ${JSON.stringify(args)}`]];
  for (const { task, best, bestAfter, refused: why } of arms)
    lines.push([
      task.name,
      why ?? `${best ? timeWords(best.seconds) : "no candidate was timed"} after ${countWords(bestAfter.length, "trial")}`,
    ]);
  for (const { template, why } of refused) lines.push([template, `not tried: ${why}`]);
  return columns(lines);
}
