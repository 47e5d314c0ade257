/**
 * A space and its schedules from a computation alone: the rules divide its stages into nests (groups.ts), each nest has knobs and
 * steps (part.ts), and the space is the product of all knobs. Pure and deterministic: equal graphs, targets and rules give equal
 * spaces, whose digest says so. What a rule's first config cannot do is done by the direct rule instead, and what that cannot, by
 * the default schedule.
 */
import { canonicalJson, digestOf, invariant, type Json, parseTarget } from "@warpfarm/common";
import {
  accessesOf,
  type ConfigIndex,
  type ConfigSpace,
  choiceKnob,
  constrainedSpace,
  createSchedule,
  defaultSchedule,
  expressionConstraint,
  type Graph,
  gpuLimits,
  infer,
  replay,
  type Schedule,
  ScheduleError,
  verifyLimits,
} from "@warpfarm/compiler/language";
import type { Outline } from "../outline.ts";
import { cpuParts } from "./cpu/index.ts";
import { withWideOperands } from "./cpu/wide.ts";
import { cudaParts } from "./cuda/index.ts";
import type { Part, Values } from "./part.ts";
import type { Nest, Planned } from "./planned.ts";
import { readThrough } from "./read-through.ts";
import { byBlocks, type Scanned } from "./scans.ts";
import { startOf } from "./start.ts";

/** What `space --explain` says of one stage. */
interface Explained {
  readonly stage: string;
  /** The rule that took it; `inline` where its readers compute it, `joined` where no stage of its own is left. */
  readonly rule: string;
  /** Why no better rule did, or with which stages it shares a nest. */
  readonly why?: string;
}

export interface Derived {
  /** The computation that is scheduled. */
  readonly graph: Graph;
  readonly space: ConfigSpace;
  /** Good without measuring. */
  readonly start: ConfigIndex;
  readonly explained: readonly Explained[];
  /** Of the knobs and constraints: equal digests mean equal spaces. */
  readonly digest: string;
  /** Absent unless there is one nest, of a matrix product. */
  readonly outline?: ((index: ConfigIndex) => Outline) | undefined;
  /** Throws ScheduleError at the first refused step. */
  schedule(index: ConfigIndex): Schedule;
}

/** Configs of a space at most; nests beyond it keep their start. */
const mostConfigs = 1e14;

const sizeOfPart = ({ knobs }: Part): number => knobs.reduce((n, { size }) => n * size, 1);

