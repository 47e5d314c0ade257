/**
 * One request, carried out in the process that owns the device. What the candidate does wrong becomes a failure, and so does what is wrong
 * with the reference, which is marked; what is wrong with the node becomes a fault, and so does whatever came out while somebody else was on
 * the device.
 */
import { type ManifestBuffer, measureErrorNo, systemClock } from "@warpfarm/common";
import { type DeviceApi, type DeviceBuffer, type DeviceDescription, DeviceError } from "../device/device-api.ts";
import { type OwnCode, runOwn } from "../device/own.ts";
import { type Candidate, type Failure, type MeasureHooks, measure } from "../measure/measure.ts";
import type { ChildAnswer, ChildRequest, LocalArtifact } from "./messages.ts";
import type { Workload, Workloads } from "./workloads.ts";

export interface JobContext {
  readonly device: DeviceApi;
  readonly description: DeviceDescription;
  readonly workloads: Workloads;
  readonly own?: OwnCode;
  readonly enter: MeasureHooks["enter"];
  readonly hold: MeasureHooks["hold"];
}

export async function carryOut(request: ChildRequest, context: JobContext): Promise<ChildAnswer> {
  if (request.kind === "describe") return { kind: "described", description: context.description };
  const answer = await answerTo(request, context);
  const others = context.device.others();
  // A fresh process waits until it is alone, and until then keeps nothing on the device.
  return others === undefined ? answer : { kind: "fault", message: others };
}

const hooksOf = ({ enter, hold }: JobContext): MeasureHooks => ({
  enter,
  hold,
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  monotonic: systemClock.monotonic,
});

async function answerTo(request: Exclude<ChildRequest, { kind: "describe" }>, context: JobContext): Promise<ChildAnswer> {
  if (request.kind === "own") return answerOfOwn(request.timed, context);
  const { artifact, reference } = request;
  let workload: Workload;
  try {
    workload = await context.workloads.of(artifact, reference, context.enter);
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === "failed" ? { ...failure, ofReference: reference !== undefined } : failure;
  }
  const refusal = disagreement(artifact, workload) ?? unsupported(request, context.device);
  if (refusal !== undefined) return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, tainted: false, ...refusal };
  return measureCandidate(request, workload, context);
}

/** One deadline for all of it, and one more for each wait for the lock. */
async function answerOfOwn(timed: boolean, context: JobContext): Promise<ChildAnswer> {
  if (context.own === undefined) return { kind: "own" };
  const hooks = hooksOf(context);
  const enter = (phase: string) => hooks.enter(phase === "lock" ? "lock" : "own");
  try {
    await hooks.enter("own");
    const times = await runOwn(context.device, context.own, { ...hooks, enter }, { timed });
    return { kind: "own", ...(times === undefined ? {} : { times }) };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { kind: "fault", message: `the node's own kernels: ${error.message} [${error.rule}]` };
  }
}

/** Throws what no device refused. */
function failureOf(error: unknown): Failure | Extract<ChildAnswer, { kind: "fault" }> {
  if (!(error instanceof DeviceError)) throw error;
  const { rule, message, sticky: tainted, hardware } = error;
  if (hardware) return { kind: "fault", message: `${message} [${rule}]`, hardware };
  return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule, message, tainted };
}

async function measureCandidate(
  { artifact, options }: Extract<ChildRequest, { kind: "measure" }>,
  workload: Workload,
  context: JobContext,
): Promise<ChildAnswer> {
  const { device, enter } = context;
  const { manifest, codePath } = artifact;
  const workspaces: DeviceBuffer[] = [];
  try {
    await enter("load");
    using module = device.load(manifest, codePath);
    const buffers = new Map(workload.buffers);
    for (const spec of manifest.buffers) {
      if (spec.role !== "workspace") continue;
      const workspace = device.allocate(spec);
      workspaces.push(workspace);
      buffers.set(spec.name, workspace);
    }
    const candidate: Candidate = {
      module,
      buffers,
      ...(workload.expected === undefined ? {} : { expected: workload.expected }),
      refill: workload.refill,
    };
    return await measure(device, candidate, options, hooksOf(context));
  } catch (error) {
    return failureOf(error);
  } finally {
    for (const workspace of workspaces) device.free(workspace);
  }
}

type Refusal = Pick<Failure, "rule" | "message">;

/** Candidate and reference must take and give the same tensors. */
function disagreement({ manifest }: LocalArtifact, { buffers }: Workload): Refusal | undefined {
  const message = otherTensors(manifest, buffers);
  return message === undefined ? undefined : { rule: "tensors", message };
}

function otherTensors(manifest: LocalArtifact["manifest"], buffers: Workload["buffers"]): string | undefined {
  const tensors = manifest.buffers.filter((spec) => spec.role !== "workspace");
  const shown = (name: string | undefined): string => (name === undefined ? "nothing" : name);
  if (tensors.length !== buffers.size) return `the artifact has ${tensors.length} tensors, its reference ${buffers.size}`;
  const words = ({ name, dtype, shape, role, fill }: ManifestBuffer): string =>
    `${role} ${name}: ${dtype}[${shape}]${fill === undefined ? "" : ` of ${typeof fill === "string" ? fill : JSON.stringify(fill)}`}`;
  for (const tensor of tensors) {
    const spec = buffers.get(tensor.name)?.spec;
    const text = words(tensor);
    const other = spec && words(spec);
    if (text !== other) return `the artifact has ${text}, its reference ${shown(other)}`;
  }
  return undefined;
}

function unsupported({ options }: Extract<ChildRequest, { kind: "measure" }>, { timers }: DeviceApi): Refusal | undefined {
  return timers.includes(options.timer)
    ? undefined
    : { rule: "timer", message: `timer ${options.timer} was asked for; this device has ${timers.join(", ")}` };
}
