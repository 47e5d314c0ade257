/**
 * One checkout of bench/lower-two.mjs: `node child.mjs CHECKOUT PROGRAMS`. At each line of its input it replays, infers, checks
 * and lowers every program once and prints the milliseconds of processor of each, null for one that it refuses.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [checkout = "", file = ""] = process.argv.slice(2);
const compiler = await import(pathToFileURL(join(checkout, "compiler/dist/index.js")).href);
const { decodeProgram, gpuLimits, infer, lowerVerified, parseTarget, replay, verifyLimits, verifyScheduled } = compiler;
const documents = JSON.parse(readFileSync(file, "utf8")).map((text) => new TextEncoder().encode(text));

function lowered({ graph, trace, intrinsics, target }) {
  const schedule = replay(graph, trace, intrinsics);
  if (!schedule.ok) return false;
  const inferred = infer(schedule.value.state);
  if (!inferred.ok) return false;
  const func = inferred.value.func();
  if ([...verifyLimits(inferred.value, gpuLimits(target)), ...verifyScheduled(func)].length > 0) return false;
  return lowerVerified(func, parseTarget(target)).ok;
}

for await (const _ of createInterface({ input: process.stdin })) {
  // Read anew: what was inferred of a graph's schedules is remembered as long as the graph is.
  const times = documents.map((document) => {
    const program = decodeProgram(document);
    if (!program.ok) return null;
    const before = process.cpuUsage();
    const isLowered = lowered(program.value);
    const { user, system } = process.cpuUsage(before);
    return isLowered ? (user + system) / 1000 : null;
  });
  console.log(JSON.stringify(times));
}
