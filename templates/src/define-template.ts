/**
 * A template says once what a family of tasks computes, what may vary and how a choice becomes a schedule:
 *
 *   args      names in positional order, with defaults
 *   graph     the computation a candidate schedules (it may hold extra stages, a packing of weights for instance)
 *   scheduled the computation that one config schedules, where that depends on the config (blocks that need not divide extents)
 *   reference the plain computation, where that is another graph: what the answer is compared with, and the default schedule's
 *   time
 *   counted   the graph whose operations are counted, where the computation is usually written another way
 *   space     defines the knobs on the unscheduled graph's loops and returns their handles
 *   outline   how a config divides a matrix product, for records of other shapes
 *   schedule  the steps, from the handles' values; throws ScheduleError where a primitive refuses
 *   starts    the configs that a search measures first when nothing is known
 *
 * Space and schedule are given together, or neither is: then both are derived from the graph (derived/derive.ts), on devices of
 * 9.0 for `sm_90a`.
 *
 * A template says nothing of epilogues. They are put behind its graphs, and its schedule runs around them (epilogue/).
 *
 * defineTemplate closes over the types of arguments and knobs, so that templates of all kinds stand in one list.
 */
import {
  backends,
  defined,
  FarmError,
  isTargetNeed,
  type Json,
  meets,
  needWords,
  parseTarget,
  strangeKey,
  type TargetNeed,
} from "@warpfarm/common";
import {
  type Bound,
  bindKnobs,
  type ConfigIndex,
  type ConfigSpace,
  configWith,
  fillOf,
  type Graph,
  infer,
  type KnobHandles,
  type Schedule,
  ScheduleError,
  SpaceBuilder,
} from "@warpfarm/compiler/language";
import { type Derived, derive } from "./derived/derive.ts";
import { attach, channelsOf, type Followed } from "./epilogue/attach.ts";
import { scheduleOf } from "./epilogue/scheduled.ts";
import { type Tail, TailFault } from "./epilogue/tails.ts";
import type { Outline } from "./outline.ts";
import { type KnobValues, type Starts, startsIn } from "./starts.ts";
import {
  type ArgSpecs,
  type ArgValues,
  argumentRule,
  epilogueField,
  readArgs,
  readTaskArgs,
  writeArgs,
  writeTaskArgs,
} from "./template-args.ts";
import { TemplateRefusal } from "./template-refusal.ts";

export interface Context<Specs extends ArgSpecs> {
  readonly args: ArgValues<Specs>;
  readonly target: string;
}

export interface Computation<Specs extends ArgSpecs> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** What it is for: the name of a backend, or a predicate on level and features such as `{ kind: "cuda", from: 80 }`. */
  readonly targets: readonly (string | TargetNeed)[];
  readonly args: Specs;
  /** Why these arguments are refused, as the end of a sentence; undefined when they are accepted. */
  readonly check?: (args: ArgValues<Specs>) => string | undefined;
  readonly graph: (context: Context<Specs>) => Graph;
  readonly reference?: (context: Context<Specs>) => Graph;
  readonly counted?: (context: Context<Specs>) => Graph;
  /** Changes when a config means another program than before; absent: it never did. */
  readonly version?: string;
}

/** A template whose space and schedule are derived. */
type DerivedDefinition<Specs extends ArgSpecs> = Computation<Specs> & {
  readonly space?: never;
  readonly schedule?: never;
};

export interface TemplateDefinition<Specs extends ArgSpecs, Handles extends KnobHandles> extends Computation<Specs> {
  readonly scheduled?: (knobs: Bound<Handles>, context: Context<Specs>) => Graph;
  readonly space: (builder: SpaceBuilder, schedule: Schedule, context: Context<Specs>) => Handles;
  readonly schedule: (schedule: Schedule, knobs: Bound<Handles>, context: Context<Specs>) => void;
  readonly outline?: (knobs: Bound<Handles>, context: Context<Specs>) => Outline;
  /** The values of the config that its publication prints as best for the default arguments, by knob. */
  readonly published?: KnobValues;
  /**
   * Up to eight configs by knob that promise most for these arguments, the best first. The published one is the last of them. A
   * config that the space of these arguments lacks, or that the schedule refuses, is left out. `graph`: with the epilogue.
   */
  readonly starts?: (context: Context<Specs>, space: ConfigSpace, graph: Graph) => readonly KnobValues[];
}

