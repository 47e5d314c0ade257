/**
 * `tune --resume LOG`: the log says what is searched, how, and where its files were. Further flags must agree with it; they may
 * only change how long the search continues.
 */
import { resolve } from "node:path";
import { backendOf, badInput, defined, type Json } from "@warpfarm/common";
import { findOperator } from "@warpfarm/templates";
import { chooseKey, keysWhere } from "../../search/farm-there.ts";
import { readStartLogs } from "../../search/search-inputs.ts";
import { differences, mayChange, type SearchSpec, wholeSpec } from "../../search/search-spec.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { type FoundSearch, findSearch, sourceOf, taskNamed } from "../../search/task-source.ts";
import { type KeptSearch, searchIn } from "../../search/tuning-log.ts";
import type { TuneFlags } from "../commands/tune.ts";
import type { CliContext } from "../context.ts";
import { openFarm, placeOf } from "../farm/farm-access.ts";
import { againWords } from "../farm/farm-flags.ts";
import type { Settings } from "../flags/settings.ts";
import { argsOf, namedTarget, tellNotes, tellSent } from "../flags/task-flags.ts";
import { askedBy, logsNamed } from "./asked-search.ts";
import type { FarmEnd } from "./search-end.ts";
import { tuneOnFarm } from "./tune-on-farm.ts";
import { tuneOperator } from "./tune-operator.ts";

/** The end of the search; or for an operator, whether anything could be timed. */
export async function resumeSearch(
  context: CliContext,
  settings: Settings,
  log: string,
  word: string | undefined,
  flags: TuneFlags,
): Promise<FarmEnd | boolean> {
  const { cwd, stderr } = context;
  const logPath = resolve(cwd, log);
  if (flags.log !== undefined && resolve(cwd, flags.log) !== logPath)
    throw badInput(`--log names ${JSON.stringify(flags.log)}, and --resume continues ${JSON.stringify(log)}; leave --log out`);
  const kept = await searchIn(logPath);
  const { task: named } = kept.spec;
  if ("operator" in named) {
    const beside = { ...(word === undefined ? {} : { task: besideOperator(word) }), ...askedBy(flags), ...argsAsked(flags) };
    const operator = findOperator(named.operator);
    if (!operator) throw badInput(`${log} continues the operator ${named.operator}, which this version does not have`);
    return tuneOperator(context, settings, { operator, spec: agreed(context, log, kept, beside), logPath, resume: true }, flags);
  }
  const found = await findSearch(
    kept,
    (flags.file ?? []).map((file) => resolve(cwd, file)),
    { cwd, allowInclude: flags.allowInclude },
  );
  const spec = agreed(context, log, kept, await besideTask(context, word, flags, kept, found));
  tellNotes(found.source, context);
  tellSent(found.source, context);
  const say = (message: string) => void stderr.write(`${message}\n`);
  const { logs: names = [] } = found.paths;
  const { sources } = await readStartLogs(names, found.source, { cwd, say });
  const backend = backendOf(spec.key ?? found.task.target);
  await using farm = await openFarm(context, settings, placeOf(context, settings, flags, backend, spec.where));
  const key = chooseKey(keysWhere(farm, spec.where), backend, spec.key);
  const whole = wholeSpec(spec, found.task, key);
  return await tuneOnFarm(context, farm, { ...found, spec: whole, sources, logPath, resume: true, again: againWords(flags) });
}

function agreed({ stderr }: CliContext, log: string, { spec }: KeptSearch, asked: Partial<SearchSpec>): SearchSpec {
  const changed = differences(spec, asked);
  const other = changed.filter((each) => !mayChange(each));
  if (other.length > 0) {
    const words = other.map(({ field, there, here }) => `${field} is ${there} there, and ${here} here`);
    throw badInput(
      `${log} continues its own search: ${words.join("; ")}; leave that out, or begin another search with another --log`,
    );
  }
  for (const { field, there, here } of changed) stderr.write(`${field} is ${here} from now on; it was ${there}\n`);
  return { ...spec, budget: { ...spec.budget, ...asked.budget } };
}

const argsAsked = (flags: TuneFlags): Partial<SearchSpec> => {
  const [on, args] = [namedTarget(flags.target), argsOf(flags) as Json[] | undefined];
  return { ...defined({ args }), ...(on === undefined ? {} : { target: on }) };
};
const besideOperator = (word: string): SearchSpec["task"] => (findOperator(word) ? { operator: word } : { template: word });

/** Task, arguments, target and logs given beside the log of a template or a kernel, in the form of a log. */
async function besideTask(
  context: CliContext,
  word: string | undefined,
  flags: TuneFlags,
  kept: KeptSearch,
  { source, task }: FoundSearch,
): Promise<Partial<SearchSpec>> {
  const asked = askedBy(flags);
  const target = namedTarget(flags.target);
  const start = logsNamed(flags);
  const told = {
    ...asked,
    ...(target === undefined ? {} : { target }),
    ...(start.length > 0
      ? { start: { logs: [...(await readStartLogs(start, source, { cwd: context.cwd, say: () => {} })).logs] } }
      : {}),
  };
  if (word !== undefined && findOperator(word)) return { ...told, task: { operator: word } };
  const isSaid = word !== undefined || flags.spec !== undefined || flags.reference !== undefined;
  const other = isSaid ? await sourceOf(word ?? kept.paths.file ?? "", flags, context) : source;
  const args = argsOf(flags);
  if (!isSaid && args === undefined) return told;
  const made = taskOfSource(other, args, target ?? task.target);
  return {
    ...told,
    ...(isSaid ? { task: taskNamed(made) } : {}),
    ...(args === undefined ? {} : { args: [...made.args] }),
  };
}
