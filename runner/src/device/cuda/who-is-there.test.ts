/** Which processes count as others, with real processes and a scripted list of the management library. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { until } from "../../../../test-support/until.ts";
import { ScriptedCuda } from "./scripted-cuda.testing.ts";
import { othersBeside, othersOn, whyNotSeen } from "./who-is-there.ts";

const info = new ScriptedCuda().device(0);
const seen = (...pids: readonly number[]) => othersOn(info, { computeProcesses: () => pids });
const begun: ChildProcess[] = [];
afterEach(() => {
  for (const child of begun.splice(0)) child.kill("SIGKILL");
});
const started = (file: string, ...args: readonly string[]) => {
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  begun.push(child);
  return child as typeof child & { readonly pid: number };
};

it("a process that is no child of this one's parent counts as another, as long as it lives", async () => {
  const { pid } = process;
  const child = started("sleep", "600");
  expect(seen(pid, child.pid)).toContain(`is in use by process ${child.pid};`);
  expect(seen(child.pid, pid, 1)).toContain(`is in use by processes ${child.pid}, 1;`);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(seen(pid, child.pid)).toBeUndefined();
});

it("this process, its siblings, and numbers that are nobody's here are none", async () => {
  const { pid } = process;
  expect(seen(pid)).toBeUndefined();
  expect(seen(pid, 2 ** 30)).toBeUndefined();
  // As the supervisor's two children see each other.
  const look = new URL("../../../dist/device/cuda/who-is-there.js", import.meta.url).href;
  const script = `const { othersOn, othersBeside } = await import("${look}");
    const pids = () => [process.pid, Number(process.argv[1])];
    const asked = [{ name: "", uuid: "" }, { computeProcesses: pids }];
    console.log(String(othersOn(...asked)), String(othersBeside(...asked)));`;
  const sibling = started("sleep", "600");
  const lines: string[] = [];
  for (const of of [sibling.pid, process.pid]) {
    const child = started(process.execPath, "--input-type=module", "-e", script, String(of));
    child.stdout.on("data", (text: Buffer) => void lines.push(text.toString()));
    await until(() => lines.length > 0, "its words");
    expect(lines.splice(0).join()).toMatch(
      of === sibling.pid ? /^undefined undefined\n$/ : new RegExp(`in use by process ${of};.* in use by process ${of}\n$`),
    );
  }
});

it("a list without this process is of other numbers than ours, or of a service that shares the GPU: it says nothing", () => {
  const child = started("sleep", "600");
  expect(seen(child.pid)).toBeUndefined();
  expect(seen()).toBeUndefined();
  expect(othersOn(info, undefined)).toBeUndefined();
});

it("for a runner that yields, processes that it cannot see are others too, and a list without it is no empty one", async () => {
  const beside = (...pids: readonly number[]) => othersBeside(info, { computeProcesses: () => pids });
  const { pid } = process;
  expect(beside(pid)).toBeUndefined();
  expect(beside(pid, 2 ** 30)).toContain(`is in use by process ${2 ** 30}`);
  expect(beside(2 ** 30)).toContain("lacks the runner's own");
  expect(beside()).toContain("lacks the runner's own");
  const sibling = started("sleep", "600");
  expect(beside(sibling.pid, pid)).toContain(`process ${sibling.pid}`);
});

it.each([
  ["no management library", undefined, /libnvidia-ml/],
  ["MIG", { mig: true }, /MIG device/],
  ["a slice by a hypervisor", { virtualGpu: true }, /virtual GPU/],
  ["a driver that does not tell", { percent: undefined }, /how busy/],
  ["a container with pids of its own", { pids: [2 ** 30] }, /pid namespace/],
  ["a list that has it late", { late: 2 }, undefined],
  ["a host", {}, undefined],
] as const)("whether others can be seen: %s", (_, given, words) => {
  const { mig = false, virtualGpu = false, late = 0, ...over } = { ...given } as Record<string, never>;
  let [lists, slept] = [0, 0];
  const nvml = {
    sharing: () => ({ mig, virtualGpu, computeProcesses: [] }),
    busyPercent: () => ("percent" in over ? undefined : 0),
    computeProcesses: () => (lists++ < late ? [] : (over.pids ?? [process.pid])),
  };
  const why = whyNotSeen(info, given === undefined ? undefined : nvml, () => slept++);
  if (words === undefined) expect([why, slept]).toEqual([undefined, late]);
  else expect(why).toMatch(words);
});
