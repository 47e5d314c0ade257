/**
 * MeasureOptions, MeasureResult, DeviceFacts and program references between wire and domain. All functions are total: `fromWire`
 * returns a valid domain value or throws INVALID_ARGUMENT with field and limit; `toWire` clips the two free texts and cannot
 * fail. Round trips are exact (times to the nanosecond).
 */
import {
  backends,
  type DeviceFacts,
  defaultMeasureOptions,
  defined,
  digestOf,
  type FailedResult,
  type InputKind,
  type MeasureErrorNo,
  type MeasureOptions,
  type MeasureResult,
  maxProgramBytes,
  mostPrecision,
  type PairedOptions,
  type PairedTiming,
  type PowerState,
  type ProgramBytes,
  type ProgramDigest,
  pairedLimits,
  type Snake,
  snakeOf,
  type TimedResult,
  type TimerKind,
  toArtifactDigest,
  toProgramDigest,
  usualPower,
  whyNoBurst,
} from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";
import { judgedFromWire, judgedToWire } from "./judged.ts";
import { leaseFromWire, leaseToWire } from "./lease-times.ts";
import { mismatchFromWire, observationsFromWire, observationsToWire } from "./observations.ts";

export const limits = {
  programBytes: maxProgramBytes,
  messageBytes: 1024,
  logBytes: 64 * 1024,
  repeat: 1000,
  number: 1_000_000_000,
} as const;

/** A program on the wire: its bytes, or the digest of bytes that were sent before. */
export type ProgramRef =
  | { readonly kind: "program"; readonly program: ProgramBytes }
  | { readonly kind: "digest"; readonly digest: ProgramDigest };

export function programRefToWire(ref: ProgramRef): Sent<Wire.ProgramRef> {
  return ref.kind === "digest" ? { digest: ref.digest } : { json: Buffer.from(ref.program.bytes) };
}

/** Computes the digest of bytes and trusts none from the wire. programEnvelope checks the bytes. */
export function programRefFromWire(name: string, wire: Wire.ProgramRef): ProgramRef {
  if (wire.json) {
    if (wire.json.length === 0 || wire.json.length > limits.programBytes)
      field.refuse(`${name}.json`, `${wire.json.length} bytes`, `1 to ${limits.programBytes} bytes`);
    return { kind: "program", program: { digest: toProgramDigest(digestOf(wire.json)), bytes: wire.json } };
  }
  return { kind: "digest", digest: toProgramDigest(field.digest(`${name}.digest`, field.required(name, wire.digest))) };
}

const timerToWire = { cuda_graph: "TIMER_CUDA_GRAPH", events: "TIMER_EVENTS", wall: "TIMER_WALL" } as const satisfies Record<
  TimerKind,
  Wire.Timer
>;
const timerFromWire: Record<Exclude<Wire.Timer, "TIMER_UNSPECIFIED">, TimerKind> = {
  TIMER_CUDA_GRAPH: "cuda_graph",
  TIMER_EVENTS: "events",
  TIMER_WALL: "wall",
};
const l2FromWire: Record<Wire.L2, MeasureOptions["l2"]> = { L2_UNSPECIFIED: "warm", L2_WARM: "warm", L2_FLUSHED: "flushed" };
const checkFromWire: Record<Wire.Check, MeasureOptions["check"]> = {
  CHECK_UNSPECIFIED: "reference",
  CHECK_NONE: "none",
  CHECK_REFERENCE: "reference",
};

const powerToWire = {
  burst: "POWER_BURST",
  sustained: "POWER_SUSTAINED",
  as_asked: "POWER_AS_ASKED",
} as const satisfies Record<PowerState, Wire.Power>;
const powerFromWire: Record<Exclude<Wire.Power, "POWER_UNSPECIFIED">, PowerState> = {
  POWER_BURST: "burst",
  POWER_SUSTAINED: "sustained",
  POWER_AS_ASKED: "as_asked",
};
const inputsFromWire: Record<Wire.Inputs, InputKind> = {
  INPUTS_UNSPECIFIED: "full",
  INPUTS_FULL: "full",
  INPUTS_EXACT: "exact",
};

/** An unknown enum value arrives as a number. Known names are looked up, and everything else is refused. */
function named<V>(name: string, table: Readonly<Record<string, V>>, value: string): V {
  const found = Object.hasOwn(table, value) ? table[value] : undefined;
  return found ?? field.refuse(name, field.shown(value), Object.keys(table).join(", "));
}

