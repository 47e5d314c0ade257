/**
 * The process that owns one device and runs the farm's code, which may hang or crash; host.ts kills and replaces it. It has a
 * minimal environment and ends with its parent. On the host's processor it writes no files and no core. A GPU's driver keeps a
 * cache of compiled code, so there only cores are forbidden.
 */

import { writeFileSync } from "node:fs";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defined, FarmError, invariant, systemClock } from "@warpfarm/common";
import { bindLibc, exitWithParent, HostLock, serveRequests, settle, untilWanted } from "@warpfarm/common/process";
import koffi from "koffi";
import { deviceKind, type OpenedDevice, openDevice, prepareDevice } from "../device/index.ts";
import { interleavedMs } from "../measure/budget.ts";
import { Windows } from "../measure/windows.ts";
import { carryOut, pause } from "./measure-job.ts";
import type { ChildAnswer, ChildRequest, ChildSettings, PhaseReport } from "./messages.ts";
import { Workloads } from "./workloads.ts";

const [, , settingsText] = process.argv;
invariant(settingsText !== undefined, "the runner's child is started by the runner, with its settings as an argument");
const settings = JSON.parse(settingsText) as ChildSettings;

const libc = bindLibc(koffi);
exitWithParent({ libc });
libc.killWhenParentEnds();
libc.setLimit("coreBytes", 0n, 0n);
volunteerForOomKiller();
const { onHost } = deviceKind(settings.device);
if (onHost) {
  settle(koffi, "kernels");
  libc.setLimit("fileBytes", 0n, 0n);
  libc.setLimit("addressSpaceBytes", BigInt(settings.addressSpaceBytes), BigInt(settings.addressSpaceBytes));
  if (settings.dataBytes !== undefined) libc.setLimit("dataBytes", BigInt(settings.dataBytes), BigInt(settings.dataBytes));
}

/** If the host runs out of memory, the kernel kills this process before the runner, a builder or others. */
function volunteerForOomKiller(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not Linux, or no /proc to write to.
  }
}

/**
 * Collects garbage outside of V8's heap that a job of this file's own code left, such as the content of a blob: it would look
 * like something that the program left behind.
 */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const external = () => getHeapStatistics().external_memory;
  let known = external();
  return () => {
    if (external() > known + keptExternalBytes) {
      collect();
      // What exists now is kept: the views of a workload's buffers.
      known = external();
    } else known = Math.min(known, external());
  };
}
/** malloc gives larger blocks mappings of their own. */
const keptExternalBytes = 1 << 17;

/** Seconds added to the supervisor's deadlines for a job: the last limit, in case the supervisor itself is stopped. */
const jobSeconds = 600;
function boundCpuTime(request: ChildRequest): void {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const used = Math.ceil((userCPUTime + systemCPUTime) / 1e6);
  const programs = request.kind === "measure" ? 1 + (request.paired?.others.length ?? 0) : 0;
  const own = request.kind === "measure" ? Math.ceil((5 * programs * runMsOf(request)) / 1000) : 0;
  libc.setLimit("cpuSeconds", BigInt(used + (jobSeconds + own) * settings.threads));
}

function runMsOf({ options, paired }: Extract<ChildRequest, { kind: "measure" }>): number {
  return paired === undefined ? options.runTimeoutMs : interleavedMs(options, paired.options);
}

await prepareDevice(settings.device);
await untilWanted();

/** An unavailable device is reported in one sentence and not by a death: another child may find it free. */
const { threads, allowShared = false, yieldToOthers = false } = settings;
const opened = await openDevice(settings.device, { threads, allowShared, yieldToOthers }).catch((error: unknown) => {
  if (error instanceof FarmError) return error;
  throw error;
});
const without = { kind: "fault", unopened: true } as const;
if (opened instanceof FarmError) serveRequests<ChildRequest, ChildAnswer>(() => ({ ...without, message: opened.message }));
else if ("taken" in opened) {
  const { taken: message, description } = opened;
  serveRequests<ChildRequest, ChildAnswer>(() => ({ ...without, message, description }));
} else serveDevice(opened);

function serveDevice({ api: device, description, own: committed, rates }: OpenedDevice): void {
  const { ownCode } = settings;
  const own = committed === undefined || ownCode === undefined ? committed : { ...committed, codePath: ownCode };
  // After each run a GPU digests everything that is kept; making it again takes as long as a few runs.
  const workloads = new Workloads(device, onHost ? settings.keepBytes : Math.floor(description.memoryBytes / 8));
  const lock = new HostLock(settings.lockDirectory, libc);
  const nothingHeld: Disposable = { [Symbol.dispose]() {} };
  const windows = yieldToOthers ? new Windows(device, { pause, monotonic: () => systemClock.monotonic() }) : undefined;
  const collect = onHost ? collector() : () => {};
  serveRequests<ChildRequest, ChildAnswer>(async (request, { progress }) => {
    boundCpuTime(request);
    const answer = await carryOut(request, {
      device,
      description,
      workloads,
      clock: systemClock,
      ...defined({ own, windows, rates }),
      hold: () => (onHost ? lock.hold("exclusive") : nothingHeld),
      enter: (phase, budgetMs, program) => {
        const report: PhaseReport = {
          phase,
          ...defined({ budgetMs, program }),
        };
        return progress(report);
      },
    });
    collect();
    return answer;
  });
}
