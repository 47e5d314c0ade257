/**
 * Makes the program of a claim again: a program that somebody says is this config of this template. Whoever replays a claim
 * compares digests. The claim has everything on which a program of a built-in template depends: its documents contain neither a
 * device nor its limits, which only decide what a search proposes.
 */
import { computationDigest, type Digest, err, FarmError, type Json, ok, type ProgramBytes, type Result } from "@warpfarm/common";
import { configNamed, type Entity } from "@warpfarm/compiler/language";
import { createTask, type TemplateTask } from "./task.ts";

export interface Claim {
  readonly template: string;
  /** A list in order, or an object of names. */
  readonly args: Json;
  /** The values of the knobs, as a line of a log has them; absent for the default schedule. */
  readonly config?: Entity;
  /** What the program is built for, features included (`cuda/sm_90a`); not the key of the device that ran it. */
  readonly target: string;
}

export interface Replayed {
  readonly task: string;
  readonly args: readonly Json[];
  readonly program: ProgramBytes;
  readonly reference: ProgramBytes;
  readonly computation: Digest;
}

/** Fails with one sentence when the claim's template, arguments, values or target give no program here. */
export function replay(claim: Claim): Result<Replayed, string> {
  try {
    const task = createTask(claim.template, claim.args, claim.target);
    const program = programOf(task, claim.config);
    if (!program.ok) return err(`${task.name}: ${program.error}`);
    const { reference } = task;
    const computation = computationDigest(reference.bytes, task.args);
    return ok({ task: task.name, args: task.args, program: program.value, reference, computation });
  } catch (error) {
    if (error instanceof FarmError && error.code === "INVALID_ARGUMENT") return err(error.message);
    throw error;
  }
}

function programOf(task: TemplateTask, entity: Claim["config"]): Result<ProgramBytes, string> {
  if (entity === undefined) return ok(task.base);
  const config = configNamed(task.space, entity);
  if (!config.ok) return config;
  const instance = task.instantiate(config.value);
  return instance.ok ? ok(instance.value.program) : err(`this config makes no program: ${instance.error.message}`);
}
