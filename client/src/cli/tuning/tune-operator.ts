/**
 * `tune` of an operator: the templates that fit the arguments and the device share one number of trials (share-trials.ts), on one
 * farm. Each has its own tuner and log. The best of all is the operator's; its template's fastest are measured again,
 * interleaved.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, parse, resolve } from "node:path";
import { backendOf, configWords, countWords, defined, type Json, type TargetNeed, timeWords } from "@warpfarm/common";
import { readLog, secondsOf } from "@warpfarm/records/logs";
import type { SearchBudget } from "@warpfarm/records/search";
import { type FittingTemplates, fittingTarget, type Operator, type TemplateTask } from "@warpfarm/templates";
import { chooseKey, keysWhere } from "../../search/farm-there.ts";
import { type Pace, paceOf } from "../../search/pace.ts";
import { checkTuner, type SearchSpec, searchDefaults, wholeSpec } from "../../search/search-spec.ts";
import { bestAfterEach, nextShare } from "../../search/share-trials.ts";
import { taskNamed } from "../../search/task-source.ts";
import { writeSearch } from "../../search/tuning-log.ts";
import type { TuneFlags } from "../commands/tune.ts";
import type { CliContext } from "../context.ts";
import { badInput } from "../exit.ts";
import { backendFor, checkWhere, deviceFor, openFarm } from "../farm/farm-access.ts";
import { againWords, channelOf } from "../farm/farm-flags.ts";
import type { Settings } from "../flags/settings.ts";
import { argsOf, namedTarget } from "../flags/task-flags.ts";
import { makeDirectory } from "../make-directory.ts";
import { columns } from "../terminal/words.ts";
import { askedBy, logsNamed } from "./asked-search.ts";
import type { FarmEnd } from "./search-end.ts";
import { shown } from "./show-search.ts";
import { tuneOnFarm } from "./tune-on-farm.ts";
import { defaultLogName, summaryWords, type TuneReport } from "./tune-report.ts";

export interface TriedTemplate {
  readonly template: string;
  readonly target: string;
  readonly report: TuneReport;
}

/** The fastest, or the first of equal ones. Undefined when none has a time. */
export function bestOf(tried: readonly TriedTemplate[]): TriedTemplate | undefined {
  const secondsOf = ({ report }: TriedTemplate) => report.best?.seconds ?? Number.POSITIVE_INFINITY;
  const best = tried.reduce<TriedTemplate | undefined>((a, b) => (a && secondsOf(a) <= secondsOf(b) ? a : b), undefined);
  return best?.report.best ? best : undefined;
}

/** The log of one template: the common name with the template's before its extension. */
export function logOfTemplate(log: string, template: string): string {
  const { dir, name, ext } = parse(log);
  return join(dir, `${name}.${template.replaceAll("/", "_")}${ext}`);
}

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
  checkTuner(asked, true, name);
  const given = argsOf(flags) as Json[] | undefined;
  return { operator, resume: false, spec: { version: 1, task: { operator: name }, ...asked, ...defined({ args: given }) } };
}

/**
 * The operator's own log has only its search, so that it can be continued; each template has a log beside it. Returns whether
 * anything could be timed.
 */
export async function tuneOperator(
  context: CliContext,
  settings: Settings,
  { operator, spec, resume, logPath }: AskedOperator,
  flags: TuneFlags,
): Promise<boolean> {
  const { args, where } = spec;
  const channel = channelOf(flags, settings, context);
  const targets = operator.templates.flatMap((template) => template.targets);
  const named = spec.target ?? flags.target;
  const isFree = named === undefined && (flags.device === undefined || flags.device === "auto");
  const asked = isFree ? undefined : backendFor(targets, { ...flags, ...defined({ target: named }) });
  const device = asked === undefined ? "auto" : deviceFor(asked, channel, flags.device);
  checkWhere(channel, where);
  // Bad arguments are refused before a farm is started.
  operator.argsOf(args);
  const namedLog = logPath ?? (flags.log === undefined ? undefined : resolve(context.cwd, flags.log));
  await makeDirectory("the logs' directory", namedLog === undefined ? settings.logDir : dirname(namedLog), context.stderr);
  await using farm = await openFarm(context, settings, channel, device);
  const keys = keysWhere(farm, where);
  const key = chooseKey(keys, asked ?? backendThere(targets, keys), spec.key ?? named);
  const fitting = operator.fitting(args, ({ targets }) => namedTarget(named) ?? fittingTarget(targets, key));
  if (fitting.tasks.length === 0) throw badInput(`${operator.name} has no template for this on ${key}: ${reasons(fitting)}`);
  context.stderr.write(`${operator.name} on ${key}: ${fitting.tasks.map(({ name }) => name).join(", ")}\n`);
  const log = namedLog ?? resolve(settings.logDir, defaultLogName(operator.name, key, context.clock.now()));
  const arms = fitting.tasks.map((task): Arm => ({ task, log: logOfTemplate(log, task.name), isOver: false }));
  const [used] = resume ? [] : arms.filter((arm) => existsSync(arm.log));
  if (used)
    throw badInput(
      `${shown(context, used.log)} is there already; tune --resume ${shown(context, log)} continues it, or give another --log`,
    );
  const on = namedTarget(named);
  await writeSearch(log, { ...spec, args: [...fitting.args], key, ...defined({ target: on }) }, resume);

  const search = (arm: Arm, budget: Partial<SearchBudget>, pace?: Pace) =>
    tuneOnFarm(context, farm, {
      task: arm.task,
      spec: wholeSpec({ ...spec, task: taskNamed(arm.task), budget: { ...spec.budget, ...budget } }, arm.task, key),
      logPath: arm.log,
      resume: existsSync(arm.log),
      again: againWords(flags),
      ...defined({ pace }),
    });
  const { trials = searchDefaults.budget.trials } = spec.budget ?? {};
  await shareTrials(context, arms, trials, search);
  const leader = await leaderOf(arms, trials, search);
  if (leader?.end && !flags.json) context.stdout.write(`${wordsOf(context, leader.end)}\n`);
  const tried = arms.flatMap(({ task, end }) => (end ? [{ template: task.name, target: task.target, report: end.report }] : []));
  const best = bestOf(tried);
  context.stdout.write(flags.json ? reportJson(operator, fitting, tried, best) : bestWords(operator, fitting, tried, best));
  return best !== undefined;
}

