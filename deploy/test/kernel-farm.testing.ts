/** A farm with real builders whose device is scripted: it gives every artifact a time, so that kernels need no GPU. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runner as scriptedRunner } from "../../test-support/farm/scripted.ts";
import { Party } from "./survival/party.ts";
import { bin, Place } from "./warpfarm-process.ts";

export const examples = join(dirname(fileURLToPath(new URL("../../package.json", import.meta.url))), "examples");

/** Also the example of a kernel, in its place. */
export async function kernelFarm(): Promise<{ place: Place; tracker: string; jobs: ReturnType<typeof scriptedRunner>["jobs"] }> {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  mkdirSync(place.path("run"));
  const env = { ...place.env, XDG_RUNTIME_DIR: place.path("run") };
  const part = (role: string, ...flags: readonly string[]) => {
    const party = new Party(process.execPath, [bin, role, ...flags], new RegExp(`^${role} ready `), env);
    onTestFinished(async () => {
      party.kill("SIGKILL");
      await party.ended;
    });
    return party;
  };
  const tracker = part("tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", place.path("store"));
  const address = /grpc=(\S+)/.exec(await tracker.ready)?.[1] ?? "";
  await part("builder", "--tracker", address, "--cache", place.path("builds"), "--slots", "2").ready;
  const device = scriptedRunner(address, 1, undefined, { key: "cuda/sm_90" }).start();
  onTestFinished(() => device.kill());
  for (const name of ["vector_add.cu", "vector_add.yaml", "items.cuh"])
    writeFileSync(place.path(name), readFileSync(join(examples, name)));
  return { place, tracker: address, jobs: device.jobs };
}