/** The options that are spans, with the least and the most milliseconds. */
const spans = {
  minRepeatMs: [0, 60_000],
  buildTimeoutMs: [1, 3_600_000],
  runTimeoutMs: [1, 3_600_000],
  cooldownMs: [0, 60_000],
} as const;
type Span = keyof typeof spans;
type OnWire<S extends Span> = Snake<S> extends `${infer Name}_ms` ? Name : never;
/** A Duration has its unit in its type, not in its name. */
const onWire = <S extends Span>(name: S): OnWire<S> => snakeOf(name).slice(0, -"_ms".length) as OnWire<S>;

const spansBy = <K extends string, V>(key: (name: Span) => K, value: (name: Span) => V): { readonly [N in K]: V } =>
  Object.fromEntries((Object.keys(spans) as Span[]).map((name) => [key(name), value(name)])) as { readonly [N in K]: V };

export function measureOptionsToWire(o: MeasureOptions): Sent<Wire.MeasureOptions> {
  return {
    number: o.number,
    repeat: o.repeat,
    precision: o.precision,
    ...spansBy(onWire, (name) => field.toDuration(o[name])),
    l2: o.l2 === "warm" ? "L2_WARM" : "L2_FLUSHED",
    timer: timerToWire[o.timer],
    check: o.check === "none" ? "CHECK_NONE" : "CHECK_REFERENCE",
    inputs: o.inputs === "full" ? "INPUTS_FULL" : "INPUTS_EXACT",
    power: powerToWire[o.power],
    ...defined({ judged: o.judged, incumbent_seconds: o.incumbent === "best" ? 0 : o.incumbent }),
  };
}

/** Unset fields have the defaults of the backend. */
export function measureOptionsFromWire(name: string, wire: Wire.MeasureOptions | null, backend: string): MeasureOptions {
  if (wire === null) return defaultMeasureOptions(backend);
  const number = field.integer(`${name}.number`, wire.number, 0, limits.number);
  const given = (span: Span): number | undefined => {
    const value = wire[onWire(span)];
    return value === null ? undefined : field.durationMs(`${name}.${onWire(span)}`, value, ...spans[span]);
  };
  const repeats = { number, ...defined({ minRepeatMs: given("minRepeatMs"), cooldownMs: given("cooldownMs") }) };
  const power =
    wire.power === "POWER_UNSPECIFIED" ? usualPower(repeats, backend) : named(`${name}.power`, powerFromWire, wire.power);
  const noBurst = power === "burst" ? whyNoBurst(repeats, backends.of(backend)) : undefined;
  if (noBurst !== undefined) field.refuse(`${name}.power`, wire.power, noBurst);
  const d = defaultMeasureOptions(backend, power);
  const timer = wire.timer === "TIMER_UNSPECIFIED" ? d.timer : named(`${name}.timer`, timerFromWire, wire.timer);
  const { timers } = backends.of(backend);
  if (!timers.includes(timer))
    field.refuse(`${name}.timer`, wire.timer, `${timers.map((one) => timerToWire[one]).join(" or ")} on ${backend}`);
  if (wire.judged && wire.check === "CHECK_NONE") field.refuse(`${name}.judged`, "true", "true with a check against a reference");
  return {
    number,
    repeat: wire.repeat === undefined ? d.repeat : field.integer(`${name}.repeat`, wire.repeat, 1, limits.repeat),
    precision: wire.precision === undefined ? d.precision : field.finite(`${name}.precision`, wire.precision, 0, mostPrecision),
    ...spansBy(
      (span) => span,
      (span) => given(span) ?? d[span],
    ),
    l2: named(`${name}.l2`, l2FromWire, wire.l2),
    timer,
    check: named(`${name}.check`, checkFromWire, wire.check),
    inputs: named(`${name}.inputs`, inputsFromWire, wire.inputs),
    power,
    ...(wire.judged ? { judged: true } : {}),
    ...(wire.incumbent_seconds === undefined
      ? {}
      : { incumbent: field.finite(`${name}.incumbent_seconds`, wire.incumbent_seconds, 0, 86_400) || "best" }),
  };
}

/** The options of a job, which has every field: an unset timer would leave the backend open, and with it every default. */
export function jobOptionsFromWire(name: string, wire: Wire.MeasureOptions): MeasureOptions {
  if (wire.timer === "TIMER_UNSPECIFIED") field.refuse(`${name}.timer`, wire.timer, "a timer");
  const timer = named(`${name}.timer`, timerFromWire, wire.timer);
  const backend = backends.names.find((one) => backends.of(one).timers.includes(timer));
  return measureOptionsFromWire(name, wire, backend ?? field.refuse(`${name}.timer`, wire.timer, "a timer of a known backend"));
}

