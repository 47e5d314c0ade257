/** What of shapes.mjs needs no GPU: some configs of each row are made, and compiled by nvcc where it is. */
import { execFileSync } from "node:child_process";
import { Random } from "@warpfarm/common";
import { compileProgram, decodeProgram, gpuLimits } from "@warpfarm/compiler";
import { createTask, templates } from "@warpfarm/templates";
import { targetFor } from "../target-for.mjs";
import { valueIn } from "../value-in.mjs";
import { compiled } from "./shared/nvcc.mjs";
import { table } from "./shared/sections.mjs";

/** @param {string} template */
export function targetOf(template) {
  const need = templates.find(({ name }) => name === template)?.targets.find(({ kind }) => kind === "cuda");
  if (!need) throw new Error(`${template} is no template for GPUs`);
  return targetFor(need);
}
const configsEach = 2;
const mostTried = 2000;

function compiler() {
  try {
    execFileSync("nvcc", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Seeded configs that the target can launch. */
function launchable(task, target, random) {
  const found = [];
  const limits = gpuLimits(target);
  for (let tried = 0; tried < mostTried && found.length < configsEach; tried++) {
    const index = task.space.toIndex(random.below(task.space.size));
    if (task.validate(index, limits).length === 0) found.push(index);
  }
  return found;
}

/**
 * Configs that a row names by their entries.
 * @param {{ args: any, named?: { template: string, values: Record<string, any> }[] }} row
 */
export const namedConfigs = ({ args, named = [] }) =>
  named.map(({ template, values }) => {
    const { space } = createTask(template, args, targetOf(template));
    const index = space.indexOf(new Map(Object.entries(values)));
    if (index === undefined) throw new Error(`${template} has no config ${JSON.stringify(values)}`);
    return { template, index };
  });

/** Prints a table of the rows; throws when a template has nothing for a row. */
export async function tryRows(rows) {
  const hasCompiler = compiler();
  const cells = [];
  for (const [name, row] of Object.entries(rows))
    for (const template of row.templates) {
      const target = targetOf(template);
      const task = createTask(template, row.args, target);
      const named = namedConfigs(row).flatMap((config) =>
        config.template === template ? [task.space.toIndex(config.index)] : [],
      );
      const configs = [...launchable(task, target, new Random(1)), ...named];
      if (configs.length === 0) throw new Error(`${template} has no config for ${name}`);
      for (const index of configs) {
        const made = compileProgram(valueIn(decodeProgram(valueIn(task.instantiate(index)).program.bytes)));
        if (!made.ok) throw new Error(`${template} ${index} of ${name}: ${made.error.message}`);
        const resources = hasCompiler ? await compiled(made.value.text, target) : { registers: "no nvcc", spills: "no nvcc" };
        const grid = made.value.kernels.map((kernel) => kernel.grid.join("x")).join(" + ");
        cells.push([name, template, index, grid, resources.registers, resources.spills]);
      }
    }
  table(["row", "template", "config", "grid", "registers", "bytes spilled"], cells);
}
