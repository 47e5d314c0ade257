/**
 * The config space of a tuning problem that someone else described: T1 input files (AutoTuningAssociation/autotuning_methodology
 * and BAT) and KTT's tuning scripts, which share the section `ConfigurationSpace`: parameters whose values are a Python list, and
 * conditions that are Python expressions over them. Every parameter becomes a choice knob of its name; every condition a
 * constraint. The kernel itself stays theirs.
 */
import { err, type Json, ok, type Result } from "@warpfarm/common";
import { ConfigSpace } from "./config-space.ts";
import { expressionConstraint, type Left } from "./constraint.ts";
import { type Expression, Fault, isOrdered, type PlainValue, plain } from "./expression.ts";
import { choiceKnob } from "./knobs/choice.ts";
import { parseExpression } from "./parse-expression.ts";
import { constrainedConfigs, listedConfigs } from "./valid-configs.ts";

export type Constants = Readonly<Record<string, Json>>;

/** The space, or one sentence that says what the document lacks. */
export function problemSpace(document: unknown, constants: Constants = {}): Result<ConfigSpace, string> {
  const space = field(document, "ConfigurationSpace");
  const parameters = field(space, "TuningParameters");
  if (!Array.isArray(parameters) || parameters.length === 0)
    return err("there is no ConfigurationSpace.TuningParameters: this is neither a T1 file nor a KTT tuning script");
  const knobs: ReturnType<typeof choiceKnob>[] = [];
  for (const parameter of parameters) {
    const name = field(parameter, "Name");
    if (typeof name !== "string") return err("a tuning parameter has no Name");
    const values = valuesOf(field(parameter, "Values"), constants);
    if (!values.ok) return err(`the values of ${name}: ${values.error}`);
    if (knobs.some((knob) => knob.name === name)) return err(`two tuning parameters are named ${name}`);
    knobs.push(choiceKnob(name, values.value));
  }
  const size = knobs.reduce((product, knob) => product * knob.size, 1);
  if (!Number.isSafeInteger(size))
    return err(`the tuning parameters have ${size.toExponential(1)} configs; a space has at most 2^53`);
  const constraints = constraintsOf(
    field(space, "Conditions") ?? [],
    knobs.map((k) => k.name),
    constants,
  );
  if (!constraints.ok) return constraints;
  return ok(constrainedSpace(knobs, constraints.value));
}

/** A space of these knobs and constraints. A constraint that is always false leaves nothing. */
export function constrainedSpace(knobs: ConfigSpace["knobs"], constraints: readonly Left[]): ConfigSpace {
  const open = constraints.filter((c) => typeof c !== "boolean");
  if (constraints.includes(false)) return new ConfigSpace(knobs, listedConfigs([]));
  return open.length === 0 ? new ConfigSpace(knobs) : new ConfigSpace(knobs, constrainedConfigs(knobs, open));
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function valuesOf(given: unknown, constants: Constants): Result<readonly Json[], string> {
  const parsed = typeof given === "string" ? parseExpression(given, constants) : undefined;
  if (parsed && !parsed.ok) return parsed;
  const list: unknown = parsed ? listOf(parsed.value) : given;
  if (list instanceof Fault) return err(`${JSON.stringify(given)} ${list.message}`);
  if (!Array.isArray(list) || list.length === 0) return err(`${JSON.stringify(given)} is not a list of values`);
  const bad: unknown = list.find(
    (v) => !["number", "string", "boolean"].includes(typeof v) || (typeof v === "number" && !Number.isFinite(v)),
  );
  if (bad !== undefined)
    return err(`${typeof bad === "bigint" ? bad : JSON.stringify(bad)} is not a number, a word or a truth value`);
  return ok([...new Set(list as Json[])]);
}

function listOf(e: Expression): readonly unknown[] | Fault | undefined {
  if (e.kind === "fault") return e.fault;
  if (e.kind !== "value" || !isOrdered(e.value)) return undefined;
  const items = plain(e.value) as readonly PlainValue[];
  return items.map((item) => (typeof item === "number" ? item + 0 : item));
}

function constraintsOf(conditions: unknown, names: readonly string[], constants: Constants): Result<Left[], string> {
  if (!Array.isArray(conditions)) return err("ConfigurationSpace.Conditions is not a list");
  const made: Left[] = [];
  for (const condition of conditions) {
    const text = typeof condition === "string" ? condition : field(condition, "Expression");
    if (typeof text !== "string") return err("a condition has no Expression");
    const constraint = expressionConstraint(text, names, constants);
    if (!constraint.ok) return constraint;
    made.push(constraint.value);
  }
  return ok(made);
}