const refusalOf = (target: string, make: () => Schedule): string | undefined => {
  try {
    const inferred = infer(make().state);
    if (!inferred.ok) return inferred.error.message;
    return verifyLimits(inferred.value, gpuLimits(target))[0]?.message;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
};

function scheduleWith({ graph, inlined }: Planned, parts: readonly Part[], values: Values): Schedule {
  const schedule = createSchedule(graph);
  for (const name of inlined) schedule.computeInline(schedule.stage(name));
  for (const part of parts) part.apply(schedule, values);
  return schedule;
}

interface Choice extends Nest {
  readonly start: Values;
}

/** The nests with parts whose first config is not refused; undefined where even the direct ones are. */
function accepted(planned: Planned, target: string): readonly Choice[] | undefined {
  const chosen = planned.nests.map((nest): Choice => ({ ...nest, start: startOf(nest.part) }));
  const refusal = (choices: readonly Choice[]) =>
    refusalOf(target, () =>
      scheduleWith(
        planned,
        choices.map(({ part }) => part),
        new Map(choices.flatMap(({ start }) => [...start])),
      ),
    );
  if (refusal(chosen) === undefined) return chosen;
  const direct = planned.nests.map(({ direct, ...nest }): Choice => ({ ...nest, direct, part: direct, start: startOf(direct) }));
  const made = direct.map((fallback, i): Choice => {
    const alone = refusal(direct.map((other, j) => (i === j ? (chosen[i] as Choice) : other)));
    return alone === undefined
      ? (chosen[i] as Choice)
      : { ...fallback, why: `${(chosen[i] as Choice).part.rule} is refused: ${alone}` };
  });
  if (refusal(made) === undefined) return made;
  return refusal(direct) === undefined
    ? direct.map((choice) => ({ ...choice, why: "the other rules do not fit together" }))
    : undefined;
}

/** By size: whose knobs are the space's. */
function opened(choices: readonly Choice[]): ReadonlySet<Choice> {
  const open = new Set<Choice>();
  let size = 1;
  for (const choice of choices.toSorted((a, b) => sizeOfPart(b.part) - sizeOfPart(a.part))) {
    if (size * sizeOfPart(choice.part) > mostConfigs) continue;
    size *= sizeOfPart(choice.part);
    open.add(choice);
  }
  return open;
}

function spaceOf(choices: readonly Choice[], open: ReadonlySet<Choice>) {
  const knobs = choices.filter((choice) => open.has(choice)).flatMap(({ part }) => part.knobs.filter(({ size }) => size > 1));
  const names = knobs.map(({ name }) => name);
  const fixed: Record<string, Json> = {};
  for (const choice of choices)
    for (const knob of choice.part.knobs)
      if (!names.includes(knob.name))
        fixed[knob.name] = open.has(choice) ? (knob.values[0] as Json) : (choice.start.get(knob.name) as Json);
  const texts = choices.filter((choice) => open.has(choice)).flatMap(({ part }) => part.constraints);
  const constraints = texts.map((text) => {
    const constraint = expressionConstraint(text, names, fixed);
    invariant(constraint.ok, constraint.ok ? "" : constraint.error);
    return constraint.value;
  });
  // A space has a knob, whatever it chooses.
  const space = constrainedSpace(knobs.length > 0 ? knobs : [choiceKnob("schedule", ["derived"])], constraints);
  const digest = digestOf(canonicalJson({ knobs: knobs.map(({ name, values }) => [name, values]), constraints: texts, fixed }));
  return { space, fixed, digest };
}

const joined = (reasons: readonly string[]) => (reasons.length > 0 ? { why: reasons.join("; ") } : {});

/** Of each stage of the computation as it was asked for, and of those that blocks of a scan add. */
function explainedOf(
  asked: Graph,
  { inlined }: Planned,
  { graph: given, scanned }: Scanned,
  choices: readonly Choice[],
  open: ReadonlySet<Choice>,
): Explained[] {
  const found = new Map<string, Explained>();
  for (const name of inlined) found.set(name, { stage: name, rule: "inline", why: "elementwise; its readers compute it" });
  for (const choice of choices) {
    const { group, part, why } = choice;
    const nest = group.root.output.name;
    const fixed = open.has(choice) ? [] : ["its knobs keep their start, as the space of all would be too large"];
    const put = (stage: string, rule: string, reasons: readonly string[]) =>
      found.set(stage, { stage, rule, ...joined(reasons) });
    for (const name of choice.before ?? []) put(name, part.rule, [`stored or inlined, before the nest of ${nest}`]);
    for (const op of [...group.sums, ...group.kept, ...group.inside])
      if (op !== group.root) put(op.output.name, part.rule, [`in the nest of ${nest}`]);
    put(nest, part.rule, [...(why === undefined ? [] : [why]), ...fixed]);
  }
  const scheduled = given.ops.flatMap(({ output: { name } }) => {
    const known = found.get(name);
    const ofBlocks = scanned.has(name) ? ["of a scan by blocks"] : [];
    return known ? { ...known, ...joined([...(known.why === undefined ? [] : [known.why]), ...ofBlocks]) } : [];
  });
  const known = new Set(scheduled.map(({ stage }) => stage));
  const gone = asked.ops
    .filter(({ output }) => !known.has(output.name))
    .map(({ output: { name } }): Explained => {
      return { stage: name, rule: "joined", why: `computed with ${explainedBeside(asked, name, known).join(", ")}` };
    });
  return [...gone, ...scheduled];
}

/** The nearest stages after it that are explained. */
function explainedBeside(asked: Graph, name: string, known: ReadonlySet<string>): readonly string[] {
  const readers = asked.ops.filter(({ body }) => accessesOf(body).some(({ buffer }) => buffer.name === name));
  const found = readers.flatMap(({ output }) =>
    known.has(output.name) ? [output.name] : explainedBeside(asked, output.name, known),
  );
  return [...new Set(found)];
}

/**
 * Throws nothing for a graph that te accepts and of which memory has room for each tensor (checkStored). `target` as in
 * `cuda/sm_90` or `cpu/x86-64-v3`.
 */
export function derive(graph: Graph, target: string): Derived {
  const isCpu = parseTarget(target).kind === "cpu";
  const direct = readThrough(graph);
  const made: Scanned = isCpu ? { graph: withWideOperands(direct), scanned: new Set() } : byBlocks(direct);
  const planned = (isCpu ? cpuParts : cudaParts)(made.graph, target);
  const choices = accepted(planned, target);
  if (!choices) return byDefault(graph, target);
  const open = opened(choices);
  const { space, fixed, digest } = spaceOf(choices, open);
  const valuesOf = (index: ConfigIndex): Values => new Map([...Object.entries(fixed), ...space.get(index).values]);
  const starts = new Map(choices.flatMap(({ start }) => [...start]));
  const start = space.indexOf(new Map(space.knobs.map(({ name }) => [name, starts.get(name) ?? "derived"])));
  invariant(start !== undefined, "a derived space has its start");
  const [first] = choices;
  const outline = choices.length === 1 ? first?.part.outline : undefined;
  const parts = choices.map(({ part }) => part);
  return {
    graph: planned.graph,
    space,
    start,
    digest,
    explained: explainedOf(graph, planned, made, choices, open),
    outline: outline && ((index) => outline(valuesOf(index))),
    schedule: (index) => scheduleWith(planned, parts, valuesOf(index)),
  };
}

function byDefault(graph: Graph, target: string): Derived {
  const space = constrainedSpace([choiceKnob("schedule", ["default"])], []);
  const { trace } = defaultSchedule(graph, target);
  return {
    graph,
    space,
    start: space.toIndex(0),
    digest: digestOf("default"),
    explained: graph.ops.map(({ output }) => ({
      stage: output.name,
      rule: "default schedule",
      why: "the direct rule is refused",
    })),
    schedule() {
      const schedule = replay(graph, trace);
      if (!schedule.ok) throw schedule.error;
      return schedule.value;
    },
  };
}
