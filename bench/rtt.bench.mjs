/**
 * Distance: trials a second when client and tracker are 0, 50 and 300 ms of round trip apart, on four scripted devices whose jobs
 * take 100 ms: 40 a second at most. Tracker, devices and client are processes of their own; the client is the product's remote
 * measurer with as many measurements in flight as `tune` keeps. Wanted: at 50 ms less than 10 % fewer than at 0. Workers are near
 * the tracker. The distances are measured at the same time on one tracker with PostgreSQL, each with devices of its own: what
 * else the machine does then counts for all alike.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";
import { medianOf, table } from "./table.mjs";

const devices = 4;
const jobMs = 100;
const inFlight = 16;
const trials = 240;
const rounds = 3;
const distances = [
  { roundTripMs: 0, level: "v1" },
  { roundTripMs: 50, level: "v2" },
  { roundTripMs: 300, level: "v3" },
];
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A process that has said a line that matches, and that line. */
async function start(args, ready) {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const match = ready.exec(line);
    if (match) return { child, match };
  }
  throw new Error(`${args[0]} ended before it was ready`);
}

/** Trials a second of the middle of a run: neither the start, when devices wait for the first builds, nor the last trials. */
function rateOf(log) {
  const times = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes('"sequence"'))
    .map((line) => JSON.parse(line).at);
  if (times.length !== trials) throw new Error(`${times.length} results of ${trials}`);
  const [from, to] = [Math.floor(trials * 0.1), Math.floor(trials * 0.9)];
  return ((to - from) * 1000) / (times[to] - times[from]);
}

export async function run() {
  const { Link } = await tsImport("../test-support/link.ts", import.meta.url);
  const { startPostgres } = await tsImport("../test-support/farm/postgres.ts", import.meta.url);
  const server = await startPostgres();
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-rtt-"));
  const children = [];
  const links = [];
  try {
    const ports = [
      "--listen",
      "127.0.0.1:0",
      "--http",
      "none",
      "--database-url",
      await server.create("farm"),
      "--exit-with-parent",
    ];
    const tracker = await start([file("dispatch/tracker.mjs"), ...ports], /^tracker ready grpc=(\S+)/);
    children.push(tracker.child);
    const address = tracker.match[1];
    const common = { addresses: [address], journal: join(directory, "journal"), builders: 1, slots: 4, runners: devices };
    for (const { level } of distances) {
      const plan = { ...common, name: level, target: `cpu/x86-64-${level}`, jobMs: [jobMs, jobMs] };
      children.push((await start([file("../test-support/farm/devices.mjs"), JSON.stringify(plan)], /^ready$/)).child);
    }
    const rates = new Map(distances.map(({ roundTripMs }) => [roundTripMs, /** @type {number[]} */ ([])]));
    const measure = async ({ roundTripMs, level }, round) => {
      const link = await Link.to([address], roundTripMs);
      links.push(link);
      const name = `rtt-${round}@${level}`;
      const log = join(directory, name);
      const plan = JSON.stringify({ runs: [{ run: name, count: trials, address: link.address, log }], window: inFlight });
      const client = await start([file("../test-support/farm/client.mjs"), plan], /^ready$/);
      children.push(client.child);
      const [code] = await once(client.child, "exit");
      if (code !== 0) throw new Error(`the client ended with ${code}`);
      rates.get(roundTripMs)?.push(rateOf(log));
    };
    for (let round = 0; round < rounds; round++) await Promise.all(distances.map((distance) => measure(distance, round)));
    const near = medianOf(rates.get(0));
    table(
      "rates",
      [...rates].map(([ms, seen]) => ({
        "round trip ms": ms,
        "trials/s": medianOf(seen).toFixed(1),
        all: seen.map((rate) => rate.toFixed(1)).join(" "),
        "of the rate at 0": `${((100 * medianOf(seen)) / near).toFixed(1)} %`,
      })),
    );
  } finally {
    for (const child of children) child.kill("SIGKILL");
    for (const link of links) await link[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}