/** A template with arguments and target fixed. */
export interface OpenedTemplate {
  /** Complete, in AutoTVM's positional form. */
  readonly args: readonly Json[];
  readonly graph: Graph;
  readonly reference: Graph;
  readonly counted: Graph;
  readonly space: ConfigSpace;
  readonly published: ConfigIndex | undefined;
  /** The configs to begin with, the most promising first: at most eight, all in this space. */
  readonly starts: Starts;
  /** Absent where the template has none. */
  readonly outline?: ((index: ConfigIndex) => Outline) | undefined;
  /** Present where the space is derived. */
  readonly derived?: Pick<Derived, "digest" | "explained">;
  /** Throws ScheduleError at the first refused step. */
  schedule(index: ConfigIndex): Schedule;
}

export interface Template {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** A target must meet one of them. */
  readonly targets: readonly TargetNeed[];
  readonly args: ArgSpecs;
  /** The user's file that defines it, as named on the command line; absent for built-in templates. */
  readonly file?: string;
  /** Digest of that file. For a built-in template a number, once a config has changed its meaning. */
  readonly version?: string;
  /** `args`: AutoTVM's positional array, an object of names, or absent. Throws FarmError INVALID_ARGUMENT in one sentence. */
  open(args: Json | undefined, target: string): OpenedTemplate;
}

export function defineTemplate<Specs extends ArgSpecs>(definition: DerivedDefinition<Specs>): Template;
export function defineTemplate<Specs extends ArgSpecs, Handles extends KnobHandles>(
  definition: TemplateDefinition<Specs, Handles>,
): Template;
export function defineTemplate<Specs extends ArgSpecs, Handles extends KnobHandles>(
  definition: DerivedDefinition<Specs> | TemplateDefinition<Specs, Handles>,
): Template {
  checkDefinition(definition);
  const { name, aliases = [], summary, version, args: specs } = definition;
  const needs = definition.targets.map((need) => (typeof need === "string" ? { kind: need } : need));
  const targets = isScheduled(definition) ? needs : needs.flatMap(preferred);
  const defaults = JSON.stringify(writeArgs(specs, readArgs(name, specs, undefined)));
  return {
    name,
    aliases,
    summary,
    ...defined({ version }),
    targets,
    args: specs,
    open(json, target) {
      const on = parseTarget(target);
      if (!targets.some((need) => meets(on, need)))
        throw new TemplateRefusal(name, { it: `is for ${needs.map(needWords).join(" and ")}, not for ${target}` });
      const asked = readTaskArgs(name, specs, json);
      const refused = definition.check?.(asked.values);
      if (refused !== undefined) throw new TemplateRefusal(name, refused);
      const context = { args: asked.values, target };
      const graph = definition.graph(context);
      const args = writeTaskArgs(specs, asked);
      const plain = definition.reference?.(context) ?? graph;
      checkFills(name, graph, plain);
      const follow = following(name, plain, asked.epilogue);
      const reference = follow(plain).graph;
      const counted = definition.counted === undefined ? reference : follow(definition.counted(context)).graph;
      const shared = { args, reference, counted };
      const isDefault = JSON.stringify(args) === defaults;
      const opened = isScheduled(definition)
        ? scheduledOf(definition, { graph, plain, follow, context, isDefault })
        : derivedOf(follow(graph).graph, target);
      // A copy of it would ask for all that is made on demand.
      return Object.assign(opened, shared);
    },
  };
}

const wgmmaNeed: TargetNeed = { kind: "cuda", from: 90, to: 90, features: ["a"] };

/** Derived products of halves use what code for `sm_90a` alone may, so a template for all its devices prefers that. */
const preferred = (need: TargetNeed): readonly TargetNeed[] =>
  need.kind === "cuda" && need.features === undefined && (need.from ?? 90) <= 90 && (need.to ?? 90) >= 90
    ? [wgmmaNeed, need]
    : [need];

type Follow = (graph: Graph) => Followed;
const asItIs: Follow = (graph) => ({ graph, inputs: graph.inputs });

