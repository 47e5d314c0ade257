/**
 * A thread of search.mjs: one seeded search. It is a function of its seed and of the store's rows, so one that was cut off begins
 * again.
 */
import { parentPort, workerData } from "node:worker_threads";
import { tuners } from "../../client/dist/index.js";
import { optionsOfRecords } from "../../client/dist/tuner/outlined.js";
import { recordsIn } from "../../client/dist/tuner/transfer.js";
import { gpuLimits } from "../../compiler/dist/index.js";
import { createTask } from "../../templates/dist/index.js";

const { taskName, args, target, tuner: name, seed, trials, inFlight, known, transfer } = workerData;
const task = createTask(taskName, args, target);
const limits = gpuLimits(target);
const outcomes = new Map(known);
const waiting = new Map();
if (parentPort === null) throw new Error("this is a thread's module: search.mjs starts it");
const port = parentPort;
port.on("message", ({ index, outcome }) => {
  waiting.get(index)?.(outcome);
  waiting.delete(index);
});
const outcomeOf = (index) => {
  const outcome = outcomes.get(index);
  if (outcome !== undefined) return outcome;
  return new Promise((resolve) => {
    waiting.set(index, resolve);
    port.postMessage({ kind: "measure", index });
  });
};

let refused = 0;
const isValid = (index) => {
  const valid = task.validate(index, limits).length === 0;
  if (!valid) refused++;
  return valid;
};
/** As `warpfarm tune --transfer`. */
function recordsOf({ taskName: other, args: otherArgs, rows }) {
  const from = createTask(other, otherArgs, target);
  const source = { name: other, task: from, rows: rows.map(([index, outcome]) => ({ index, seconds: outcome.seconds })) };
  return optionsOfRecords(task, recordsIn(task, [source]));
}
const tuner = tuners[name]({
  space: task.space,
  seed,
  isValid,
  ...(transfer ? recordsOf(transfer) : {}),
});
const sequence = [];
const planMs = [];
const flying = [];
while (sequence.length < trials || flying.length > 0) {
  const begun = performance.now();
  const [index] = flying.length < inFlight && sequence.length < trials ? tuner.ask(1) : [];
  if (index !== undefined) {
    planMs.push(performance.now() - begun);
    sequence.push(index);
    flying.push({ index, outcome: outcomeOf(index) });
    continue;
  }
  const landed = flying.shift();
  if (landed === undefined) {
    if (tuner.exhausted) break;
    continue;
  }
  tuner.tell([{ index: landed.index, outcome: await landed.outcome }]);
}
port.postMessage({ kind: "done", sequence, planMs, refused });
port.close();