/** A template of an operator, and its search so far. */
interface Arm {
  readonly task: TemplateTask;
  readonly log: string;
  end?: FarmEnd;
  /** It has nothing more to try, or its own rules ended it. */
  isOver: boolean;
}
type SearchArm = (arm: Arm, budget: Partial<SearchBudget>, pace?: Pace) => Promise<FarmEnd>;

/** Searches each as its share of the trials says, until all are spent. */
async function shareTrials({ stderr }: CliContext, arms: readonly Arm[], trials: number, search: SearchArm): Promise<void> {
  for (;;) {
    const told = await Promise.all(arms.map(({ log }) => bestAfterIn(log)));
    const share = nextShare(
      arms.map(({ isOver }, at) => ({ bestAfter: told[at] ?? [], isOver })),
      trials,
    );
    if (share === undefined) return;
    for (const [at, arm] of arms.entries()) {
      const more = (share[at] ?? 0) - (told[at]?.length ?? 0);
      if (more <= 0 || arm.isOver) continue;
      stderr.write(`${arm.task.name}: ${countWords(more, "trial")} of ${trials}\n`);
      arm.end = await search(arm, { trials }, paceOf(more));
      arm.isOver = arm.end.report.ended !== "parked";
    }
  }
}

/** The template whose best is fastest, by its logs; its fastest are measured again. The others are reported as they are. */
async function leaderOf(arms: readonly Arm[], trials: number, search: SearchArm): Promise<Arm | undefined> {
  const known = await Promise.all(arms.map(async (arm) => ({ arm, bestAfter: await bestAfterIn(arm.log) })));
  const ranked = known.toSorted((a, b) => (a.bestAfter.at(-1) ?? Infinity) - (b.bestAfter.at(-1) ?? Infinity));
  for (const { arm, bestAfter } of ranked.toReversed()) {
    const isLeader = arm === ranked[0]?.arm;
    // Of a search that is continued some templates have had all their trials before.
    const isDone = arm.isOver || (arm.end !== undefined && !isLeader);
    if (bestAfter.length > 0 && !isDone)
      arm.end = isLeader ? await search(arm, { trials: bestAfter.length }) : await search(arm, { trials }, paceOf(0));
  }
  return ranked[0]?.bestAfter.at(-1) === Number.POSITIVE_INFINITY ? undefined : ranked[0]?.arm;
}

/** The best time after each trial of a log; empty for one that was not begun. */
async function bestAfterIn(log: string): Promise<readonly number[]> {
  if (!existsSync(log)) return [];
  return bestAfterEach(readLog(await readFile(log, "utf8"), log).records.map(secondsOf));
}

function backendThere(targets: readonly TargetNeed[], keys: readonly string[]): string {
  const kinds = targets.map(({ kind }) => kind);
  return kinds.find((kind) => keys.some((key) => backendOf(key) === kind)) ?? (kinds[0] as string);
}

const reasons = ({ refused }: FittingTemplates): string => refused.map(({ template, why }) => `${template}: ${why}`).join("; ");

const wordsOf = (context: CliContext, { report, facts, files }: FarmEnd): string =>
  summaryWords(report, { ...facts, files: files.map(([what, path]) => [what, shown(context, path)]) });

function reportJson(
  { name }: Operator,
  { args, refused }: FittingTemplates,
  tried: readonly TriedTemplate[],
  best: TriedTemplate | undefined,
): string {
  const templates = tried.map(({ template, target, report }) => ({ template, target, ...report }));
  const found = best && { template: best.template, target: best.target, ...best.report.best };
  return `${JSON.stringify({ operator: name, args, best: found ?? null, templates, refused })}\n`;
}

function bestWords(
  { name }: Operator,
  { args, refused }: FittingTemplates,
  tried: readonly TriedTemplate[],
  best: TriedTemplate | undefined,
): string {
  const lines: (readonly [string, string])[] = [["operator", `${name} ${JSON.stringify(args)}`]];
  for (const { template, report } of tried)
    lines.push([
      template,
      report.best ? `${timeWords(report.best.seconds)}, index ${report.best.index}` : "no candidate was timed",
    ]);
  for (const { template, why } of refused) lines.push([template, `not tried: ${why}`]);
  const config = best?.report.best;
  lines.push([
    "best",
    best && config
      ? `${best.template} ${config.index}: ${timeWords(config.seconds)}, ${config.gflops.toFixed(2)} GFLOPS, ${configWords(config.config)}`
      : "none: no candidate could be timed",
  ]);
  return columns(lines);
}
