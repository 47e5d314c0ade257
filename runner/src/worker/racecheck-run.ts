/** The process that racecheck looks at (racecheck.ts): opens the device, and runs the kernels of one artifact once. */
import { readFileSync } from "node:fs";
import { type InputKind, invariant } from "@warpfarm/common";
import type { DeviceBuffer } from "../device/device-api.ts";
import { openDevice, prepareDevice } from "../device/index.ts";
import { fillAll, fillerOf, fillWorkspaces } from "./fill.ts";
import type { LocalArtifact } from "./messages.ts";

export interface RacecheckRun {
  readonly artifact: LocalArtifact;
  readonly inputs: InputKind;
  readonly device: string;
  readonly threads: number;
}

const [, , path] = process.argv;
invariant(path !== undefined, "the runner starts this file, with that of its request as an argument");
const { artifact, inputs, device: name, threads } = JSON.parse(readFileSync(path, "utf8")) as RacecheckRun;
await prepareDevice(name);
// The runner's child has the device too, and does nothing meanwhile.
const opened = await openDevice(name, { threads, allowShared: true, yieldToOthers: false });
if ("taken" in opened) throw new Error(opened.taken);
const { api: device } = opened;
const { manifest, codePath } = artifact;
const buffers = new Map<string, DeviceBuffer>(manifest.buffers.map((spec) => [spec.name, device.allocate(spec)]));
fillAll(device, artifact, buffers, fillerOf(artifact, ["in", "inout"], inputs));
fillWorkspaces(device, artifact, buffers);
// Launches of their own, which the tool sees as such: not those of a graph.
device.run(device.load(manifest, codePath), buffers, 1, device.timers.at(-1) ?? "wall");
// Neither native threads nor a context keep it alive.
process.exit(0);