export const pairedToWire = ({ rounds, idleMs, sequential = false }: PairedOptions): Sent<Wire.PairedOptions> => ({
  rounds,
  sequential,
  idle: field.toDuration(idleMs),
});

export function pairedFromWire(name: string, { rounds, idle, sequential }: Wire.PairedOptions): PairedOptions {
  const { least, most } = pairedLimits.rounds;
  return {
    rounds: field.integer(`${name}.rounds`, rounds, least, most),
    idleMs: idle === null ? 0 : field.durationMs(`${name}.idle`, idle, 0, pairedLimits.idleMs),
    ...(sequential ? { sequential } : {}),
  };
}

export function deviceFactsToWire(d: DeviceFacts): Sent<Wire.DeviceFacts> {
  return { key: d.key, name: d.name, uuid: d.uuid, node: d.node, driver: d.driver };
}

/** The last facts of each device, by its uuid. */
const lastFacts = new Map<string, DeviceFacts>();
const keepFacts = 4_096;

/** Returns the same object for equal consecutive facts. */
export function deviceFactsFromWire(name: string, wire: Wire.DeviceFacts): DeviceFacts {
  const last = lastFacts.get(wire.uuid);
  if (last && last.key === wire.key && last.name === wire.name && last.node === wire.node && last.driver === wire.driver)
    return last;
  const facts = checkedFacts(name, wire);
  if (lastFacts.size >= keepFacts) lastFacts.clear(); // of uuids that somebody made up
  lastFacts.set(facts.uuid, facts);
  return facts;
}

function checkedFacts(name: string, wire: Wire.DeviceFacts): DeviceFacts {
  return {
    key: field.matchKey(`${name}.key`, wire.key),
    name: field.text(`${name}.name`, wire.name, 256),
    uuid: field.text(`${name}.uuid`, wire.uuid, 128, 1),
    node: field.text(`${name}.node`, wire.node, 256),
    driver: field.text(`${name}.driver`, wire.driver, 256),
  };
}

type FailureNo = Exclude<MeasureErrorNo, 0>;
const errorNoToWire: Record<FailureNo, Exclude<Wire.ErrorNo, "ERROR_NO_UNSPECIFIED">> = {
  1: "ERROR_NO_INSTANTIATION",
  2: "ERROR_NO_COMPILE_HOST",
  3: "ERROR_NO_COMPILE_DEVICE",
  4: "ERROR_NO_RUNTIME_DEVICE",
  5: "ERROR_NO_WRONG_ANSWER",
  6: "ERROR_NO_BUILD_TIMEOUT",
  7: "ERROR_NO_RUN_TIMEOUT",
  8: "ERROR_NO_UNKNOWN",
};
const errorNoFromWire = Object.fromEntries(
  Object.entries(errorNoToWire).map(([errorNo, name]) => [name, Number(errorNo)]),
) as Record<Exclude<Wire.ErrorNo, "ERROR_NO_UNSPECIFIED">, FailureNo>;

function timedToWire(r: Omit<TimedResult, "kind">): Sent<Wire.MeasureResult_Timed> {
  return {
    costs: [...r.costs],
    number: r.number,
    busy: field.toDuration(r.busyMs),
    checked: r.checked,
    observations: observationsToWire(r.observations),
    artifact: r.artifact,
    ...(r.judged === undefined ? {} : { judged: judgedToWire(r.judged) }),
    ...(r.paired === undefined ? {} : { paired: r.paired.map(({ costs, ...of }) => ({ ...of, costs: [...costs] })) }),
  };
}

export function measureResultToWire(r: MeasureResult): Sent<Wire.MeasureResult> {
  const phases: Sent<Wire.MeasureResult> = {
    build_time: field.toDuration(r.buildMs),
    run_time: field.toDuration(r.runMs),
    finish_time: field.toTimestamp(r.timestampMs),
    attempt: r.attempt,
    device: r.device ? deviceFactsToWire(r.device) : null,
    ...defined({ toolchain: r.toolchain }),
    ...(r.lease === undefined ? {} : { lease: leaseToWire(r.lease) }),
  };
  if (r.kind === "timed") return { ...phases, timed: timedToWire(r) };
  if (r.kind === "slower") return { ...phases, slower: { at_least: r.atLeast, ran: timedToWire(r) } };
  return {
    ...phases,
    failed: {
      error_no: errorNoToWire[r.errorNo],
      rule: field.clip(r.rule ?? "", 128),
      message: field.clip(r.message, limits.messageBytes),
      log: field.clip(r.log ?? "", limits.logBytes),
      mismatch: r.mismatch ?? null,
      busy: r.busyMs === undefined ? null : field.toDuration(r.busyMs),
      ...defined({ failed_program: r.failedProgram }),
    },
  };
}

