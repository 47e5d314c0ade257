/** A thread of feature-pool.ts: makes the vectors of the configs that it gets. Opens each task once. */
import { parentPort } from "node:worker_threads";
import { invariant } from "@warpfarm/common";
import { createTask, type TemplateTask } from "@warpfarm/templates";
import { loadTemplate } from "../../task/template-file.ts";
import type { FeatureAnswer, FeatureJob, TaskSpec } from "./feature-pool.ts";
import { extractFeatures } from "./features.ts";

invariant(parentPort, "feature-thread runs as a thread");
const port = parentPort;
const tasks = new Map<string, Promise<TemplateTask>>();

function opened(spec: TaskSpec): Promise<TemplateTask> {
  const key = JSON.stringify(spec);
  const known = tasks.get(key);
  if (known) return known;
  const { word, file, args, target } = spec;
  const made = (async () => createTask(file === undefined ? word : await loadTemplate(file, word), [...args], target))();
  tasks.set(key, made);
  return made;
}

port.on("message", async ({ spec, configs }: FeatureJob) => {
  const answer: FeatureAnswer = await opened(spec).then(
    (task) => ({ vectors: configs.map((index) => extractFeatures(task, index)) }),
    (error: unknown) => ({ error: String(error) }),
  );
  port.postMessage(answer, "vectors" in answer ? answer.vectors.map(({ buffer }) => buffer as ArrayBuffer) : []);
});
