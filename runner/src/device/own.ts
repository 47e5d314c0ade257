/**
 * The node's own kernels, of known answer: what its health rests on, for whatever a user sent may crash, hang or get slower by
 * itself. They are run in a fresh process after one died, now and then while the node is suspect, and timed to see whether the
 * device still is what it was (drift.ts). Runners have no compiler, so their code is committed: PTX that the driver compiles
 * (cuda/own.cu), machine code (cpu/own.c).
 *
 *   arithmetic  out[i] = the end of an integer and a float chain from i % 256: clocks, and whether the device computes right
 *   memory      out[i] = in[i] + i * 0x9e3779b1, with in = 0: bandwidth, and whether memory keeps what was written
 *
 * They go through load, allocate and run as a candidate does, so that they fail where any candidate would.
 */
import { type ArtifactManifest, type ManifestBuffer, type Seconds, toDigest, toProgramDigest } from "@warpfarm/common";
import { type MeasureHooks, measure } from "../measure/measure.ts";
import { type DeviceApi, type DeviceBuffer, DeviceError } from "./device-api.ts";
import { chainEnds } from "./own-answers.ts";

const names = ["arithmetic", "memory"] as const;
type OwnName = (typeof names)[number];
/** Seconds of one run: the best of several repeats. */
export type OwnTimes = Readonly<Record<OwnName, Seconds>>;

type Sizes = Readonly<Record<OwnName, number>>;

export interface OwnCode {
  readonly target: string;
  readonly format: "ptx" | "so";
  readonly codePath: string;
  /** Threads of a block, with one word each; absent where a kernel is one call that knows its size. */
  readonly threads?: number;
  readonly checked: Sizes;
  /** Large enough that launches take a small part of the time. */
  readonly timed: Sizes;
}

/** Enough launches to raise the clocks, and for a best time that no disturbance spoils. */
const timedOptions = { number: 0, repeat: 5, precision: 0, minRepeatMs: 20 } as const;
/** Longer than any deadline of the supervisor, which stops it. */
const runTimeoutMs = 600_000;

/** Throws DeviceError when the device refuses, faults, or answers wrong (rule `wrong_answer`). Takes times only on request. */
export async function runOwn(
  device: DeviceApi,
  code: OwnCode,
  hooks: MeasureHooks,
  { timed }: { readonly timed: boolean },
): Promise<OwnTimes | undefined> {
  const sizes = timed ? code.timed : code.checked;
  const arithmetic = await runOne(device, manifestOf(code, "arithmetic", sizes), code.codePath, timed ? hooks : undefined);
  const memory = await runOne(device, manifestOf(code, "memory", sizes), code.codePath, timed ? hooks : undefined);
  return timed ? { arithmetic, memory } : undefined;
}

/** Seconds of one run; 0 without hooks, when it runs once. */
async function runOne(
  device: DeviceApi,
  manifest: ArtifactManifest,
  codePath: string,
  hooks: MeasureHooks | undefined,
): Promise<Seconds> {
  const buffers = new Map<string, DeviceBuffer>();
  try {
    using module = device.load(manifest, codePath);
    for (const spec of manifest.buffers) buffers.set(spec.name, device.allocate(spec));
    const [input, output] = [buffers.get("in"), buffers.get("out")];
    if (input !== undefined) device.fill(input, 0, 0, "exact");
    const timer = device.timers[0] ?? "wall";
    let seconds = 0;
    if (hooks === undefined) {
      if (output !== undefined) device.poison(output);
      device.run(module, buffers, 1, timer);
      const [damaged] = device.damaged(buffers.values());
      if (damaged !== undefined) throw new DeviceError("out_of_bounds_write", `something was written around "${damaged}"`);
    } else {
      const options = {
        ...timedOptions,
        buildTimeoutMs: 0,
        runTimeoutMs: runTimeoutMs,
        cooldownMs: 0,
        l2: "warm",
        timer,
        check: "none",
        inputs: "exact",
        power: "as_asked",
      } as const;
      const outcome = await measure(device, { module, buffers, refill: () => {} }, options, hooks);
      if (outcome.kind === "failed") throw new DeviceError(outcome.rule ?? "own", outcome.message, { sticky: outcome.tainted });
      seconds = Math.min(...outcome.costs);
    }
    if (output !== undefined) inspect(manifest.kernels[0]?.name as OwnName, device.read(output));
    return seconds;
  } finally {
    for (const buffer of buffers.values()) device.free(buffer);
  }
}

function inspect(name: OwnName, bytes: Uint8Array): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const chains = name === "arithmetic" ? chainEnds : undefined;
  for (let i = 0; i < words.length; i++) {
    const expected = chains === undefined ? Math.imul(i, 0x9e3779b1) >>> 0 : chains[i % chains.length];
    if (words[i] !== expected)
      throw new DeviceError("wrong_answer", `word ${i} of its kernel "${name}" is ${words[i]}; expected ${expected}`);
  }
}

const nobody = `sha256:${"0".repeat(64)}`;

function manifestOf({ target, format, threads }: OwnCode, name: OwnName, sizes: Sizes): ArtifactManifest {
  const count = sizes[name];
  const words = { dtype: "int32", shape: [count], bytes: 4 * count, align: 64, reduction: 1 } as const;
  const input: ManifestBuffer = { ...words, name: "in", role: "in", fill: "zeros" };
  const output: ManifestBuffer = { ...words, name: "out", role: "out" };
  const buffers = name === "arithmetic" ? [output] : [input, output];
  return {
    version: 1,
    program: toProgramDigest(nobody),
    target,
    format,
    code: toDigest(nobody),
    kernels: [
      {
        name,
        grid: [threads === undefined ? 1 : Math.ceil(count / threads), 1, 1],
        block: [threads ?? 1, 1, 1],
        dynamic_shared_bytes: 0,
        cluster: [1, 1, 1],
        args: buffers.map((buffer) => buffer.name),
      },
    ],
    buffers,
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "",
    notes: [],
  };
}
