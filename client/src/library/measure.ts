import { backendOf, badInput, defined, FarmError, type MeasureResult } from "@warpfarm/common";
import { readSearchSpec } from "@warpfarm/records/search";
import { refusingTask } from "../measure/decorators/refuse-task.ts";
import { sessionMeasurer, sessionsOf } from "../search/farm-measurer.ts";
import { limitsOf, limitsReached, selectorFor } from "../search/farm-there.ts";
import { provenanceOf } from "../search/provenance.ts";
import { checkBuilders } from "../search/reach.ts";
import { measureOptionsFor } from "../search/spec-options.ts";
import { taskOfSource } from "../search/task-of-source.ts";
import { isKernel } from "../search/task-source.ts";
import { opened } from "./farm.ts";
import type { CallOptions, Farm, MeasureAsked } from "./index.ts";
import { placeOf } from "./search.ts";
import { heeding } from "./stopped.ts";
import { configOf, sourceNamed } from "./task.ts";

export async function measure(of: Farm, asked: MeasureAsked, options: CallOptions): Promise<MeasureResult> {
  const farm = opened(of);
  const signal = farm.signalWith(options.signal);
  return heeding("measure", signal, async () => {
    const source = await sourceNamed(asked);
    const { measure: how, where } = asked;
    const { measure: read } = readSearchSpec({
      version: 1,
      task: { template: source.name },
      ...defined({ measure: how, where }),
    });
    const there = await farm.look(signal);
    const { key, target } = placeOf(there, source, asked);
    const task = taskOfSource(source, asked.args, target);
    const index = configOf(task, asked.config);
    const selector = selectorFor(there, { key, where, task });
    const [violation] = task.validate(index, limitsOf({}, target, limitsReached(there, selector)));
    const made = task.instantiate(index);
    const refusal = violation ?? (made.ok ? undefined : made.error);
    if (refusal || !made.ok) throw badInput(`config ${index} of ${task.name} cannot run on ${target}: ${refusal?.message}`);
    checkBuilders({ ...there, channel: farm.channel, embedded: farm.embedded }, target, farm.notice);
    const { program } = made.value;
    // A program compared with itself always agrees, which would look like a check.
    const check = program.digest === task.reference.digest ? ({ check: "none", judged: false } as const) : {};
    const measured = measureOptionsFor({ ...read, ...check }, backendOf(target), { isKernel: isKernel(source) });
    const place = farm.place(there, signal);
    const sessions = await sessionsOf(place, { task, selector, options: measured, provenance: provenanceOf(task) }, signal);
    const measurer = refusingTask(sessionMeasurer(sessions, 1), `${task.name} ${JSON.stringify(task.args)}`);
    async function* inputs() {
      yield { sequence: 1, program, reference: task.reference };
    }
    for await (const { result } of measurer.measure(inputs(), { signal })) return result;
    throw new FarmError("UNAVAILABLE", "the farm gave no result");
  });
}