/** Puts the epilogue behind a graph; the same one for the same graph. `plain`: the computation, which says what channels are. */
function following(name: string, plain: Graph, epilogue: readonly Tail[]): Follow {
  if (epilogue.length === 0) return asItIs;
  if (plain.outputs.length !== 1)
    throw new TemplateRefusal(name, `${epilogueField} follows one result, and it has ${plain.outputs.length}`);
  const channels = channelsOf(plain);
  const made = new Map<Graph, Followed>();
  return (graph) => {
    const followed = made.get(graph) ?? refusing(name, () => attach(graph, epilogue, channels));
    made.set(graph, followed);
    return followed;
  };
}

function refusing<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof TailFault)
      throw new TemplateRefusal(name, `${epilogueField}: ${error.message}`, { rule: argumentRule + epilogueField });
    throw error;
  }
}

const isScheduled = <Specs extends ArgSpecs, Handles extends KnobHandles>(
  definition: DerivedDefinition<Specs> | TemplateDefinition<Specs, Handles>,
): definition is TemplateDefinition<Specs, Handles> => definition.schedule !== undefined;

type Scheduled = Omit<OpenedTemplate, "args" | "reference" | "counted">;

/** Derived when first asked for: a user's file is done then, and the time that its functions have. */
function derivedOf(computed: Graph, target: string): Scheduled {
  let made: Derived | undefined;
  const derived = () => {
    made ??= derive(computed, target);
    return made;
  };
  return {
    get graph() {
      return derived().graph;
    },
    get space() {
      return derived().space;
    },
    published: undefined,
    get starts() {
      return { configs: [derived().start], left: [] };
    },
    get outline() {
      return derived().outline;
    },
    get derived() {
      const { digest, explained } = derived();
      return { digest, explained };
    },
    schedule: (index) => derived().schedule(index),
  };
}

interface Opening<Specs extends ArgSpecs> {
  readonly graph: Graph;
  /** What the answer is compared with, without the epilogue. */
  readonly plain: Graph;
  readonly follow: Follow;
  readonly context: Context<Specs>;
  /** Whether the arguments are the template's defaults. */
  readonly isDefault: boolean;
}

function scheduledOf<Specs extends ArgSpecs, Handles extends KnobHandles>(
  definition: TemplateDefinition<Specs, Handles>,
  { graph, plain, follow, context, isDefault }: Opening<Specs>,
): Scheduled {
  const { name, outline } = definition;
  const builder = new SpaceBuilder();
  const handles = scheduleOf(follow(graph), (schedule) => definition.space(builder, schedule, context)).made;
  const space = builder.build();
  const best = definition.published && configWith(space, definition.published);
  const isPublished = best !== undefined && isDefault;
  if (isPublished && !best.ok) throw new TemplateRefusal(name, `published: ${best.error}`);
  const schedule = (index: ConfigIndex, behind: Follow): Schedule => {
    const knobs = bindKnobs(handles, space, index);
    const computed = definition.scheduled?.(knobs, context) ?? graph;
    checkFills(name, computed, plain);
    return scheduleOf(behind(computed), (at) => definition.schedule(at, knobs, context)).schedule;
  };
  const followed = follow(graph);
  const published = best?.ok && space.valid.has(best.value) ? best.value : undefined;
  if (followed.graph !== graph)
    checkFollowed(name, { space, published }, (index, isFollowed) =>
      refusalBy(() => schedule(index, isFollowed ? follow : asItIs)),
    );
  let starts: Starts | undefined;
  return {
    graph: followed.graph,
    space,
    published: isPublished ? published : undefined,
    get starts() {
      starts ??= startsIn(
        name,
        space,
        { own: definition.starts ? definition.starts(context, space, followed.graph) : [], published },
        (index) => refusalBy(() => schedule(index, follow)),
      );
      return starts;
    },
    ...(outline && { outline: (index: ConfigIndex) => outline(bindKnobs(handles, space, index), context) }),
    schedule: (index) => schedule(index, follow),
  };
}

const mostTried = 16;

/** Throws TemplateRefusal where the first config that the computation's schedule takes is refused with the epilogue. */
function checkFollowed(name: string, { space, published }: Pick<OpenedTemplate, "space" | "published">, refusal: Refusal): void {
  const { count } = space.valid;
  const tried = Math.min(count, mostTried);
  const spread = Array.from({ length: tried }, (_, i) => space.toIndex(space.valid.nth(Math.floor((i * count) / tried))));
  for (const index of published === undefined ? spread : [published, ...spread]) {
    const why = refusal(index, true);
    if (why === undefined) return;
    if (refusal(index, false) === undefined)
      throw new TemplateRefusal(name, { it: `takes no such epilogue: ${why}` }, { rule: argumentRule + epilogueField });
  }
}

