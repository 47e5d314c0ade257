/**
 * One request, carried out in the process that owns the device. What the candidate does wrong becomes a failure; what is wrong with the
 * job or the node becomes a fault, and so does whatever came out while somebody else was on the device.
 */
import { type ManifestBuffer, measureErrorNo, systemClock } from "@warpfarm/common";
import { type DeviceApi, type DeviceBuffer, type DeviceDescription, DeviceError } from "../device/device-api.ts";
import { type Candidate, type Failure, type MeasureHooks, measure } from "../measure/measure.ts";
import type { ChildAnswer, ChildRequest, LocalArtifact } from "./messages.ts";
import type { Workload, Workloads } from "./workloads.ts";

export interface JobContext {
  readonly device: DeviceApi;
  readonly description: DeviceDescription;
  readonly workloads: Workloads;
  readonly enter: MeasureHooks["enter"];
  readonly hold: MeasureHooks["hold"];
}

export async function carryOut(request: ChildRequest, context: JobContext): Promise<ChildAnswer> {
  if (request.kind === "describe") return { kind: "described", description: context.description };
  const answer = await answerTo(request, context);
  const others = context.device.others();
  // A fresh process waits until it is alone, and until then keeps nothing on the device.
  return others === undefined ? answer : { kind: "fault", message: others, tainted: true };
}

async function answerTo(request: Exclude<ChildRequest, { kind: "describe" }>, context: JobContext): Promise<ChildAnswer> {
  const reference = request.reference;
  const subject = request.kind === "measure" ? request.artifact : reference;
  if (subject === undefined) return { kind: "verified" };
  let workload: Workload;
  try {
    workload = await context.workloads.of(subject, reference, () => context.enter("reference"));
  } catch (error) {
    if (error instanceof DeviceError)
      return { kind: "fault", message: `reference kernel: ${error.message} [${error.rule}]`, tainted: error.sticky };
    throw error;
  }
  const digest = workload.referenceDigest === undefined ? {} : { referenceDigest: workload.referenceDigest };
  if (request.kind === "verify") return { kind: "verified", ...digest };
  const fault = disagreement(request.artifact, workload) ?? unsupported(request, context.device);
  if (fault !== undefined) return { kind: "fault", message: fault };
  return { ...(await measureCandidate(request, workload, context)), ...digest };
}

async function measureCandidate(
  { artifact, options }: Extract<ChildRequest, { kind: "measure" }>,
  workload: Workload,
  { device, enter, hold }: JobContext,
): Promise<ChildAnswer> {
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
    const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return await measure(device, candidate, options, { enter, hold, pause, monotonic: systemClock.monotonic });
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    const failure: Failure = {
      kind: "failed",
      errorNo: measureErrorNo.RUNTIME_DEVICE,
      rule: error.rule,
      message: error.message,
      tainted: error.sticky,
    };
    return failure;
  } finally {
    for (const workspace of workspaces) device.free(workspace);
  }
}

/** Candidate and reference must take and give the same tensors. */
function disagreement({ manifest }: LocalArtifact, { buffers }: Workload): string | undefined {
  const tensors = manifest.buffers.filter((spec) => spec.role !== "workspace");
  const shown = (name: string | undefined): string => (name === undefined ? "nothing" : name);
  if (tensors.length !== buffers.size) return `the artifact has ${tensors.length} tensors, its reference ${buffers.size}`;
  const words = ({ name, dtype, shape, role, fill }: ManifestBuffer): string =>
    `${role} ${name}: ${dtype}[${shape}]${fill === undefined ? "" : ` of ${fill}`}`;
  for (const tensor of tensors) {
    const spec = buffers.get(tensor.name)?.spec;
    const text = words(tensor);
    const other = spec && words(spec);
    if (text !== other) return `the artifact has ${text}, its reference ${shown(other)}`;
  }
  return undefined;
}

function unsupported({ options }: Extract<ChildRequest, { kind: "measure" }>, { timers }: DeviceApi): string | undefined {
  return timers.includes(options.timer)
    ? undefined
    : `timer ${options.timer} was asked for; this device has ${timers.join(", ")}`;
}
