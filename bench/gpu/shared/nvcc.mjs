/** A program's text as code of a GPU, by nvcc. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-nvcc-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
let files = 0;

/**
 * The file that a device loads, registers and spilled bytes of its largest kernel, and all that the compiler said.
 * @param {string} text
 * @param {string} target
 */
export async function compiled(text, target) {
  const [source, code] = [join(scratch, `${++files}.cu`), join(scratch, `${files}.cubin`)];
  writeFileSync(source, text);
  const { stdout, stderr } = await execute("nvcc", ["-cubin", `-arch=${target.slice(5)}`, "-Xptxas=-v", "-o", code, source]);
  const words = `${stdout}${stderr}`;
  const most = (pattern) => Math.max(0, ...[...words.matchAll(pattern)].map((found) => Number(found[1])));
  return { code, words, registers: most(/Used (\d+) registers/g), spills: most(/(\d+) bytes spill stores/g) };
}
