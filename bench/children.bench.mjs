/**
 * Trials a second of a runner's supervisor on this processor, of two checkouts in turns: one user alone, and two users whose jobs
 * come by turns. Real children in the sandbox that this machine has, and a matrix product of 128 by OpenMP with its reference,
 * under the options that `tune` uses and under very short ones, where all that is not timing counts most. Each checkout has its
 * own process, which waits while the other one measures; a block is 12 trials. A checkout from before owners ignores them.
 *
 *   git worktree add ../before COMMIT && (cd ../before && npm ci && npm run build)
 *   npm run build && node bench/children.bench.mjs ../before . --blocks 12
 *
 * Needs cc. The figures go into bench/results/children.json.
 */
import { execFileSync, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { canonicalJson, defaultMeasureOptions, digestOf } from "@warpfarm/common";
import { saveResults } from "./results.mjs";
import { medianOf, table, takeTables } from "./table.mjs";

const trials = 12;
const extent = 128;
const variants = 6;
const settings = /** @type {const} */ ({ usual: {}, "1 ms a repeat": { minRepeatMs: 1 } });

const tensor = (name, role) => ({
  ...{ name, role, dtype: "float32", shape: [extent, extent], bytes: 4 * extent * extent, align: 64 },
  reduction: role === "out" ? extent : 1,
});

/** Kernels that differ in the order of a block, so that each has a digest of its own. */
function compiled(directory, block) {
  const base = join(directory, `k${block}`);
  const n = extent;
  const text = `void kernel(void *const *args) { const float *a = args[0], *b = args[1]; float *c = args[2];
#pragma omp parallel for
for (int i = 0; i < ${n}; i++) for (int j = 0; j < ${n}; j++) { float s = 0;
for (int o = 0; o < ${n}; o += ${block}) for (int k = o; k < o + ${block} && k < ${n}; k++) s += a[i * ${n} + k] * b[k * ${n} + j];
c[i * ${n} + j] = s; } }\n`;
  writeFileSync(`${base}.c`, text);
  execFileSync("cc", ["-O2", "-fopenmp", "-shared", "-fPIC", "-o", `${base}.so`, `${base}.c`]);
  const code = digestOf(readFileSync(`${base}.so`));
  const buffers = [tensor("a", "in"), tensor("b", "in"), tensor("c", "out")];
  const one = [1, 1, 1];
  const kernel = { name: "kernel", grid: one, block: one, dynamic_shared_bytes: 0, cluster: one, args: ["a", "b", "c"] };
  const resources = { registers: 0, spill_bytes: 0, static_shared_bytes: 0 };
  const manifest = {
    ...{ version: 1, program: digestOf(text), target: "cpu/x86-64-v1", format: "so", code, kernels: [kernel], buffers },
    ...{ resources, toolchain: "cc", notes: [] },
  };
  return { digest: digestOf(canonicalJson(manifest)), manifest, codePath: `${base}.so` };
}

/** The process of one checkout: answers {users, options} with the milliseconds of a block. */
async function serve(checkout, directory) {
  const of = (path) => import(pathToFileURL(join(checkout, path)).href);
  const { findLayers } = await of("common/dist/process/index.js");
  const { DeviceHost } = await of("runner/dist/worker/host.js");
  const koffi = pathToFileURL(join(checkout, "node_modules/koffi/index.js")).href;
  const layers = findLayers({ koffi, searchPath: process.env.PATH ?? "" });
  const own = join(directory, `own-${process.pid}`);
  mkdirSync(own);
  const limits = { addressSpaceBytes: 2 ** 46, dataBytes: 2 ** 31, keepBytes: 2 ** 28 };
  const host = new DeviceHost({
    node: "bench",
    settings: { device: "cpu", threads: 2, lockDirectory: directory, ...limits },
    sandbox: { layers, koffi, directory: own },
  });
  await host.start();
  const kernels = Array.from({ length: variants + 1 }, (_, i) => compiled(own, 8 + i));
  const [reference, ...artifacts] = kernels;
  let at = 0;
  process.on("message", async ({ users, options }) => {
    const began = performance.now();
    for (let i = 0; i < trials; i++) {
      const job = { artifact: artifacts[at++ % variants], reference, attempt: 1, buildMs: 0, owner: `user ${i % users}` };
      const outcome = await host.run({ ...job, options: { ...defaultMeasureOptions("cpu"), ...options } });
      if (outcome.kind !== "result" || outcome.result.kind !== "timed") throw new Error(JSON.stringify(outcome));
    }
    process.send?.(performance.now() - began);
  });
  process.on("disconnect", () => host[Symbol.asyncDispose]());
  process.send?.("ready");
}

async function compare(paths, blocks) {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-children-"));
  const commitOf = (path) =>
    spawnSync("git", ["-C", path, "rev-parse", "--short=10", "HEAD"], { encoding: "utf8" }).stdout.trim();
  const sides = [];
  for (const [i, path] of paths.entries()) {
    const child = fork(process.argv[1] ?? "", ["--serve", resolve(path), directory]);
    await once(child, "message");
    sides.push({ name: i === 0 ? "before" : "after", commit: commitOf(path), child });
  }
  const ask = async ({ child }, message) => {
    child.send(message);
    const [ms] = await once(child, "message");
    return (1000 * trials) / Number(ms);
  };
  for (const [name, options] of Object.entries(settings)) {
    const rows = [];
    for (const users of [1, 2]) {
      const rates = { before: [], after: [] };
      for (const side of sides) await ask(side, { users, options });
      for (let block = 0; block < blocks; block++)
        for (const side of block % 2 === 0 ? sides : sides.toReversed())
          rates[side.name].push(await ask(side, { users, options }));
      const ratios = rates.after.map((rate, i) => rate / rates.before[i]).sort((a, b) => a - b);
      const quarter = (part) => ratios[Math.floor(part * (ratios.length - 1))].toFixed(3);
      rows.push({
        users: users === 1 ? "one alone" : "two in turns",
        "before, trials/s": medianOf(rates.before).toFixed(1),
        "after, trials/s": medianOf(rates.after).toFixed(1),
        "after/before, the median": medianOf(ratios).toFixed(3),
        "its middle half": `${quarter(0.25)} to ${quarter(0.75)}`,
      });
    }
    table(`options: ${name}`, rows);
    console.log("");
  }
  console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
  for (const { child } of sides) child.disconnect();
  await Promise.all(sides.map(({ child }) => once(child, "exit")));
  rmSync(directory, { recursive: true, force: true });
  const commits = sides.map(({ name, commit }) => ({ name, commit }));
  saveResults("children", "node bench/children.bench.mjs BEFORE .", { commits, blocks, ...takeTables() });
}

const { values, positionals } = parseArgs({
  options: { serve: { type: "boolean" }, blocks: { type: "string" } },
  allowPositionals: true,
});
const blocks = Number(values.blocks ?? 12);
const [first, second] = positionals;
if (first === undefined || second === undefined || !Number.isInteger(blocks) || blocks < 2) {
  console.error("give two checkouts, the older first, and --blocks of at least 2: node bench/children.bench.mjs ../before .");
  process.exitCode = 2;
} else if (values.serve) await serve(first, second);
else await compare([first, second], blocks);
