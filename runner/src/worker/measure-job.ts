/**
 * Carries out one request in the process that owns the device. A fault of the candidate is a failure, and a fault of the
 * reference is a marked failure. A fault of the node is a fault, and so is any result that was taken while another process used
 * the device. A device that yields to others discards repeats instead (windows.ts).
 */
import {
  type Clock,
  comparedShape,
  defined,
  invariant,
  type JudgedJob,
  type ManifestBuffer,
  measureErrorNo,
  medianSeconds,
  type Refusal,
} from "@warpfarm/common";
import {
  type DeviceApi,
  type DeviceBuffer,
  type DeviceDescription,
  DeviceError,
  type DeviceModule,
} from "../device/device-api.ts";
import type { OpenedDevice } from "../device/index.ts";
import { type OwnCode, runOwn } from "../device/own.ts";
import type { Candidate, Failure } from "../measure/batches.ts";
import { commitmentTo, Draws } from "../measure/draws.ts";
import type { InputSet } from "../measure/judged.ts";
import { type MeasureHooks, measure, type Timing } from "../measure/measure.ts";
import { measurePaired } from "../measure/paired.ts";
import { DeviceBusy, type Windows } from "../measure/windows.ts";
import { audited } from "./audited.ts";
import { fillWorkspaces } from "./fill.ts";
import type { ChildAnswer, ChildRequest, LocalArtifact } from "./messages.ts";
import { tried } from "./tried.ts";
import { programsOf } from "./verdict.ts";
import type { Making, Workload, Workloads } from "./workloads.ts";

interface JobContext {
  readonly device: DeviceApi;
  readonly description: DeviceDescription;
  readonly rates?: OpenedDevice["rates"];
  readonly workloads: Workloads;
  readonly clock: Pick<Clock, "monotonic">;
  readonly own?: OwnCode;
  readonly enter: MeasureHooks["enter"];
  readonly hold: MeasureHooks["hold"];
  /** Present when the device yields to others. */
  readonly windows?: Windows;
}

type MeasureRequest = Extract<ChildRequest, { kind: "measure" }>;
type WorkRequest = Exclude<ChildRequest, { kind: "describe" }>;

export const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

export async function carryOut(request: ChildRequest, context: JobContext): Promise<ChildAnswer> {
  if (request.kind === "describe") return { kind: "described", description: described(context) };
  if (context.windows !== undefined) return inWindows(request, context, context.windows);
  const answer = await answerTo(request, context);
  const others = context.device.others();
  // A fresh process waits until it is alone, and keeps nothing on the device until then.
  return others === undefined ? answer : { kind: "fault", message: others };
}

const described = ({ description, rates }: JobContext): DeviceDescription => ({
  ...description,
  limits: { ...description.limits, ...rates?.() },
});

/** Others may come and go: what they disturbed is done again, or the job is handed back. */
async function inWindows(request: WorkRequest, context: JobContext, windows: Windows): Promise<ChildAnswer> {
  try {
    windows.begin();
    const answer = await answerTo(request, context);
    // Repeats are thrown away one by one, but not a time limit that others may have used up, nor the parts of an audit.
    const isOfTime = answer.kind === "failed" && answer.errorNo === measureErrorNo.RUN_TIMEOUT;
    const isJudged = request.kind === "measure" && request.judged !== undefined;
    if ((isOfTime || isJudged) && !windows.isOpen()) throw new DeviceBusy("device busy: others came during the job");
    return answer.kind === "timed" ? { ...answer, observations: { ...answer.observations, ...windows.seen } } : answer;
  } catch (error) {
    if (error instanceof DeviceBusy) return { kind: "fault", message: error.message, busy: true };
    throw error;
  }
}

const hooksOf = ({ enter, hold, clock, windows }: JobContext): MeasureHooks => ({
  enter,
  hold: () => {
    windows?.wait();
    return hold();
  },
  pause,
  monotonic: () => clock.monotonic(),
  ...defined({ windows }),
});

async function answerTo(request: WorkRequest, context: JobContext): Promise<ChildAnswer> {
  if (request.kind === "own") return answerOfOwn(request.timed, context);
  const { artifact, reference } = request;
  let workload: Workload;
  try {
    workload = await context.workloads.of(artifact, reference, makingOf(request), context.enter);
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === "failed" ? { ...failure, ofReference: reference !== undefined } : failure;
  }
  const all = programsOf(request);
  const refusal = firstDisagreement(all, workload) ?? unsupported(request, context.device);
  if (refusal !== undefined) return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, tainted: false, ...refusal };
  return measureCandidates(all, request, workload, context);
}

