/**
 * One principal floods a farm, another measures: what the second waits for a measurement, quiet and under each flood. Tracker,
 * PostgreSQL, the workers with the honest user, and the flooder are processes of their own (flood/). Wanted: the honest user's
 * median under a flood within twice the quiet one. On a machine of two cores the flooder also takes processor time that it would
 * not take from a machine of its own.
 *
 *   npm run bench -- flood
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";
import { table } from "./table.mjs";

const seconds = Number(process.env.FLOOD_SECONDS ?? 10);
const farm = { builders: 2, slots: 4, runners: 8, jobMs: 20 };
const everyMs = 50;
const floods = [["sessions"], ["inputs"], ["uploads"], ["sessions", "inputs", "uploads"]];

const file = (name) => fileURLToPath(new URL(name, import.meta.url));

function start(script, ...args) {
  const child = spawn(process.execPath, [file(script), ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const said = [];
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${script} ended too early: ${said.slice(-3).join("\n")}`);
    return value;
  };
  return { child, line };
}

const quantile = (values, q) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN;

export async function run() {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-flood-"));
  const roles = { honest: "client", greedy: "client", builders: "builder", "greedy-builder": "builder", runners: "runner" };
  const hash = (name) => createHash("sha256").update(`token-of-${name}`).digest("hex");
  writeFileSync(
    join(directory, "tokens"),
    Object.entries(roles)
      .map(([name, role]) => `${role} ${name} sha256:${hash(name)}\n`)
      .join(""),
  );
  const { startPostgres } = await tsImport("../test-support/farm/postgres.ts", import.meta.url);
  const server = await startPostgres({ durable: true });
  const running = [];
  try {
    const where = ["--database-url", await server.create("farm"), "--token-file", join(directory, "tokens")];
    const tracker = start("dispatch/tracker.mjs", "--listen", "127.0.0.1:0", "--http", "none", ...where);
    running.push(tracker.child);
    const address = /grpc=(\S+)/.exec(await tracker.line())?.[1];
    const parties = start("flood/parties.mjs", JSON.stringify({ address, ...farm }));
    running.push(parties.child);
    await parties.line();
    const measure = async (ms) => {
      parties.child.stdin.write(`${JSON.stringify({ ms })}\n`);
      return JSON.parse(await parties.line()).latencies;
    };
    await measure(3_000);
    const rows = [];
    let quiet;
    const row = (what, latencies, more) => {
      const p50 = quantile(latencies, 0.5);
      quiet ??= p50;
      rows.push({
        flood: what,
        measurements: latencies.length,
        "p50 ms": p50.toFixed(1),
        "p99 ms": quantile(latencies, 0.99).toFixed(1),
        "of quiet": `${(p50 / quiet).toFixed(2)}${p50 <= 2 * quiet ? "" : " **miss**"}`,
        ...more,
      });
    };
    const none = { "it got": "", "it was refused, by flag": "" };
    row("none", await measure(1_000 * seconds), none);
    const told = {};
    for (const kinds of floods) {
      const greedy = start("flood/greedy.mjs", JSON.stringify({ address, kinds, everyMs }));
      running.push(greedy.child);
      await measure(2_000);
      const latencies = await measure(1_000 * seconds);
      greedy.child.stdin.end();
      const { got, refused, messages } = JSON.parse(await greedy.line());
      Object.assign(told, messages);
      const listed = (counts) =>
        Object.entries(counts)
          .filter(([, n]) => n > 0)
          .map(([name, n]) => `${name} ${n}`)
          .join(", ");
      row(kinds.join(" and "), latencies, { "it got": listed(got), "it was refused, by flag": listed(refused) });
    }
    row("none, after them", await measure(1_000 * seconds), none);
    table("floods", rows);
    console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}; the first refusal of each kind:`);
    for (const message of Object.values(told)) console.log(`  ${message}`);
  } finally {
    for (const child of running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await server[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}
