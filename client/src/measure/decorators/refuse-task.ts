/**
 * Ends the stream when a result says that the task itself cannot be measured: every other candidate would get the same answer.
 */
import { badInput, type FarmError, isTaskFault } from "@warpfarm/common";
import type { Measurer } from "../measurer.ts";

const taskRefused = (task: string, why: string): FarmError =>
  badInput(`${task} cannot be measured: ${why}; correct the computation, its shapes or the values of its inputs`);

export function refusingTask(measurer: Measurer, task: string): Measurer {
  return {
    async *measure(inputs, options) {
      for await (const record of measurer.measure(inputs, options)) {
        if (isTaskFault(record.result)) throw taskRefused(task, record.result.message);
        yield record;
      }
    },
  };
}
