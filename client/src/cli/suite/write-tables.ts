/** `suite table`: a header for each table of a suite, and one pack with what the tables chose. */

import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { badInput } from "@warpfarm/common";
import { configNamed } from "@warpfarm/compiler/language";
import { digestOfChoices, type PackChoice, packOf } from "@warpfarm/records/packs";
import { type DispatchTable, dispatchTables, type Entity } from "@warpfarm/records/suites";
import { findTemplate } from "@warpfarm/templates";
import { dispatchHeader } from "../../suite/dispatch-text.ts";
import { bucketOf, writePack } from "../../suite/pack-folder.ts";
import { timeText } from "../../suite/report-words.ts";
import type { CliContext } from "../context.ts";
import { type ReadSuite, tableWords } from "./report.ts";
import type { Sources } from "./sources.ts";

/** Into `output`, or else the folder `table` of the suite's. */
export async function writeTables(
  context: CliContext,
  { directory, results, times }: ReadSuite,
  sources: Sources,
  n: number,
  output: string | undefined,
): Promise<void> {
  const plan = await directory.plan();
  const tables = dispatchTables(results, times, n);
  if (tables.length === 0)
    throw badInput(
      `no template of ${plan.name} has times on two shapes of one kind of device: there is nothing to choose between`,
    );
  const folder = output === undefined ? join(directory.path, "table") : resolve(context.cwd, output);
  if (folder === directory.path) throw badInput(`-o names the suite's own folder, which has its pack; give another one`);
  await mkdir(folder, { recursive: true });
  for (const found of tables) {
    const name = `${found.task}-${found.key}`.replace(/[^\w.-]+/g, "_");
    const { search } = (found.shapes[0] as DispatchTable["shapes"][number]).task;
    const args = "template" in search.task ? Object.keys(findTemplate(found.task).args) : [];
    const names = args.length > 0 ? args : search.args.map((_, i) => `arg${i}`);
    await writeFile(join(folder, `${name}.h`), dispatchHeader(found, names));
    context.stdout.write(`${tableWords(found)}  ${join(output ?? folder, `${name}.h`)}; slowest regret at ${worstOf(found)}\n`);
  }
  const parts = [];
  for (const table of tables) for (const shape of table.shapes) parts.push(await partOf(table, shape, results, sources));
  const pack = packOf(plan.name, parts);
  await writePack(folder, pack);
  context.stdout.write(`choices ${digestOfChoices(pack.choices)} in ${output ?? folder}, for warpfarm export\n`);
}

async function partOf(
  { kernels }: DispatchTable,
  { task: { id }, kernel, seconds }: DispatchTable["shapes"][number],
  results: ReadSuite["results"],
  sources: Sources,
) {
  const { task: planned, trials, best } = results.find((each) => each.task.id === id) as ReadSuite["results"][number];
  const task = await sources.task(planned);
  const config = kernels[kernel] as Entity;
  const named = configNamed(task.space, config);
  const made = named.ok ? task.instantiate(named.value) : undefined;
  if (!made?.ok) throw badInput(`a kernel of the table is no config of ${id} any more: run the suite again`);
  const choice: PackChoice = { kind: "config", config, program: made.value.program.digest, tied: [] };
  const evidence = { id, trials: trials.length, seconds, rounds: [] };
  return { bucket: bucketOf(planned, choice, best?.trial.result.device?.name), evidence };
}

const worstOf = ({ shapes }: DispatchTable): string => {
  const worst = shapes.reduce((a, b) => (b.regret > a.regret ? b : a));
  return `${JSON.stringify(worst.task.search.args)}: ${timeText(worst.seconds)}, best known ${timeText(worst.bestSeconds)}`;
};