export function measureResultFromWire(name: string, wire: Wire.MeasureResult): MeasureResult {
  const ms = (key: "build_time" | "run_time") => {
    const value = wire[key];
    return value === null ? 0 : field.durationMs(`${name}.${key}`, value);
  };
  const buildMs = ms("build_time");
  const runMs = ms("run_time");
  const timestampMs = wire.finish_time === null ? 0 : field.timestampMs(`${name}.finish_time`, wire.finish_time);
  const attempt = field.integer(`${name}.attempt`, wire.attempt, 1, 1_000_000);
  const toolchain = wire.toolchain === "" ? undefined : field.text(`${name}.toolchain`, wire.toolchain, 512);
  const lease = wire.lease === null ? undefined : leaseFromWire(`${name}.lease`, wire.lease);
  const ran = wire.slower ? field.required(`${name}.slower.ran`, wire.slower.ran) : wire.timed;
  if (!ran) return failedFromWire(name, wire, { buildMs, runMs, timestampMs, attempt, ...defined({ toolchain, lease }) });
  const { busy, checked, observations, judged, paired } = ran;
  const { costs, number, artifact } = timingFromWire(`${name}.timed`, ran);
  // Written field by field, because thousands a second come through here, and spreading an object costs as much as all its
  // fields.
  const timed: { -readonly [K in keyof TimedResult]: TimedResult[K] } = {
    kind: "timed",
    costs,
    number,
    artifact,
    busyMs: busy === null ? 0 : field.durationMs(`${name}.timed.busy`, busy),
    checked,
    device: deviceFactsFromWire(`${name}.device`, field.required(`${name}.device`, wire.device)),
    observations: observationsFromWire(`${name}.timed.observations`, observations),
    buildMs,
    runMs,
    timestampMs,
    attempt,
  };
  if (toolchain !== undefined) timed.toolchain = toolchain;
  if (lease !== undefined) timed.lease = lease;
  if (judged !== null) timed.judged = judgedFromWire(`${name}.timed.judged`, judged);
  if (wire.slower) {
    const atLeast = field.finite(`${name}.slower.at_least`, wire.slower.at_least, Number.MIN_VALUE, 86_400);
    return { ...timed, kind: "slower", atLeast };
  }
  if (paired.length === 0) return timed;
  return { ...timed, paired: field.list(`${name}.timed.paired`, paired, pairedLimits.programs.most, timingFromWire) };
}

const timingFromWire = (
  name: string,
  { costs, number, artifact }: { readonly costs: number[]; readonly number: number; readonly artifact: string },
): PairedTiming => {
  if (costs.length === 0) field.refuse(`${name}.costs`, "empty", `1 to ${limits.repeat} entries`);
  return {
    costs: field.list(`${name}.costs`, costs, limits.repeat, (f, v) => field.finite(f, v, 0, 86_400)),
    number: field.integer(`${name}.number`, number, 1, limits.number),
    artifact: toArtifactDigest(field.digest(`${name}.artifact`, artifact)),
  };
};

function failedFromWire(
  name: string,
  wire: Wire.MeasureResult,
  phases: Pick<FailedResult, "buildMs" | "runMs" | "timestampMs" | "attempt" | "toolchain" | "lease">,
): FailedResult {
  const { error_no, rule, message, log, mismatch, busy, failed_program } = field.required(`${name}.outcome`, wire.failed);
  return {
    kind: "failed",
    errorNo: named(`${name}.failed.error_no`, errorNoFromWire, error_no),
    message: field.prose(`${name}.failed.message`, message, limits.messageBytes),
    ...(rule === "" ? {} : { rule: field.text(`${name}.failed.rule`, rule, 128) }),
    ...(log === "" ? {} : { log: field.prose(`${name}.failed.log`, log, limits.logBytes) }),
    ...(mismatch === null ? {} : { mismatch: mismatchFromWire(`${name}.failed.mismatch`, mismatch) }),
    ...(busy === null ? {} : { busyMs: field.durationMs(`${name}.failed.busy`, busy) }),
    ...(wire.device === null ? {} : { device: deviceFactsFromWire(`${name}.device`, wire.device) }),
    ...(failed_program === undefined
      ? {}
      : { failedProgram: field.integer(`${name}.failed.failed_program`, failed_program, 0, pairedLimits.programs.most - 1) }),
    ...phases,
  };
}
