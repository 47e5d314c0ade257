/** Configs of templates beside the vendor library's operator, interleaved in one process of PyTorch (interleaved.py). */
import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { targetOf } from "../shapes-dry.mjs";
import { compiled } from "./nvcc.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const bin = here("../../../bin/warpfarm.js");
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-library-"));
const run = promisify(execFile);

/** A config of a template, compiled, as interleaved.py takes it. */
export async function artifactOf({ template, index }, args) {
  const target = targetOf(template);
  const common = [bin, "lower", template, "--args", JSON.stringify(args), "--target", target, "--index", String(index)];
  const lowered = async (form) => (await run(process.execPath, [...common, "--emit", form], { maxBuffer: 2 ** 28 })).stdout;
  const { code: cubin } = await compiled(await lowered("cuda"), target);
  const parts = (await lowered("launch"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    name: `${template} ${index}`,
    cubin,
    kernels: parts.flatMap(({ kernel }) => kernel ?? []),
    buffers: parts.flatMap(({ buffers }) => buffers ?? []),
    maps: parts.flatMap(({ maps }) => maps ?? []),
  };
}

/** Answers of interleaved.py. A row on which it crashes is checked by itself, and the rest go on. */
export async function timedBeside(specs) {
  const answers = [];
  while (answers.length < specs.length) {
    const left = join(scratch, "specs.json");
    writeFileSync(left, JSON.stringify(specs.slice(answers.length)));
    const given = ["-W", "ignore", here("../interleaved.py"), left];
    const { stdout, failed } = await run("python3", given, { maxBuffer: 2 ** 28 }).catch((error) => ({
      ...error,
      failed: error,
    }));
    answers.push(
      ...stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line)),
    );
    if (!failed) continue;
    const spec = specs[answers.length];
    writeFileSync(left, JSON.stringify([{ ...spec, check_only: true }]));
    const found = await run("compute-sanitizer", ["--tool", "memcheck", "python3", ...given], { maxBuffer: 2 ** 28 }).catch(
      (e) => e,
    );
    const lines = `${found.stdout}${found.stderr}`.split("\n").filter((line) => !line.includes("Host Frame"));
    console.log(`${spec.name}: crashed; compute-sanitizer says\n${lines.slice(0, 30).join("\n")}`);
    answers.push({ name: spec.name, crashed: lines.slice(0, 30) });
  }
  return answers;
}
