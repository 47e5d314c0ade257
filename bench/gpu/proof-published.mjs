/**
 * Section published of the proof: the configs of the tutorial's printed log and AutoTVM's best on an H100: valid, checked, timed
 * by both timers.
 */

import { gpuLimits } from "../../compiler/dist/index.js";
import { createTask } from "../../templates/dist/index.js";
import { cores, openBuilds, openHost, targetHere } from "./shared/device-host.mjs";
import { peer, taskName, us, words } from "./shared/proof-facts.mjs";
import { median, table } from "./shared/sections.mjs";

/**
 * Index of the printed log, and whether it was valid there (48 KiB of shared memory).
 * @type {[number, boolean][]}
 */
const printed = [
  [4881186, true],
  [7106118, false],
  [3605182, true],
  [9420813, false],
  [1721347, false],
  [6444505, false],
  [8675766, false],
  [2716108, true],
  [1263092, true],
  [8921130, true],
  [4036575, false],
  [5036371, true],
  [252051, false],
  [5057676, false],
  [3582580, true],
  [9705041, false],
  [4730274, false],
  [5003765, false],
  [4107668, true],
  [2440616, false],
];

export async function publishedSection() {
  const target = targetHere();
  const task = createTask(taskName, undefined, target);
  const builds = await openBuilds(cores);
  const host = await openHost();
  try {
    const limits = { device: gpuLimits(target), autotvm: gpuLimits("autotvm") };
    /** @type {[name: string, index: number, validInLog: boolean][]} */
    const wanted = [
      ...printed.map(([index, valid], i) => /** @type {(typeof wanted)[number]} */ ([`log ${i + 1}`, index, valid])),
      ["AutoTVM's best", peer.bestIndex, true],
    ];
    const reference = await builds.build(task.reference);
    if (reference.refused) throw new Error(`the reference does not build: ${reference.refused.message}`);
    const building = wanted.map(async ([name, at, validInLog]) => {
      const index = task.space.toIndex(at);
      const verdict = (l) => task.validate(index, l)[0];
      const agrees = (verdict(limits.autotvm) === undefined) === validInLog;
      const refusal = verdict(limits.device);
      const row = { name, index: at, agrees, refusal, refused: undefined, artifact: undefined, ms: undefined };
      if (refusal !== undefined) return row;
      const made = task.instantiate(index);
      return made.ok ? { ...row, ...(await builds.build(made.value.program)) } : { ...row, refusal: made.error };
    });
    const rows = [];
    const kept = [];
    for (const built of building) {
      const { name, index, agrees, refusal, refused, artifact, ms } = await built;
      const row = { name, index, agreesWithLog: agrees, refusal: refusal?.message, buildMs: ms };
      if (refused) row.refused = refused.message;
      if (artifact) {
        row.graph = await host.run(artifact, reference.artifact);
        row.events = await host.run(artifact, reference.artifact, { timer: "events" });
        row.resources = artifact.manifest.resources;
      }
      kept.push(row);
      rows.push([
        name,
        index,
        agrees ? "as in the log" : "NOT as in the log",
        row.graph ? words(row.graph) : `${refusal?.message ?? refused?.message}`.slice(0, 70),
        row.events ? words(row.events) : "",
        row.graph?.checked ? "agrees" : "",
        ms === undefined ? "" : (ms / 1000).toFixed(1),
      ]);
    }
    table(["config", "index", "48 KiB verdict", "by graph", "by events", "output", "build s"], rows);
    const best = kept.at(-1).graph;
    if (best?.kind === "timed")
      console.log(`AutoTVM's best: ${us(median(best.costs))} here, ${peer.bestUs} us by AutoTVM's loop timer`);
    return kept;
  } finally {
    await host.close();
    await builds.close();
  }
}
