/**
 * Renames the second editions of templates, X_2, to X: in recorded logs (their lines and their files' names), in results and in
 * texts. Run once, when the editions were merged, and deleted: nothing reads the old names.
 *
 *   node scripts/rename-editions.mjs
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const edition = /\b(matmul_mma|matmul_simt|matmul_latency|conv2d_splitk)_2\b/g;
const files = execFileSync("git", ["ls-files"], { cwd: root }).toString().trim().split("\n");

/** The run's number is the last part of a log's name. Runs of both editions of a shape are numbered on. */
function nameOf(file) {
  const [, start, template, run] = /^(.*-)(\w+)_2-(\d+)\.jsonl\.gz$/.exec(file);
  for (let n = Number(run); ; n++) {
    const name = `${start}${template}-${n}.jsonl.gz`;
    if (!existsSync(root + name)) return name;
  }
}

/** An object of results may have both editions. Of equal names the first edition's says so; matmul_mma's was another program. */
function renamed(value) {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value === "string") return value.replace(edition, "$1");
  if (typeof value !== "object" || value === null) return value;
  const to = (key) => key.replace(edition, "$1");
  const taken = new Set(Object.keys(value).filter((key) => to(key) !== key).map(to));
  const clash = (key) => (to(key) === key && taken.has(key) ? `${key} (first edition)` : to(key));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [clash(key), renamed(each)]));
}

/** matmul_mma before version 2, beside it. */
const firstMma = (text) => (/\bmatmul_mma_2\b/.test(text) ? text.replace(/\bmatmul_mma\b/g, "matmul_mma (first edition)") : text);

let [logs, lines, texts] = [0, 0, 0];
for (const file of files) {
  const path = root + file;
  if (file.startsWith("bench/results/logs/")) {
    if (!/_2-\d+\.jsonl\.gz$/.test(file)) continue;
    const text = gunzipSync(readFileSync(path)).toString();
    const made = text.replace(/^(\{"input":\[(?:"(?:[^"\\]|\\.)*"),"\w+?)_2"/gm, (_, start) => {
      lines++;
      return `${start}"`;
    });
    const name = nameOf(file);
    writeFileSync(path, gzipSync(made.replace(edition, "$1"), { level: 9 }));
    renameSync(path, root + name);
    logs++;
    console.log(`${file} -> ${name}`);
  } else if (/^bench\/results\/[\w-]+\.json$/.test(file)) {
    const text = readFileSync(path, "utf8");
    if (!text.match(edition)) continue;
    const indent = /^\{\n( +)/.exec(text)?.[1].length ?? 1;
    writeFileSync(path, `${JSON.stringify(renamed(JSON.parse(firstMma(text))), undefined, indent)}\n`);
    texts++;
  } else if (/\.(md|mjs)$/.test(file) && file !== "scripts/rename-editions.mjs" && !file.startsWith("docs/adr/")) {
    const text = readFileSync(path, "utf8");
    if (!text.match(edition)) continue;
    writeFileSync(path, text.replace(edition, "$1"));
    texts++;
  }
}
console.log(`${logs} logs with ${lines} lines, ${texts} other files`);
