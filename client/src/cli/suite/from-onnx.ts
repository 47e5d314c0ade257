/** `suite from-onnx`: an ONNX model as a suite, a plan and weights. */
import { open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { badInput, countWords, printable, shellWord, unwritable } from "@warpfarm/common";
import { channelsLast } from "../../model/channels-last.ts";
import { type ModelTask, modelFiles, modelSuite, suiteText } from "../../model/model-suite.ts";
import { inferred, type Net, type Problem } from "../../model/net.ts";
import { readOnnx } from "../../model/read-onnx.ts";
import { simplified } from "../../model/simplify.ts";
import type { CliContext } from "../context.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";

export interface FromOnnxFlags {
  readonly batch?: number;
  readonly dim?: readonly (readonly [name: string, extent: number])[];
  readonly skipUnknown?: boolean;
  readonly output?: string;
}

const mostListed = 20;
/** Those that only read what others give are counted. */
const problemWords = (problems: readonly Problem[]): string => {
  const causes = problems.filter(({ isFollowing }) => !isFollowing);
  const [rest, following] = [causes.length - mostListed, problems.length - causes.length];
  const lines = causes
    .slice(0, mostListed)
    .map(({ node, op, domain, why }) => `  ${printable(`${node}: ${op}${domain === "" ? "" : ` of ${domain}`}: ${why}`)}\n`);
  const follow = following > 0 ? `  and ${countWords(following, "node")} after these\n` : "";
  return `${lines.join("")}${rest > 0 ? `  and ${rest} more\n` : ""}${follow}`;
};

const share = (part: number, whole: number): string => `${whole === 0 ? "0.0" : ((100 * part) / whole).toFixed(1)} %`;

function tasksTable(tasks: readonly ModelTask[], width: number): string {
  const total = (of: (task: ModelTask) => number) => tasks.reduce((sum, task) => sum + task.count * of(task), 0);
  const [operations, bytes] = [total((task) => task.operations), total((task) => task.bytes)];
  const rows = tasks.map((task) => [
    task.label,
    String(task.count),
    share(task.count * task.operations, operations),
    share(task.count * task.bytes, bytes),
    task.subgraph.nodes
      .filter(({ op }) => op !== "Constant")
      .map(({ op }) => op)
      .join(" "),
  ]);
  const count = tasks.reduce((sum, task) => sum + task.count, 0);
  const head = ["task", "count", "operations", "bytes", "operators"];
  return `${table(head, rows, { width, fold: 4 })}${countWords(tasks.length, "task")}, ${countWords(count, "kernel")}, ${(operations / 1e9).toPrecision(3)} GFLOP, ${(bytes / 1e6).toPrecision(3)} MB moved\n`;
}

async function writeParts(path: string, parts: readonly Uint8Array[], signal: AbortSignal): Promise<void> {
  const cannotWrite = unwritable(path);
  await using file = await open(path, "w").catch(cannotWrite);
  for (const part of parts) {
    signal.throwIfAborted();
    await file.writeFile(part).catch(cannotWrite);
  }
}

export async function fromOnnx(context: CliContext, word: string, flags: FromOnnxFlags): Promise<void> {
  const path = resolve(context.cwd, word);
  const { batch, dim = [] } = flags;
  const { output: asked } = flags;
  // `suite run` takes a file of that name for a model. The model may have another name.
  if (asked !== undefined && (/\.onnx$/i.test(asked) || resolve(context.cwd, asked) === path))
    throw badInput(`-o names ${asked}, which is a model's file; it takes the suite's, such as suite.yaml`);
  const model = await readOnnx(path, word, { dims: new Map(dim), ...(batch === undefined ? {} : { batch }) });
  const net: Net = channelsLast(simplified(inferred(model)));
  const { problems } = net;
  if (problems.length > 0 && !flags.skipUnknown) {
    // An error is one line, so the list comes before it.
    context.stderr.write(problemWords(problems));
    throw badInput(
      `${word} has ${countWords(problems.length, "node")} that cannot be computed, listed above; --skip-unknown takes the rest`,
    );
  }
  const suite = modelSuite(net, model);
  if (suite.tasks.length === 0)
    throw badInput(`${word} has nothing to compute: its outputs are constants, or views of its inputs`);
  const output = flags.output ?? `${model.name}.yaml`;
  const stem = output.replace(/\.(ya?ml|json)$/, "");
  const file = (name: string) => resolve(context.cwd, name);
  const left = problems.length > 0 ? `; left out: ${countWords(problems.length, "node")}` : "";
  const about = `${word}: ${countWords(suite.tasks.length, "task")}, ${countWords(
    suite.tasks.reduce((n, { count }) => n + count, 0),
    "kernel",
  )}${left}`;
  await writeParts(file(output), [new TextEncoder().encode(suiteText(model.name, about.slice(0, 1000), suite))], context.signal);
  context.stdout.write(tasksTable(suite.tasks, screenOf(context).width));
  if (problems.length > 0) {
    context.stdout.write(
      `${output} is written. Left out: ${countWords(problems.length, "node")}, so the sum of its tasks is not the model's time, and there is no plan:\n${problemWords(problems)}`,
    );
    return;
  }
  const weightsFile = `${stem}.weights.bin`;
  const files = modelFiles(model.name, net, suite, basename(weightsFile));
  await writeParts(file(weightsFile), files.weights, context.signal);
  await writeParts(file(`${stem}.plan.json`), [new TextEncoder().encode(files.plan)], context.signal);
  context.stdout.write(
    `${output}, ${stem}.plan.json and ${weightsFile} are written; warpfarm suite run ${shellWord(output)} searches the tasks\n`,
  );
}
