/**
 * A trace is the steps of a schedule as data: `{"op":"split","in":["l3"],"args":{"factors":[null,8]},"out":["l9","l10"]}`. Words
 * are snake_case. Reading a step returns the primitive and its values, or says what cannot be read.
 */

import type { Refusal } from "@warpfarm/common";
import { err, type Json, ok, type Result } from "@warpfarm/common";
import type { TraceStep } from "../serial/program.ts";
import { loopRef, type Made, type Primitive, stageRef } from "./define-primitive.ts";
import * as primitives from "./primitives/index.ts";
import { type LoopRef, loopOf } from "./state.ts";

export type { TraceStep };

export interface Step {
  readonly primitive: Primitive;
  readonly values: Readonly<Record<string, unknown>>;
  readonly made: Made;
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

const byWord: ReadonlyMap<string, Primitive> = new Map(Object.values(primitives).map((p) => [snakeCase(p.name), p as Primitive]));

const outOf = (made: Made): string[] => [
  ...(made.stages ?? []).flatMap((ref) => stageRef.write(ref)),
  ...(made.loops ?? []).flatMap((ref) => loopRef.write(ref)),
];

export function encodeStep({ primitive, values, made }: Step): TraceStep {
  const refs: string[] = [];
  const args: Record<string, Json> = {};
  for (const { name, type } of primitive.args) {
    if (type.isRef) refs.push(...type.write(values[name]));
    else args[snakeCase(name)] = type.write(values[name]);
  }
  return { op: snakeCase(primitive.name), in: refs, args, out: outOf(made) };
}

const bad = (message: string): Result<never, Refusal> => err({ rule: "trace.step", message });

export function decodeStep(step: TraceStep): Result<{ primitive: Primitive; values: readonly unknown[] }, Refusal> {
  const primitive = byWord.get(step.op);
  if (!primitive) return bad(`"${step.op}" is not a primitive; known are ${[...byWord.keys()].join(", ")}`);
  const values: unknown[] = [];
  const known = new Set<string>();
  let at = 0;
  for (const { name, type } of primitive.args) {
    if (type.isRef) {
      const read = type.read(step.in, at);
      if (!read) return bad(`${step.op}: "${step.in[at] ?? "nothing"}" in the place of "${name}", which takes ${type.allowed}`);
      values.push(read.value);
      at = read.next;
    } else {
      const word = snakeCase(name);
      known.add(word);
      const json = step.args[word];
      const value = json === undefined ? undefined : type.read(json);
      if (value === undefined)
        return bad(`${step.op}: ${word} is ${JSON.stringify(json) ?? "missing"}; it takes ${type.allowed}`);
      values.push(value);
    }
  }
  if (at < step.in.length) return bad(`${step.op}: "${step.in[at]}" is one reference too many`);
  const extra = Object.keys(step.args).find((name) => !known.has(name));
  if (extra !== undefined) return bad(`${step.op}: "${extra}" is not an argument; known are ${[...known].join(", ") || "none"}`);
  return ok({ primitive, values });
}

/** Compares what the step claims to have made with what it made. */
export function checkOut(step: TraceStep, made: Made): Refusal | undefined {
  const found = outOf(made);
  if (found.length === step.out.length && found.every((word, i) => word === step.out[i])) return undefined;
  return { rule: "trace.out", message: `${step.op} makes [${found.join(", ")}], not [${step.out.join(", ")}]` };
}

export function printStep({ primitive, values, made }: Step): string {
  const args = primitive.args.map(({ name, type }) =>
    type.isRef ? type.print(values[name]) : JSON.stringify(type.write(values[name])),
  );
  const call = `sch.${primitive.name}(${args.join(", ")});`;
  const names = (refs: readonly LoopRef[]) => refs.map((ref) => loopRef.print(ref)).join(", ");
  const loops = names(made.loops ?? []);
  const [stage] = made.stages ?? [];
  if (stage !== undefined) {
    const name = stageRef.print(stage);
    const of = (ref: LoopRef) => loopOf(made.state, ref).stage;
    const own = made.loops?.filter((ref) => of(ref) === stage) ?? [];
    const others = made.loops?.filter((ref) => of(ref) !== stage) ?? [];
    const line = `const ${name} = ${call}\nconst [${names(own)}] = sch.axes(${name});`;
    // A step that makes a stage makes at most the new reduction of another.
    const [other] = others;
    return other === undefined ? line : `${line}\nconst [${names(others)}] = sch.reduceAxes(${stageRef.print(of(other))});`;
  }
  if (primitive.returns === "nothing") return call;
  return `const ${primitive.returns === "loop" ? loops : `[${loops}]`} = ${call}`;
}
