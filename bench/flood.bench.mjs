/**
 * One principal floods a farm, another measures: what the second waits for a measurement, quiet and under each flood. Tracker,
 * PostgreSQL, the workers with the honest user, and the flooder are processes of their own (flood/). Wanted: the honest user's
 * median under a flood within twice the quiet one. On a machine of two cores the flooder also takes processor time that it would
 * not take from a machine of its own.
 *
 *   npm run bench -- flood
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres, Process } from "./dispatch/farm.mjs";
import { quantile, table } from "./table.mjs";

const seconds = Number(process.env.FLOOD_SECONDS ?? 10);
const farm = { builders: 2, slots: 4, runners: 8, jobMs: 20 };
const everyMs = 50;
const floods = [["sessions"], ["inputs"], ["uploads"], ["sessions", "inputs", "uploads"]];

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
  const server = await openPostgres();
  const running = [];
  try {
    const where = ["--database-url", await server.create("farm"), "--token-file", join(directory, "tokens")];
    const tracker = new Process("tracker.mjs", "--listen", "127.0.0.1:0", "--http", "none", ...where);
    running.push(tracker);
    const address = /grpc=(\S+)/.exec(await tracker.line())?.[1];
    const parties = new Process("../flood/parties.mjs", JSON.stringify({ address, ...farm }));
    running.push(parties);
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
      const greedy = new Process("../flood/greedy.mjs", JSON.stringify({ address, kinds, everyMs }));
      running.push(greedy);
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
    for (const process of running.reverse()) await process.end();
    await server[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}
