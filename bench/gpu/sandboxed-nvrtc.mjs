/**
 * Does NVRTC do without the system calls that a compile child may not make? Builds a program of every template for CUDA, and the
 * example kernel, in the product's own builder in its sandbox. Needs NVRTC and no GPU, no network:
 *   npm run build && node bench/gpu/sandboxed-nvrtc.mjs [cuda/sm_90]
 * Ends with 1 when a program is not built, when the builder found another compiler than NVRTC, or when there is no sandbox. To
 * see which calls are refused: strace -f -Z -e status=failed node bench/gpu/sandboxed-nvrtc.mjs 2>&1 | grep -E "EPERM|ENOSYS"
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cudaHomes, openLocalBuilder } from "../../builder/dist/index.js";
import { confines, describeLayers } from "../../common/dist/process/index.js";
import { gpuLimits } from "../../compiler/dist/index.js";
import { createTask, fittingTarget, templates } from "../../templates/dist/index.js";

const [, , target = "cuda/sm_90"] = process.argv;
const base = mkdtempSync(join(tmpdir(), "warpfarm-nvrtc-"));
const builder = await openLocalBuilder({
  slots: 1,
  searchPath: process.env.PATH ?? "/usr/bin:/bin",
  cudaHomes: cudaHomes(process.env),
  cacheDirectory: join(base, "cache"),
  lockDirectory: base,
  fromNetwork: true,
  onLine: (/** @type {string} */ line) => console.log(`child: ${line}`),
});
const compiler = builder.toolchains.find(({ kind }) => kind === "nvrtc" || kind === "nvcc")?.id ?? "none";
console.log(`sandbox: ${describeLayers(builder.layers)}; compiler of CUDA text: ${compiler}`);
let failed = 0;
let built = 0;
try {
  for (const { name, targets } of templates) {
    if (!targets.some(({ kind }) => kind === "cuda")) continue;
    const task = createTask(name, undefined, fittingTarget(targets, target));
    const limits = gpuLimits(task.target);
    let index = task.published ?? task.space.toIndex(0);
    for (let next = 1; task.validate(index, limits).length > 0 && next < task.space.size; next++)
      index = task.space.toIndex(next);
    const instance = task.instantiate(index);
    if (!instance.ok) throw new Error(`${name} ${index}: ${instance.error.message}`);
    const begin = performance.now();
    const result = await builder.executor.build({ program: instance.value.program, timeoutMs: 300_000 });
    if (result.kind === "built") built++;
    else {
      failed++;
      console.log(`${name}: ${result.result.rule} ${result.result.message}\n${result.result.log ?? ""}`);
    }
    if (result.kind === "built") console.log(`${name}: built in ${(performance.now() - begin).toFixed(0)} ms`);
  }
} finally {
  await builder[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
}
console.log(`${built} built, ${failed} not`);
process.exitCode = failed === 0 && built > 0 && confines(builder.layers) && compiler.startsWith("nvrtc") ? 0 : 1;
