/**
 * Runs named sections of a GPU script, each in a process of its own with a time limit, so that one that fails, hangs or crashes costs only
 * itself. Results are written to $OUT (or ./out) as they come; with --resume, sections whose result is there are not run again.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const outFolder = resolve(process.env.OUT ?? "out");

/** A table for people: columns as wide as their widest cell. */
export function table(head, rows) {
  const text = [head, ...rows].map((row) => row.map((cell) => String(cell)));
  const widths = head.map((_, i) => Math.max(...text.map((row) => (row[i] ?? "").length)));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ");
  console.log([line(text[0]), widths.map((w) => "-".repeat(w)).join("  "), ...text.slice(1).map(line)].join("\n"));
}

/**
 * `sections`: { name: { seconds, run: async () => result } }; `run` prints what people want and returns what is kept. The script calls this
 * once; a child of it comes here with --section.
 */
export async function runSections(script, name, sections) {
  mkdirSync(outFolder, { recursive: true });
  const file = join(outFolder, `${name}.json`);
  const flag = (text) => process.argv.find((arg) => arg.startsWith(`--${text}=`))?.slice(text.length + 3);
  const only = flag("section");
  if (only !== undefined) {
    const result = await sections[only].run();
    const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    writeFileSync(file, `${JSON.stringify({ ...kept, [only]: result ?? null }, undefined, 1)}\n`);
    process.exit(0);
  }
  const wanted = flag("only")?.split(",");
  const budget = Number(flag("budget") ?? Number.POSITIVE_INFINITY);
  const resume = process.argv.includes("--resume");
  if (!resume && existsSync(file)) writeFileSync(file, "{}\n");
  const start = performance.now();
  const failed = [];
  for (const [section, { seconds }] of Object.entries(sections)) {
    if (wanted !== undefined && !wanted.includes(section)) continue;
    const done = existsSync(file) && section in JSON.parse(readFileSync(file, "utf8"));
    if (resume && done) continue;
    const spent = (performance.now() - start) / 1000;
    if (spent + seconds > budget) {
      console.log(`== ${section}: not begun, ${Math.round(budget - spent)} s of ${budget} are left and it may take ${seconds}`);
      failed.push(section);
      continue;
    }
    const begun = performance.now();
    console.log(`\n== ${section}`);
    const ended = await new Promise((done) => {
      const child = spawn(process.execPath, [script, `--section=${section}`], { stdio: "inherit", detached: true });
      const late = setTimeout(() => {
        console.log(`== ${section}: not ended after ${seconds} s; killed`);
        process.kill(-child.pid, "SIGKILL");
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
  console.log(
    `\nall sections: ${((performance.now() - start) / 1000).toFixed(1)} s${failed.length > 0 ? `; FAILED: ${failed.join(", ")}` : ""}; results in ${file}`,
  );
  process.exitCode = failed.length > 0 ? 1 : 0;
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const mid = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[mid] : (sorted[mid - 1] + sorted[mid]) / 2;
};
/** (greatest - least) / median. */
export const spread = (values) => (Math.max(...values) - Math.min(...values)) / median(values);
export const percent = (x) => `${(100 * x).toFixed(2)} %`;
