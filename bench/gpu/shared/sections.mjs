/**
 * Runs named sections of a GPU script, each in a process of its own with a time limit, so that one that fails, hangs or crashes
 * costs only itself. Results are written to $OUT (or ./out) as they come, and in the end as figures (../../results.mjs). With
 * --resume, sections whose result is there, or in the folder --from=DIR, are not run again. Other options are the script's own:
 * every section sees them.
 */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { medianSeconds as median, parseDuration } from "@warpfarm/common";
import { saveResults } from "../../results.mjs";

export const outFolder = resolve(process.env.OUT ?? "out");

/** A table for people: columns as wide as their widest cell. */
export function table(head, rows) {
  const text = [head, ...rows].map((row) => row.map((cell) => String(cell)));
  const widths = head.map((_, i) => Math.max(...text.map((row) => (row[i] ?? "").length)));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ");
  console.log([line(text[0]), widths.map((w) => "-".repeat(w)).join("  "), ...text.slice(1).map(line)].join("\n"));
}

/**
 * The value of --NAME=VALUE or --NAME VALUE.
 * @param {string} name
 * @returns {string | undefined}
 */
export function flag(name) {
  const at = process.argv.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  const arg = process.argv[at];
  return arg.includes("=") ? arg.slice(name.length + 3) : process.argv[at + 1];
}

/** Seconds of --NAME=535s; undefined without it. */
export function timeFlag(name) {
  const text = flag(name);
  if (text === undefined) return undefined;
  const ms = parseDuration(`--${name}`, text, { lowMs: 1000, highMs: 86_400_000 });
  if (!ms.ok) throw new Error(ms.error);
  return ms.value / 1000;
}

/**
 * `sections`: { name: { seconds, run } }; `run` prints what people want and returns what is kept. It may call `keep(part)` with
 * what it has so far: that is kept where the section ends early, and a call with --resume gives it as `before`. The script calls
 * this once; a child of it comes here with --section. `budget`: seconds for all, when --budget does not say. `last(results)`
 * prints what remains to be said.
 * @param {string} script
 * @param {string} name
 * @param {Record<string, { seconds: number, run: (keep: (part: object) => void, before: any) => unknown }>} sections
 * @param {{ budget?: number, last?: (results: any) => void, gpu?: boolean }} [options] `gpu`: false where a processor is measured
 */
export async function runSections(script, name, sections, { budget: usual = Number.POSITIVE_INFINITY, last, gpu = true } = {}) {
  mkdirSync(outFolder, { recursive: true });
  const file = join(outFolder, `${name}.json`);
  const only = flag("section");
  if (only !== undefined) {
    const write = (result) => {
      const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
      writeFileSync(file, `${JSON.stringify({ ...kept, [only]: result ?? null }, undefined, 1)}\n`);
    };
    const { unfinished, ...before } = (existsSync(file) && JSON.parse(readFileSync(file, "utf8"))[only]) || {};
    write(await sections[only].run((part) => write({ ...part, unfinished: true }), before));
    process.exit(0);
  }
  const wanted = flag("only")?.split(",");
  for (const section of wanted ?? [])
    if (!(section in sections)) throw new Error(`there is no section ${section}; there are ${Object.keys(sections).join(", ")}`);
  const budget = timeFlag("budget") ?? usual;
  const resume = process.argv.includes("--resume");
  const from = flag("from");
  const before = from === undefined ? undefined : join(resolve(from), `${name}.json`);
  if (resume && before !== undefined && before !== file && existsSync(before)) copyFileSync(before, file);
  else if (!resume && existsSync(file)) writeFileSync(file, "{}\n");
  const start = performance.now();
  const failed = [];
  for (const [section, { seconds }] of Object.entries(sections)) {
    if (wanted !== undefined && !wanted.includes(section)) continue;
    const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    if (resume && section in kept && !kept[section]?.unfinished) continue;
    const spent = (performance.now() - start) / 1000;
    if (spent + seconds > budget) {
      console.log(`== ${section}: not begun, ${Math.round(budget - spent)} s of ${budget} are left and it may take ${seconds}`);
      failed.push(section);
      continue;
    }
    const begun = performance.now();
    console.log(`\n== ${section}`);
    const ended = await new Promise((done) => {
      const child = spawn(process.execPath, [script, `--section=${section}`, ...process.argv.slice(2)], {
        stdio: "inherit",
        detached: true,
      });
      const late = setTimeout(() => {
        console.log(`== ${section}: not ended after ${seconds} s; killed`);
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      }, seconds * 1000);
      child.on("exit", (code, signal) => {
        clearTimeout(late);
        done(code === 0 ? undefined : (signal ?? `exit code ${code}`));
      });
    });
    if (ended !== undefined) {
      failed.push(section);
      console.log(`== ${section}: FAILED (${ended})`);
    }
    console.log(`== ${section}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  }
  const results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  if (last !== undefined) {
    console.log("");
    last(results);
  }
  const command = `node ${relative(process.cwd(), script)} ${process.argv.slice(2).join(" ")}`.trim();
  if (Object.keys(results).length > 0 && !process.argv.includes("--dry"))
    saveResults(`${gpu ? "gpu" : "cpu"}-${name}`, command, results, { gpu });
  console.log(
    `\nall sections: ${((performance.now() - start) / 1000).toFixed(1)} s${failed.length > 0 ? `; FAILED: ${failed.join(", ")}` : ""}; results in ${file}`,
  );
  process.exitCode = failed.length > 0 ? 1 : 0;
}

export { median };
export const percent = (x) => `${(100 * x).toFixed(2)} %`;