/** Why the schedule of a config is refused, with or without the epilogue. */
type Refusal = (index: ConfigIndex, isFollowed: boolean) => string | undefined;

function refusalBy(make: () => Schedule): string | undefined {
  try {
    const inferred = infer(make().state);
    return inferred.ok ? undefined : inferred.error.message;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

const parts = { name: "string", summary: "string", args: "object", graph: "function" };
const ofSchedules = ["space", "schedule"] as const;
/** What only a template with a space of its own has. */
const ofSpaces = ["scheduled", "published", "outline", "starts"] as const;
const others = ["aliases", "targets", "check", "reference", "counted", "version"];
const fields: readonly string[] = [...Object.keys(parts), ...ofSchedules, ...ofSpaces, ...others];

/** Repeats the types' checks, because a user's file may be JavaScript. */
function checkDefinition(definition: object): void {
  const given = definition as Readonly<Record<string, unknown>>;
  const refuse = (what: string): never => {
    throw new FarmError(
      "INVALID_ARGUMENT",
      `defineTemplate${typeof given.name === "string" ? ` of ${given.name}` : ""}: ${what}`,
    );
  };
  for (const [part, type] of Object.entries(parts))
    if (typeof given[part] !== type || given[part] === null)
      refuse(`${part} is ${given[part] === undefined ? "missing" : JSON.stringify(given[part])}; it is a ${type}`);
  const strange = strangeKey("field", given, fields);
  if (strange) refuse(`a definition ${strange.words}`);
  const [missing] = ofSchedules.filter((part) => given[part] === undefined);
  const [present] = ofSchedules.filter((part) => given[part] !== undefined);
  if (missing !== undefined && present !== undefined)
    refuse(`it has a ${present} and no ${missing}; give both, or neither: then both are derived from the graph`);
  for (const part of ofSchedules)
    if (missing === undefined && typeof given[part] !== "function")
      refuse(`${part} is ${JSON.stringify(given[part])}; it is a function`);
  const lost = missing === undefined ? undefined : ofSpaces.find((part) => given[part] !== undefined);
  if (lost !== undefined)
    refuse(`it has ${lost}, but no space and schedule, to which that belongs; give them, or leave ${lost} out`);
  if (!/^[A-Za-z][\w./-]{0,127}$/.test(String(given.name))) refuse("its name is letters, digits, _ . / and -, a letter first");
  if (Object.hasOwn(given.args as object, epilogueField))
    refuse(`args has ${epilogueField}, which every template takes already: the operations that follow it; choose another name`);
  for (const [arg, spec] of Object.entries(given.args as Readonly<Record<string, unknown>>))
    if (typeof (spec as { readonly write?: unknown } | null)?.write !== "function")
      refuse(
        `args.${arg} is ${JSON.stringify(spec) ?? String(spec)}; whole(64), pair(1, 0), real(0.5) and word("a", ["a", "b"]) make one`,
      );
  const { published, starts, targets } = given;
  if (published !== undefined && (typeof published !== "object" || published === null || Array.isArray(published)))
    refuse(`published is ${JSON.stringify(published)}; it is an object with the value of each knob`);
  if (starts !== undefined && typeof starts !== "function")
    refuse(`starts is ${JSON.stringify(starts)}; it is a function that gives a list of configs`);
  if (!Array.isArray(targets) || targets.length === 0 || !targets.every(isTargetNeed))
    refuse(
      `targets is ${JSON.stringify(targets) ?? "missing"}; it is a list of ${backends.names.join(" and ")}, or of {kind, from?, to?, features?} with one of them as the kind`,
    );
}

/**
 * Inputs are filled as the reference says. Indices of the computation are within their tensors under its own fills, so both say
 * the same.
 */
function checkFills(name: string, { inputs }: Graph, reference: Graph): void {
  const words = (input: Graph["inputs"][number]): string => JSON.stringify(fillOf(input) ?? "no fill");
  for (const input of inputs) {
    const theirs = reference.inputs.find((other) => other.name === input.name);
    if (theirs !== undefined && words(theirs) !== words(input))
      throw new TemplateRefusal(
        name,
        `input "${input.name}" has ${words(input)} in the computation and ${words(theirs)} in its reference; give both the same fill`,
      );
  }
}
