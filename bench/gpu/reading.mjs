/**
 * Texts that try to read a file of the builder (test-support/reading-texts.mjs) on every CUDA compiler of this machine, NVRTC
 * above all:
 *
 *   node bench/gpu/reading.mjs [--dry]
 *
 * Prints a line for each text with what it got without any guard and in each layer of the sandbox, and ends with 1 when a layer
 * leaks: under Landlock alone whether a file is there may be told, its content never; in bubblewrap neither. --dry takes three
 * texts. Needs no GPU.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalBuildExecutor } from "../../builder/dist/build-executor.js";
import { installations } from "../../builder/dist/local-builder.js";
import { cudaHomes, filesOf } from "../../builder/dist/toolchain/cuda/find-libraries.js";
import { findNvcc } from "../../builder/dist/toolchain/cuda/nvcc.js";
import { findNvrtc } from "../../builder/dist/toolchain/cuda/nvrtc.js";
import { describeLayers, findLayers } from "../../common/dist/process/index.js";
import { programOf, readingTexts, reads, saidBy, secret } from "../../test-support/reading-texts.mjs";

const dry = process.argv.includes("--dry");
const koffi = import.meta.resolve("koffi");
const { PATH = "" } = process.env;
const homes = cudaHomes(process.env);
const folder = mkdtempSync(join(tmpdir(), "warpfarm-reading-"));
const path = join(folder, "secret.h");
const missing = join(folder, "nobody.h");
writeFileSync(path, `${secret} nonsense ${secret};\n`.repeat(3));

const layers = await findLayers({ koffi, searchPath: PATH });
console.log(`sandbox here: ${describeLayers(layers)}${layers.missing.map((why) => `; ${why}`).join("")}`);
const none = { landlock: 0, seccomp: false, missing: [] };
/**
 * @type {[mode: string, clientText: "all" | "checked", layers: import("../../common/dist/process/index.js").Layers |
 * undefined][]}
 */
const modes = [
  ["no guard", "all", undefined],
  ["checked", "checked", undefined],
];
if (layers.bubblewrap !== undefined) modes.splice(1, 0, ["bubblewrap", "all", { ...none, bubblewrap: layers.bubblewrap }]);
if (layers.landlock > 0) modes.splice(1, 0, ["Landlock", "all", { ...none, landlock: layers.landlock, seccomp: layers.seccomp }]);
const honest = 'extern "C" __global__ void k(float *a) { *a = a[1]; }\n';
const texts = dry ? readingTexts.slice(0, 3) : readingTexts;
const places = { homes, list: filesOf };
const found = [findNvrtc(PATH, places), await findNvcc(PATH, places, folder)];
let leaks = 0;
let broken = 0;
for (const compiler of found) {
  if (!compiler.ok) {
    console.log(`left out: ${compiler.error}`);
    continue;
  }
  const toolchain = compiler.value;
  const rows = texts.map((text) => ({ text, got: /** @type {string[]} */ ([]) }));
  for (const [mode, clientText, only] of modes) {
    const executor = new LocalBuildExecutor({
      compilerVersion: "0",
      toolchains: [toolchain],
      lockDirectory: folder,
      workDirectory: mkdtempSync(join(folder, "work-")),
      clientText,
      ...(only === undefined ? {} : { sandbox: { layers: only, koffi, readable: installations([toolchain], homes) } }),
    });
    const built = await executor.build({ program: programOf({ "main.cu": honest }), timeoutMs: 300_000 });
    if (built.kind !== "built") {
      broken++;
      console.log(`${toolchain.id}, ${mode}: honest text is not built: ${saidBy(built)}`);
    }
    for (const { text, got } of rows) {
      const { leaks: leaked } = await reads(text, { executor, path, missing });
      got.push(leaked ? "LEAKS" : "-");
      const mayTell = mode === "Landlock" && text.tells === "name";
      if (leaked && mode !== "no guard" && !mayTell) leaks++;
    }
    await executor[Symbol.asyncDispose]();
  }
  console.log(
    `\n${toolchain.id}\n| text | tells | ${modes.map(([mode]) => mode).join(" | ")} |\n|${" --- |".repeat(modes.length + 2)}`,
  );
  for (const { text, got } of rows) console.log(`| ${text.name} | ${text.tells} | ${got.join(" | ")} |`);
}
rmSync(folder, { recursive: true });
console.log(`\n${leaks} leaks, ${broken} compilers that do not work in a sandbox; wanted: 0 and 0`);
process.exitCode = leaks + broken > 0 ? 1 : 0;
