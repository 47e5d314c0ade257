/** Jobs beside other processes, on a scripted GPU whose management library lists them and tells how busy the GPU is. */
import { expect, it } from "vitest";
import { right, useCudaFarm } from "../device/cuda/cuda-farm.testing.ts";
import type { Nvml } from "../device/cuda/nvml.ts";
import { ScriptedCuda } from "../device/cuda/scripted-cuda.testing.ts";
import { othersBeside } from "../device/cuda/who-is-there.ts";
import type { Batches, Limit } from "./batches.ts";
import type { MeasureHooks } from "./measure.ts";
import { undisturbed } from "./windows.ts";

const { artifact, farm } = useCudaFarm();
const info = new ScriptedCuda().device(0);
const other = 1; // a process of this machine that is neither this one nor its sibling
const short = { number: 1, minRepeatMs: 0, repeat: 4 } as const;

/**
 * `isThere` and `percent` follow the time of the waits, which begins at 0, and the launches of kernel k, of which there is one
 * before the timed ones. `passes`: a launch takes time too.
 */
function beside({
  isThere = (_at: { nowMs: number; launches: number }): boolean => false,
  percent = (_nowMs: number): number | undefined => 0,
  passes = false,
} = {}) {
  const at = { nowMs: 0, launches: 0 };
  const nvml: Nvml = {
    driverVersion: "1",
    observe: () => ({}),
    powerW: () => undefined,
    totalEnergyMj: () => undefined,
    busyPercent: () => percent(at.nowMs),
    sharing: () => ({ mig: false, virtualGpu: false, computeProcesses: [] }),
    computeProcesses: () => [process.pid, ...(isThere(at) ? [other] : [])],
  };
  const wait = (ms: number): void => {
    at.nowMs += ms;
  };
  const ms = () => {
    at.launches++;
    const took = isThere(at) ? 50 : 5;
    if (passes) wait(took);
    return took;
  };
  const yields = { pause: wait, monotonic: () => at.nowMs };
  const all = farm({ k: { ...right(5), ms } }, nvml, () => othersBeside(info, nvml), yields);
  return { ...all, at };
}
const five = Array.from({ length: 4 }, () => expect.closeTo(0.005, 9));
const seen = (windowsWaited: number, repeatsThrownAway: number) => ({ windowsWaited, repeatsThrownAway });

it("a job begins after 200 ms in which nobody else was there and the device was under 2 % busy", async () => {
  const idle = beside();
  expect(await idle.measure(artifact("k"), short)).toMatchObject({ kind: "timed", costs: five, observations: seen(1, 0) });
  expect(idle.at.nowMs).toBe(200);
  // The next job waits anew, and its counts are its own.
  expect(await idle.measure(artifact("k"), short)).toMatchObject({ observations: seen(1, 0) });
  expect(idle.at.nowMs).toBe(400);
  const left = beside({ isThere: ({ nowMs }) => nowMs < 1_000, percent: (nowMs) => (nowMs < 1_500 ? 2 : 1) });
  expect(await left.measure(artifact("k"), short)).toMatchObject({ costs: five, observations: seen(1, 0) });
  expect(left.at.nowMs).toBe(1_700);
  const back = beside({ percent: (nowMs) => (nowMs === 180 ? 100 : 0) });
  await back.measure(artifact("k"), short);
  expect(back.at.nowMs).toBe(400);
});

it("a repeat during which somebody came is thrown away, counted, and measured again in a later window", async () => {
  // The warm-up is launch 1, so this is the second repeat.
  const isThere = ({ nowMs, launches }: { nowMs: number; launches: number }) => launches === 3 && nowMs < 700;
  const { measure, at } = beside({ isThere });
  expect(await measure(artifact("k"), short)).toMatchObject({ kind: "timed", costs: five, observations: seen(2, 1) });
  expect([at.launches, at.nowMs]).toEqual([6, 900]);
  // The next job counts its own.
  expect(await measure(artifact("k"), short)).toMatchObject({ observations: seen(1, 0) });
});

it("so is one turn of an interleaved round", async () => {
  const isThere = ({ nowMs, launches }: { nowMs: number; launches: number }) => launches === 4 && nowMs < 700;
  const { pair } = beside({ isThere });
  const answer = await pair(artifact("k"), artifact("k"), short);
  expect(answer).toMatchObject({ kind: "timed", paired: [{ costs: five }, { costs: five }], observations: seen(2, 1) });
});

it("the idle time of a repeat that is thrown away is given back once", async () => {
  const at = { nowMs: 0, repeats: 0 };
  const budgets: (number | undefined)[] = [];
  const repeat = (limit: Limit) => {
    at.nowMs += limit.idleMs + 20;
    limit.deadline += limit.idleMs;
    at.repeats++;
    return { seconds: 0.02 };
  };
  const windows = { isOpen: () => at.repeats > 1, throwAway: () => {}, wait: () => (at.nowMs += 200) };
  const enter = async (_phase: string, budgetMs?: number) => void budgets.push(budgetMs);
  const hooks = { windows, monotonic: () => at.nowMs, enter } as unknown as MeasureHooks;
  const limit = { deadline: 1_000, idleMs: 50, idles: 10 };
  await undisturbed({ repeat } as unknown as Batches, limit, "repeat 1", hooks);
  // Nothing of the 1,000 ms is spent, and ten idle times are allowed.
  expect(budgets).toEqual([undefined, 1_000 + 10 * 50]);
});

it("a repeat that runs out of time beside others is not the candidate's fault, and its time does not count", async () => {
  const isThere = ({ launches, nowMs }: { nowMs: number; launches: number }) => launches >= 2 && nowMs < 700;
  const { measure, at } = beside({ isThere, passes: true });
  const answer = await measure(artifact("k"), { ...short, number: 0, minRepeatMs: 60, runTimeoutMs: 500 });
  expect(answer).toMatchObject({ kind: "timed", observations: seen(2, 1) });
  expect(at.nowMs).toBeGreaterThan(200 + 500);
});

it("without a window in 60 s the job is handed back as device busy, as is one that is disturbed without end", async () => {
  const taken = beside({ isThere: () => true });
  const words = /^device busy: no 200 ms without others in 60 s; .* is in use by process 1$/;
  expect(await taken.measure(artifact("k"), short)).toEqual({ kind: "fault", busy: true, message: expect.stringMatching(words) });
  expect([taken.at.nowMs, taken.at.launches]).toEqual([60_000, 0]);
  const unknown = beside({ percent: () => undefined });
  expect(await unknown.own(false)).toMatchObject({ busy: true, message: expect.stringContaining("does not tell how busy") });
  // Somebody who leaves as soon as the job waits, and comes with each of its launches.
  let left = { nowMs: 0, launches: 1 };
  const isThere = (at: { readonly nowMs: number; readonly launches: number }) => {
    if (at.nowMs > left.nowMs) left = { ...at };
    return at.launches > left.launches;
  };
  const restless = beside({ isThere });
  expect(await restless.measure(artifact("k"), short)).toMatchObject({
    message: "device busy: others came during 101 repeats of one job",
  });
});