/** One deadline for everything, and one more for each wait for the lock. */
async function answerOfOwn(timed: boolean, context: JobContext): Promise<ChildAnswer> {
  if (context.own === undefined) return { kind: "own" };
  const hooks = hooksOf(context);
  const enter = (phase: string) => hooks.enter(phase === "lock" ? "lock" : "own");
  try {
    await hooks.enter("own");
    const times = await runOwn(context.device, context.own, { ...hooks, enter }, { timed });
    return { kind: "own", ...defined({ times }) };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { kind: "fault", message: `the node's own kernels: ${error.message} [${error.rule}]` };
  }
}

function failureOf(error: unknown): Failure | Extract<ChildAnswer, { kind: "fault" }> {
  if (!(error instanceof DeviceError)) throw error;
  const { rule, message, sticky: tainted, hardware } = error;
  if (hardware) return { kind: "fault", message: `${message} [${rule}]`, hardware };
  return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule, message, tainted };
}

async function measureCandidates(
  artifacts: readonly LocalArtifact[],
  request: MeasureRequest,
  workload: Workload,
  context: JobContext,
): Promise<ChildAnswer> {
  const { options, paired, judged, reference } = request;
  const { device, enter } = context;
  const held: Held = { loaded: [], workspaces: [] };
  const draws = judged && workload.notJudged === undefined ? new Draws(judged.leaseSecret) : undefined;
  let program: number | undefined;
  try {
    const candidates: Candidate[] = [];
    for (const [i, artifact] of artifacts.entries()) {
      program = paired && i;
      await enter("load", undefined, program);
      candidates.push(loaded(artifact, workload, device, held, draws));
    }
    const hooks = hooksOf(context);
    const [only] = candidates as [Candidate];
    const measured =
      paired === undefined
        ? await measure(device, only, options, hooks)
        : await measurePaired(device, candidates, options, paired.options, hooks, (now) => {
            program = now;
          });
    if (measured.kind !== "timed") return measured;
    const timing = asJudged(measured, workload, judged);
    if (judged === undefined || reference === undefined || !isAudited(timing, judged)) return timing;
    const { description } = context;
    const { referenceMs } = workload;
    for (const [i, candidate] of candidates.entries()) {
      program = paired && i;
      if (candidate.judged === undefined) break;
      const source = { reference, candidate: candidate.buffers, ...makingOf(request) };
      const mineOnly: MeasureHooks = { ...hooks, enter: (phase, budgetMs) => enter(phase, budgetMs, paired && i) };
      const all = { device, hooks: mineOnly, description, referenceMs };
      const mine = { ...timing, ...timing.paired?.[i] };
      const answer = await audited(mine, candidate.judged, source, { options, judged }, all);
      const seed = candidate.judged.draws.seed("structure");
      const its = { candidate, artifact: artifacts[i] as LocalArtifact, reference, seed };
      const found = answer.kind === "failed" ? answer : await tried(its, options, device, mineOnly);
      if (found.kind === "failed")
        return { ...found, busyMs: timing.busyMs, ...(paired === undefined ? {} : { failedProgram: i }) };
      if (paired === undefined && answer.kind === "timed") return withUnlike(answer, found.unlike);
    }
    return timing;
  } catch (error) {
    const failure = failureOf(error);
    // Of an audit, whose inputs are others: no candidate is to blame.
    if (failure.kind === "failed" && failure.rule === "task.nan")
      return { ...failure, message: `in an audit, ${failure.message}`, ofReference: true };
    return failure.kind === "failed" && program !== undefined ? { ...failure, failedProgram: program } : failure;
  } finally {
    for (const { module } of held.loaded) module[Symbol.dispose]();
    for (const workspace of held.workspaces) device.free(workspace);
  }
}

function withUnlike(timing: Timing, unlike: number): Timing {
  const { judged } = timing;
  if (unlike === 0 || judged === undefined || "not" in judged || judged.audit === undefined) return timing;
  return { ...timing, judged: { ...judged, audit: { ...judged.audit, unlike } } };
}

function asJudged(timing: Timing, { sets, notJudged }: Workload, judged: JudgedJob | undefined): Timing {
  if (judged === undefined) return timing;
  // The first launch was right, and nobody knows of the timed ones.
  if (notJudged !== undefined) return { ...timing, checked: false, judged: { not: notJudged } };
  return { ...timing, judged: { sets: sets.length, commitment: commitmentTo(judged.secret) } };
}

/** Interleaved programs are finalists, which are audited whatever their times. One that ended early is never the best. */
const isAudited = ({ costs, atLeast }: Timing, { auditBelowMs }: JudgedJob): boolean =>
  atLeast === undefined && (auditBelowMs === undefined || medianSeconds(costs) * 1e3 < auditBelowMs);

interface Loaded {
  module: DeviceModule;
}

interface Held {
  readonly loaded: Loaded[];
  readonly workspaces: DeviceBuffer[];
}

function loaded(artifact: LocalArtifact, workload: Workload, device: DeviceApi, held: Held, draws: Draws | undefined): Candidate {
  const { manifest, codePath } = artifact;
  const code: Loaded = { module: device.load(manifest, codePath) };
  held.loaded.push(code);
  const own = new Map<string, DeviceBuffer>();
  for (const spec of manifest.buffers) {
    // The parts of a sum may be more or fewer than the reference's.
    if (spec.role !== "workspace" && spec.sum_over === undefined) continue;
    const workspace = device.allocate(spec);
    held.workspaces.push(workspace);
    own.set(spec.name, workspace);
  }
  fillWorkspaces(device, artifact, own);
  const [first, ...others] = workload.sets.map((set): InputSet => ({ ...set, buffers: new Map([...set.buffers, ...own]) }));
  invariant(first !== undefined, "a workload has a set of inputs");
  const reload = (): DeviceModule => {
    code.module[Symbol.dispose]();
    // What is unloaded is not unloaded again when loading fails.
    code.module = { manifest, [Symbol.dispose]() {} };
    code.module = device.load(manifest, codePath);
    return code.module;
  };
  return {
    ...first,
    get module() {
      return code.module;
    },
    ...(draws === undefined ? {} : { judged: { sets: [first, ...others], reload, draws } }),
  };
}

/** Constant memory has one content, so its tensors are the same in all sets. */
function makingOf(request: MeasureRequest): Making & { readonly shared: readonly string[] } {
  const { options, judged } = request;
  const constants = programsOf(request).flatMap(({ manifest }) => (manifest.constants ?? []).map(({ buffer }) => buffer));
  return { inputs: options.inputs, ...(judged === undefined ? {} : { secret: judged.secret }), shared: constants };
}

/** The first difference between the tensors of candidate and reference, which must be equal. */
function firstDisagreement(
  artifacts: readonly LocalArtifact[],
  { buffers }: Workload,
): (Refusal & Pick<Failure, "failedProgram">) | undefined {
  for (const [program, { manifest }] of artifacts.entries()) {
    const message = otherTensors(manifest, buffers);
    if (message !== undefined) return { rule: "tensors", message, ...(artifacts.length > 1 ? { failedProgram: program } : {}) };
  }
  return undefined;
}

function otherTensors(manifest: LocalArtifact["manifest"], buffers: Workload["buffers"]): string | undefined {
  const tensors = manifest.buffers.filter((spec) => spec.role !== "workspace");
  const shown = (name: string | undefined): string => (name === undefined ? "nothing" : name);
  if (tensors.length !== buffers.size) return `the artifact has ${tensors.length} tensors, its reference ${buffers.size}`;
  // The fill of an output does not matter, because it is poisoned before every run.
  const words = (spec: ManifestBuffer): string => {
    const { name, dtype, role, fill } = spec;
    return `${role} ${name}: ${dtype}[${comparedShape(spec)}]${fill === undefined || role === "out" ? "" : ` of ${typeof fill === "string" ? fill : JSON.stringify(fill)}`}`;
  };
  for (const tensor of tensors) {
    const spec = buffers.get(tensor.name)?.spec;
    const text = words(tensor);
    const other = spec && words(spec);
    if (text !== other) return `the artifact has ${text}, its reference ${shown(other)}`;
  }
  return undefined;
}

function unsupported({ options }: MeasureRequest, { timers }: DeviceApi): Refusal | undefined {
  return timers.includes(options.timer)
    ? undefined
    : { rule: "timer", message: `timer ${options.timer} was asked for; this device has ${timers.join(", ")}` };
}
